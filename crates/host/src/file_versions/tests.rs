use std::fs;

use tenter_contract::{AgentName, Event, Handler, HookSet, ToolCall};
use tenter_kernel::matching::concerns;

use super::*;
use crate::Places;
use crate::layers::Layers;

const GOOD: &str = r#"# The guards of this machine.
version: 1
hooks:
  session:start:
    - name: hello
      inject: Tests run with make.
  tool:pre:
    - name: no-force-push
      matcher: Bash
      when: { command: "/git push .*--force/" }
      deny: Use force-with-lease.
      priority: -10
    - name: check
      matcher: "Write|Edit"
      command: check.sh {tool.path}
      on_failure: deny
  tool:post:
    - name: lint
      matcher: Write
      command: lint.sh
"#;

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.file("")).unwrap();
        world
    }

    /// With a good file that was loaded.
    fn loaded(text: &str) -> Self {
        let world = Self::new();
        world.write(text);
        assert_eq!(world.set().problems, []);
        world
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("config").join(name)
    }

    fn write(&self, text: impl AsRef<[u8]>) {
        fs::write(self.file("hooks.yaml"), text).unwrap();
    }

    fn places(&self) -> Places {
        Places {
            config_folder: Some(self.file("")),
            state_folder: Some(self.folder.path().join("state")),
            managed_folder: Some(self.folder.path().join("managed")),
            ..Places::default()
        }
    }

    fn set(&self) -> HookSet {
        crate::layers::read(&self.places(), None, None).set
    }

    fn versions(&self) -> GoodVersions {
        GoodVersions::new(&StateFolder::new(self.folder.path().join("state")))
    }

    fn name(&self) -> String {
        self.file("hooks.yaml").to_string_lossy().into_owned()
    }
}

/// Whether a forced push is denied.
fn denies(set: &HookSet) -> bool {
    let agent = AgentName::from_static("claude");
    let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
    let mut tool = ToolCall::new("Bash", tenter_contract::ToolKind::Shell, serde_json::Map::new());
    tool.command = Some("git push --force".to_owned());
    event.tool = Some(tool);
    set.hooks.iter().any(|hook| matches!(hook.handler, Handler::Deny(_)) && concerns(hook, &event))
}

