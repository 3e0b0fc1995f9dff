//! `Glob` and `Grep`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tenter_agent::tools::ToolDisplay;

use crate::workspace::Place;

fn project() -> Place {
    let place = Place::with([
        ("README.md", "# Name\nUse main.\n"),
        ("src/main.rs", "fn main() {\n    run();\n}\n\nfn run() {}\n"),
        ("src/deep/lib.rs", "pub fn lib() {}\n"),
        (".github/ci.yaml", "run: main\n"),
        (".git/config", "main\n"),
        (".gitignore", "target/\n*.log\n"),
        ("target/main.rs", "fn main() {}\n"),
        ("main.log", "main\n"),
    ]);
    // The last file is the newest.
    for (age, path) in
        (1..).zip([".github/ci.yaml", "src/main.rs", "src/deep/lib.rs", "README.md", ".gitignore"])
    {
        let changed = SystemTime::UNIX_EPOCH + Duration::from_hours(age);
        File::options().write(true).open(place.path(path)).unwrap().set_modified(changed).unwrap();
    }
    place
}

#[test]
fn glob_lists_newest_files_first() {
    let place = project();
    for (input, text) in [
        (json!({ "pattern": "*.rs" }), "src/deep/lib.rs\nsrc/main.rs"),
        (json!({ "pattern": "src/*.rs" }), "src/main.rs"),
        (json!({ "pattern": "**/*.{rs,md}" }), "README.md\nsrc/deep/lib.rs\nsrc/main.rs"),
        (json!({ "pattern": "*", "path": ".github" }), ".github/ci.yaml"),
        (json!({ "pattern": "../project/README*" }), "../project/README.md"),
        (json!({ "pattern": place.path("src/d*/*") }), "src/deep/lib.rs"),
        (json!({ "pattern": "*.log" }), "No file matches `*.log`."),
        (json!({ "pattern": "no/such/*" }), "No file matches `no/such/*`."),
        (json!({ "pattern": "*", "path": "scr" }), "! `scr` does not exist. Did you mean `src`?"),
        (
            json!({ "pattern": "*", "path": "README.md" }),
            "! `README.md` is not a folder; set `path` to its folder.",
        ),
    ] {
        assert_eq!(place.output("Glob", &input), text, "{input}");
    }
    assert!(place.output("Glob", &json!({ "pattern": "[" })).starts_with("! `[` is not a glob:"));
    let all = place.run("Glob", &json!({ "pattern": "*" }));
    assert_eq!(all.display, ToolDisplay::Line("5 files".to_owned()));
}

#[test]
fn grep_modes() {
    let place = project();
    for (input, text) in [
        (json!({ "pattern": "main" }), ".github/ci.yaml\nREADME.md\nsrc/main.rs"),
        (json!({ "pattern": "main", "glob": "*.rs" }), "src/main.rs"),
        (json!({ "pattern": "main", "glob": "src/*.rs" }), "src/main.rs"),
        (json!({ "pattern": "main", "glob": "!*.rs" }), ".github/ci.yaml\nREADME.md"),
        (json!({ "pattern": "main", "type": "md" }), "README.md"),
        (
            json!({ "pattern": r"^fn \w+", "output_mode": "content" }),
            "src/main.rs:1:fn main() {\nsrc/main.rs:5:fn run() {}",
        ),
        (json!({ "pattern": "NAME", "output_mode": "content", "-i": true, "-n": false }), "README.md:# Name"),
        (
            json!({ "pattern": "run", "output_mode": "content", "path": "src/main.rs", "-B": 1 }),
            "src/main.rs-1-fn main() {\nsrc/main.rs:2:    run();\n--\nsrc/main.rs-4-\nsrc/main.rs:5:fn run() {}",
        ),
        (
            json!({ "pattern": "lib|Use", "output_mode": "content", "-C": 1 }),
            "README.md-1-# Name\nREADME.md:2:Use main.\n--\nsrc/deep/lib.rs:1:pub fn lib() {}",
        ),
        (
            json!({ "pattern": "run", "output_mode": "count" }),
            ".github/ci.yaml:1\nsrc/main.rs:2\n[3 matches in 2 files]",
        ),
        (
            json!({ "pattern": r"\{\s+run", "output_mode": "content", "multiline": true }),
            "src/main.rs:1:fn main() {\nsrc/main.rs:2:    run();",
        ),
        (
            json!({ "pattern": "main", "head_limit": 1 }),
            ".github/ci.yaml\n[There is more. Narrow the search with `path`, `glob` or the pattern, or raise \
             `head_limit`.]",
        ),
        (json!({ "pattern": "banana" }), "Nothing matches `banana`."),
        (json!({ "pattern": "x", "path": "scr" }), "! `scr` does not exist. Did you mean `src`?"),
        (
            json!({ "pattern": "x", "type": "banana" }),
            "! `banana` is not a known `type`; use `glob` instead, such as `*.banana`.",
        ),
    ] {
        assert_eq!(place.output("Grep", &input), text, "{input}");
    }
    let text = place.output("Grep", &json!({ "pattern": "(" }));
    assert!(text.starts_with("! `pattern` is not a regular expression"), "{text}");
}

