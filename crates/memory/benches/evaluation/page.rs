//! The page that is printed.

use std::fmt::Write;

use crate::floor::Floor;
use crate::measures::{Mean, Row};
use crate::sets::PARAPHRASES;

/// What meaning must add on the set that words alone do badly on.
const GAIN: f64 = 1.10;
/// The share of unrelated prompts that must be left alone.
const SILENT: f64 = 0.95;

const HEAD: &str = "# How well search finds

Written by `just eval` (`crates/memory/benches/evaluation`), two minutes. Every set is searched by words alone (SQLite's BM25, stop words left out), by meaning alone (the embedding model in `crates/memory/model`), and by both, as tenter does it (`crates/memory/src/fusion`).

Our own sets lie in `crates/memory/evaluation` and were frozen before the model was trained. The documents are read from the crates in `Cargo.lock` and from Python's library, whichever are there, so their rows move a little from machine to machine; the model was trained on neither.
";

const NOTES: &str = "The paraphrases are hard on purpose: question and experience share hardly a word, and 1,670 other experiences of the same domains stand beside them.
";

pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    pub(crate) floor: Vec<Floor>,
}

impl Page {
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{HEAD}\n## Ranking\n\n{NOTES}\nMean reciprocal rank of the answer among the first ten, with the bounds of 95 % (bootstrap over questions):\n\n"
        );
        text += "| set | questions | texts | by words | by meaning | by both | both less words |\n|---|---:|---:|---:|---:|---:|---:|\n";
        for row in &self.rows {
            let Row { set, about, questions, texts, .. } = row;
            let [words, meaning, both] = [row.words, row.meaning, row.both].map(plain);
            let gain = signed(row.gain);
            line(
                &mut text,
                format_args!(
                    "| {set}: {about} | {questions} | {texts} | {words} | {meaning} | {both} | {gain} |"
                ),
            );
        }
        text += "\nThe share of questions whose answer is among the first ten:\n\n| set | by words | by meaning | by both |\n|---|---:|---:|---:|\n";
        for row in &self.rows {
            let [words, meaning, both] = row.found.map(percent);
            line(&mut text, format_args!("| {} | {words} | {meaning} | {both} |", row.set));
        }
        text += "\n## The floor\n\nWhat `memory.recall` adds to a prompt nobody asked for, so it must know when to be silent. The prompts are wishes that nothing in the store helps with; *shown* are questions whose answer is among the first five and above the floor.\n\n";
        text += "| store | texts | silent at unrelated prompts | set | answer among the first five | and shown |\n|---|---:|---:|---|---:|---:|\n";
        for floor in &self.floor {
            for (set, found, shown) in &floor.kept {
                let (silent, found, shown) = (percent(floor.silent), percent(*found), percent(*shown));
                let Floor { store, texts, prompts, .. } = floor;
                line(
                    &mut text,
                    format_args!("| {store} | {texts} | {silent} of {prompts} | {set} | {found} | {shown} |"),
                );
            }
        }
        text += "\n## Promises\n\n| promise | kept? |\n|---|---|\n";
        for (promise, kept) in self.promises() {
            line(&mut text, format_args!("| {promise} | {} |", if kept { "yes" } else { "**NO**" }));
        }
        text.truncate(text.trim_end().len());
        text
    }

    pub(crate) fn promises_kept(&self) -> bool {
        self.promises().iter().all(|(_, kept)| *kept)
    }

    fn promises(&self) -> [(&'static str, bool); 3] {
        let better = self.rows.iter().filter(|row| row.set == PARAPHRASES);
        [
            (
                "on no set are both worse than words alone, beyond the bounds",
                self.rows.iter().all(|row| row.gain.high >= 0.0),
            ),
            (
                "on the paraphrases both are better by at least 10 %",
                better.into_iter().all(|row| row.both.value >= GAIN * row.words.value),
            ),
            (
                "nothing is shown for at least 95 % of unrelated prompts",
                self.floor.iter().all(|floor| floor.silent >= SILENT),
            ),
        ]
    }
}

/// Writing to a string cannot fail.
fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{line}");
}

fn plain(mean: Mean) -> String {
    format!("{:.3} ({:.3}–{:.3})", mean.value, mean.low, mean.high)
}

fn signed(mean: Mean) -> String {
    format!("{:+.3} ({:+.3} to {:+.3})", mean.value, mean.low, mean.high)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
