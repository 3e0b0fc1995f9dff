//! Every error says what happened and what to type next.

use std::collections::BTreeSet;

use tenter_memory::MemoryError;

use super::*;

fn one_of_each() -> Vec<CliError> {
    let text = |text: &str| text.to_owned();
    vec![
        CliError::UnknownAgent {
            name: text("cluade"),
            suggestion: Some(text("claude")),
            known: vec![text("claude")],
        },
        CliError::UnknownEvent { name: text("tool:pots"), suggestion: Some(text("tool:post")) },
        CliError::UnknownHook { name: text("lint"), suggestion: None },
        CliError::AmbiguousHook {
            name: text("lint"),
            addresses: vec![text("user/lint"), text("project/lint")],
        },
        CliError::HookIsOff { name: text("lint") },
        CliError::UnknownSchema { name: text("events"), suggestion: Some(text("event")) },
        CliError::NoSuchRecord { seq: 7, session: None },
        CliError::NoSuchRecord { seq: 7, session: Some(text("s1")) },
        CliError::NoEvent { session: None },
        CliError::NoEvent { session: Some(text("s1")) },
        CliError::BadInput {
            what: text("the data on stdin"),
            detail: text("EOF while parsing"),
            hint: text("give a JSON object such as {}"),
        },
        CliError::NotImported {
            file: text("package.json"),
            detail: text("it has the form of no system whose hooks tenter knows"),
            hint: text("say whose it is"),
        },
        CliError::Exists { path: text("hooks.yaml") },
        CliError::NothingPiped { example: text("echo '{}' | tenter emit session:start") },
        CliError::NotConcerned { hook: text("lint"), event: text("tool:pre"), agent: text("gemini") },
        CliError::NoModel { option: text("--port 80"), detail: text("permission denied") },
        CliError::Proof(ProofError::Documented { title: "Cursor", name: text("cursor") }),
        CliError::Prove { what: text("a temporary folder: no space left on device") },
        CliError::Trail(TrailError::Damaged {
            path: text("audit/trail.jsonl"),
            detail: text("it is shorter than its head says"),
        }),
        CliError::Approval(ApprovalError::NothingStands { id: text("k7q2mf3a") }),
        CliError::NeedsPerson { command: text("tenter trust"), why: NoPerson::Agent(text("claude")) },
        CliError::Chat(ChatError::NothingToDo),
        CliError::from(MemoryError::not_found(
            "there is no active entry to resolve; `start_ghap` begins one",
        )),
        CliError::NoState,
        CliError::Unwritten(std::io::Error::from(std::io::ErrorKind::StorageFull)),
        CliError::NoSample { hook: text("lint") },
        CliError::ForOthers { hook: text("lint"), agent: text("claude"), other: text("gemini") },
        CliError::NoInstaller { agent: text("gemini") },
        CliError::NoAgentHere,
        CliError::NoScope { agent: "Gemini CLI", name: text("gemini"), scope: Scope::Local, other: None },
        CliError::PassingPlace {
            program: text("/tmp/tenter"),
            why: "it lies in a temporary folder, which does not last",
        },
        CliError::Moved(MovedFolders {
            named: text("/src/shop/.config/tenter"),
            home: text("/src/shop"),
            cause: text("the environment moves tenter's own folders into this project"),
            way_out: text("unset HOME"),
            folders: vec![
                ("XDG_CONFIG_HOME", "/home/ann/.config/tenter".into()),
                ("XDG_STATE_HOME", "/home/ann/.local/state/tenter".into()),
            ],
        }),
        CliError::Settings(SettingsFileError::NoHome),
        CliError::Settings(SettingsFileError::Relative { variable: "CLAUDE_CONFIG_DIR" }),
        CliError::Settings(SettingsFileError::LeadsOut {
            path: ".claude/settings.json".into(),
            target: "/home/ann/.bashrc".into(),
        }),
        CliError::Settings(SettingsFileError::Unreadable {
            path: "settings.json".into(),
            detail: text("it is not UTF-8"),
        }),
        CliError::Settings(SettingsFileError::ReadOnly { path: "settings.json".into() }),
        CliError::Settings(SettingsFileError::Changed { path: "settings.json".into() }),
        CliError::Settings(SettingsFileError::Unwritable {
            path: "settings.json".into(),
            cause: std::io::ErrorKind::StorageFull.into(),
        }),
        CliError::Demo { what: text("git is not installed") },
        CliError::NoProject,
        CliError::OnlyHome { home: text("/home/ann") },
        CliError::NeedsAnswer { command: text("tenter trust --yes") },
        CliError::PinMismatch { pinned: text("aa"), found: text("bb") },
        CliError::NothingPinned { project: text("/home/jo/project") },
        CliError::Unpinnable { commands: vec![text("npm test"), text("make check")] },
        CliError::Managed { name: text("audit-all") },
        CliError::OffInFile { name: text("lint"), file: text("hooks.yaml") },
        CliError::HookExists { name: text("lint"), place: text("hooks.yaml:4") },
    ]
    .into_iter()
    .chain(of_sessions_and_profiles())
    .collect()
}

fn of_sessions_and_profiles() -> Vec<CliError> {
    let text = |text: &str| text.to_owned();
    vec![
        CliError::NoSession,
        CliError::UnknownSession { id: text("s1"), suggestion: None, latest: Vec::new() },
        CliError::UnknownSession { id: text("s1"), suggestion: None, latest: vec![text("b2"), text("a1")] },
        CliError::UnknownSession { id: text("s1"), suggestion: Some(text("s2")), latest: vec![text("s2")] },
        CliError::UnknownProfile { name: text("wrok"), suggestion: Some(text("work")), known: vec![] },
        CliError::UnknownProfile { name: text("work"), suggestion: None, known: vec![] },
        CliError::NoActiveProfile,
        CliError::NotWritten {
            what: text("the trust in this project"),
            cause: std::io::ErrorKind::StorageFull.into(),
        },
    ]
}

#[test]
fn every_error_says_what_happened_and_what_to_type_next() {
    let all = one_of_each();
    let shown: BTreeSet<&str> = all.iter().map(Into::into).collect();
    assert_eq!(shown, CliError::VARIANTS.iter().copied().collect(), "an error has no snapshot");
    let text: Vec<String> = all.iter().map(|error| format!("[exit {}] {error}", error.exit_code())).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn what_is_to_be_typed_is_quoted_where_a_name_must_be() {
    let hook = "user/my guard".to_owned();
    let (agent, event, other) = ("claude".to_owned(), "tool:pre".to_owned(), "gemini".to_owned());
    for (error, typed) in [
        (
            CliError::NotConcerned { hook: hook.clone(), event, agent: agent.clone() },
            "explain 'user/my guard' --",
        ),
        (CliError::ForOthers { hook, agent, other }, "test 'user/my guard' --agent gemini"),
    ] {
        assert!(error.hint().contains(typed), "{}", error.hint());
    }
}
