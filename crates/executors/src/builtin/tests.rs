use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::time::Instant;

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tenter_contract::SessionClaim;
use tenter_contract::SessionCounter;
use tenter_contract::builtin_names::{BUILTINS, RunBy};
use tenter_contract::ports::CallIdentity;
use tenter_contract::ports::{
    ClaimOutcome, CountOp, Deferred, DuplicateCheck, HookExecutor, SessionStore, StateError, Wanted,
};
use tenter_contract::{
    AgentName, Builtin, Effect, Event, EventKind, Handler, HookFailure, HookId, HookOutput, HookReply,
    HookReport, HookSpec, Injection, Layer, Level, Message, Session, SessionId, Strategy, Timestamp,
    ToolCall, ToolKind,
};

use tenter_store::StateFolder;

use super::{BuiltinExecutor, builtin_run};
use crate::HookState;

/// A session store in memory, as far as built-ins use one.
#[derive(Default)]
struct SessionFiles {
    claims: Mutex<Vec<SessionClaim>>,
    tallies: Mutex<HashMap<String, u64>>,
}

impl SessionStore for SessionFiles {
    fn recall(&self, _: &SessionId) -> Result<Session, StateError> {
        Ok(Session::default())
    }
    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), StateError> {
        Ok(())
    }
    fn claim(&self, _: Option<&SessionId>, what: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        let mut claims = self.claims.lock().unwrap();
        if claims.contains(what) {
            return Ok(ClaimOutcome::Taken);
        }
        claims.push(what.clone());
        Ok(ClaimOutcome::Granted)
    }
    fn release(&self, _: Option<&SessionId>, what: &SessionClaim) -> Result<(), StateError> {
        self.claims.lock().unwrap().retain(|claimed| claimed != what);
        Ok(())
    }
    fn count(&self, _: Option<&SessionId>, what: &SessionCounter, mark: CountOp) -> Result<u64, StateError> {
        let mut tallies = self.tallies.lock().unwrap();
        let count = tallies.entry(what.to_string()).or_default();
        *count = if mark == CountOp::Increment { *count + 1 } else { 0 };
        Ok(*count)
    }
    fn keep_context(&self, _: Option<&SessionId>, _: &str) -> Result<String, StateError> {
        Ok(String::new())
    }
    fn defer(&self, _: &SessionId, _: &[Deferred]) -> Result<(), StateError> {
        Ok(())
    }
    fn take_deferred(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Deferred>, StateError> {
        Ok(Vec::new())
    }
    fn check_duplicate(
        &self,
        _: &SessionId,
        _: &CallIdentity,
        _: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        Ok(DuplicateCheck::Unsettled)
    }
}

/// A project, a home and a machine on which only chosen programs are installed.
pub(super) struct TestBed {
    folder: TempDir,
    project: PathBuf,
    executor: BuiltinExecutor,
    path: Option<String>,
    pub(super) event: Event,
}

