//! What holds for every output and every exit code.

use super::tests::{exited, hook};
use super::*;
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
    fn exit_2_denies_or_asks_whatever_is_said(stdout in output(), stderr in ".{0,20}", cut in 0u64..3) {
        let mut finished = exited(2, &stdout, &stderr);
        finished.stdout_cut = cut;
        for event in [ToolPre, SessionStart] {
            let got = interpret(&finished, &hook(Unstated), &event).said;
            let stopped = matches!(&got, Said::Reply(reply) if stops(&reply.verdict));
            prop_assert!(stopped, "{:?}", got);
        }
    }

    #[test]
    fn no_output_and_no_code_makes_it_panic(stdout in output(), stderr in output(), code: i32, cut: u64) {
        for inject_output in [Unstated, Never, Success, Failure, Always] {
            let mut finished = exited(code, &stdout, "");
            finished.stderr_tail.clone_from(&stderr);
            finished.stdout_cut = cut / 2;
            interpret(&finished, &hook(inject_output), &ToolPost);
        }
    }

    #[test]
    fn a_failed_program_never_allows_or_rewrites(stdout in output(), code in 1i32..256) {
        let got = interpret(&exited(code, &stdout, ""), &hook(Unstated), &ToolPre).said;
        if let Said::Reply(reply) = got {
            prop_assert!(stops(&reply.verdict) && reply.effects.is_empty(), "{:?}", reply);
        }
    }
}
