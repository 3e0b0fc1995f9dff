//! The rules, one row each; `P2` rows are the security cases of that name.

mod deny_forms;
mod other_readers;
mod properties;

use super::*;
use tenter_contract::approval_question::ApprovalPrompt;
use tenter_contract::{
    Handler, HookId, Layer, Level, Message, Patch, Policy, Repeat, ReplyDefaults, Rewrite, Role, Strategy,
    Template,
};

use EventKind::{PromptSubmit, SessionStart, ToolPost, ToolPre};
use InjectOutput::{Always, Failure, Never, Success, Unstated};

pub(super) fn hook(inject_output: InjectOutput) -> HookSpec {
    let handler = Handler::Deny(Template::parse("not asked").unwrap());
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), ToolPre, handler);
    hook.inject_output = inject_output;
    hook
}

pub(super) fn exited(code: i32, stdout: &[u8], stderr: &str) -> FinishedProcess {
    FinishedProcess {
        stdout: stdout.to_vec(),
        stderr_tail: stderr.as_bytes().to_vec(),
        ..FinishedProcess::exited(code)
    }
}

fn reply(verdict: Verdict, effects: Vec<Effect>) -> HookOutput {
    HookOutput::Reply(HookReply { verdict, effects })
}
fn deny(reason: &str) -> HookOutput {
    reply(Verdict::Deny { reason: reason.to_owned() }, vec![])
}
fn ask(prompt: &str) -> HookOutput {
    let prompt = prompt.to_owned();
    reply(
        Verdict::Ask(ApprovalPrompt { prompt, options: vec![], timeout: None, default: Policy::Deny }),
        vec![],
    )
}
fn context(text: &str) -> HookOutput {
    reply(Verdict::Abstain, vec![Effect::Inject(Injection::text(text))])
}
fn printed(text: &str) -> HookOutput {
    reply(Verdict::Abstain, vec![Effect::Inject(Injection::printed(text))])
}
fn nothing() -> HookOutput {
    reply(Verdict::Abstain, vec![])
}
fn garbled() -> HookOutput {
    failure(HookFailure::Garbled { detail: "…".to_owned() })
}
fn missing(detail: &str) -> HookOutput {
    failure(HookFailure::Missing { detail: detail.to_owned() })
}

/// `protocol` owns the texts of errors; here only the error counts.
fn without_words(said: HookOutput) -> HookOutput {
    match said {
        HookOutput::Failure(HookFailure::Garbled { .. }) => garbled(),
        other => other,
    }
}

/// name, event, `inject_output`, exit code, stdout, stderr, what was said, how many notices
type Row<'a> = (&'a str, EventKind, InjectOutput, i32, &'a str, &'a str, HookOutput, usize);

fn check(rows: Vec<Row<'_>>) {
    for (name, event, inject_output, code, stdout, stderr, expected, notices) in rows {
        let got = interpret(&exited(code, stdout.as_bytes(), stderr), &hook(inject_output), &event);
        assert_eq!(without_words(got.output), expected, "{name}");
        assert_eq!(got.notices.len(), notices, "{name}: {:?}", got.notices);
    }
}

