//! The page that is printed.

use std::fmt::Write;

use crate::measures::{Mean, Row};
use crate::sets::PARAPHRASES;
use crate::unasked::UnaskedResults;

/// What meaning must add on the set that words alone do badly on.
const GAIN: f64 = 1.10;
/// The share of prompts that nothing helps with that must be left alone.
const SILENT: f64 = 0.95;

const HEAD: &str = "# Search quality

`just eval` (`crates/memory/benches/evaluation`) writes this page in a few minutes. It stores texts in a tenter store and searches them in three ways:

- by words: SQLite's BM25 without stop words
- by meaning: the embedding model in `crates/memory/model`
- by both: `crates/memory/src/fusion`

The evaluation sets are in `crates/memory/evaluation`. The paraphrases were frozen before the training of the model. The documents come from the crates in `Cargo.lock` and from Python's library on this machine, so their rows differ a little between machines. The model was trained on neither.
";

const NOTES: &str = "The paraphrases are hard on purpose. Question and experience share almost no words, and the store has 1,670 other experiences of the same domains.
";

const RECALL: &str = "`memory.recall` adds text to prompts without a request, so it must add nothing if nothing is relevant (`crates/memory/src/fusion/relevance.rs`). The *silent* columns show the share of prompts without added text:

- *unrelated*: 510 requests without a relation to software
- *everyday*: 116 common prompts, such as *fix the test*
- *other software*: sentences about software that is not in the store
- *not stored*: the paraphrases, without their answer in the store

The *shown* columns show the share of questions whose answer was added. *goals* are the goals of the stored texts, word for word and within a longer prompt.

This page uses only every other question. Form and constants of the rule were chosen with the other questions, with every other prompt of the lists above, and with half of further stores of up to 10,000 texts. These stores are not in the repository: lessons from a few dozen parts, documents, and sixty lessons with a realistic question each. The other half served as a check and for the choice between neighbouring constants, including the floor. Both halves were visible for the definition of names and technical terms. All prompts of the lists are used here.

The paraphrases share almost no words with their answer. The larger the store, the more texts have a similar meaning. If search does not rank an answer first, recall usually does not show it. Further measurements concern questions that share one or two words with their answer and whose answer ranks first. About four in five were shown among 20 texts, three in five among 1,000, and two in five among 10,000. `tenter memory search` and the MCP tools also list other results.
";

pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    pub(crate) shown: Vec<UnaskedResults>,
    pub(crate) together: UnaskedResults,
    /// The same of the model that users may choose, if it is here.
    pub(crate) chosen: Option<(Vec<Row>, Vec<UnaskedResults>)>,
}

impl Page {
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{HEAD}\n## Ranking\n\n{NOTES}\n");
        ranking(&mut text, &self.rows);
        text += "\n## Recall without a request\n\n";
        text += RECALL;
        text.push('\n');
        shown_by_size(&mut text, &self.shown);
        let UnaskedResults { texts, silent_unrelated, silent_everyday, answered, .. } = &self.together;
        let answered: Vec<String> =
            answered.iter().map(|(set, share)| format!("{set} {}", percent(*share))).collect();
        line(
            &mut text,
            format_args!(
                "\nWith the documents in the same store, {texts} texts, on many subjects: silent at {} of unrelated and {} of everyday prompts; shown are {}.",
                percent(*silent_unrelated),
                percent(*silent_everyday),
                answered.join(", ")
            ),
        );
        text += "\n## Optional model\n\n";
        match &self.chosen {
            Some((rows, shown)) => {
                text += "all-MiniLM-L6-v2 (`tenter memory reindex --model FOLDER`), with the same sets:\n\n";
                ranking(&mut text, rows);
                text.push('\n');
                shown_by_size(&mut text, shown);
            }
            None => text += "all-MiniLM-L6-v2 was not available for this run.\n",
        }
        text += "\n## Guarantees\n\n| guarantee | kept |\n|---|---|\n";
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
        let mut shown = self.shown.iter().chain([&self.together]);
        let mut shown_again = shown.clone();
        [
            (
                "on no set is search by both worse than by words, beyond the bounds",
                self.rows.iter().all(|row| row.gain.high >= 0.0),
            ),
            (
                "on the paraphrases, search by both is better by at least 10 %",
                better.into_iter().all(|row| row.both.value >= GAIN * row.words.value),
            ),
            (
                "recall is silent at 95 % or more of unrelated prompts, for every store size",
                shown.all(|shown| shown.silent_unrelated >= SILENT),
            ),
            (
                "recall is silent at 95 % or more of everyday prompts",
                shown_again.all(|shown| shown.silent_everyday >= SILENT),
            ),
        ]
    }
}

fn ranking(text: &mut String, rows: &[Row]) {
    *text += "Mean reciprocal rank of the answer among the first ten, with 95 % confidence bounds (bootstrap over questions):\n\n";
    *text += "| set | questions | texts | by words | by meaning | by both | gain of both over words |\n|---|---:|---:|---:|---:|---:|---:|\n";
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
    *text += "\nShare of questions with the answer among the first ten:\n\n| set | by words | by meaning | by both |\n|---|---:|---:|---:|\n";
    for row in rows {
        let [words, meaning, both] = row.found.map(percent);
        line(text, format_args!("| {} | {words} | {meaning} | {both} |", row.set));
    }
}

fn shown_by_size(text: &mut String, shown: &[UnaskedResults]) {
    let Some(first) = shown.first() else { return };
    let sets: Vec<String> = first.answered.iter().map(|(set, _)| format!(" shown: {set} |")).collect();
    let sets = sets.concat();
    let columns = "---:|".repeat(first.answered.len());
    line(
        text,
        format_args!(
            "| texts | silent: unrelated | everyday | other software | not stored |{sets}\n|---:|---:|---:|---:|---:|{columns}"
        ),
    );
    for row in shown {
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
