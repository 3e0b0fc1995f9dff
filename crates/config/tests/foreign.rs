//! Files of other systems in `samples/foreign`, named after the system: each is recognised, means the same
//! whether it is read in place or converted, and what is stated about it is in a snapshot.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use std::path::{Path, PathBuf};

use tenter_config::{Format, Imported, Loaded, SourceText, import, load, load_as};
use tenter_contract::{Dialect, EventKind, Handler, HookSource, HookSpec, Layer};

/// Two systems share this form; its place or a key of its own distinguishes them .
const SHARED: &str = "amplifier-hook-shell.json";

#[test]
fn every_file_format_is_detected() {
    for sample in samples() {
        let (name, text) = (file_name(&sample), text_of(&sample));
        let expected = from(&name);
        let loaded = load(&source(&name, &text));
        assert_eq!(loaded.dialect, expected, "{name}");
        for other in Dialect::ALL.into_iter().skip(1).filter(|it| *it != expected && name != SHARED) {
            let refused = load_as(&source(&name, &text), other);
            // Gemini CLI and Amplifier took over Claude Code's form.
            let shares = matches!(expected, Dialect::Claude | Dialect::Gemini)
                && matches!(other, Dialect::Claude | Dialect::Gemini | Dialect::Amplifier);
            assert_eq!(refused.hooks.is_empty(), !shares, "{name} as {other:?}");
            assert!(shares || !refused.problems.is_empty(), "{name} as {other:?}");
        }
    }
    let text = text_of(&folder().join(SHARED)).replace(r#""parallel": true,"#, "");
    assert_eq!(load(&source("hooks.json", &text)).dialect, Dialect::Claude);
    let at = SourceText { folder: "/p/.amplifier/hooks", ..source("hooks.json", &text) };
    assert_eq!(load(&at).dialect, Dialect::Amplifier);
}

#[test]
fn report_of_each_file() {
    for sample in samples() {
        let (name, text) = (file_name(&sample), text_of(&sample));
        let imported = import(&source(&name, &text), Some(from(&name))).unwrap();
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("foreign-{name}"), report(&imported));
        });
    }
}

#[test]
fn converted_file_has_the_same_hooks() {
    for sample in samples() {
        let (name, text) = (file_name(&sample), text_of(&sample));
        let in_place = load_as(&source(&name, &text), from(&name));
        let imported = import(&source(&name, &text), Some(from(&name))).unwrap();
        let converted = load(&source("hooks.yaml", &imported.yaml));
        assert_eq!(converted.dialect, Dialect::Tenter);
        assert_eq!(converted.problems, [], "{name}\n{}", imported.yaml);
        assert_eq!(comparable(converted.clone()), comparable(in_place.clone()), "{name}\n{}", imported.yaml);
        assert_eq!(sorted(converted.disabled), sorted(in_place.disabled), "{name}");
    }
}

#[test]
fn every_problem_names_a_line_of_the_file() {
    for sample in samples() {
        let (name, text) = (file_name(&sample), text_of(&sample));
        for problem in load_as(&source(&name, &text), from(&name)).problems {
            let lines = text.lines().count();
            assert!(problem.place.line >= 1 && problem.place.line as usize <= lines, "{name}: {problem}");
            assert!(problem.place.line > 1, "{name}: {problem}");
        }
    }
}

#[test]
fn settings_without_hooks_are_valid() {
    let as_claude = |text: &str| load_as(&source("settings.json", text), Dialect::Claude).problems.len();
    for (text, problems) in
        [("{}", 0), (r#"{"model": "x"}"#, 0), (r#"{"hooks": {}}"#, 0), ("[]", 1), (r#"{"hooks": 3}"#, 1)]
    {
        assert_eq!(as_claude(text), problems, "{text}");
    }
    assert_eq!(as_claude("version: 1\nhooks: {}\n"), 1);
}

#[test]
fn own_file_without_version_is_not_foreign() {
    for text in [
        "hooks:\n  PreToolUse:\n    - { name: guard, deny: No. }\n",
        "hooks:\n  SessionStart:\n    - { name: status, command: git status }\n",
        "hooks: {}\n",
    ] {
        let loaded = load(&source("hooks.yaml", text));
        assert_eq!((loaded.problems, loaded.dialect), (Vec::new(), Dialect::Tenter), "{text}");
    }
}

#[test]
fn duplicate_key_makes_an_invalid_hook() {
    let text = r#"{ "hooks": { "per_prompt": [
        { "name": "a", "command": "true", "command": "false" },
        { "name": "b", "command": "true" }, { "name": "b", "command": "false" } ] } }"#;
    let loaded = load(&source("context.json", text));
    let names: Vec<&str> = loaded.hooks.iter().map(|hook| hook.id.name.as_str()).collect();
    assert_eq!(names, ["b", "b-2"]);
    assert_eq!(loaded.problems.len(), 1);
}

