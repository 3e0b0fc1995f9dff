//! `tenter init` writes the plugin file and `tenter uninstall` removes it.

use std::fs;

use crate::world::World;

#[test]
fn install_and_uninstall_keep_other_files() {
    for (agent, folder) in [("opencode", "opencode/plugins"), ("kilo", "kilo/plugin")] {
        let world = World::new();
        let folder = world.config().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("mine.js"), "export const Mine = async () => ({})\n").unwrap();
        let init =
            || world.tenter(&["init", agent, "--allow-build-path", "--no-protect", "--no-memory"]).run();
        let first = init();
        assert_eq!(first.code, Some(0), "{first:?}");
        assert!(first.stdout.lines().count() < 10, "{}", first.stdout);
        assert!(init().stdout.starts_with("Nothing to do."), "a second time changes nothing");
        let healthy = world.tenter(&["doctor"]).run();
        assert!(!healthy.stdout.contains("it is not the plugin"), "{}", healthy.stdout);

        let gone = world.tenter(&["uninstall", agent]).run();
        assert!(gone.stdout.contains("contained nothing else and is removed"), "{}", gone.stdout);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left, ["mine.js"]);
    }
}

#[test]
fn foreign_file_is_not_changed() {
    let world = World::new();
    let file = world.config().join("opencode/plugins/tenter.js");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "export const Mine = async () => ({})\n").unwrap();
    let ran = world.tenter(&["init", "opencode", "--allow-build-path", "--no-protect"]).run();
    assert_ne!(ran.code, Some(0));
    let notice = "tenter did not write it";
    assert!(
        ran.stderr.contains(notice) && ran.stderr.contains("move the file away and try again"),
        "{ran:?}"
    );
    assert!(world.tenter(&["uninstall", "opencode"]).run().stdout.starts_with("nothing to do: "));
    assert_eq!(fs::read_to_string(file).unwrap(), "export const Mine = async () => ({})\n");
}

#[test]
fn doctor_finds_a_changed_plugin() {
    let world = World::new();
    world.tenter(&["init", "opencode", "--allow-build-path", "--no-protect"]).run();
    let file = world.config().join("opencode/plugins/tenter.js");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("throw new Denied(answer.reason)", "return", 1)).unwrap();
    let sick = world.tenter(&["doctor"]).run();
    assert_eq!(sick.code, Some(1));
    assert!(
        sick.stdout.contains("it is not the plugin that this version of tenter writes"),
        "{}",
        sick.stdout
    );
    world.tenter(&["init", "opencode", "--allow-build-path", "--no-protect"]).run();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
