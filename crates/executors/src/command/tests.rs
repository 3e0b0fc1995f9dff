//! Real processes, from event to report.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    AgentName, Command, Effect, EnvInheritance, Event, EventKind, Handler, HookFailure, HookId, HookOutput,
    HookReply, HookReport, HookSpec, InjectOutput, Injection, Layer, SessionId, Template, Timestamp,
    ToolCall, ToolKind, Verdict,
};

use super::CommandExecutor;

fn hook(handler: Handler) -> HookSpec {
    HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler)
}

fn shell(line: &str) -> HookSpec {
    hook(Handler::Command(Command::Shell(Template::parse_shell(line).unwrap())))
}

fn argv(words: &[&str]) -> HookSpec {
    let words = words.iter().map(|word| Template::parse(word).unwrap()).collect();
    hook(Handler::Command(Command::Argv(words)))
}

fn script(folder: &Path, name: &str) -> HookSpec {
    let mut hook = hook(Handler::Script(name.to_owned()));
    hook.source.folder = folder.to_string_lossy().into_owned();
    hook
}

/// A write of some paths, in a project.
fn write_of(root: &Path, paths: &[&str]) -> Event {
    let agent = AgentName::from_static("claude");
    let session = SessionId::parse("s1").unwrap();
    let mut event = Event::new(EventKind::ToolPre, agent, session, Timestamp::default());
    let mut tool = ToolCall::new("Write", ToolKind::Write, serde_json::Map::new());
    tool.paths = paths.iter().map(|&path| path.to_owned()).collect();
    event.tool = Some(tool);
    event.project_root = Some(root.to_string_lossy().into_owned());
    event
}

fn run(hook: &HookSpec, event: &Event) -> HookReport {
    CommandExecutor::default().run(hook, event)
}

/// Runs a hook in an unrelated project.
fn output_of(hook: &HookSpec) -> HookOutput {
    let dir = tempfile::tempdir().unwrap();
    run(hook, &write_of(dir.path(), &["a"])).output
}

fn deny(reason: &str) -> HookOutput {
    let verdict = Verdict::Deny { reason: reason.to_owned() };
    HookOutput::Reply(HookReply { verdict, effects: vec![] })
}

fn context(texts: &[&str]) -> HookOutput {
    let effects = texts.iter().map(|text| Effect::Inject(Injection::printed(*text))).collect();
    HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects })
}

fn missing(said: HookOutput) -> String {
    match said {
        HookOutput::Failure(HookFailure::Missing { detail }) => detail,
        other => panic!("not missing: {other:?}"),
    }
}

/// A hook whose output is injected, whatever happens.
fn injecting(mut hook: HookSpec) -> HookSpec {
    hook.inject_output = InjectOutput::Always;
    hook
}

#[test]
fn report_has_reply_and_transcript() {
    let dir = tempfile::tempdir().unwrap();
    let line = r#"echo '{"deny":"no"}'; echo hm >&2"#;
    let report = run(&shell(line), &write_of(dir.path(), &["a"]));
    assert_eq!(report.output, deny("no"));
    let transcript = report.transcript;
    assert!(transcript.took > Duration::ZERO);
    assert_eq!((transcript.command.as_deref(), transcript.exit_code), (Some(line), Some(0)));
    assert_eq!((transcript.stdout.as_str(), transcript.stderr.as_str()), ("{\"deny\":\"no\"}\n", "hm\n"));
    assert_eq!((transcript.cut, transcript.notices), (0, vec![]));
}

#[test]
fn cut_stderr_has_a_notice() {
    let dir = tempfile::tempdir().unwrap();
    let report = run(&shell("yes | head -c 200000 >&2"), &write_of(dir.path(), &["a"]));
    assert_eq!(report.output, HookOutput::Reply(HookReply::default()));
    assert_eq!(report.transcript.notices, ["the first 134464 bytes on stderr were not kept"]);
}

#[test]
fn exit_2_denies_with_stderr() {
    assert_eq!(output_of(&shell("echo because >&2; exit 2")), deny("because"));
    assert_eq!(output_of(&argv(&["sh", "-c", "echo because >&2; exit 2"])), deny("because"));
}

