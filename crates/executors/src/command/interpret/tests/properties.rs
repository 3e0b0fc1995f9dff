//! What holds for every output and every exit code.

use super::{exited, hook};
use crate::command::interpret::*;
use proptest::prelude::*;

use EventKind::{SessionStart, ToolPost, ToolPre};
use InjectOutput::{Always, Failure, Never, Success, Unstated};

/// Bytes that come close to replies, so that the properties do not only see noise.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("{\"deny\":\"x\"}".to_owned()),
        Just("{\"allow\":true}".to_owned()),
        Just("{\"ask\":\"x\"}".to_owned()),
        Just("{\"inject\":\"x\"}".to_owned()),
        Just("{".to_owned()),
        Just("\n".to_owned()),
        Just("\u{1b}[0m".to_owned()),
        ".{0,8}",
    ];
    let close = prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat().into_bytes());
    prop_oneof![close, prop::collection::vec(any::<u8>(), 0..64)]
}

proptest! {
    #[test]
    fn exit_2_always_stops(stdout in output(), stderr in ".{0,20}", cut in 0u64..3) {
        let mut finished = exited(2, &stdout, &stderr);
        finished.stdout_cut = cut;
        for event in [ToolPre, SessionStart] {
            let got = interpret(&finished, &hook(Unstated), &event).output;
            let stopped = matches!(&got, HookOutput::Reply(reply) if stops(&reply.verdict));
            prop_assert!(stopped, "{:?}", got);
        }
    }

    #[test]
    fn no_output_panics(stdout in output(), stderr in output(), code: i32, cut: u64) {
        for inject_output in [Unstated, Never, Success, Failure, Always] {
            let mut finished = exited(code, &stdout, "");
            finished.stderr_tail.clone_from(&stderr);
            finished.stdout_cut = cut / 2;
            interpret(&finished, &hook(inject_output), &ToolPost);
        }
    }

    #[test]
    fn failed_program_never_allows(stdout in output(), code in 1i32..256) {
        let got = interpret(&exited(code, &stdout, ""), &hook(Unstated), &ToolPre).output;
        if let HookOutput::Reply(reply) = got {
            prop_assert!(stops(&reply.verdict) && reply.effects.is_empty(), "{:?}", reply);
        }
    }
}
