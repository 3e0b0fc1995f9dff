use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tenter_contract::{Handler, HookSet, Level};

use super::*;
use crate::Places;
use crate::layers::Layers;

const HOOKS: &str = "version: 1
hooks:
  tool:pre:
    - { name: guard, script: ../scripts/guard.sh, on_failure: deny }
    - { name: note, command: \"scripts/note.sh --all\" }
";

/// A project with hooks, and a home.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: TempDir::new().unwrap() };
        project.write(".tenter/hooks.yaml", HOOKS);
        project.write("scripts/guard.sh", "exit 0\n");
        project.write("scripts/note.sh", "exit 0\n");
        project
    }

    fn root(&self) -> std::path::PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join("project")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join("project").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn layers(&self) -> Layers {
        let places = Places {
            config_folder: Some(self.folder.path().join("config")),
            state_folder: Some(self.folder.path().join("state")),
            ..Places::default()
        };
        Layers::read(&places, Some(&self.root()))
    }

    fn trust(&self) {
        self.layers().project.unwrap().trust(7).unwrap();
    }

    /// The active hooks and their kinds.
    fn active_hooks(&self) -> Vec<(String, &'static str)> {
        let HookSet { hooks, .. } = self.layers().set;
        hooks.into_iter().map(|hook| (hook.id.name.clone(), hook.handler.kind())).collect()
    }

    fn levels(&self) -> Vec<Level> {
        self.layers().set.problems.iter().map(|problem| problem.level).collect()
    }
}

fn hooks(list: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    list.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
}

#[test]
fn untrusted_project_runs_no_hook() {
    let project = Project::new();
    assert_eq!(project.active_hooks(), []);
    assert_eq!(project.levels(), [Level::Warning]);
    project.trust();
    assert_eq!(project.active_hooks(), hooks(&[("guard", "script"), ("note", "command")]));
    assert_eq!(project.levels(), []);
}

#[test]
fn changed_byte_makes_guard_deny() {
    for (path, text) in [
        (".tenter/hooks.yaml", format!("{HOOKS}#")),
        ("scripts/guard.sh", "exit 0\n ".to_owned()),
        ("scripts/note.sh", "exit 1\n".to_owned()),
        (".tenter/hooks.local.yaml", "version: 1\n".to_owned()),
        (".tenter/hooks.d/more.yaml", "version: 1\n".to_owned()),
    ] {
        let project = Project::new();
        project.trust();
        project.write(path, &text);
        assert_eq!(project.active_hooks(), hooks(&[("guard", "deny")]), "{path}");
        assert_eq!(project.levels(), [Level::Error], "{path}");
        let TrustStatus::Changed(before) = project.layers().project.unwrap().status else { panic!("{path}") };
        assert_eq!(changed(&before.files, &project.layers().project.unwrap().files), [path]);
        project.trust();
        assert_ne!(project.active_hooks(), hooks(&[("guard", "deny")]), "{path}");
    }
}

#[test]
fn disarmed_or_deleted_guard_still_denies() {
    let project = Project::new();
    project.trust();
    let harmless = HOOKS.replace("name: guard,", "name: guard, matcher: NoSuchTool,");
    project.write(".tenter/hooks.yaml", &harmless);
    let guard = project.layers().set.hooks.remove(0);
    assert!(guard.matcher.selectors.is_empty(), "the matcher that was trusted counts");
    assert!(matches!(guard.handler, Handler::Deny(_)));
    fs::remove_dir_all(project.root().join(".tenter")).unwrap();
    assert_eq!(project.active_hooks(), hooks(&[("guard", "deny")]));
}

#[test]
fn record_of_another_build_keeps_denying() {
    let project = Project::new();
    project.trust();
    let hooks_now = project.layers().project.unwrap();
    let mut entry = hooks_now.record().unwrap().find(&hooks_now.content).unwrap();
    entry.hooks = b"of another form".to_vec();
    hooks_now.record().unwrap().add(&entry).unwrap();
    assert_eq!(project.active_hooks(), hooks(&[("guard", "script"), ("note", "command")]), "the files count");
    project.write("scripts/guard.sh", "exit 1\n");
    let name = "hooks that were trusted before";
    assert_eq!(project.active_hooks(), hooks(&[(name, "deny"), (name, "deny")]));
    project.trust();
    assert_eq!(project.active_hooks(), hooks(&[("guard", "script"), ("note", "command")]));
}

#[test]
fn trusted_contents_coexist_until_revoked() {
    let project = Project::new();
    project.trust();
    let other = HOOKS.replace("note", "other");
    project.write(".tenter/hooks.yaml", &other);
    project.write("scripts/other.sh", "exit 0\n");
    project.trust();
    assert_eq!(project.layers().project.unwrap().status, TrustStatus::Trusted);
    project.write(".tenter/hooks.yaml", HOOKS);
    assert_eq!(project.layers().project.unwrap().status, TrustStatus::Trusted);
    assert_eq!(project.layers().project.unwrap().revoke().unwrap(), 2);
    assert_eq!(project.layers().project.unwrap().status, TrustStatus::Never);
    assert_eq!(project.active_hooks(), []);
}

#[test]
fn pins_list_files_of_each_hook() {
    let project = Project::new();
    project.trust();
    let set = project.layers().set;
    let pins = |name: &str| {
        let hook = set.hooks.iter().find(|hook| hook.id.name == name).unwrap();
        let shown =
            |pin: &Pin| Path::new(&pin.path).strip_prefix(project.root()).unwrap().display().to_string();
        hook.pins.iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(pins("guard"), [".tenter/hooks.yaml", "scripts/guard.sh"]);
    // From where the hook file lies, the command's word would name another file.
    assert_eq!(pins("note"), [".tenter/hooks.yaml", "scripts/note.sh", ".tenter/scripts/note.sh"]);
}

#[test]
fn runner_is_pinned_only_by_trust_files() {
    let project = Project::new();
    project.write(
        ".tenter/hooks.yaml",
        "version: 1
hooks:
  tool:post:
    - { name: free, command: \"npm run lint\" }
    - { name: listed, command: [make, check], trust_files: [Makefile, \"mk/**\"] }
",
    );
    project.write("Makefile", "check:\n\ttrue\n");
    project.write("mk/rules.mk", "x = 1\n");
    let hooks_now = project.layers().project.unwrap();
    assert_eq!(hooks_now.pins.unpinned().collect::<Vec<_>>(), ["npm run lint"]);
    let covered: Vec<&str> = hooks_now.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(covered, [".tenter/hooks.yaml", "Makefile", "mk/rules.mk"]);
}