/// The report and the file.
fn report(imported: &Imported) -> String {
    let mut lines = Vec::new();
    for hook in &imported.hooks {
        lines.push(format!("{}  {} (line {}, {})", hook.name, hook.event, hook.line, hook.state.as_str()));
        lines.push(format!("  kept: {}", hook.kept.join(", ")));
        lines.extend(hook.notes.iter().map(|it| format!("  {} {}: {}", it.kind.as_str(), it.key, it.text)));
    }
    lines.extend(imported.notes.iter().map(|it| format!("{} {}: {}", it.kind.as_str(), it.key, it.text)));
    lines.push(format!("other keys: {}", imported.other_keys.join(", ")));
    lines.push(String::new());
    lines.extend(imported.problems.iter().map(|problem| format!("{problem}\n")));
    format!("{}\n{}", lines.join("\n"), imported.yaml)
}

/// Hooks without their places, and with the paths as they are written in the foreign file.
fn comparable(loaded: Loaded) -> Vec<HookSpec> {
    let mut hooks: Vec<HookSpec> = loaded
        .hooks
        .into_iter()
        .map(|mut hook| {
            hook.source = HookSource::default();
            hook.env.retain(|(name, _)| name != "PYTHONPATH");
            if let Handler::Script(path) = &mut hook.handler {
                *path = path.strip_prefix("/f/").unwrap_or(path).to_owned();
            }
            hook
        })
        .collect();
    hooks.sort_by(|a, b| a.id.cmp(&b.id));
    hooks
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

fn source<'a>(name: &'a str, text: &'a str) -> SourceText<'a> {
    let format = Format::from_file_name(name).unwrap();
    SourceText { name, folder: "/f", layer: Layer::User, format, text }
}

fn from(name: &str) -> Dialect {
    Dialect::parse(name.split('-').next().unwrap()).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/foreign")
}

fn samples() -> Vec<PathBuf> {
    let mut samples: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    samples.sort();
    samples
}

#[expect(clippy::disallowed_methods, reason = "tests read their samples; the crate itself reads nothing")]
fn text_of(sample: &Path) -> String {
    std::fs::read_to_string(sample).unwrap()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn bad_entry_disables_only_itself() {
    for (dialect, text) in [
        (
            Dialect::AmazonQ,
            r#"{"hooks": {"per_prompt": [{"name": "a", "command": "true"}], "per_promtp": [{"name": "b", "command": "true"}]}}"#,
        ),
        (
            Dialect::AmazonQ,
            r#"{"hooks": {"preToolUse": [{"command": "true"}], "preToolUze": [{"command": "true"}]}}"#,
        ),
        (
            Dialect::AmazonQ,
            r#"{"hooks": {"a": {"trigger": "per_prompt", "command": "true"}, "b": {"trigger": "per_promtp", "command": "true"}}}"#,
        ),
        (
            Dialect::Claude,
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}], "PreTolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
        ),
        (
            Dialect::MassGen,
            r#"{"hooks": {"PreToolUse": [{"handler": "a.sh", "type": "command"}], "PreTolUse": [{"handler": "b.sh", "type": "command"}]}}"#,
        ),
        (
            Dialect::Ghap,
            r#"{"hooks": {"session_start": {"script": "a.sh"}, "sesion_start": {"script": "b.sh"}}}"#,
        ),
        (
            Dialect::Ghap,
            r#"{"hooks": {"PreToolCall": [{"command": "a"}], "PreTolCall": [{"command": "b"}]}}"#,
        ),
    ] {
        let loaded = load(&source("hooks.json", text));
        assert_eq!(loaded.dialect, dialect, "{text}: {:?}", loaded.problems);
        assert!(!loaded.refused, "{text}");
        assert_eq!(loaded.hooks.len(), 1, "{text}: {:?}", loaded.problems);
        let errors: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert!(errors.iter().any(|it| it.contains("unknown event") || it.contains("is off")), "{errors:?}");
    }
}

