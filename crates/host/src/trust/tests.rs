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

    /// The hooks in force and what each does.
    fn in_force(&self) -> Vec<(String, &'static str)> {
        let HookSet { hooks, .. } = self.layers().set;
        hooks.into_iter().map(|hook| (hook.id.name.clone(), hook.handler.kind())).collect()
    }

    fn told(&self) -> Vec<Level> {
        self.layers().set.problems.iter().map(|problem| problem.level).collect()
    }
}

fn hooks(list: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    list.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
}

#[test]
fn nothing_of_a_project_runs_before_it_is_trusted_and_then_all_of_it() {
    let project = Project::new();
    assert_eq!(project.in_force(), []);
    assert_eq!(project.told(), [Level::Warning]);
    project.trust();
    assert_eq!(project.in_force(), hooks(&[("guard", "script"), ("note", "command")]));
    assert_eq!(project.told(), []);
}

#[test]
fn one_byte_anywhere_takes_trust_away_and_the_guard_denies() {
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
        assert_eq!(project.in_force(), hooks(&[("guard", "deny")]), "{path}");
        assert_eq!(project.told(), [Level::Error], "{path}");
        let Standing::Changed(before) = project.layers().project.unwrap().standing else { panic!("{path}") };
        assert_eq!(changed(&before.files, &project.layers().project.unwrap().files), [path]);
        project.trust();
        assert_ne!(project.in_force(), hooks(&[("guard", "deny")]), "{path}");
    }
}

#[test]
fn a_guard_that_was_rewritten_to_match_nothing_or_deleted_still_denies() {
    let project = Project::new();
    project.trust();
    let harmless = HOOKS.replace("name: guard,", "name: guard, matcher: NoSuchTool,");
    project.write(".tenter/hooks.yaml", &harmless);
    let guard = project.layers().set.hooks.remove(0);
    assert!(guard.matcher.selectors.is_empty(), "the matcher that was trusted counts");
    assert!(matches!(guard.handler, Handler::Deny(_)));
    fs::remove_dir_all(project.root().join(".tenter")).unwrap();
    assert_eq!(project.in_force(), hooks(&[("guard", "deny")]));
}

#[test]
fn trust_that_another_build_has_written_down_keeps_denying() {
    let project = Project::new();
    project.trust();
    let looked = project.layers().project.unwrap();
    let mut entry = looked.shelf().unwrap().find(&looked.content).unwrap();
    entry.hooks = b"of another form".to_vec();
    looked.shelf().unwrap().add(&entry).unwrap();
    assert_eq!(project.in_force(), hooks(&[("guard", "script"), ("note", "command")]), "the files count");
    project.write("scripts/guard.sh", "exit 1\n");
    let name = "hooks that were trusted before";
    assert_eq!(project.in_force(), hooks(&[(name, "deny"), (name, "deny")]));
    project.trust();
    assert_eq!(project.in_force(), hooks(&[("guard", "script"), ("note", "command")]));
}

#[test]
fn contents_that_were_trusted_stay_so_side_by_side_until_all_trust_is_revoked() {
    let project = Project::new();
    project.trust();
    let other = HOOKS.replace("note", "other");
    project.write(".tenter/hooks.yaml", &other);
    project.write("scripts/other.sh", "exit 0\n");
    project.trust();
    assert_eq!(project.layers().project.unwrap().standing, Standing::Trusted);
    project.write(".tenter/hooks.yaml", HOOKS);
    assert_eq!(project.layers().project.unwrap().standing, Standing::Trusted);
    assert_eq!(project.layers().project.unwrap().revoke().unwrap(), 2);
    assert_eq!(project.layers().project.unwrap().standing, Standing::Never);
    assert_eq!(project.in_force(), []);
}

#[test]
fn what_a_hook_runs_is_looked_at_once_more_before_it_runs() {
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
fn runners_that_the_project_controls_cannot_be_pinned_unless_it_says_by_what() {
    let project = Project::new();
    project.write(
        ".tenter/hooks.yaml",
        "version: 1
hooks:
  tool:post:
    - { name: free, command: \"npm run lint\" }
    - { name: said, command: [make, check], trust_files: [Makefile, \"mk/**\"] }
",
    );
    project.write("Makefile", "check:\n\ttrue\n");
    project.write("mk/rules.mk", "x = 1\n");
    let looked = project.layers().project.unwrap();
    assert_eq!(looked.pins.unpinned().collect::<Vec<_>>(), ["npm run lint"]);
    let covered: Vec<&str> = looked.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(covered, [".tenter/hooks.yaml", "Makefile", "mk/rules.mk"]);
}
