use super::*;
use serde_json::json;
use tenter_contract::{AgentName, EventKind, HookId, Layer, Timestamp, ToolCall, ToolKind};

fn hook(handler: Handler) -> HookSpec {
    HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler)
}

fn argv(words: &[&str]) -> HookSpec {
    let words = words.iter().map(|word| Template::parse(word).unwrap()).collect();
    hook(Handler::Command(Command::Argv(words)))
}

fn shell(line: &str) -> HookSpec {
    hook(Handler::Command(Command::Shell(Template::parse_shell(line).unwrap())))
}

fn write_of(path: &str) -> Event {
    let agent = AgentName::from_static("claude");
    let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
    let input = json!({"file_path": path}).as_object().cloned().unwrap();
    event.tool = Some(ToolCall::new("Write", ToolKind::Write, input));
    event
}

fn program_of(hook: &HookSpec, event: &Event) -> Result<String, HookOutput> {
    Program::from_hook(hook, event, None, Some(Path::new("/home/u"))).map(|program| program.shown)
}

#[test]
fn hostile_name_stays_one_word() {
    let event = write_of("a.py; touch x");
    assert_eq!(program_of(&shell("ruff {tool.path}"), &event).unwrap(), "ruff 'a.py; touch x'");
    let program = Program::from_hook(&argv(&["ruff", "--", "{tool.path}"]), &event, None, None).unwrap();
    assert_eq!(program.arguments, ["--", "a.py; touch x"]);
    assert_eq!(program.shown, "ruff -- 'a.py; touch x'");
}

#[test]
fn only_own_tilde_is_expanded_in_argv() {
    let event = write_of("~/secret");
    assert_eq!(
        program_of(&argv(&["~/bin/check", "{tool.path}"]), &event).unwrap(),
        "/home/u/bin/check '~/secret'"
    );
}

#[test]
fn unusable_programs_are_reported() {
    let skipped = HookOutput::Skipped { why: "the event has no prompt".to_owned() };
    let nul = |what: &str| {
        HookOutput::Failure(HookFailure::Garbled { detail: format!("{what} contains a NUL byte") })
    };
    for (hook, path, expected) in [
        (shell("echo {prompt}"), "a", skipped.clone()),
        (argv(&["echo", "{prompt}"]), "a", skipped),
        (shell("echo {tool.name} {tool.path}"), "a\0b", nul("the value of tool.path")),
        (argv(&["echo", "{tool.path}"]), "a\0b", nul("the value of tool.path")),
        (argv(&["echo", "a\0b"]), "a", nul("the command")),
        (argv(&[]), "a", missing("the command is empty".to_owned())),
        (argv(&[""]), "a", missing("the command is empty".to_owned())),
        (hook(Handler::InProcess), "a", missing("`in-process` is no program".to_owned())),
    ] {
        assert_eq!(program_of(&hook, &write_of(path)), Err(expected));
    }
}

#[test]
fn script_runs_itself_or_by_interpreter() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_string_lossy().into_owned();
    for (name, mode) in [("a.py", 0o644), ("b.sh", 0o644), ("c.js", 0o644), ("d.py", 0o755), ("e.rb", 0o644)]
    {
        std::fs::write(dir.path().join(name), "").unwrap();
        std::fs::set_permissions(dir.path().join(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    for (name, text) in
        [("f.sh", "#!/usr/bin/env bash\n"), ("g.sh", "#! /bin/bash -e x\r\n"), ("h.sh", "#!bash\n")]
    {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let missing = |detail: String| Err(missing(detail));
    for (script, expected) in [
        ("f.sh".to_owned(), Ok(format!("/usr/bin/env bash {folder}/f.sh"))),
        ("g.sh".to_owned(), Ok(format!("/bin/bash '-e x' {folder}/g.sh"))),
        ("h.sh".to_owned(), Ok(format!("/bin/sh {folder}/h.sh"))),
        ("a.py".to_owned(), Ok(format!("python3 {folder}/a.py"))),
        ("b.sh".to_owned(), Ok(format!("/bin/sh {folder}/b.sh"))),
        ("c.js".to_owned(), Ok(format!("node {folder}/c.js"))),
        ("d.py".to_owned(), Ok(format!("{folder}/d.py"))),
        (format!("{folder}/d.py"), Ok(format!("{folder}/d.py"))),
        (
            "e.rb".to_owned(),
            missing(format!("`{folder}/e.rb` is not executable; type `chmod +x {folder}/e.rb`")),
        ),
        ("gone.sh".to_owned(), missing(format!("`{folder}/gone.sh` does not exist"))),
        ("~/gone.sh".to_owned(), missing("`/home/u/gone.sh` does not exist".to_owned())),
        (".".to_owned(), missing(format!("`{folder}` is not a file"))),
    ] {
        let mut hook = hook(Handler::Script(script.clone()));
        hook.source.folder.clone_from(&folder);
        assert_eq!(program_of(&hook, &write_of("a")), expected, "{script}");
    }
}