impl TestBed {
    pub(super) fn new() -> Self {
        let folder = TempDir::with_prefix("tenter-builtin-").unwrap();
        for name in ["project", "home", "bin"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let session = SessionId::parse("s1").unwrap();
        let mut event =
            Event::new(EventKind::ToolPost, AgentName::from_static("claude"), session, Timestamp::default());
        let project = folder.path().join("project");
        event.project_root = Some(project.to_string_lossy().into_owned());
        event.cwd.clone_from(&event.project_root);
        let state = Some(StateFolder::new(folder.path().join("state")));
        Self {
            folder,
            project,
            executor: BuiltinExecutor::new(HookState { sessions: Arc::new(SessionFiles::default()), state }),
            path: None,
            event,
        }
    }

    /// Nothing but these programs, each a script.
    pub(super) fn with_programs(mut self, programs: &[(&str, &str)]) -> Self {
        let bin = self.folder.path().join("bin");
        for (name, script) in programs {
            program(&bin.join(name), script);
        }
        self.path = Some(bin.to_string_lossy().into_owned());
        self
    }

    /// The project.
    pub(super) fn path(&self) -> &Path {
        &self.project
    }

    /// Where state lies.
    pub(super) fn state(&self) -> StateFolder {
        StateFolder::new(self.folder.path().join("state"))
    }

    /// Whether this build runs it as well as any other.
    pub(super) fn runs_at(&self, hook: &HookSpec) -> bool {
        self.executor.runs_at(hook, &self.event)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(super) fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A tool of the agent has been called with this input.
    pub(super) fn called(&mut self, name: &str, kind: ToolKind, input: Value) {
        self.event.tool = Some(ToolCall::new(name, kind, object(input)));
    }

    /// These files have been written.
    pub(super) fn wrote(&mut self, files: &[&str]) {
        self.called("Write", ToolKind::Write, json!({ "paths": files }));
    }

    pub(super) fn hook(&self, name: &str, options: Value, env: &[(&str, &str)]) -> HookSpec {
        let builtin = Handler::Builtin(Builtin { name: name.to_owned(), options: object(options) });
        let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), self.event.kind.clone(), builtin);
        hook.timeout = Duration::from_mins(1);
        hook.env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        hook.env.extend(self.path.clone().map(|path| ("PATH".to_owned(), path)));
        hook
    }

    pub(super) fn run_hook(&self, hook: &HookSpec) -> HookReport {
        self.run_as(hook, &[])
    }

    pub(super) fn run(&self, name: &str, options: Value) -> HookReport {
        self.run_in(name, options, &[])
    }

    /// With these variables in our own environment.
    pub(super) fn run_in(&self, name: &str, options: Value, ours: &[(&str, &str)]) -> HookReport {
        self.run_as(&self.hook(name, options, &[]), ours)
    }

    fn run_as(&self, hook: &HookSpec, more: &[(&str, &str)]) -> HookReport {
        let mut ours: Vec<(OsString, OsString)> =
            std::env::vars_os().filter(|(name, _)| name != "HOME" && name != "XDG_CONFIG_HOME").collect();
        ours.push(("HOME".into(), self.home().into()));
        ours.extend(more.iter().map(|(name, value)| (name.into(), value.into())));
        builtin_run::run(hook, &self.event, &ours, &self.executor)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(entries) => entries,
        other => panic!("{other} is no object"),
    }
}

/// Writes a script. A child writes it: a descriptor of ours, copied into a process that starts just now, would
/// keep the file busy.
pub(super) fn program(path: &Path, script: &str) {
    let line = r#"mkdir -p "$(dirname "$1")" && printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod 755 "$1""#;
    let done = std::process::Command::new("sh").args(["-c", line, "sh"]).arg(path).arg(script).status();
    assert!(done.unwrap().success());
}

/// The one text that is injected.
pub(super) fn injected(report: HookReport) -> String {
    match report.output {
        HookOutput::Reply(HookReply { effects, .. }) => match &effects[..] {
            [Effect::Inject(injection)] => injection.content.clone(),
            other => panic!("{other:?}: {:?}", report.transcript),
        },
        other => panic!("{other:?}: {:?}", report.transcript),
    }
}

pub(super) fn silent(report: &HookReport) {
    assert_eq!(report.output, HookOutput::Reply(HookReply::default()), "{:?}", report.transcript);
}

#[test]
fn builtin_rows_match_the_contract_table() {
    let names: Vec<&str> = builtin_run::ALL.iter().map(|spec| spec.name).collect();
    let ours = BUILTINS.iter().filter(|row| row.run_by == RunBy::AnyBinary);
    assert_eq!(names, ours.map(|row| row.name).collect::<Vec<_>>());
    let said = TestBed::new().run("weather", json!({})).output;
    let detail = "this version has no built-in `weather`".to_owned();
    assert_eq!(said, HookOutput::Failure(HookFailure::Missing { detail }));
}

