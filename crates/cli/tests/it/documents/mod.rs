//! Runs the commands in documents and compares their output.
//!
//! The README, every guide and the README of every example run on separate machines, in
//! `~/tenter`, which contains the folder `examples` like a clone.
//!
//! | block | meaning |
//! |---|---|
//! | `console` | `$ ` starts a command, `> ` continues it, the rest is output, including standard error |
//! | `yaml ~/.config/tenter/hooks.yaml` | writes a file of that name; any language works |
//!
//! A `…` in the output matches anything: alone on its line any lines, else a part of one. Times,
//! hashes and numbers of records may differ. A command that ends with `&` is a server: the next one runs when
//! it listens at [`PORT`], which is replaced by a free port here. Optional programs
//! are named by the document: `<!-- needs: ruff -->`. If one is missing, the test reports
//! that it was skipped.
//!
//! `UPDATE_DOCS=1` (`just docs`) writes the output into the document.

mod console;
mod play;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::fences;
use crate::world::World;

/// The port of servers in documents.
const PORT: &str = "8377";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn files_in(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn examples() -> Vec<PathBuf> {
    files_in("examples").into_iter().filter(|file| file.is_dir()).collect()
}

fn documents() -> Vec<PathBuf> {
    let readmes = examples().into_iter().map(|example| example.join("README.md"));
    let guides = files_in("docs/guides");
    [root().join("README.md")].into_iter().chain(guides).chain(readmes).collect()
}

#[test]
fn documented_commands_print_the_documented_output() {
    let documents = documents();
    // As with scenarios: most of it is waiting for processes.
    let problems: Vec<String> = thread::scope(|scope| {
        let halves = [0, 1].map(|half| documents.iter().skip(half).step_by(2));
        let playing = halves.map(|half| scope.spawn(|| half.filter_map(|it| play::problem(it)).collect()));
        playing.into_iter().flat_map(|half| -> Vec<String> { half.join().unwrap() }).collect()
    });
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn examples_load_without_warnings() {
    assert!(examples().len() >= 9);
    for example in examples() {
        let name = example.display();
        let readme = fs::read_to_string(example.join("README.md"))
            .unwrap_or_else(|error| panic!("{name}/README.md: {error}"));
        let typed = fences::parse(&readme).into_iter().any(|fence| fence.words == ["console"]);
        assert!(typed, "{name}: its README has no `console` block");
        let file = example.join("hooks.yaml").to_string_lossy().into_owned();
        let ran = World::new().tenter(&["hooks", "list", "--config", &file]).run();
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}: {}", ran.stdout);
    }
}

/// Hook files in guides and references load, complete or as an excerpt.
#[test]
fn documented_hook_files_load_without_warnings() {
    let pages = files_in("docs/guides").into_iter().chain(files_in("docs/reference"));
    for page in pages.chain([root().join("README.md")]) {
        for fence in fences::parse(&fs::read_to_string(&page).unwrap()) {
            let head = match fence.text.lines().find(|line| !line.starts_with('#')).unwrap_or_default() {
                first if first.starts_with("version: 1") && fence.text.contains("\nhooks:") => "",
                first if first.starts_with("    - ") => "version: 1\nhooks:\n  tool:post:\n",
                first if first.starts_with("  ") => "version: 1\nhooks:\n",
                _ => continue,
            };
            // A page may show the form of a file, and imported files are missing.
            let is_file = !fence.text.contains(['<', '…']) && !fence.text.contains("imports:");
            if fence.words.first().is_none_or(|word| word != "yaml") || !is_file {
                continue;
            }
            let world = World::with_hooks(&format!("{head}{}", fence.text));
            let ran = world.tenter(&["hooks", "check"]).run();
            let place = format!("{}, line {}", page.display(), fence.line);
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{place}: {}", ran.stdout);
        }
    }
}
