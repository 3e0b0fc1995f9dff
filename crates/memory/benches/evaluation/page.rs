//! The page that is printed.

use std::fmt::Write;

use crate::measures::{Mean, Row};
use crate::sets::PARAPHRASES;
use crate::unasked::UnaskedResults;

/// What meaning must add on the set that words alone do badly on.
const GAIN: f64 = 1.10;
/// The share of prompts that nothing helps with that must be left alone.
const SILENT: f64 = 0.95;

const HEAD: &str = "# How well search finds

Written by `just eval` (`crates/memory/benches/evaluation`), in a few minutes. Texts are put into a store of tenter's own and searched as everybody searches it: by words alone (SQLite's BM25, stop words left out), by meaning alone (the embedding model in `crates/memory/model`), and by both (`crates/memory/src/fusion`).

Our own sets lie in `crates/memory/evaluation`; the paraphrases were frozen before the model was trained. The documents are read from the crates in `Cargo.lock` and from Python's library, whichever are there, so their rows move a little from machine to machine; the model was trained on neither.
";

const NOTES: &str = "The paraphrases are hard on purpose: question and experience share hardly a word, and 1,670 other experiences of the same domains stand beside them.
";

const TOLD: &str = "What `memory.recall` adds to a prompt nobody asked for, so it must know when to be silent (`crates/memory/src/fusion/relevance.rs`). Shares of prompts at which it says nothing:

- *unrelated*: 510 wishes that have nothing to do with software;
- *everyday*: 116 prompts as agents get them all day, such as *fix the test*;
- *other software*: sentences about software that is not what the store is about;
- *not stored*: the paraphrases, where their answer is not in the store.

*UnaskedResults* are questions whose answer is among what is added; *goals* are those of the stored texts, word for word and with much said around them. Only every other question is asked: form and constants of the rule were chosen on the others, on every other prompt of the lists above, and on stores of up to 10,000 texts that are not kept here (lessons made of a few dozen parts, documents, and sixty lessons with a question each, as somebody would type it); of those, too, one half. The other half was looked at to see that they hold and to choose between neighbouring constants, the floor among them; for what counts as a name and as a word of the trade both halves were in view. The prompts of the lists are all asked here.

The paraphrases are those above, which share hardly a word with their answer: the more is stored, the more there is that means as much the same, and most of what search itself does not find first cannot be told. Of questions that share a word or two with their answer, and whose answer search finds first, about four in five were told among 20 texts, three in five among 1,000, and two in five among 10,000. `tenter memory search` and the MCP tools, which somebody asks, list also what is not told.
";

pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    pub(crate) told: Vec<UnaskedResults>,
    pub(crate) together: UnaskedResults,
    /// The same of the model that users may choose, if it is here.
    pub(crate) chosen: Option<(Vec<Row>, Vec<UnaskedResults>)>,
}

impl Page {
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{HEAD}\n## Ranking\n\n{NOTES}\n");
        ranking(&mut text, &self.rows);
        text += "\n## What is told unasked\n\n";
        text += TOLD;
        text.push('\n');
        told_by_size(&mut text, &self.told);
        let UnaskedResults { texts, silent_unrelated, silent_everyday, answered, .. } = &self.together;
        let answered: Vec<String> =
            answered.iter().map(|(set, share)| format!("{set} {}", percent(*share))).collect();
        line(
            &mut text,
            format_args!(
                "\nWith the documents in the same store, {texts} texts, which have a word on nearly everything: silent at {} of unrelated and {} of everyday prompts; told are {}.",
                percent(*silent_unrelated),
                percent(*silent_everyday),
                answered.join(", ")
            ),
        );
        text += "\n## The model that can be chosen\n\n";
        match &self.chosen {
            Some((rows, told)) => {
                text += "all-MiniLM-L6-v2 (`tenter memory reindex --model FOLDER`), in the same places:\n\n";
                ranking(&mut text, rows);
                text.push('\n');
                told_by_size(&mut text, told);
            }
            None => text += "all-MiniLM-L6-v2 was not there when this was written.\n",
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

    fn promises(&self) -> [(&'static str, bool); 4] {
        let better = self.rows.iter().filter(|row| row.set == PARAPHRASES);
        let mut told = self.told.iter().chain([&self.together]);
        let mut told_again = told.clone();
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
                "nothing is told at 95 % or more of unrelated prompts, however much is stored",
                told.all(|told| told.silent_unrelated >= SILENT),
            ),
            (
                "nor at 95 % or more of everyday prompts",
                told_again.all(|told| told.silent_everyday >= SILENT),
            ),
        ]
    }
}

fn ranking(text: &mut String, rows: &[Row]) {
    *text += "Mean reciprocal rank of the answer among the first ten, with the bounds of 95 % (bootstrap over questions):\n\n";
    *text += "| set | questions | texts | by words | by meaning | by both | both less words |\n|---|---:|---:|---:|---:|---:|---:|\n";
    for row in rows {
        let Row { set, about, questions, texts, .. } = row;
        let [words, meaning, both] = [row.words, row.meaning, row.both].map(plain);
        let gain = signed(row.gain);
        line(
            text,
            format_args!(
                "| {set}: {about} | {questions} | {texts} | {words} | {meaning} | {both} | {gain} |"
            ),
        );
    }
    *text += "\nThe share of questions whose answer is among the first ten:\n\n| set | by words | by meaning | by both |\n|---|---:|---:|---:|\n";
    for row in rows {
        let [words, meaning, both] = row.found.map(percent);
        line(text, format_args!("| {} | {words} | {meaning} | {both} |", row.set));
    }
}

fn told_by_size(text: &mut String, told: &[UnaskedResults]) {
    let Some(first) = told.first() else { return };
    let sets: Vec<String> = first.answered.iter().map(|(set, _)| format!(" told: {set} |")).collect();
    let sets = sets.concat();
    let columns = "---:|".repeat(first.answered.len());
    line(
        text,
        format_args!(
            "| texts | silent: unrelated | everyday | other software | not stored |{sets}\n|---:|---:|---:|---:|---:|{columns}"
        ),
    );
    for row in told {
        let maybe = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
        let answered: Vec<String> =
            row.answered.iter().map(|(_, share)| format!(" {} |", percent(*share))).collect();
        let answered = answered.concat();
        line(
            text,
            format_args!(
                "| {} | {} | {} | {} | {} |{answered}",
                row.texts,
                percent(row.silent_unrelated),
                percent(row.silent_everyday),
                maybe(row.silent_foreign),
                maybe(row.silent_absent),
            ),
        );
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