#[test]
fn hanging_hook_times_out() {
    let mut hook = shell("sleep 30");
    hook.timeout = Duration::from_millis(100);
    let before = Instant::now();
    assert_eq!(output_of(&hook), HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout }));
    assert!(before.elapsed() < Duration::from_secs(2), "{:?}", before.elapsed());
}

#[test]
fn huge_timeout_does_not_panic() {
    let mut hook = shell("exit 2");
    hook.timeout = Duration::MAX;
    assert_eq!(output_of(&hook), deny("no reason given"));
}

#[test]
fn transcript_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let report = run(&shell("yes | head -c 20000000"), &write_of(dir.path(), &["a"]));
    assert_eq!(report.output, context(&[]));
    assert_eq!((report.transcript.stdout.len(), report.transcript.cut), (16 * 1024, 20_000_000 - 16 * 1024));
    assert_eq!(report.transcript.notices, ["20000000 bytes of output are not used (see `inject_output`)"]);
}

#[test]
fn hook_reads_event_on_stdin() {
    let line = "grep -o '\"event\":\"tool:pre\"'";
    assert_eq!(output_of(&injecting(shell(line))), context(&["\"event\":\"tool:pre\""]));
}

#[test]
fn unread_large_event_does_not_block() {
    let dir = tempfile::tempdir().unwrap();
    let mut event = write_of(dir.path(), &["a"]);
    event.raw = json!({ "content": "x".repeat(1_000_000) });
    assert_eq!(run(&shell("exit 2"), &event).output, deny("no reason given"));
}

#[test]
fn hostile_path_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["a.py; touch x", "$(touch x)", "`touch x`", "'; touch x; '", "a\ntouch x"] {
        let event = write_of(dir.path(), &[path]);
        for hook in [shell("printf %s {tool.path}"), argv(&["printf", "%s", "{tool.path}"])] {
            assert_eq!(run(&injecting(hook), &event).output, context(&[path]));
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn path_placeholder_runs_once_per_path() {
    let dir = tempfile::tempdir().unwrap();
    let event = write_of(dir.path(), &["a", "b", "a", "c"]);
    let one = run(&injecting(shell("echo {tool.path} $TENTER_TOOL_PATH")), &event);
    assert_eq!(one.output, context(&["a a", "b b", "c c"]));
    assert_eq!(one.transcript.stdout, "a a\nb b\nc c\n");
    let all = run(&injecting(shell("echo {tool.paths}")), &event);
    assert_eq!(all.output, context(&["a b a c"]));
    let until = run(&shell("echo {tool.path} >>seen; test {tool.path} != b || exit 2"), &event);
    assert_eq!(until.output, deny("no reason given"));
    assert_eq!(std::fs::read_to_string(dir.path().join("seen")).unwrap(), "a\nb\n");
}

#[test]
fn all_paths_share_the_timeout() {
    let dir = tempfile::tempdir().unwrap();
    let mut hook = shell("sleep 0.2; : {tool.path}");
    hook.timeout = Duration::from_millis(500);
    let before = Instant::now();
    let report = run(&hook, &write_of(dir.path(), &["a", "b", "c", "d", "e", "f", "g", "h", "i"]));
    assert_eq!(report.output, HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout }));
    assert!(before.elapsed() < Duration::from_millis(1500), "{:?}", before.elapsed());
}

#[test]
fn invalid_utf8_has_a_notice() {
    let dir = tempfile::tempdir().unwrap();
    let report = run(&injecting(shell(r"printf 'a\377b'")), &write_of(dir.path(), &["a"]));
    assert_eq!((report.output, report.transcript.notices.len()), (context(&["a\u{fffd}b"]), 1));
    assert_eq!(report.transcript.stdout, "a\u{fffd}b");
}

#[test]
fn unstartable_program_is_missing() {
    assert_eq!(
        missing(output_of(&argv(&["no-such-program-of-ours"]))),
        "`no-such-program-of-ours` was not found"
    );
    assert!(missing(output_of(&argv(&["/etc/passwd"]))).contains("may not be executed"));
    assert!(missing(output_of(&shell("no-such-program-of-ours"))).contains("not found"));
    assert!(missing(output_of(&argv(&["echo", &"x".repeat(3_000_000)]))).contains("too long"));
}

