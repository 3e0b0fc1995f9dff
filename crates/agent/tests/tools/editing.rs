//! `Edit`.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tenter_agent::tools::ToolDisplay;

use crate::workspace::Place;

fn edit(old: &str, new: &str) -> Value {
    json!({ "file_path": "file", "old_string": old, "new_string": new })
}

#[test]
fn single_match_is_replaced() {
    for (before, old, new, after, text) in [
        ("one two three", "two", "2", "one 2 three", "Edited `file`, line 1 (+1 −1 lines)."),
        ("a\nb\nc\n", "b\n", "", "a\nc\n", "Edited `file`, line 2 (+0 −1 lines)."),
        ("a\nb", "b", "b\nc", "a\nb\nc", "Edited `file`, line 2 (+2 −1 lines)."),
        (
            "a\r\nb\r\nc\r\n",
            "a\nb",
            "x\ny\nz",
            "x\r\ny\r\nz\r\nc\r\n",
            "Edited `file`, line 1 (+3 −2 lines).",
        ),
        ("\u{feff}a\n", "a", "b", "\u{feff}b\n", "Edited `file`, line 1 (+1 −1 lines)."),
    ] {
        let place = Place::with([("file", before)]);
        place.run("Read", &json!({ "file_path": "file" }));
        assert_eq!(place.output("Edit", &edit(old, new)), text, "{before:?}");
        assert_eq!(place.content("file"), after);
    }
}

#[test]
fn failed_edit_changes_nothing() {
    let before = "x = 1\nif x:\n    x = 2\n";
    let place = Place::with([("file", before), ("unread", "x"), ("empty", "")]);
    place.run("Read", &json!({ "file_path": "file" }));
    let edit_of = |path: &str| json!({ "file_path": path, "old_string": "a", "new_string": "b" });
    for (input, text) in [
        (
            edit("x", "y"),
            "! `old_string` occurs 3 times in `file` (lines 1, 2, 3); include more of the surrounding text, or set \
             `replace_all`.",
        ),
        (edit("", "y"), "! `old_string` is empty. To replace the whole file, use `Write`."),
        (edit("x", "x"), "! `old_string` and `new_string` are the same."),
        (
            edit("if x:\n\tx = 2", "pass"),
            "! `old_string` differs from line 2 of `file` only in its white space. The file has:\nif x:\n    x = 2",
        ),
        (edit("z", "y"), "! `old_string` is not in `file`. Read the file again, and copy the text."),
        (edit_of("unread"), "! `unread` has not been read yet. Read it, then change it."),
        (edit_of("fiel"), "! `fiel` does not exist. Did you mean `file`?"),
        (edit_of("."), "! `<root>/.` is a folder. In it:\nempty\nfile\nunread"),
        (edit_of("/dev/zero"), "! `/dev/zero` is a device and not a regular file, so it is not opened."),
    ] {
        assert_eq!(place.output("Edit", &input), text, "{input}");
    }
    assert_eq!(place.content("file"), before);
}

#[test]
fn replace_all_replaces_every_match() {
    let place = Place::with([("file", "a b a\na\n")]);
    place.run("Read", &json!({ "file_path": "file" }));
    let mut all = edit("a", "c");
    all["replace_all"] = true.into();
    assert_eq!(place.output("Edit", &all), "Edited `file` in 3 places, lines 1, 2 (+2 −2 lines).");
    assert_eq!(place.content("file"), "c b c\nc\n");
}

#[test]
fn file_changed_by_others_must_be_read() {
    let place = Place::new();
    place.run("Write", &json!({ "file_path": "file", "content": "a\n" }));
    assert!(!place.run("Edit", &edit("a", "b")).failed);
    assert!(!place.run("Edit", &edit("b", "c")).failed);
    // A new time with the same content is no change.
    place.put("file", "c\n");
    assert!(!place.run("Edit", &edit("c", "d")).failed);
    place.put("file", "d \n");
    assert_eq!(
        place.output("Edit", &edit("d", "e")),
        "! `file` was changed since you last read or wrote it. Read it again, then change it."
    );
}

#[test]
fn paths_of_one_file_are_equal() {
    let place = Place::with([("real", "a\n")]);
    symlink("real", place.path("file")).unwrap();
    place.run("Read", &json!({ "file_path": place.path("sub/../real") }));
    fs::create_dir(place.path("sub")).unwrap();
    place.run("Read", &json!({ "file_path": "sub/../real" }));
    assert!(!place.run("Edit", &edit("a", "b")).failed);
    assert!(place.path("file").is_symlink());
    assert_eq!(place.content("real"), "b\n");
}

#[test]
fn user_sees_the_diff() {
    let place = Place::with([("file", "a\nb\nc\n")]);
    place.run("Read", &json!({ "file_path": "file" }));
    let ToolDisplay::Change(change) = place.run("Edit", &edit("b", "B")).display else {
        panic!("a change is shown")
    };
    assert_eq!(change.diff, "--- a/file\n+++ b/file\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c");
}

#[test]
fn invalid_bytes_stay_and_huge_files_fail() {
    let place = Place::new();
    place.put("file", b"caf\xe9 one\n");
    place.run("Read", &json!({ "file_path": "file" }));
    assert!(!place.run("Edit", &edit("one", "two")).failed);
    assert_eq!(fs::read(place.path("file")).unwrap(), b"caf\xe9 two\n");
    fs::File::create(place.path("file")).unwrap().set_len(1 << 40).unwrap();
    let text = "! `file` is larger than 16 MiB; change it with a command (`Bash`) instead.";
    assert_eq!(place.output("Edit", &edit("a", "b")), text);
}