#[test]
fn ignored_file_is_found_by_its_path() {
    let place = project();
    assert_eq!(place.output("Grep", &json!({ "pattern": "main", "path": "main.log" })), "main.log");
    assert_eq!(place.output("Glob", &json!({ "pattern": "*", "path": "target" })), "target/main.rs");
}

#[test]
fn hostile_files_are_skipped_or_bounded() {
    let place = Place::new();
    place.put("binary", b"main\0main");
    place.put("foreign", b"caf\xe9 main\n");
    place.put("wide", format!("main{}", "x".repeat(1_000_000)));
    place.put("many", "main\n".repeat(100_000));
    assert!(Command::new("mkfifo").arg(place.path("fifo")).status().unwrap().success());
    symlink("/dev/zero", place.path("zero")).unwrap();
    symlink("gone", place.path("dangling")).unwrap();
    symlink(".", place.path("round")).unwrap();
    File::create(place.path("sparse")).unwrap().set_len(1 << 40).unwrap();
    let lines = place.run("Grep", &json!({ "pattern": "main", "output_mode": "content" })).output;
    assert!(lines.starts_with("foreign:1:caf\u{fffd} main\nmany:1:main\n"), "{lines}");
    assert!(lines.len() < 10_000, "{}", lines.len());
    assert!(lines.contains("[There is more."), "{lines}");
    let wide =
        place.run("Grep", &json!({ "pattern": "main", "output_mode": "content", "path": "wide" })).output;
    assert!(wide.ends_with("x… [cut]") && wide.len() < 700, "{}", wide.len());
    let counts = place.output("Grep", &json!({ "pattern": "main", "output_mode": "count" }));
    let expected = "foreign:1\nmany:100000\nwide:1\n[100002 matches in 3 files]\n\
                    [Skipped because larger than 16 MiB: 1.]";
    assert_eq!(counts, expected);
    let alone = place.output("Grep", &json!({ "pattern": "main", "path": "fifo" }));
    assert_eq!(alone, "! `fifo` is a named pipe and not a regular file, so it is not opened.");
    assert!(!place.run("Glob", &json!({ "pattern": "**/*" })).output.contains("fifo"));
}

#[test]
fn search_of_many_files_is_bounded() {
    let place = Place::in_memory();
    for folder in 0..100 {
        let folder = place.path(&format!("f{folder}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..1_000 {
            File::create(folder.join(format!("{file}.txt"))).unwrap();
        }
    }
    place.put("f99/999.txt", "here");
    let later = SystemTime::now() + Duration::from_hours(1);
    File::options().write(true).open(place.path("f99/999.txt")).unwrap().set_modified(later).unwrap();
    let found = place.run("Glob", &json!({ "pattern": "*.txt" }));
    assert!(found.output.starts_with("f99/999.txt\n"));
    assert!(found.output.ends_with("[100000 files match; these are the 100 newest.]"));
    assert_eq!(place.output("Grep", &json!({ "pattern": "here" })), "f99/999.txt");
    let stopped = place.run_until("Grep", &json!({ "pattern": "here" }), &|| true);
    assert_eq!(
        stopped.output,
        "Nothing matches `here`.\n[Stopped by the user, so the result is incomplete.]"
    );
    assert!(stopped.failed);
}

#[test]
fn shown_paths_are_valid_inputs() {
    let place = project();
    place.run("Bash", &json!({ "command": "cd src" }));
    assert_eq!(place.output("Glob", &json!({ "pattern": "*.rs" })), "deep/lib.rs\nmain.rs");
    let found = place.output("Grep", &json!({ "pattern": "Use", "path": ".." }));
    assert_eq!(found, "../README.md");
    let read = place.output("Read", &json!({ "file_path": found }));
    assert!(read.starts_with("     1→# Name"), "{read}");
}