/// The file of each system with a guard before tools, and `EVENT` where an event of another system is.
const WITH_FOREIGN_EVENT: [(Dialect, &str); 8] = [
    (
        Dialect::AmazonQ,
        r#"{ "hooks": { "preToolUse": [{ "matcher": "execute_bash", "command": "x" }], "EVENT": [{ "command": "true" }] } }"#,
    ),
    (
        Dialect::AmazonQ,
        r#"{ "name": "dev", "hooks": { "EVENT": [{ "command": "true" }], "preToolUse": [{ "command": "x" }] } }"#,
    ),
    (
        Dialect::AmazonQ,
        r#"{ "tools": ["*"], "hooks": { "preToolUse": [{ "name": "a", "command": "x" }], "EVENT": [{ "name": "b", "command": "true" }] } }"#,
    ),
    (
        Dialect::Claude,
        r#"{ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "x" }] }], "EVENT": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }"#,
    ),
    (
        Dialect::Gemini,
        r#"{ "hooks": { "BeforeTool": [{ "matcher": "*", "hooks": [{ "type": "command", "command": "x" }] }], "EVENT": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }"#,
    ),
    (
        Dialect::MassGen,
        r#"{ "hooks": { "PreToolUse": [{ "handler": "x.py" }], "EVENT": [{ "handler": "y.py" }] } }"#,
    ),
    (
        Dialect::Ghap,
        r#"{ "hooks": { "PreToolCall": [{ "command": "x" }], "EVENT": [{ "command": "true" }] } }"#,
    ),
    (
        Dialect::AmazonQ,
        r#"{ "version": "v1", "hooks": [{ "name": "a", "trigger": "PreToolUse", "action": { "type": "command", "command": "x" } },
            { "name": "b", "trigger": "EVENT", "action": { "type": "command", "command": "true" } }] }"#,
    ),
];

#[test]
fn one_foreign_event_keeps_the_file_ours() {
    for (dialect, text) in WITH_FOREIGN_EVENT {
        for event in [
            "sessionEnd",
            "postCompact",
            "preCompact",
            "pretooluse",
            "PRE_TOOL_USE",
            "agentStop",
            "BeforeModel",
            "AfterAgent",
            "PostToolCall",
            "pre_call",
            "stop",
            "Stop",
            "beforeShellExecution",
            "tool:pre",
            "nothing",
        ] {
            let text = text.replace("EVENT", event);
            let loaded = load(&source("hooks.json", &text));
            assert_eq!(loaded.dialect, dialect, "{text}");
            let guards = |loaded: &Loaded| loaded.hooks.iter().any(|hook| hook.event == EventKind::ToolPre);
            assert!(guards(&loaded), "{text}: {:?}", loaded.problems);
            assert!(loaded.problems.len() <= 1, "{text}: {:?}", loaded.problems);
            let forced = load_as(&source("hooks.json", &text), dialect);
            assert!(guards(&forced), "{text}: {:?}", forced.problems);
        }
    }
}

#[test]
fn unknown_amazon_q_event_is_reported() {
    for (event, instead) in [
        ("sessionEnd", "write one of `agentSpawn`"),
        ("preCompact", "write one of `agentSpawn`"),
        ("PreToolUse", "write `preToolUse`"),
        ("pretooluse", "write `preToolUse`"),
        ("agentStop", "write `stop`"),
    ] {
        let text = WITH_FOREIGN_EVENT[0].1.replace("EVENT", event);
        let loaded = load(&source("hooks.json", &text));
        assert_eq!(loaded.hooks.len(), 1, "{event}");
        let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert!(
            matches!(problems.as_slice(), [one] if one.contains(&format!("no event `{event}`")) && one.contains(instead)),
            "{problems:?}"
        );
        let alone = format!(r#"{{ "hooks": {{ "{event}": [{{ "command": "true" }}] }} }}"#);
        let imported = import(&source("hooks.json", &alone), Some(Dialect::AmazonQ)).unwrap();
        assert_eq!(imported.from, Dialect::AmazonQ, "{event}");
    }
}
