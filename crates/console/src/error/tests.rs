//! Every error has a message and a hint.

use super::*;

fn one_of_each() -> Vec<CliError> {
    let known = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let some = |word: &str| Some(word.to_owned());
    let full = || std::io::Error::from(ErrorKind::StorageFull);
    vec![
        CliError::unknown_agent("cluade", some("claude"), &known(&["claude"])),
        CliError::unknown_event("tool:pots", some("tool:post")),
        CliError::unknown_hook("lint", None),
        CliError::ambiguous_hook("lint", &known(&["user/lint", "project/lint"])),
        CliError::hook_is_off("lint"),
        CliError::hook_is_managed("audit-all"),
        CliError::hook_off_in_file("lint", "hooks.yaml"),
        CliError::hook_exists("lint", "hooks.yaml:4"),
        CliError::hook_not_matched("lint", "tool:pre", "gemini"),
        CliError::hook_for_other_agent("lint", "claude", "gemini"),
        CliError::no_sample("lint"),
        CliError::unknown_profile("wrok", some("work"), &[]),
        CliError::unknown_profile("work", None, &[]),
        CliError::no_active_profile(),
        CliError::bad_input("the data on stdin", "EOF while parsing", "pass a JSON object such as {}"),
        CliError::not_imported("package.json", "it has the form of no known system", "pass `--from`"),
        CliError::file_exists("hooks.yaml"),
        CliError::stdin_is_terminal("echo '{}' | tenter emit session:start"),
        CliError::unknown_schema("events", some("event")),
        CliError::not_written("the trust in this project", full()),
        CliError::output_not_written(full()),
        CliError::model_not_served("--port 80", "permission denied"),
        CliError::demo_failed("git is not installed"),
        CliError::proof_failed("a temporary folder: no space left on device"),
        CliError::unknown_record(7, None),
        CliError::unknown_record(7, some("s1")),
        CliError::no_event(None),
        CliError::no_event(some("s1")),
        CliError::no_session(),
        CliError::unknown_session("s1", None, &[]),
        CliError::unknown_session("s1", None, &known(&["b2", "a1"])),
        CliError::unknown_session("s1", some("s2"), &known(&["s2"])),
        CliError::no_state(),
        CliError::no_project(),
        CliError::home_is_no_project("/home/ann"),
        CliError::needs_answer("tenter trust --yes"),
        CliError::needs_person("tenter trust", &NoPerson::Agent("claude".to_owned())),
        CliError::pin_mismatch("aa", "bb"),
        CliError::nothing_pinned("/home/jo/project"),
        CliError::unpinnable(&known(&["npm test", "make check"])),
        CliError::no_agent_found(),
        CliError::no_installer("gemini"),
        CliError::no_scope("Gemini CLI", "gemini", Scope::Local, None),
        CliError::not_installed("/tmp/tenter", "it is in a temporary folder, which does not last"),
    ]
}

fn from_others() -> Vec<CliError> {
    let path = || "settings.json".into();
    vec![
        TrailError::Damaged {
            path: "audit/trail.jsonl".to_owned(),
            detail: "it is shorter than its head says".to_owned(),
        }
        .into(),
        SettingsFileError::NoHome.into(),
        SettingsFileError::Relative { variable: "CLAUDE_CONFIG_DIR" }.into(),
        SettingsFileError::LeadsOut {
            path: ".claude/settings.json".into(),
            target: "/home/ann/.bashrc".into(),
        }
        .into(),
        SettingsFileError::Unreadable { path: path(), detail: "it is not UTF-8".to_owned() }.into(),
        SettingsFileError::ReadOnly { path: path() }.into(),
        SettingsFileError::Changed { path: path() }.into(),
        SettingsFileError::Unwritable { path: path(), cause: ErrorKind::StorageFull.into() }.into(),
    ]
}

#[test]
fn every_error_has_message_and_hint() {
    let all = one_of_each().into_iter().chain(from_others());
    let text: Vec<String> = all.map(|error| format!("[exit {}] {error}", error.exit_code())).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn every_constructor_is_in_the_snapshot() {
    let tests = include_str!("tests.rs");
    let constructors = include_str!("../error.rs").split("pub fn ").skip(1);
    for name in
        constructors.filter(|text| text.contains("-> Self {")).filter_map(|text| text.split('(').next())
    {
        let is_form = ["usage", "finding", "internal"].contains(&name);
        let is_getter = ["exit_code", "happened", "hint", "shown", "without_numbers"].contains(&name);
        assert!(is_form || is_getter || tests.contains(&format!("CliError::{name}(")), "{name}");
    }
}

#[test]
fn names_in_hints_are_quoted_for_the_shell() {
    let hook = "user/my guard";
    for (error, typed) in [
        (CliError::hook_not_matched(hook, "tool:pre", "claude"), "explain 'user/my guard' --"),
        (CliError::hook_for_other_agent(hook, "claude", "gemini"), "test 'user/my guard' --agent gemini"),
    ] {
        assert!(error.hint().contains(typed), "{}", error.hint());
    }
}