#[test]
fn env_hides_secrets() {
    let stage = TestBed::new();
    let names = ["NODE_ENV", "DATABASE_URL", "API_TOKEN", "NOT_SET"];
    let env = [("NODE_ENV", "test\nx"), ("DATABASE_URL", "pg://a:b@c/d"), ("API_TOKEN", "t0p")];
    let output = injected(stage.run_hook(&stage.hook("env", json!({ "names": names }), &env)));
    let lines = [
        "Environment:",
        "NODE_ENV=test\\nx",
        "DATABASE_URL=pg://a:[redacted:password]@c/d",
        "API_TOKEN is set (not shown)",
    ];
    assert_eq!(output, format!("{}\nNOT_SET is not set", lines.join("\n")));
}

#[test]
fn date_uses_the_local_zone() {
    let stage = TestBed::new();
    let zone = [("TZ", "TEN-05:30"), ("LANG", "de_DE.UTF-8")];
    let output = injected(stage.run_hook(&stage.hook("date", json!({}), &zone)));
    let output = output.strip_prefix("Current date and time: ").unwrap().to_owned();
    let day = output.split(',').next().unwrap();
    assert!(day.ends_with("day") && output.ends_with(" TEN (UTC+0530)"), "{output}");
    let output = injected(stage.run_hook(&stage.hook("date", json!({ "format": "-- %Z $(id); %%" }), &zone)));
    assert_eq!(output, "Current date and time: -- TEN $(id); %");
    let stage = stage.with_programs(&[]);
    assert!(matches!(stage.run("date", json!({})).output, HookOutput::Failure(HookFailure::Missing { .. })));
}

#[test]
fn notification_shows_plain_text() {
    let script = r#"for word in "$@"; do printf '%s\n' "$word"; done >"$HOME/seen""#;
    let mut stage = TestBed::new().with_programs(&[("notify-send", script)]);
    stage.event.message = Some("--help <b>it's</b> $(id)".to_owned());
    silent(&stage.run("notify", json!({ "title": "{agent} waits", "urgency": "critical" })));
    let seen = std::fs::read_to_string(stage.home().join("seen")).unwrap();
    let expected =
        "--app-name=tenter\n--urgency\ncritical\n--\nclaude waits\n--help &lt;b&gt;it's&lt;/b&gt; $(id)\n";
    assert_eq!(seen, expected);
}

#[test]
fn osascript_gets_texts_as_arguments() {
    let script = r#"for word in "$@"; do printf '%s\n' "$word"; done >"$HOME/seen""#;
    let stage = TestBed::new().with_programs(&[("osascript", script)]);
    silent(&stage.run("notify", json!({ "text": "\" & do shell script \"id" })));
    let seen = std::fs::read_to_string(stage.home().join("seen")).unwrap();
    assert!(seen.ends_with("end run\n--\n\" & do shell script \"id\ntenter: claude\n"), "{seen}");
}

#[test]
fn missing_desktop_falls_back_to_message() {
    let message_of = |report: HookReport| match report.output {
        HookOutput::Reply(HookReply { effects, .. }) => effects,
        other => panic!("{other:?}"),
    };
    let stage = TestBed::new().with_programs(&[]);
    let message = |text: &str| vec![Effect::Notify(Message { text: text.to_owned(), level: Level::Info })];
    let why = "(no notification on the desktop: neither `notify-send` nor `osascript` was found)";
    let first = message_of(stage.run("notify", json!({ "text": "done" })));
    assert_eq!(first, message(&format!("done\n{why}")));
    assert_eq!(message_of(stage.run("notify", json!({ "text": "done" }))), message("done"));
    let broken = TestBed::new().with_programs(&[("notify-send", "echo no bus >&2; exit 1")]);
    let first = message_of(broken.run("notify", json!({ "text": "done" })));
    assert_eq!(first, message("done\n(no notification on the desktop: no bus)"));
}

