//! `Read`.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::json;
use tenter_agent::tools::ToolDisplay;

use crate::workspace::Place;

#[test]
fn lines_have_numbers() {
    let place = Place::with([("a.txt", "one\r\ntwo\n\nfour"), ("empty", ""), ("src/deep/b", "x\n")]);
    for (input, text) in [
        (json!({ "file_path": "a.txt" }), "     1→one\n     2→two\n     3→\n     4→four\n"),
        (json!({ "file_path": place.path("src/deep/b") }), "     1→x\n"),
        (json!({ "file_path": "src/../a.txt", "offset": 4 }), "     4→four\n"),
        (
            json!({ "file_path": "a.txt", "offset": 2, "limit": 2 }),
            "     2→two\n     3→\n\n[Lines 2 to 3 of 4. Continue with `offset`: 4.]\n",
        ),
        (json!({ "file_path": "a.txt", "offset": 9 }), "! `a.txt` has 4 lines; there is no line 9."),
        (json!({ "file_path": "empty" }), "`empty` is empty."),
    ] {
        assert_eq!(place.output("Read", &input), text, "{input}");
    }
}

#[test]
fn user_sees_the_number_of_lines() {
    let place = Place::with([("a", "1\n2\n3\n"), ("b", "x")]);
    for (input, line) in [
        (json!({ "file_path": "a" }), "3 lines"),
        (json!({ "file_path": "b" }), "1 line"),
        (json!({ "file_path": "a", "offset": 2, "limit": 1 }), "1 line, 2 to 2"),
    ] {
        assert_eq!(place.run("Read", &input).display, ToolDisplay::Line(line.to_owned()));
    }
}

#[test]
fn missing_file_has_suggestions() {
    let place = Place::with([("src/main.rs", ""), ("src/other.rs", ""), ("README.md", "")]);
    symlink("gone", place.path("dangling")).unwrap();
    symlink("round", place.path("round")).unwrap();
    symlink("src/main.rs", place.path("link")).unwrap();
    for (path, text) in [
        ("src/mian.rs", "! `src/mian.rs` does not exist. Did you mean `src/main.rs`?"),
        ("scr/main.rs", "! `scr/main.rs` does not exist. Did you mean `src`?"),
        ("README.txt", "! `README.txt` does not exist. Did you mean `README.md`?"),
        ("banana/split", "! `banana/split` does not exist. The nearest folder that does is `<root>`."),
        ("README.md/x", "! `README.md/x` does not exist. Did you mean `README.md`?"),
        ("dangling", "! `dangling` is a link to `gone`, which does not exist."),
        ("round", "! `round` cannot be opened: Too many levels of symbolic links (os error 40)."),
        ("src", "! `src` is a folder. In it:\nmain.rs\nother.rs"),
        ("link", "`link` is empty."),
        ("nul\0byte", "! `nul\0byte` cannot be opened: file name contained an unexpected NUL byte."),
    ] {
        let text = if cfg!(target_os = "linux") { text } else { text.split(" (os").next().unwrap() };
        assert!(place.output("Read", &json!({ "file_path": path })).starts_with(text), "{path}");
    }
}

#[test]
fn pipes_and_devices_are_not_opened() {
    let place = Place::new();
    let fifo = place.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let _listens = UnixListener::bind(place.path("socket")).unwrap();
    symlink("/dev/zero", place.path("zero")).unwrap();
    for (path, what) in
        [("fifo", "a named pipe"), ("socket", "a socket"), ("zero", "a device"), ("/dev/null", "a device")]
    {
        let text = format!("! `{path}` is {what} and not a regular file, so it is not opened.");
        assert_eq!(place.output("Read", &json!({ "file_path": path })), text);
    }
}

#[test]
fn binary_files_are_named() {
    let place = Place::new();
    for (name, content, what) in [
        ("a.png", &b"\x89PNG\r\n\x1a\n"[..], "an image (PNG)"),
        ("a.pdf", b"%PDF-1.7\n", "a PDF document"),
        ("a.o", b"\x7fELF\x02", "a program (ELF)"),
        ("a.bin", b"text and \0 then", "a binary file"),
        ("a.txt", b"\xff\xfea\0", "text in UTF-16 (`iconv -f utf-16` makes it readable)"),
    ] {
        place.put(name, content);
        let text = place.output("Read", &json!({ "file_path": name }));
        assert!(text.starts_with(&format!("! `{name}` is {what}, which `Read` does not show.")), "{text}");
    }
    place.put("latin", b"caf\xe9\n");
    let text = "     1→caf\u{fffd}\n\n[Some bytes are not UTF-8 and are shown as \u{fffd}.]\n";
    assert_eq!(place.output("Read", &json!({ "file_path": "latin" })), text);
}

#[test]
fn huge_file_is_read_in_parts() {
    let place = Place::with([("lines", &*"0123456789\n".repeat(50_000)), ("line", &*"x".repeat(3_000_000))]);
    let all = place.run("Read", &json!({ "file_path": "lines" }));
    assert!(
        all.output.ends_with("[Lines 1 to 2000 of 50000. Continue with `offset`: 2001.]\n"),
        "{}",
        all.output
    );
    let many = place.run("Read", &json!({ "file_path": "lines", "limit": 50_000 }));
    assert!(many.output.len() < 220_000, "{}", many.output.len());
    let wide = place.run("Read", &json!({ "file_path": "line" }));
    assert!(wide.output.ends_with("xx… [cut: the line has 3000000 bytes]\n"));
    assert!(wide.output.len() < 2_200);
    // A sparse file that is too large to count its lines.
    let sparse = std::fs::File::create(place.path("sparse")).unwrap();
    std::io::Write::write_all(&mut &sparse, "line\n".repeat(5_000).as_bytes()).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let text = place.output("Read", &json!({ "file_path": "sparse", "offset": 4_000, "limit": 1 }));
    assert_eq!(text, "  4000→line\n\n[Lines 4000 to 4000. Continue with `offset`: 4001.]\n");
    let stopped = place.run_until("Read", &json!({ "file_path": "sparse", "offset": 6_000 }), &|| true);
    assert!(stopped.failed && stopped.output.contains("it was stopped"), "{}", stopped.output);
}

#[test]
fn proc_file_of_size_zero_is_read() {
    if cfg!(target_os = "linux") {
        let text = Place::new().output("Read", &json!({ "file_path": "/proc/self/status", "limit": 1 }));
        assert!(text.starts_with("     1→Name:"), "{text}");
    }
}