fn texts(set: &HookSet) -> String {
    set.problems
        .iter()
        .chain(&set.lost_guards)
        .map(|problem| problem.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every way in which the file is broken here leaves the guard active, or is a valid change that removed it.
#[test]
fn broken_file_keeps_the_guard_active() {
    let mut broken: Vec<(String, Vec<u8>)> = Vec::new();
    for end in 0..GOOD.len() {
        broken.push((format!("cut at byte {end}"), GOOD.as_bytes()[..end].to_vec()));
    }
    let lines: Vec<&str> = GOOD.lines().collect();
    let mut changed_line = |what: &str, number: usize, line: String| {
        let mut changed: Vec<String> = lines.iter().map(|it| (*it).to_owned()).collect();
        changed[number] = line;
        broken.push((format!("line {}: {what}", number + 1), changed.join("\n").into_bytes()));
    };
    for (number, line) in lines.iter().enumerate() {
        changed_line("gone", number, String::new());
        changed_line("indented", number, format!(" {line}"));
        changed_line("tab", number, format!("\t{line}"));
        changed_line("outdented", number, line.get(1..).unwrap_or_default().to_owned());
        changed_line("twice", number, format!("{line}\n{line}"));
        for junk in ["x", "<<<<<<< HEAD", "inject: Remember: tests", "- name: z", "}", "  tool:pre:", "---"] {
            changed_line(junk, number, format!("{junk}\n{line}"));
        }
    }
    let utf16: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    broken.push(("UTF-16".to_owned(), utf16));
    broken.push(("Latin-1".to_owned(), [GOOD.as_bytes(), b"# caf\xe9"].concat()));
    broken.push(("no tool".to_owned(), GOOD.replace("Bash", "Bahs").into_bytes()));
    broken.push(("misspelled".to_owned(), GOOD.replace("deny: Use", "denny: Use").into_bytes()));
    broken.push(("same name".to_owned(), GOOD.replace("name: hello", "name: no-force-push").into_bytes()));
    broken.push((
        "conflict".to_owned(),
        GOOD.replace("make.", "|\n<<<<<<< a\n        x\n=======\n        y\n>>>>>>> b\n").into_bytes(),
    ));
    let world = World::new();
    for (what, text) in &broken {
        world.versions().forget(&world.name()).unwrap();
        world.write(GOOD);
        assert!(denies(&world.set()));
        world.write(text);
        let set = world.set();
        assert!(denies(&set), "{what}: {}", texts(&set));
    }
}

/// Every slip leaves a valid file in which the guard would never be asked.
#[test]
fn slips_that_leave_a_valid_file_keep_the_last_good_version() {
    let command = r#"when: { command: "/git push .*--force/" }"#;
    for (before, after) in [
        ("matcher: Bash", "matcher: Bash or Write"),
        ("matcher: Bash", "matcher: Bash *all"),
        ("matcher: Bash", "matcher: \"[\""),
        ("matcher: Bash", "matcher: \"/^(Bahs|Write)$/\""),
        ("matcher: Bash", "matcher: execute_bas"),
        ("matcher: Bash", "agents: [claude-code]"),
        ("matcher: Bash", "agents: [clade]"),
        (command, r#"when: { command: "/git push .*--force" }"#),
        (command, r#"when: { command: "git push .*--force/" }"#),
        (command, r#"when: { command: "git push .*--force" }"#),
        ("  tool:pre:", "  pre:tool:"),
        ("  tool:pre:", "  t00l:pre:"),
        ("  tool:pre:", "  release:check:"),
    ] {
        let world = World::loaded(GOOD);
        world.write(GOOD.replace(before, after));
        let set = world.set();
        assert!(denies(&set), "{after}: {}", texts(&set));
        assert_eq!(set.stale_files.len(), 1, "{after}");
        assert!(texts(&set).contains("type `tenter hooks accept`"), "{after}: {}", texts(&set));
    }
    // A guard that falls into the list before it.
    let guard = "version: 1\nhooks:\n  session:start:\n    - { name: hello, inject: hi }\n  tool:pre:\n    - { name: g, command: check, on_failure: deny }\n";
    let world = World::loaded(guard);
    world.write(guard.replace("  tool:pre:\n", ""));
    assert!(texts(&world.set()).contains("is at `session:start` now"), "{}", texts(&world.set()));
}

#[test]
fn misspelled_agent_section_keeps_guards_active() {
    let section = GOOD.replace("hooks:\n", "agents:\n  claude:\n    hooks:\n").replace("\n  ", "\n      ");
    let section = section.replace("      claude:\n        hooks", "  claude:\n    hooks");
    let world = World::loaded(&section);
    world.write(section.replace("claude:", "clade:"));
    assert_eq!(world.set().stale_files.len(), 1, "{section}\n{}", texts(&world.set()));
}

/// The last guard of a file can be deleted like any other.
#[test]
fn a_guard_that_a_person_deletes_is_gone() {
    let (head, tail) = (GOOD.find("    - name: check").unwrap(), GOOD.find("  tool:post").unwrap());
    for (text, lost) in [
        (format!("{}{}", &GOOD[..head], &GOOD[tail..]), "check"),
        ("version: 1\nhooks: {}\n".to_owned(), "no-force-push"),
    ] {
        let world = World::loaded(GOOD);
        world.write(text);
        let set = world.set();
        assert_eq!(set.stale_files, [], "{}", texts(&set));
        assert!(texts(&set).contains(&format!("`{lost}` (tool:pre)")), "{}", texts(&set));
    }
    let whole = &GOOD[..tail];
    let world = World::loaded(whole);
    world.write(&GOOD[..head]);
    assert_eq!(world.set().stale_files, [], "{}", texts(&world.set()));
}

#[test]
fn renamed_file_stays_active_until_switched_off() {
    for (name, kept) in [
        ("hooks.YAML", true),
        ("hooks.yaml.txt", true),
        ("hooks.jsonc", true),
        ("hook.yaml", true),
        ("hooks", true),
        ("hooks.yml", true),
        ("hooks.yaml.bak", false),
        ("hooks.yaml.off", false),
        ("hooks.yaml~", false),
    ] {
        let world = World::loaded(GOOD);
        fs::rename(world.file("hooks.yaml"), world.file(name)).unwrap();
        let set = world.set();
        assert_eq!(denies(&set), kept, "{name}: {}", texts(&set));
        assert!(!texts(&set).is_empty() || name == "hooks.yml", "{name}");
        if kept && name != "hooks.yml" {
            assert!(texts(&set).contains("it was renamed to"), "{name}: {}", texts(&set));
            fs::remove_file(world.file(name)).unwrap();
            assert!(!denies(&world.set()), "{name}: removed for good");
        }
    }
}

/// A first file that has a guard with a mistake says so by denying.
#[test]
fn guards_that_never_loaded_deny_at_their_events() {
    let guard = |hook: &str| format!("version: 1\nhooks:\n  tool:pre:\n    - {hook}\n");
    for (text, closed) in [
        (guard("{ name: a, denny: x }"), true),
        (guard("{ name: a, matcher: \"/(/\", deny: x }"), true),
        (guard("{ name: a, block: x }"), true),
        (guard("{ name: a, command: x, on_failure: { error: deny }, timout: 5 }"), true),
        (guard("{ name: a, command: x, on_failure: dney }"), true),
        (guard("{ name: a, command: x, on_failur: deny }"), true),
        (guard("{ name: a, command: x, on_failure: allow, timout: 5 }"), false),
        (guard("{ name: a, builtin: protect.config, timout: 5 }"), true),
        (guard("{ name: a, deny: x, after: [missing] }"), true),
        (guard("{ name: a, python: \"checks.py:f\" }"), true),
        (guard("{ name: a, deny: x }").replace("tool:pre", "tool:pree"), true),
        (guard("{ name: a, deny: x }").replace("hooks:", "hoks:"), true),
        (guard("{ name: a, inject: x }\n    - { name: a, deny: x }"), true),
        (guard("{ name: a, builtn: protect.config }"), true),
        (guard("{ name: a, pyhton: checks.f }"), true),
        (
            "agents:\n  - id: a\n    backend:\n      hooks:\n        PreToolUse:\n          - { handlr: x, fail_closed: true }\n"
                .to_owned(),
            true,
        ),
        ("agents:\n  reviewer:\n    hoks: { tool:pre: [ { name: a, deny: x } ] }\n".to_owned(), true),
        (guard("{ name: a, inject: x, timout: 5 }"), false),
        (guard("{ name: a, comand: x }"), false),
        (guard("{ name: a, inject: x, timout: 5, when: { prompt: x } }"), false),
        (guard("{ name: a, inject: x }").replace("tool:pre", "tool:pree"), false),
        (guard("{ name: b, matcher: Write, deny: x }\n    - { name: a, comand: x }"), false),
        (guard("{ name: a, ask: 5 }").replace("tool:pre", "prompt:submit"), false),
    ] {
        let world = World::new();
        world.write(&text);
        let set = world.set();
        assert_eq!(denies(&set), closed, "{text}\n{}", texts(&set));
        assert!(!set.problems.is_empty(), "{text}");
    }
}

#[test]
fn bom_and_windows_line_ends_are_no_mistakes() {
    let world = World::loaded(GOOD);
    for text in [format!("\u{feff}{GOOD}"), GOOD.replace('\n', "\r\n"), GOOD.trim_end().to_owned()] {
        world.write(text);
        assert!(denies(&world.set()));
        assert_eq!(world.set().problems, []);
    }
}

#[test]
fn special_file_keeps_the_guard_active() {
    let world = World::loaded(GOOD);
    let path = world.file("hooks.yaml");
    let check = |what: &str| {
        let set = world.set();
        assert!(denies(&set), "{what}");
        assert_eq!(set.stale_files.len(), 1, "{what}");
        assert!(set.stale_files[0].text.contains("because it cannot be read"), "{what}: {}", texts(&set));
    };
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", &path).unwrap();
    check("a link to nothing");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    check("a folder");
    fs::remove_dir(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
    check("a pipe");
    fs::remove_dir_all(world.file("")).unwrap();
    fs::write(world.folder.path().join("config"), "").unwrap();
    check("a folder that is a file");
}

#[test]
fn the_version_on_disk_counts_again_when_it_is_mended() {
    let world = World::loaded(GOOD);
    world.write(format!("{GOOD}      inject: Remember: tests\n"));
    let set = world.set();
    assert_eq!(set.stale_files.len(), 1);
    let notices = texts(&set);
    assert!(notices.contains("the last good version of this hook file is active (loaded at "), "{notices}");
    assert!(notices.contains("hooks.yaml:21:"), "{notices}");
    world.write(GOOD.replace("no-force-push", "no-push"));
    let set = world.set();
    assert_eq!(set.stale_files, []);
    assert!(texts(&set).contains("no longer has the guard `no-force-push` (tool:pre)"), "{}", texts(&set));
    world.write(GOOD);
    let lost = texts(&world.set());
    assert!(!lost.contains("no-force-push"), "{lost}");
}

#[test]
fn a_bad_hook_beside_guards_turns_off_itself_alone() {
    let world = World::loaded(GOOD);
    world.write(GOOD.replace("command: lint.sh", "comand: lint.sh").replace("-10", "-11"));
    let set = world.set();
    assert_eq!(set.stale_files, []);
    assert!(denies(&set));
    assert!(set.hooks.iter().any(|hook| hook.priority == -11));
}

#[test]
fn removed_file_is_reported_for_a_day() {
    let world = World::loaded(GOOD);
    fs::remove_file(world.file("hooks.yaml")).unwrap();
    for _ in 0..2 {
        let set = world.set();
        assert!(!denies(&set));
        assert!(
            texts(&set).contains("was removed, and its guards with it: `no-force-push`"),
            "{}",
            texts(&set)
        );
    }
    let KeptVersion::Good(mut good) = world.versions().find(&world.name()) else { panic!() };
    good.removed_at = good.removed_at.map(|at| at - DAY);
    world.versions().keep(&good).unwrap();
    assert_eq!(texts(&world.set()), "");
    // It comes back broken.
    world.write("hooks: [");
    assert!(denies(&world.set()));
}

#[test]
fn without_a_good_version_what_could_be_guarded_is_denied() {
    for (text, closed) in [
        (GOOD.replace("make.", "make: x: y"), true),
        (GOOD.replace("deny: Use", "ask: {Use"), true),
        ("hooks:\n  tool:pre: [ { builtin: protect.config, name: \"x ] }\n".to_owned(), true),
        ("hooks:\n  tool:pre: [ { command: x, name: \"x ] }\n".to_owned(), false),
        (String::new(), false),
    ] {
        let world = World::new();
        world.write(&text);
        let set = world.set();
        assert_eq!(denies(&set), closed, "{text}");
        assert!(!set.problems.is_empty());
        let reason = set.hooks.iter().find_map(|hook| match &hook.handler {
            Handler::Deny(reason) => Some(reason.as_str().to_owned()),
            _ => None,
        });
        assert!(reason.is_none_or(|it| it.contains(&format!("{}:", world.name()))), "{text}");
    }
    let world = World::new();
    fs::create_dir(world.file("hooks.yaml")).unwrap();
    assert!(denies(&world.set()), "its content is unknown");
    let utf16: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let world = World::new();
    world.write(utf16);
    assert!(denies(&world.set()));
}

#[test]
fn a_damaged_good_version_disarms_nothing() {
    let world = World::loaded(GOOD);
    fs::write(world.versions().entry(&world.name()), "{").unwrap();
    world.write("hooks: [");
    assert!(denies(&world.set()));
    world.write(GOOD);
    assert_eq!(world.set().problems, []);
    assert!(matches!(world.versions().find(&world.name()), KeptVersion::Good(_)));
}

#[test]
fn imported_files_are_kept_too() {
    let world = World::new();
    let imported = world.file("team.yaml");
    world.write("imports: [ team.yaml ]\n");
    fs::write(&imported, GOOD).unwrap();
    assert!(denies(&world.set()));
    for broken in ["hooks: [", ""] {
        fs::write(&imported, broken).unwrap();
        assert!(denies(&world.set()), "{broken:?}");
    }
    fs::remove_file(&imported).unwrap();
    assert!(denies(&world.set()), "the hook file still wants it");
    world.write("imports: [ team.yaml\n");
    assert!(denies(&world.set()), "both are broken");
    world.write("hooks: {}\n");
    assert!(!denies(&world.set()));
}

#[test]
fn held_version_stays_active_until_accepted() {
    let world = World::loaded(GOOD);
    let KeptVersion::Good(mut good) = world.versions().find(&world.name()) else { panic!() };
    good.hold = Some(tenter_store::Hold { since: 1, reason: "an agent changed it".to_owned() });
    world.versions().keep(&good).unwrap();
    world.write("hooks: {}\n");
    for _ in 0..2 {
        assert!(denies(&world.set()));
        assert!(texts(&world.set()).contains("because an agent changed it"), "{}", texts(&world.set()));
    }
    world.versions().keep(&GoodVersion::new(world.name(), "hooks: {}\n", 2)).unwrap();
    assert!(!denies(&world.set()));
}

#[test]
fn a_broken_file_of_the_machine_denies() {
    for text in ["hooks: [", "", "x", "hooks:\n  tool:pre: [ { name: a, denny: x } ]\n"] {
        let world = World::new();
        fs::create_dir(world.folder.path().join("managed")).unwrap();
        fs::write(world.folder.path().join("managed/hooks.yaml"), text).unwrap();
        assert!(denies(&world.set()), "{text:?}");
    }
}

#[test]
fn a_look_at_the_files_leaves_no_trace_and_sees_the_same() {
    let world = World::new();
    world.write(GOOD);
    assert!(denies(&Layers::read(&world.places(), None).set));
    assert!(!world.folder.path().join("state").exists());
    world.set();
    world.write("hooks: [");
    assert_eq!(Layers::read(&world.places(), None).set, world.set());
}

#[test]
fn two_files_of_one_layer_both_count() {
    let world = World::loaded(GOOD);
    fs::write(world.file("hooks.yml"), "hooks: {}\n").unwrap();
    fs::rename(world.file("hooks.yaml"), world.file("hooks.toml")).unwrap();
    fs::rename(world.file("hooks.yml"), world.file("hooks.yaml")).unwrap();
    fs::write(world.file("hooks.json"), r#"{"hooks": {"tool:pre": [{"name": "x", "deny": "no"}]}}"#).unwrap();
    let set = world.set();
    assert!(denies(&set));
    assert!(texts(&set).contains("there are two hook files, and both are read"), "{}", texts(&set));
}

/// Without a good version nothing is known of hooks that are written where none is read.
#[test]
fn guards_outside_of_their_lists_close_the_file() {
    let guard = "{ name: sure, event: tool:pre, matcher: Bash, deny: \"no\" }";
    for text in [
        format!("version: 1\nhooks:\n  - {guard}\n"),
        format!("version: 1\nhooks: {guard}\n"),
        format!("version: 1\nhooks:\n  tool:pre: {guard}\n"),
        "version: 1\nhooks:\n  tool:pre: \"deny\"\n".to_owned(),
    ] {
        let world = World::new();
        world.write(&text);
        let set = world.set();
        assert!(denies(&set), "{text}\n{}", texts(&set));
    }
    let world = World::new();
    world.write("version: 1\nhooks:\n  - { name: hello, inject: hello }\n");
    assert!(!denies(&world.set()), "a file without a guard denies nothing");
}

#[test]
fn guard_whose_condition_loses_its_slashes_keeps_its_last_good_version() {
    let world = World::loaded(GOOD);
    world.write(GOOD.replace("\"/git push .*--force/\"", "\"^git push .*--force\""));
    assert!(denies(&world.set()), "{}", texts(&world.set()));
}
