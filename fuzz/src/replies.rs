//! The output of hooks: no output makes the reader panic, and no failed program allows or rewrites anything.

use tenter_contract::{
    Effect, EventKind, Handler, HookId, HookOutput, HookSpec, InjectOutput, Layer, Template, Verdict,
};

/// Reads an output at every exit code that means something, under every rule for text.
pub fn reply(stdout: &[u8]) {
    let handler = Handler::Deny(Template::parse("never asked").expect("it holds no placeholder"));
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
    for inject_output in [InjectOutput::Unstated, InjectOutput::Always] {
        hook.inject_output = inject_output;
        for kind in [EventKind::ToolPre, EventKind::ToolPost, EventKind::SessionStart] {
            for code in [0, 1, 2, 127] {
                let output = interpret(code, stdout, &hook, &kind);
                if inject_output == InjectOutput::Unstated {
                    check_exit_code(code, &output);
                }
                if cfg!(fuzzing) && is_deny(stdout) {
                    let denied = matches!(&output, HookOutput::Reply(reply) if matches!(reply.verdict, Verdict::Deny { .. }));
                    assert!(denied, "a deny became {output:?} at exit code {code}");
                }
                has_no_nul(&output);
            }
        }
    }
}

#[cfg(fuzzing)]
use tenter_executors::command::interpret_output as interpreted;

#[cfg(fuzzing)]
fn interpret(code: i32, stdout: &[u8], hook: &HookSpec, kind: &EventKind) -> HookOutput {
    interpreted(code, stdout, stdout, hook, kind)
}

/// Without cargo-fuzz nothing is read: the seeds are only copied.
#[cfg(not(fuzzing))]
fn interpret(_: i32, _: &[u8], _: &HookSpec, _: &EventKind) -> HookOutput {
    HookOutput::Reply(tenter_contract::HookReply::default())
}

/// Whether a plain JSON reader, for which the last of two equal keys counts, finds a deny.
fn is_deny(stdout: &[u8]) -> bool {
    let Ok(reply) = serde_json::from_slice::<serde_json::Value>(stdout) else { return false };
    let specific = &reply["hookSpecificOutput"]["permissionDecision"];
    reply["deny"].is_string()
        || reply["decision"] == "block"
        || reply["decision"] == "deny"
        || *specific == "deny"
}

fn check_exit_code(code: i32, output: &HookOutput) {
    let stops = |verdict: &Verdict| matches!(verdict, Verdict::Deny { .. } | Verdict::Ask(_));
    match (code, output) {
        (0, HookOutput::Reply(_) | HookOutput::Failure(_)) | (_, HookOutput::Skipped { .. }) => {}
        (2, HookOutput::Failure(failure)) => panic!("exit code 2 denies, but this is {failure:?}"),
        (_, HookOutput::Failure(_)) => {}
        (_, HookOutput::Started) => panic!("no output means that a program goes on in the background"),
        (_, HookOutput::Reply(reply)) => assert!(
            cfg!(not(fuzzing)) || (stops(&reply.verdict) && reply.effects.is_empty()),
            "exit code {code} became {reply:?}"
        ),
    }
}

fn has_no_nul(output: &HookOutput) {
    let HookOutput::Reply(reply) = output else { return };
    for effect in &reply.effects {
        if let Effect::Inject(injection) = effect {
            assert!(!injection.content.contains('\0'), "{injection:?}");
        }
    }
}
