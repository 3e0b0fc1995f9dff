//! How well what was stored is found again: `just eval`, or
//! `cargo bench -p tenter-memory --bench evaluation -- FOLDER [MODEL]`.
//!
//! Every set is put into a store of the product and searched there by words alone, by meaning alone, and by both. The
//! sets of documents are read from FOLDER, where `scripts/evaluation/documents.py` puts them; the others lie in
//! `crates/memory/evaluation`. MODEL is a folder with all-MiniLM-L6-v2, which is then measured too. Prints the page
//! `docs/reference/search-evaluation.md`, and ends with exit code 1 if one of the promises on it is not kept.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the page is what this program is for")]

mod sets;
mod store;
mod measures;
mod unasked;
mod page;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use measures::Row;
use sets::Set;
use store::Once;
use tenter_memory::folder_model;
use tenter_memory::{Embedder, StaticModel};

/// What can go wrong here is reported and ends the run; no one acts on it.
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
    let mut folders = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let Some(folder) = folders.next() else { return Ok(ExitCode::SUCCESS) };
    let model = folders.next().map(|model| folder_model(Path::new(&model))).transpose()?;
    let sets = sets::all(Path::new(&folder))?;
    let ours = Once::shared(StaticModel::default());
    let rows = ranked(sets.iter(), &ours)?;
    eprintln!("what recall shows");
    let shown = unasked::by_size(&sets, &ours)?;
    let together = unasked::all_together(&sets, &ours)?;
    let chosen = model.map(|model| {
        eprintln!("the same with {}", model.model_id());
        let model = Once::shared(model);
        let rows = ranked(sets.iter().filter(|set| set.is_ours), &model)?;
        Ok::<_, Box<dyn Error>>((rows, unasked::by_size(&sets, &model)?))
    });
    let page = page::Page { rows, shown, together, chosen: chosen.transpose()? };
    println!("{}", page.text());
    Ok(if page.promises_kept() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ranked<'a>(sets: impl Iterator<Item = &'a Set>, model: &Arc<dyn Embedder>) -> Result<Vec<Row>> {
    let ranked = sets.map(|set| {
        eprintln!("{}: {} questions, {} texts", set.name, set.questions.len(), set.texts.len());
        measures::compare(set, model)
    });
    ranked.collect()
}