#[test]
fn reminder_follows_calls_without_list() {
    let mut stage = TestBed::new();
    let mut call = |name: &str| {
        stage.called(name, ToolKind::Other, json!({}));
        match stage.run("todo.reminder", json!({ "every": 3 })).output {
            HookOutput::Reply(HookReply { effects, .. }) => match effects.into_iter().next() {
                Some(Effect::Inject(Injection { content, strategy: Strategy::UserMessage, .. })) => content,
                None => String::new(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    };
    let empty =
        "⚠️ SYSTEM REMINDER\n\nYour TO\u{44}O list is empty\nConsider using TodoWrite for multi-step tasks";
    assert_eq!(["Bash", "Read", "Bash", "Read"].map(&mut call), ["", "", empty, ""]);
    let stale = call("TodoWrite");
    assert_eq!(stale, "");
    let stale = ["Bash", "Read", "Bash"].map(&mut call)[2].clone();
    assert!(stale.contains("Your TO\u{44}O list has not been updated for 3 tool calls"), "{stale}");
}

#[test]
fn emptied_list_counts_as_empty() {
    let mut stage = TestBed::new();
    let mut call = |name: &str, input: serde_json::Value| {
        stage.called(name, ToolKind::Other, input);
        stage.run("todo.reminder", json!({ "every": 1 }))
    };
    for (tool, key) in [("TodoWrite", "todos"), ("update_plan", "plan")] {
        silent(&call(tool, json!({ key: [{ "content": "x" }] })));
        assert!(injected(call("Bash", json!({}))).contains("has not been updated for 1 tool calls"));
        silent(&call(tool, json!({ key: [] })));
        assert!(injected(call("Bash", json!({}))).contains("list is empty"), "{tool}");
    }
}

#[test]
fn completed_high_priority_task_has_reminder() {
    let mut stage = TestBed::new();
    let mut call = |priority: &str| {
        stage.called("mcp__planning__update_task_status", ToolKind::Mcp, json!({}));
        let task = json!({ "success": true, "task": { "priority": priority, "status": "completed" } });
        stage.event.tool.as_mut().unwrap().output =
            Some(json!([{ "type": "text", "text": task.to_string() }]));
        stage.run("todo.reminder", json!({}))
    };
    silent(&call("low"));
    let output = injected(call("high"));
    assert!(output.starts_with("⚠️ SYSTEM REMINDER\n\nA task of high priority is completed\n"), "{output}");
}

#[test]
fn reminder_text_is_configurable() {
    let mut stage = TestBed::new();
    stage.called("Bash", ToolKind::Shell, json!({}));
    let output = injected(stage.run("todo.reminder", json!({ "every": 1, "text": "After {tool.name}?" })));
    assert_eq!(output, "After Bash?");
}

#[test]
fn project_info_reads_root_files() {
    let stage = TestBed::new();
    silent(&stage.run("project.info", json!({})));
    stage.write("Cargo.toml", "[package]\n");
    stage.write("pyproject.toml", "[tool.ruff]\n[tool.pytest.ini_options]\n");
    stage.write("uv.lock", "");
    stage.write("package.json", r#"{ "scripts": { "build": "x", "te\nst": "y" } }"#);
    stage.write("yarn.lock", "");
    stage.write("Makefile", "all:\n\techo\nX := 1\n");
    let output = injected(stage.run("project.info", json!({})));
    let (first, rest) = output.split_once('\n').unwrap();
    assert!(first.starts_with("Project: /") && first.ends_with("/project"), "{first}");
    assert_eq!(
        rest,
        "Languages: Rust, Python, JavaScript\nBuild and test:\n- `cargo build`, `cargo test`\n\
         - `uv run pytest`, `uv run ruff check`\n- `yarn run`: build, te\\nst\n- `make`: all"
    );
}

#[test]
fn pipe_in_project_does_not_block() {
    let stage = TestBed::new();
    let made = std::process::Command::new("mkfifo").arg(stage.path().join("package.json")).status();
    assert!(made.unwrap().success());
    silent(&stage.run("project.info", json!({})));
}
