//! Every installer keeps the promises of `AgentInstaller`, whatever the settings look like.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its data should stop there")]

#[cfg(test)]
mod settings_texts;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use settings_texts::{Written, settings};
use tenter_contract::event_names;
use tenter_contract::ports::{AgentInstaller, IfGone, Scope, SettingsError, Uninstalled, Wiring};

/// Installers that edit shared settings. The others have separate files or formats, and separate
/// tests.
fn installers() -> impl Iterator<Item = &'static dyn AgentInstaller> {
    let all = tenter_adapters::all().iter().filter_map(|adapter| adapter.installer());
    let shares = |installer: &&dyn AgentInstaller| {
        installer.files().is_empty() && installer.install(Some("{}"), &wiring(PROGRAM)).is_ok()
    };
    all.filter(shares)
}

/// Whether a file needs more than our entries before the agent reads it. Without a backup, that part stays
/// as long as other hooks are there.
fn needs_more(installer: &dyn AgentInstaller) -> bool {
    let new = installer.install(None, &wiring(PROGRAM)).unwrap().text;
    new.contains("\"version\"") || new.contains("\"tools\"")
}

fn claude() -> &'static dyn AgentInstaller {
    tenter_adapters::by_name("claude").unwrap().installer().unwrap()
}

fn wiring(program: &str) -> Wiring {
    Wiring { program: program.to_owned(), if_gone: IfGone::GoOn, scope: Scope::User, installation: None }
}

fn installed(installer: &dyn AgentInstaller, text: &str, program: &str) -> String {
    let installed = installer.install(Some(text), &wiring(program));
    installed.unwrap_or_else(|error| panic!("{error}: {text}")).text
}

const PROGRAM: &str = "/usr/local/bin/tenter";
/// Every character that means something to a shell or to JSON.
const ODD_PROGRAM: &str = "/home/o'neill \"x\" $HOME/`id`\\b;&|/tenter";

