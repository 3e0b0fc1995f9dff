//! How well what was stored is found again: `just eval`, or `cargo bench -p tenter-memory --bench evaluation -- FOLDER`.
//!
//! Every set is searched by words alone (SQLite's BM25), by meaning alone (the embedding), and by both as tenter does
//! it. The sets of documents are read from FOLDER, where `scripts/evaluation/documents.py` puts them; the others lie in
//! `crates/memory/evaluation`. Prints the page `docs/reference/search-evaluation.md`, and ends with exit code 1 if one
//! of the three promises on it is not kept.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the page is what this program is for")]

mod sets;
mod words;
mod search;
mod measures;
mod floor;
mod page;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// What can go wrong here is told and ends the run; nobody acts on it.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode> {
    // `cargo test --all-targets` and `cargo bench` without a folder call too.
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let Some(folder) = folder else { return Ok(ExitCode::SUCCESS) };
    let sets = sets::all(Path::new(&folder))?;
    let mut rows = Vec::new();
    for set in &sets {
        eprintln!("{}: {} questions, {} texts", set.name, set.questions.len(), set.texts.len());
        rows.push(measures::compare(set, &search::Searched::of(set)?));
    }
    let floor = floor::measure(&sets)?;
    let page = page::Page { rows, floor };
    println!("{}", page.text());
    Ok(if page.promises_kept() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