/// Security case P2.
#[test]
fn exit_codes_and_replies() {
    let both = r#"{"deny":"no","inject":"x"}"#;
    let notice =
        reply(Verdict::Abstain, vec![Effect::Notify(Message { text: "hi".to_owned(), level: Level::Info })]);
    let patch = serde_json::json!({"command": "ls"}).as_object().cloned().unwrap();
    let rewritten = reply(Verdict::Abstain, vec![Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(patch)))]);
    let modify = r#"{"modify":{"tool_input":{"command":"ls"}}}"#;
    let twice = r#"{"deny":"a","deny":null}"#;
    let claude = r#"{"decision":"block","reason":"no"}"#;
    let wrapped = "\u{feff} \n{\"deny\":\"no\"}\n";
    let coloured = "\u{1b}[0m{\"deny\":\"no\"}";
    let none = "no reason given";
    let complaint = "a\nsh: 1: x: not found\n";
    let crash = || crashed(Some(1), None);
    check(vec![
        ("P2 exit 2 without JSON", ToolPre, Unstated, 2, "", " because\n", deny("because"), 0),
        ("P2 exit 2 without a word", ToolPre, Unstated, 2, "", "", deny("no reason given"), 0),
        ("P2 exit 2 with text on stdout", ToolPre, Unstated, 2, "log", "why", deny("why"), 0),
        ("P2 deny JSON + exit 2", ToolPre, Unstated, 2, r#"{"deny":"no"}"#, "why", deny("no"), 0),
        ("P2 ask JSON + exit 2", ToolPre, Unstated, 2, r#"{"ask":"ok?"}"#, "why", ask("ok?"), 0),
        ("P2 allow JSON + exit 2", ToolPre, Unstated, 2, r#"{"allow":true}"#, "why", deny("why"), 1),
        ("P2 empty JSON + exit 2", ToolPre, Unstated, 2, "{}", "", deny("no reason given"), 0),
        ("P2 JSON without verdict + exit 2", ToolPre, Unstated, 2, r#"{"x":1}"#, "why", deny("why"), 1),
        ("P2 invalid JSON + exit 2", ToolPre, Unstated, 2, r#"{"deny":"#, "why", deny("why"), 1),
        ("P2 duplicate keys + exit 2", ToolPre, Unstated, 2, twice, "w", deny("a"), 1),
        ("P2 deny JSON + exit 1", ToolPre, Unstated, 1, r#"{"deny":"no"}"#, "", deny("no"), 0),
        ("P2 Claude's deny + exit 1", ToolPre, Unstated, 1, claude, "", deny("no"), 0),
        ("P2 deny with effects + exit 1", ToolPre, Unstated, 1, both, "", deny("no"), 1),
        ("P2 ask JSON + exit 7", ToolPre, Unstated, 7, r#"{"ask":"ok?"}"#, "", ask("ok?"), 0),
        ("P2 deny JSON + exit 127", ToolPre, Unstated, 127, r#"{"deny":"no"}"#, "sh: x", deny("no"), 0),
        ("P2 duplicate keys", ToolPre, Unstated, 0, twice, "", deny("a"), 1),
        ("P2 ANSI in the reason", ToolPre, Unstated, 2, "", "\u{1b}[31mred\u{1b}[0m", deny("red"), 0),
        ("P2 ANSI before a reply", ToolPre, Unstated, 0, coloured, "", deny("no"), 1),
        ("a reply counts with exit 0", ToolPre, Unstated, 0, r#"{"deny":"no"}"#, "noise", deny("no"), 0),
        ("blanks and a BOM around it", ToolPre, Unstated, 0, wrapped, "", deny("no"), 0),
        ("a message counts with exit 0", ToolPre, Unstated, 0, r#"{"message":"hi"}"#, "", notice, 0),
        ("a message + exit 1", ToolPre, Unstated, 1, r#"{"message":"hi"}"#, "", crash(), 0),
        ("a rewrite counts with exit 0", ToolPre, Unstated, 0, modify, "", rewritten, 0),
        ("a rewrite + exit 1", ToolPre, Unstated, 1, modify, "", crash(), 0),
        ("an allow + exit 1", ToolPre, Unstated, 1, r#"{"allow":true}"#, "", crash(), 0),
        ("no reply at all", ToolPre, Unstated, 0, r#"{"x":1}"#, "", garbled(), 0),
        ("a deny of another system", ToolPre, Unstated, 0, r#"{"action":"deny"}"#, "", deny(none), 1),
        ("an unknown action", ToolPre, Unstated, 0, r#"{"action":"stop"}"#, "", garbled(), 0),
        ("two verdicts", ToolPre, Unstated, 0, r#"{"deny":"a","allow":true}"#, "", deny("a"), 1),
        ("a deny and something after it", ToolPre, Unstated, 0, "{\"deny\":\"a\"}\nbye", "", deny("a"), 1),
        ("an allow and something after it", ToolPre, Unstated, 0, "{\"allow\":true}\nbye", "", garbled(), 0),
        ("garbled + exit 1", ToolPre, Unstated, 1, "{", "", garbled(), 0),
        ("not found", ToolPre, Unstated, 127, "", complaint, missing("sh: 1: x: not found"), 0),
        ("not executable", ToolPre, Unstated, 126, "", "", missing("exit code 126: not executable"), 0),
        ("another code", ToolPre, Unstated, 1, "", "Traceback", crash(), 0),
        ("async", ToolPre, Unstated, 0, "{\"async\":true}\nworking\n", "", nothing(), 1),
        (
            "async, then a deny",
            ToolPre,
            Unstated,
            0,
            "{\"async\":true}\n{\"deny\":\"no\"}",
            "",
            deny("no"),
            1,
        ),
        ("silence", ToolPre, Unstated, 0, "", "", nothing(), 0),
    ]);
}

#[test]
fn text_and_context() {
    let pretty = "log\n{\n  \"deny\": \"no\"\n}\n";
    let example = "Reply with\n{\"deny\":\"no\"}\nto stop it.";
    let red = "\u{1b}[1m**\u{1b}[0mE501\0 \n";
    let crash = |code| crashed(Some(code), None);
    check(vec![
        ("text at session:start", SessionStart, Unstated, 0, "on branch x\n", "", printed("on branch x"), 0),
        ("text at prompt:submit", PromptSubmit, Unstated, 0, "  kept\n\n", "", printed("  kept"), 0),
        ("blank text", SessionStart, Unstated, 0, " \n\t\n", "", nothing(), 0),
        ("text elsewhere is not used", ToolPost, Unstated, 0, "lint ok\n", "", nothing(), 1),
        ("text and a crash", SessionStart, Unstated, 1, "half\n", "", crash(1), 0),
        ("a list is text", SessionStart, Unstated, 0, "[1]", "", printed("[1]"), 0),
        ("ANSI and NUL in text", SessionStart, Unstated, 0, red, "", printed("**E501"), 0),
        ("a deny on the last line", ToolPre, Unstated, 0, "log\n{\"deny\":\"no\"}\n\n", "", deny("no"), 1),
        ("a deny between two lines", ToolPre, Unstated, 0, "log\n{\"deny\":\"no\"}\nbye", "", deny("no"), 1),
        ("an example in a text that is context", SessionStart, Unstated, 0, example, "", printed(example), 0),
        ("an allow on the last line", ToolPre, Unstated, 0, "log\n{\"allow\":true}\n", "", garbled(), 0),
        ("a deny on the last lines", ToolPre, Unstated, 0, pretty, "", deny("no"), 1),
        ("the same where text is context", PromptSubmit, Unstated, 0, pretty, "", garbled(), 0),
        ("the same + exit 2", ToolPre, Unstated, 2, pretty, "why", deny("why"), 1),
        ("the same, output injected", ToolPost, Always, 0, pretty, "", garbled(), 0),
        ("other JSON at the end", SessionStart, Unstated, 0, "a\n{\"n\":1}", "", printed("a\n{\"n\":1}"), 0),
        ("never", ToolPost, Never, 0, "x", "", nothing(), 0),
        ("never, exit 2 is no verdict", ToolPre, Never, 2, "x", "why", nothing(), 0),
        ("success", ToolPost, Success, 0, "x\n", "noise", printed("x"), 0),
        ("success, but it failed", ToolPost, Success, 1, "x", "y", nothing(), 0),
        ("failure, but it succeeded", ToolPost, Failure, 0, "x", "", nothing(), 0),
        ("failure", ToolPost, Failure, 1, "E501\n", "", printed("E501"), 0),
        ("failure with both streams", ToolPost, Failure, 1, "E501\n", " warn\n", printed("E501\nwarn"), 0),
        ("failure on stderr alone", ToolPost, Failure, 2, "\n", "warn\n", printed("warn"), 0),
        ("failure without a word", ToolPost, Failure, 1, "", "", nothing(), 0),
        ("always, exit 0", ToolPost, Always, 0, "x", "noise", printed("x"), 0),
        ("always, exit 2", ToolPost, Always, 2, "x", "", printed("x"), 0),
        ("stated: a reply at any code", ToolPost, Failure, 1, r#"{"inject":"x"}"#, "", context("x"), 0),
        ("stated: a deny at any code", ToolPre, Never, 2, r#"{"deny":"no"}"#, "why", deny("no"), 0),
        ("stated: other JSON is text", ToolPost, Always, 0, r#"{"n":1}"#, "", printed(r#"{"n":1}"#), 0),
        ("stated: garbled", ToolPost, Always, 2, r#"{"deny":"#, "", garbled(), 0),
        ("stated: not found", ToolPost, Always, 127, "x", "sh: no", missing("sh: no"), 0),
        ("stated: a reply and not found", ToolPost, Always, 127, r#"{"inject":"x"}"#, "no", missing("no"), 0),
        ("stated: a deny and not found", ToolPost, Always, 127, r#"{"deny":"x"}"#, "no", deny("x"), 0),
    ]);
}

#[test]
fn unfinished_program_can_only_stop() {
    let after = hook(Unstated).timeout;
    for (ended, expected) in [
        (Ended::TimedOut, failure(HookFailure::TimedOut { after })),
        (Ended::Signalled(11), crashed(None, Some(11))),
        (Ended::Unknown, crashed(None, None)),
    ] {
        for inject_output in [Unstated, Always] {
            let interpreted = |stdout: &str| {
                let finished = FinishedProcess { ended, ..exited(0, stdout.as_bytes(), "") };
                interpret(&finished, &hook(inject_output), &ToolPre).output
            };
            for stdout in ["", "log", r#"{"allow":true}"#, r#"{"inject":"x"}"#, r#"{"deny":"#] {
                assert_eq!(interpreted(stdout), expected, "{stdout}");
            }
            assert_eq!(interpreted(r#"{"deny":"no"}"#), deny("no"));
            assert_eq!(interpreted(r#"{"ask":"sure?"}"#), ask("sure?"));
            let among_lines = interpreted("log\n{\"deny\":\"no\"}\nlog");
            assert_eq!(among_lines, if inject_output == Unstated { deny("no") } else { expected.clone() });
            assert_eq!(interpreted("ls {\"deny\":\"no\"}"), expected);
        }
    }
}

/// Security case P2.
#[test]
fn p2_megabyte_of_output() {
    let cut = |code, first: &str, inject_output| {
        let mut finished = exited(code, format!("{first}{}", "x".repeat(1_048_575)).as_bytes(), "why");
        finished.stdout_cut = 1000;
        finished.stdout_rest = vec![b'x'; 1000];
        interpret(&finished, &hook(inject_output), &SessionStart)
    };
    let detail = "the answer is longer than 1048576 bytes".to_owned();
    assert_eq!(cut(0, "{", Unstated).output, failure(HookFailure::Garbled { detail: detail.clone() }));
    assert_eq!(cut(2, "{", Unstated).output, deny("why"));
    assert_eq!(cut(2, "{", Always).output, failure(HookFailure::Garbled { detail }));
    let text = cut(0, "x", Unstated);
    let all = |text: String, missing| {
        let origin = Origin::Printed { missing };
        reply(Verdict::Abstain, vec![Effect::Inject(Injection { origin, ..Injection::text(text) })])
    };
    assert_eq!(text.output, all("x".repeat(1_048_576), 1000));
    let notice = "of the text only the first 1048576 bytes were kept (`max_output`)";
    assert_eq!(text.notices, [notice]);
    let failed = cut(1, "x", Always);
    assert_eq!(failed.output, all(format!("{} ... truncated\nwhy", "x".repeat(1_048_576)), 1000));
    let whole = format!(r#"{{"inject":"{}"}}"#, "x".repeat(1_000_000));
    let got = interpret(&exited(0, whole.as_bytes(), ""), &hook(Unstated), &ToolPost);
    assert_eq!(got.output, context(&"x".repeat(1_000_000)));
}

/// Security case P2.
#[test]
fn bad_bytes_in_reply_are_replaced() {
    let got = interpret(&exited(0, b"{\"deny\":\"a\xff\"}", ""), &hook(Unstated), &ToolPre);
    assert_eq!((got.output, got.notices.len()), (deny("a\u{fffd}"), 1));
}

#[test]
fn hook_defaults_apply_to_every_reply() {
    let mut hook = hook(Unstated);
    hook.role = Role::User;
    hook.strategy = Strategy::UserMessage;
    hook.defaults = ReplyDefaults { ephemeral: true, suppress_output: true, repeat: Repeat::Line };
    let inject = |injection: Injection| {
        let (role, strategy) = (Role::User, Strategy::UserMessage);
        let repeat = Repeat::Line;
        Effect::Inject(Injection { role, strategy, ephemeral: true, repeat, ..injection })
    };
    let denied = Verdict::Deny { reason: "why".to_owned() };
    for (code, stdout, verdict, effects) in [
        (0, "text", Verdict::Abstain, vec![inject(Injection::printed("text")), Effect::SuppressOutput]),
        (
            0,
            r#"{"inject":"a\u0000b"}"#,
            Verdict::Abstain,
            vec![inject(Injection::text("ab")), Effect::SuppressOutput],
        ),
        (0, r#"{"suppress_output":true}"#, Verdict::Abstain, vec![Effect::SuppressOutput]),
        (0, "", Verdict::Abstain, vec![Effect::SuppressOutput]),
        (2, "", denied, vec![Effect::SuppressOutput]),
    ] {
        let got = interpret(&exited(code, stdout.as_bytes(), "why"), &hook, &SessionStart);
        assert_eq!(got.output, reply(verdict, effects), "{stdout}");
    }
}

#[test]
fn dialects_have_their_own_rules() {
    use tenter_contract::Dialect::{AmazonQ, Claude, Ghap, MassGen, Tenter};
    let crashed = || failure(HookFailure::Crashed { exit_code: Some(2), signal: None });
    for (dialect, event, code, stdout, expected) in [
        // Exit code 2 blocks a tool in Amazon Q, and nothing else there; in MassGen and the scripts it is a crash.
        (AmazonQ, ToolPre, 2, "", deny("stop")),
        (AmazonQ, PromptSubmit, 2, "", crashed()),
        (MassGen, ToolPre, 2, "", crashed()),
        (Ghap, ToolPre, 2, "", crashed()),
        (Claude, ToolPre, 2, "", deny("stop")),
        // Output is text in Amazon Q, whatever it looks like, and counts where context is asked for.
        (AmazonQ, SessionStart, 0, "{\"deny\": \"x\"}", printed("{\"deny\": \"x\"}")),
        (AmazonQ, ToolPost, 0, "formatted", nothing()),
        // The scripts remind in plain text at any event; others do not.
        (Ghap, ToolPre, 0, "GHAP Check-in", printed("GHAP Check-in")),
        (Tenter, ToolPre, 0, "GHAP Check-in", nothing()),
        (MassGen, ToolPre, 0, "{\"allowed\": false, \"reason\": \"no\"}", deny("no")),
        (MassGen, ToolPre, 1, "{\"allowed\": false, \"reason\": \"no\"}", deny("no")),
        (MassGen, ToolPre, 0, "ok", garbled()),
        (MassGen, ToolPre, 0, "\n", nothing()),
        (Tenter, ToolPre, 0, "{\"allowed\": false}", deny("no reason given")),
        (AmazonQ, ToolPre, 0, "{\"deny\": \"x\"}", deny("x")),
        (MassGen, ToolPre, 0, "{\"deny\": \"x\"}", deny("x")),
        (Ghap, ToolPre, 0, "{\"content\": \"c\", \"deny\": \"x\"}", deny("x")),
        // Its reminders are text, but a deny among them counts as in every dialect.
        (Ghap, ToolPre, 0, "\u{1e}{\"deny\": \"x\"}\n", deny("x")),
        (Ghap, ToolPre, 0, "data: {\"deny\": \"x\"}\n\n", deny("x")),
        (Ghap, ToolPre, 0, "<pre>{\"deny\": \"x\"}</pre>", deny("x")),
        (Ghap, ToolPre, 0, "log\n{\"deny\": \"x\"}\nlog", deny("x")),
        (Ghap, PromptSubmit, 0, "log\n{\"deny\": \"x\"}\nlog", printed("log\n{\"deny\": \"x\"}\nlog")),
    ] {
        let hook = HookSpec { dialect, ..hook(Unstated) };
        let said = interpret(&exited(code, stdout.as_bytes(), "stop"), &hook, &event).output;
        assert_eq!(without_words(said), expected, "{dialect:?} {event:?} {code} {stdout}");
    }
}