/// What must hold for every text without entries of ours.
fn check(text: &Written) {
    for installer in installers() {
        let once = installed(installer, &text.text, PROGRAM);
        assert!(installer.is_installed(&once).unwrap(), "{once}");
        let entries = installer.entries(&once).unwrap();
        let shared = installer.entries_name().is_some() && entries.len() > installer.events().len();
        assert!(shared || entries.len() == installer.events().len(), "{once}");
        assert!(entries.iter().all(|entry| entry.program == PROGRAM), "{once}");
        assert_eq!(installed(installer, &once, PROGRAM), once, "a second time changes nothing");
        let odd = installed(installer, &once, ODD_PROGRAM);
        assert_eq!(odd, installed(installer, &text.text, ODD_PROGRAM), "an update is made in place");
        for text_with_ours in [&once, &odd] {
            let back = installer.uninstall(text_with_ours, Some(&text.text)).unwrap();
            assert_eq!(back, Uninstalled::Restored, "{text_with_ours}");
        }
        // The user changes something else, so the backup cannot be restored.
        let changed = once.replace(settings_texts::CHANGES, "\"changed\"");
        let expected = text.text.replace(settings_texts::CHANGES, "\"changed\"");
        if text.has_empty_places || changed == once {
            continue;
        }
        for before in [None, Some(text.text.as_str())] {
            if before.is_none() && needs_more(installer) {
                continue;
            }
            let rest = installer.uninstall(&changed, before).unwrap();
            assert_eq!(rest, Uninstalled::Cut { text: expected.clone() }, "{changed}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn uninstall_restores_every_byte(text in settings()) {
        check(&text);
    }

    #[test]
    fn installers_never_damage_a_text(text in "[{}\\[\\],:\"/* \n\thoksP]{0,40}") {
        for installer in installers() {
            if let Ok(installed) = installer.install(Some(&text), &wiring(PROGRAM)) {
                let back = installer.uninstall(&installed.text, Some(&text));
                prop_assert_eq!(back, Ok(Uninstalled::Restored), "{}", installed.text);
            }
        }
    }
}

#[test]
fn nearly_empty_texts_come_back() {
    for text in [
        "",
        " ",
        "\n",
        "\r\n\r\n",
        "\u{FEFF}",
        "{}",
        "{ }",
        "{\n}",
        "{\r\n\r\n}\r\n",
        "// c",
        "/* c */{}",
        "{\"hooks\":{}}",
        "{\"hooks\": {\n}\n}",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\"hooks\":{\"Stop\":[ ],}, }",
    ] {
        check(&Written { text: text.to_owned(), has_empty_places: true });
    }
}

#[test]
fn new_file_is_removed_again() {
    for installer in installers() {
        let new = installer.install(None, &wiring(PROGRAM)).unwrap().text;
        assert!(new.ends_with("}\n"), "{new}");
        assert_eq!(installer.uninstall(&new, None), Ok(Uninstalled::NothingElse));
        let updated = installed(installer, &new, ODD_PROGRAM);
        assert_eq!(installer.uninstall(&updated, Some(&new)), Ok(Uninstalled::NothingElse));
        assert_eq!(installer.uninstall("{}", None), Ok(Uninstalled::NotInstalled));
    }
}

/// A backup in the project may be forged: it never adds anything.
#[test]
fn wrong_backup_is_ignored() {
    let text = "{\n  \"model\": \"opus\"\n}\n";
    for installer in installers() {
        let once = installed(installer, text, PROGRAM);
        let others = [
            "",
            "{",
            "[]",
            "{\"model\": \"opus\"}",
            &once,
            "{\n  \"model\": \"opus\",\n  \"apiKeyHelper\": \"./evil\"\n}\n",
        ];
        for other in others {
            let rest = installer.uninstall(&once, Some(other));
            assert_eq!(rest, Ok(Uninstalled::Cut { text: text.to_owned() }), "{other}");
        }
        let twice = installer.uninstall(&once, Some("{\"hooks\": {}, \"hooks\": {}}"));
        assert!(matches!(twice, Ok(Uninstalled::Cut { .. })), "{twice:?}");
    }
}

/// Measured: Claude Code reads such a file; Codex, Gemini CLI and Qwen Code do not. The others are unknown.
#[test]
fn byte_order_mark_has_a_warning() {
    for installer in installers() {
        let installed = installer.install(Some("\u{FEFF}{}\n"), &wiring(PROGRAM)).unwrap();
        let found = installer.in_the_way(&installed.text).unwrap();
        assert_eq!(installed.warnings, found, "{}", installer.title());
        let reads_it = installer.title() == claude().title();
        assert_eq!(found.iter().any(|line| line.contains("byte order mark")), !reads_it, "{found:?}");
        assert_eq!(installer.uninstall(&installed.text, Some("\u{FEFF}{}\n")), Ok(Uninstalled::Restored));
    }
}

/// `init` keeps strict entries, so it must recognise them.
#[test]
fn strict_entries_are_recognised() {
    for agent in tenter_adapters::all() {
        let Some(installer) = agent.installer() else { continue };
        for if_gone in [IfGone::GoOn, IfGone::Deny] {
            let text = installer.install(None, &Wiring { if_gone, ..wiring(PROGRAM) }).unwrap().text;
            assert_eq!(installer.if_gone(&text), if_gone, "{}", agent.name());
        }
    }
}

#[test]
fn wrong_types_are_refused() {
    for (text, expected) in [
        ("[1]", "its content is not an object, `{ … }`"),
        ("\"hooks\"", "its content is not an object, `{ … }`"),
        ("{\"hooks\": null}", "`hooks` is not an object, `{ … }`"),
        ("{\"hooks\": {\"Stop\": {}}}", "`hooks.Stop` is not a list, `[ … ]`"),
        ("{\"hooks\": {}, \"hooks\": {}}", "the key `hooks` occurs twice"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}", "the key `Stop` occurs twice"),
        ("{\"a\": 1", "it is not JSON: unterminated object on line 1 column 1"),
    ] {
        let error: SettingsError = claude().install(Some(text), &wiring(PROGRAM)).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

/// An entry there replaces the work of git.
#[test]
fn claude_entries_skip_worktrees() {
    let text = claude().install(None, &wiring(PROGRAM)).unwrap().text;
    for event in ["WorktreeCreate", "WorktreeRemove", "MessageDisplay", "PreModelSwitch"] {
        assert!(!text.contains(event), "{event}");
    }
    for kind in claude().events() {
        let row = event_names::row(&kind).unwrap();
        assert!(text.contains(&format!("\"{}\": [", row.claude)), "{}", row.canonical);
    }
}

/// The time limit is in the settings in the agent's unit, and in the command with a unit.
#[test]
fn gemini_entries_have_milliseconds() {
    let gemini = tenter_adapters::by_name("gemini").unwrap().installer().unwrap();
    let text = gemini.install(None, &wiring(PROGRAM)).unwrap().text;
    for (event, seconds, milliseconds) in [("BeforeTool", 600, 600_000), ("SessionEnd", 5, 5_000)] {
        let written = format!("hook gemini --within {seconds}s\", \"timeout\": {milliseconds} }}] }}]");
        let line = text.lines().find(|line| line.contains(event)).unwrap();
        assert!(line.contains(&written), "{line}");
    }
    for event in ["PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection"] {
        assert!(!text.contains(event), "{event}");
    }
    assert_eq!(gemini.events().len(), text.matches("\"timeout\"").count(), "an event has no name of ours");
}

/// Codex kills what takes more than three seconds at the end, and takes two keys at the top.
#[test]
fn codex_entries_and_warnings() {
    let codex = tenter_adapters::by_name("codex").unwrap().installer().unwrap();
    let installed = codex.install(None, &wiring(PROGRAM)).unwrap();
    assert_eq!(installed.warnings, [""; 0]);
    for entry in [
        "hook codex --within 3s\", \"timeout\": 3 }",
        "hook codex --within 60s\", \"timeout\": 60, \"additionalContextLimit\": 0 }",
    ] {
        assert!(installed.text.contains(entry), "{}", installed.text);
    }
    for event in ["PreModelRequest", "PostModelRequest", "Interrupt"] {
        assert!(!installed.text.contains(event), "{event}");
    }
    for (text, warnings) in [
        ("{}", ""),
        ("{\"description\": \"mine\", \"hooks\": {}}", ""),
        ("{\"hooks\": {}, \"model\": \"x\"}", "remove `model`"),
        ("{\n  // mine\n}", "out of line 2"),
    ] {
        let found = codex.in_the_way(text).unwrap().join("\n");
        assert!(found.ends_with(warnings) && found.is_empty() == warnings.is_empty(), "{text}: {found}");
    }
}

/// Its later versions read a number below a thousand as seconds; none of ours is.
#[test]
fn qwen_entries_have_milliseconds() {
    let qwen = tenter_adapters::by_name("qwen").unwrap().installer().unwrap();
    let text = qwen.install(None, &wiring(PROGRAM)).unwrap().text;
    let times =
        text.split("\"timeout\": ").skip(1).map(|rest| rest.split(' ').next().unwrap().parse::<u32>());
    let times: Vec<u32> = times.map(Result::unwrap).collect();
    assert_eq!(times.len(), qwen.events().len());
    assert!(times.iter().all(|time| *time >= 1_000), "{times:?}");
    let off = qwen.install(Some("{ \"disableAllHooks\": true }"), &wiring(PROGRAM)).unwrap();
    assert!(off.warnings[0].contains("disableAllHooks"), "{:?}", off.warnings);
}

fn installer_of(agent: &str) -> &'static dyn AgentInstaller {
    tenter_adapters::by_name(agent).unwrap().installer().unwrap()
}

/// New files in each format.
#[test]
fn new_files_have_every_form() {
    for agent in ["cursor", "kiro", "amazonq", "augment", "crush", "kimi", "windsurf", "devin", "antigravity"]
    {
        let installed = installer_of(agent).install(None, &wiring("/bin/tenter-hook")).unwrap();
        assert_eq!(installed.warnings, [""; 0], "{agent}");
        insta::assert_snapshot!(format!("new-{agent}"), installed.text);
    }
}

/// An exit code denies nothing at a prompt of Copilot CLI; what it does in Antigravity is not known.
#[test]
fn missing_program_denies_by_answer() {
    let strict = Wiring { if_gone: IfGone::Deny, ..wiring("/opt/tenter-hook") };
    for (agent, guards) in [
        ("copilot", &["UserPromptSubmit", "PreToolUse", "PermissionRequest"][..]),
        ("vscode", &["UserPromptSubmit", "PreToolUse", "PermissionRequest"]),
        ("antigravity", &["PreToolUse"]),
    ] {
        let text = installer_of(agent).install(None, &strict).unwrap().text;
        let entries = installer_of(agent).entries(&text).unwrap();
        assert!(entries.iter().all(|entry| !entry.line.contains("exit 2")), "{agent}: {text}");
        let in_words = entries.iter().filter(|entry| entry.line.contains("printf '%s\\n' '{"));
        let in_words: Vec<&str> = in_words.map(|entry| entry.event.as_str()).collect();
        assert_eq!(in_words, guards, "{agent}");
    }
}

/// Measured: at a prompt Copilot CLI takes a `decision`, and at a permission request Claude Code takes one of its own;
/// neither takes an exit code there. Cursor and VS Code, which read the same file, take the exit code.
#[test]
fn strict_claude_entry_denies_for_all_readers() {
    let strict = Wiring { if_gone: IfGone::Deny, ..wiring("/opt/o'neill/tenter-hook") };
    let text = claude().install(None, &strict).unwrap().text;
    let entries = claude().entries(&text).unwrap();
    for (event, claudes, copilots) in [
        ("UserPromptSubmit", "/decision", "/decision"),
        ("PreToolUse", "/decision", "/permissionDecision"),
        ("PermissionRequest", "/hookSpecificOutput/decision/behavior", "/behavior"),
    ] {
        let entry = entries.iter().find(|entry| entry.event == event).unwrap();
        let ran = sh(&entry.line);
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        let reason = String::from_utf8(ran.stderr).unwrap();
        assert!(reason.starts_with("tenter is gone from /opt/o'neill/tenter-hook: "), "{reason}");
        let answer: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        for place in [claudes, copilots] {
            let word = answer.pointer(place).and_then(serde_json::Value::as_str);
            assert!(matches!(word, Some("block" | "deny")), "{event}, {place}: {answer}");
        }
    }
    let watching = entries.iter().find(|entry| entry.event == "Stop").unwrap();
    let ran = sh(&watching.line);
    assert_eq!((ran.status.code(), ran.stdout.len(), ran.stderr.len()), (Some(0), 0, 0), "{ran:?}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the crate runs nothing; this is the line that an agent's shell is given"
)]
fn sh(line: &str) -> std::process::Output {
    std::process::Command::new("sh").args(["-c", line]).output().unwrap()
}

/// Our own file is replaced completely, unless another program has changed it.
#[test]
fn own_file_is_replaced_only_if_ours() {
    for agent in ["kiro", "amp"] {
        let installer = installer_of(agent);
        let new = installer.install(None, &wiring(PROGRAM)).unwrap().text;
        let entries = installer.entries(&new).unwrap();
        assert_eq!(entries.len(), installer.events().len(), "{new}");
        assert!(entries.iter().all(|entry| entry.program == PROGRAM), "{new}");
        assert_eq!(installed(installer, &new, PROGRAM), new, "a second time changes nothing");
        let odd = installed(installer, &new, ODD_PROGRAM);
        assert_eq!(installer.entries(&odd).unwrap()[0].program, ODD_PROGRAM);
        assert_eq!(installer.uninstall(&odd, Some(&new)), Ok(Uninstalled::NothingElse), "{agent}");
        for foreign in
            ["{}", "export default () => {}", "{\"hooks\": [{\"action\": {\"command\": \"mine\"}}]}"]
        {
            let refused = installer.install(Some(foreign), &wiring(PROGRAM)).unwrap_err();
            assert!(refused.to_string().contains("tenter's alone"), "{agent}: {refused}");
            assert_eq!(installer.uninstall(foreign, None), Ok(Uninstalled::NotInstalled), "{agent}");
        }
    }
}

/// TOML is appended, and the earlier text is unchanged.
#[test]
fn kimi_tables_leave_no_trace() {
    let kimi = installer_of("kimi");
    for text in [
        "",
        "model = \"k\"\n",
        "model = \"k\"",
        "# mine\n[servers.a]\nurl = 'x'\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"notify-send done\"\n",
        "prompt = \"\"\"\n[[hooks]]\n\"\"\"\n",
    ] {
        let once = installed(kimi, text, PROGRAM);
        assert!(once.starts_with(text), "{once}");
        assert_eq!(kimi.entries(&once).unwrap().len(), kimi.events().len(), "{once}");
        assert_eq!(installed(kimi, &once, PROGRAM), once, "a second time changes nothing");
        let odd = installed(kimi, &once, ODD_PROGRAM);
        assert_eq!(odd, installed(kimi, text, ODD_PROGRAM), "an update is made in place");
        assert_eq!(kimi.entries(&odd).unwrap()[0].program, ODD_PROGRAM, "{odd}");
        assert_eq!(kimi.uninstall(&odd, Some(text)), Ok(Uninstalled::Restored), "{odd}");
        let rest = kimi.uninstall(&format!("{once}\n[mine]\na = 1\n"), Some(text)).unwrap();
        let Uninstalled::Cut { text: rest } = rest else { panic!("{rest:?}") };
        assert!(rest.starts_with(text.trim_end()) && rest.ends_with("[mine]\na = 1\n"), "{rest}");
        assert!(!kimi.is_installed(&rest).unwrap(), "{rest}");
    }
    for (text, expected) in [
        ("{}", "it is not TOML: its first line is no TOML"),
        ("a = \"\"\"\n", "it is not TOML: a text in it has no end"),
        ("hooks = []\n", "`hooks` is not a list of tables, `[[hooks]]`"),
        ("[hooks]\nStop = 1\n", "`hooks` is not a list of tables, `[[hooks]]`"),
    ] {
        assert_eq!(kimi.install(Some(text), &wiring(PROGRAM)).unwrap_err().to_string(), expected);
    }
}

/// Cursor ignores a file with a single unknown entry.
#[test]
fn cursor_warnings_name_the_reason() {
    for (text, warnings) in [
        ("{\"version\": 1}", ""),
        ("{\"version\": 1, \"hooks\": {\"afterAgentThought\": [{\"command\": \"x\"}]}}", ""),
        ("{\"version\": \"1\"}", "write `\"version\": 1`"),
        ("{\"version\": 1, \"hooks\": {\"PreToolUses\": []}}", "take it out"),
        ("{\"version\": 1, \"hooks\": {\"stop\": [{\"hooks\": []}]}}", "correct it or take it out"),
        ("{\n  // mine\n  \"version\": 1\n}", "out of line 2"),
    ] {
        let found = installer_of("cursor").in_the_way(text).unwrap().join("\n");
        assert!(found.ends_with(warnings) && found.is_empty() == warnings.is_empty(), "{text}: {found}");
    }
    let kept = "{\n  \"version\": 1,\n  \"hooks\": { \"stop\": [{ \"command\": \"mine\" }] }\n}\n";
    let with_ours = installed(installer_of("cursor"), kept, PROGRAM);
    let rest = installer_of("cursor").uninstall(&with_ours, None);
    assert_eq!(rest, Ok(Uninstalled::Cut { text: kept.to_owned() }), "its version stays");
}

/// droid takes an event from `hooks.json` and then looks for it nowhere else.
#[test]
fn droid_hooks_file_has_a_warning() {
    for (text, warnings) in
        [("{}", 0), ("{\"Mine\": []}", 0), ("{\"Stop\": [], \"PreToolUse\": []}", 1), ("{", 0)]
    {
        assert_eq!(installer_of("factory").overruled_by(text).len(), warnings, "{text}");
    }
    assert!(installer_of("factory").overruled_by("{\"Stop\": []}")[0].contains("has `Stop`, and droid"));
}

/// Every foreign file in the table belongs to an existing agent and scope.
#[test]
fn reads_too_names_existing_scopes() {
    for installer in tenter_adapters::all().iter().filter_map(|adapter| adapter.installer()) {
        for other in installer.reads_too() {
            let theirs = installer_of(other.agent.as_str());
            assert!(other.scopes.iter().all(|scope| theirs.place(*scope).is_some()), "{}", installer.title());
        }
        if let Some(name) = installer.entries_name() {
            let theirs = installer_of(name.as_str());
            for scope in Scope::ALL {
                assert_eq!(installer.place(scope), theirs.place(scope), "{}", installer.title());
            }
        }
    }
}

/// Realistic files, with snapshots of the results.
#[test]
#[expect(clippy::disallowed_methods, reason = "the crate looks at nothing; its tests look at their files")]
fn real_settings_keep_their_layout() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/settings/claude");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let installed = claude().install(Some(&text), &wiring("/bin/tenter")).unwrap();
        let shown = installed.text.replace('\r', "␍").replace('\u{FEFF}', "(BOM)");
        let warnings = installed.warnings.join(
            "
",
        );
        insta::assert_snapshot!(
            format!("{}", file.file_stem().unwrap().to_string_lossy()),
            format!("{warnings}\n{shown}")
        );
        let had_ours = claude().is_installed(&text).unwrap();
        let back = claude().uninstall(&installed.text, Some(&text)).unwrap();
        match back {
            Uninstalled::Restored => assert!(!had_ours, "{}", file.display()),
            Uninstalled::Cut { text } => {
                assert!(had_ours && !claude().is_installed(&text).unwrap(), "{}", file.display());
                insta::assert_snapshot!(
                    format!("{}-without", file.file_stem().unwrap().to_string_lossy()),
                    text
                );
            }
            Uninstalled::NotInstalled | Uninstalled::NothingElse => panic!("{back:?}"),
        }
    }
}

/// Claude Code ignores such a file silently, so the warning names the line.
#[test]
fn warning_names_the_line_to_fix() {
    for (text, line) in [
        ("{\n  // mine\n  \"model\": \"x\"\n}", Some(2)),
        ("{\n  \"model\": \"x\",\n}", Some(2)),
        ("{\n  \"allow\": [\n    \"a\",\n\n  ]\n}", Some(3)),
        ("{ \"model\": \"x\", }", Some(1)),
        ("{ \"model\": \"x\" }", None),
        ("", None),
    ] {
        let warnings = claude().in_the_way(text).unwrap();
        let expected = line.map(|line| format!("out of line {line}"));
        assert_eq!(warnings.len(), usize::from(line.is_some()), "{text}");
        assert!(expected.is_none_or(|expected| warnings[0].ends_with(&expected)), "{text}\n{warnings:?}");
    }
}