#[test]
fn script_path_is_relative_to_hook_file() {
    let (rules, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // A child writes it: a descriptor of ours, copied into a process that starts just now, would keep the
    // file busy.
    let make = |name: &str, mode: &str, text: &str| {
        let line = r#"printf %s "$3" >"$1" && chmod "$2" "$1""#;
        let arguments = ["-c", line, "sh", name, mode, text];
        let made = std::process::Command::new("sh").args(arguments).current_dir(rules.path()).status();
        assert!(made.unwrap().success());
    };
    make("run.any", "755", "#!/bin/sh\npwd -P");
    make("by-name.sh", "644", "pwd -P");
    make("by-name.py", "644", "import os; print(os.getcwd())");
    make("unknown.rb", "644", "puts 1");
    make("no-first-line", "755", "pwd -P");
    make("bad-first-line", "755", "#!/no/such/thing\n");
    let event = write_of(project.path(), &["a"]);
    let here = project.path().canonicalize().unwrap();
    for name in ["run.any", "by-name.sh", "by-name.py"] {
        let report = run(&injecting(script(rules.path(), name)), &event);
        assert_eq!(report.output, context(&[&here.to_string_lossy()]), "{name}");
    }
    for (name, why) in [
        ("unknown.rb", "chmod +x"),
        ("gone.sh", "does not exist"),
        ("no-first-line", "#!/bin/sh"),
        ("bad-first-line", "names a program that does not exist"),
    ] {
        let detail = missing(run(&script(rules.path(), name), &event).output);
        assert!(detail.contains(why), "{name}: {detail}");
    }
}

#[test]
fn windows_line_ends_have_a_hint() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("guard.sh");
    let event = write_of(project.path(), &["a"]);
    for first in ["#!/bin/sh\r\n", "#!/usr/bin/env sh\r\n"] {
        let made = std::process::Command::new("sh")
            .args(["-c", r#"printf '%sexit 2\r\n' "$1" >guard.sh && chmod +x guard.sh"#, "sh", first])
            .current_dir(project.path())
            .status();
        assert!(made.unwrap().success());
        for hook in [
            script(project.path(), "guard.sh"),
            shell("./guard.sh"),
            shell("test -d . && \"./guard.sh\" --check"),
            argv(&[&file.to_string_lossy()]),
        ] {
            let detail = missing(run(&hook, &event).output);
            assert!(detail.contains("CRLF"), "{first:?}: {detail}");
            assert!(detail.contains("sed -i 's/\\r$//' "), "{first:?}: {detail}");
        }
    }
    std::fs::write(&file, "#!/no/such/thing\nexit 0\r\n").unwrap();
    let detail = missing(run(&shell("./guard.sh"), &event).output);
    assert!(!detail.contains("CRLF"), "{detail}");
}

#[test]
fn hook_environment_follows_its_file() {
    // Cargo sets this one for every test.
    let line = "echo ${CARGO_PKG_NAME-unset} $TENTER_EVENT $MORE; test -n \"$PATH\" || echo no path";
    for (inherit, expected) in [
        (EnvInheritance::All, "tenter-executors tool:pre set"),
        (EnvInheritance::Minimal, "unset tool:pre set"),
        (EnvInheritance::Named(vec!["CARGO_PKG_NAME".to_owned()]), "tenter-executors tool:pre set"),
    ] {
        let mut hook = injecting(shell(line));
        hook.inherit_env = inherit;
        hook.env = vec![("MORE".to_owned(), "set".to_owned())];
        assert_eq!(output_of(&hook), context(&[expected]));
    }
}

#[test]
fn missing_cwd_prevents_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut hook = injecting(shell("touch here"));
    hook.cwd = Some("gone".to_owned());
    let report = run(&hook, &write_of(dir.path(), &["a"]));
    assert!(matches!(report.output, HookOutput::Failure(HookFailure::Missing { .. })), "{:?}", report.output);
    assert!(!dir.path().join("here").exists());
}
