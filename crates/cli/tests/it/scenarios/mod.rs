//! Every file in `scenarios/` is test, specification and documentation at once: Markdown that runs
//! through the real program.
//!
//! | block | meaning |
//! |---|---|
//! | `yaml hooks` (or `toml`, `json`) | the user's hook file |
//! | `sh files` | sets up files; runs in the project before the first payload |
//! | `json payload agent=claude` (or `text`) | what the agent sends |
//! | `json answer`, `text answer` | all of stdout, with exit code 0; an empty text is silence |
//! | `text refusal` | all of stderr, with exit code 2 and nothing on stdout but a deny with the same words |
//! | `text records` | the complete trail at this point, one line per record (see `records`) |
//! | `sh check` | must succeed in the project at this point |
//! | `json emit event=tool:pre` | data for `tenter emit`; the answer is its outcome, without the record's number and the texts' `metadata` |
//! | `python server` | a server on this machine: a program whose first line is its port, which is `{port}` from then on; it ends with the scenario |
//! | `text environment` | variables of every agent from then on, `NAME=value` on a line each |
//!
//! `{tenter}` and `{tenter-hook}` are our programs, for scripts that call them as an agent's shell would.
//! A scenario names optional programs: `<!-- needs: openssl -->`. `{project}` is the project's folder and `{config}` the one of the configuration (`~/.config`), in what goes
//! in and in what comes out. A block without a second word is prose. Every payload is followed by its answer or
//! refusal, and every trail must verify.

mod markdown;
mod play;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::needs;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

#[test]
fn every_scenario_holds() {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no scenarios in {}", folder().display());
    // Most of a scenario is waiting for processes; two at a time keep two cores busy.
    let failures: Vec<String> = thread::scope(|scope| {
        let halves = [0, 1].map(|half| files.iter().skip(half).step_by(2));
        let running = halves.map(|half| scope.spawn(|| half.filter_map(|file| failure(file)).collect()));
        running.into_iter().flat_map(|half| -> Vec<String> { half.join().unwrap() }).collect()
    });
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn failure(file: &Path) -> Option<String> {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    if file.extension().is_none_or(|extension| extension != "md") {
        return Some(format!("{name}: only Markdown files are played"));
    }
    let text = fs::read_to_string(file).unwrap();
    if needs::lacks(&name, &text) {
        return None;
    }
    let played = markdown::read(&text).and_then(|scenario| play::play(&scenario));
    played.err().map(|problem| format!("scenarios/{name}: {problem}"))
}
