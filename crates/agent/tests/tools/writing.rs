//! `Write`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

use serde_json::json;
use tenter_agent::tools::ToolDisplay;

use crate::workspace::Place;

#[test]
fn write_creates_or_overwrites() {
    let place = Place::with([("old", "1\n2\n")]);
    for (path, content, text) in [
        ("new", "a\nb\n", "Created `new` with 2 lines."),
        ("deep/er/new", "a", "Created `deep/er/new` with 1 line."),
        ("empty", "", "Created `empty` with 0 lines."),
        ("old", "1\n3\n4\n", "Overwrote `old` with 3 lines (+2 −1 lines)."),
        ("old", "1\n3\n4\n", "Wrote `old` with 3 lines; it did not change."),
    ] {
        assert_eq!(place.output("Write", &json!({ "file_path": path, "content": content })), text, "{path}");
        assert_eq!(place.content(path), content);
    }
    let left: Vec<_> =
        fs::read_dir(&place.at.root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn user_sees_the_diff() {
    let place = Place::with([("old", "1\n2\n")]);
    let ToolDisplay::Change(change) =
        place.run("Write", &json!({ "file_path": "old", "content": "1\n" })).display
    else {
        panic!("a change is shown")
    };
    assert_eq!((change.added, change.removed, change.created), (0, 1, false));
    assert_eq!(change.diff, "--- a/old\n+++ b/old\n@@ -1,2 +1 @@\n 1\n-2");
}

#[test]
fn permissions_and_links_stay() {
    let place = Place::with([("script", "old"), ("real/file", "old"), ("twice", "old"), ("plain", "old")]);
    fs::set_permissions(place.path("script"), Permissions::from_mode(0o750)).unwrap();
    symlink("real/file", place.path("link")).unwrap();
    symlink("real/made", place.path("to-nowhere")).unwrap();
    fs::hard_link(place.path("twice"), place.path("again")).unwrap();
    for path in ["script", "link", "to-nowhere", "twice"] {
        let output = place.run("Write", &json!({ "file_path": path, "content": "new" }));
        assert!(!output.failed, "{}", output.output);
    }
    assert_eq!(fs::metadata(place.path("script")).unwrap().mode() & 0o777, 0o750);
    assert!(place.path("link").is_symlink() && place.path("to-nowhere").is_symlink());
    for path in ["script", "real/file", "real/made", "twice", "again"] {
        assert_eq!(place.content(path), "new", "{path}");
    }
    // A new file has the usual permissions.
    place.put("usual", "");
    let mode = |path: &str| fs::metadata(place.path(path)).unwrap().mode();
    assert_eq!(mode("real/made"), mode("usual"));
}

#[test]
fn failed_write_changes_nothing() {
    let place = Place::with([("file", "old"), ("folder/x", "")]);
    symlink("round", place.path("round")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path("fifo")).status().unwrap().success());
    for (path, text) in [
        ("folder", "! `folder` is a folder and not a regular file, so it is not written."),
        ("fifo", "! `fifo` is a named pipe and not a regular file, so it is not written."),
        ("/dev/full", "! `/dev/full` is a device and not a regular file, so it is not written."),
        ("file/x", "! `file/x` cannot be written: Not a directory"),
        ("round", "! `round` cannot be written: Too many levels of symbolic links"),
        ("nul\0", "! `nul\0` cannot be written: file name contained an unexpected NUL byte."),
    ] {
        let answer = place.output("Write", &json!({ "file_path": path, "content": "x" }));
        assert!(answer.starts_with(text), "{answer}");
    }
    assert_eq!(place.content("file"), "old");
}

#[test]
fn read_only_file_is_not_written() {
    if rustix::process::geteuid().is_root() {
        // Root can write every file.
        return;
    }
    let place = Place::with([("file", "old")]);
    fs::set_permissions(place.path("file"), Permissions::from_mode(0o444)).unwrap();
    let text = place.output("Write", &json!({ "file_path": "file", "content": "x" }));
    assert!(text.starts_with("! `file` is read-only."), "{text}");
}

#[test]
fn change_of_another_program_is_not_lost() {
    let place = Place::with([("file", "mine\n")]);
    place.run("Read", &json!({ "file_path": "file" }));
    place.put("file", "yours\n");
    let write = json!({ "file_path": "file", "content": "again\n" });
    assert_eq!(
        place.output("Write", &write),
        "! `file` was changed since you last read or wrote it. Read it again, then change it."
    );
    assert_eq!(place.content("file"), "yours\n");
    place.run("Read", &json!({ "file_path": "file" }));
    assert_eq!(place.output("Write", &write), "Overwrote `file` with 1 line (+1 −1 lines).");
    assert_eq!(place.output("Write", &write), "Wrote `file` with 1 line; it did not change.");
}
