//! The sets: texts that are stored, questions, and which text answers which question.

use std::fs;
use std::path::Path;

use crate::Result;

/// Texts in one store, and questions each of which one text answers.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    /// What the set shows, for the page.
    pub(crate) about: &'static str,
    pub(crate) texts: Vec<String>,
    pub(crate) questions: Vec<EvaluationQuestion>,
    /// Whether it asks about experiences, all of which are in one store.
    pub(crate) is_ours: bool,
}

impl Set {
    /// Every other question; the constants of the floor were chosen on the others.
    pub(crate) fn reported(&self) -> impl Iterator<Item = &EvaluationQuestion> {
        self.questions.iter().skip(1).step_by(2)
    }
}

pub(crate) struct EvaluationQuestion {
    pub(crate) text: String,
    /// The place of its answer among the texts.
    pub(crate) answer: usize,
}

pub(crate) const PARAPHRASES: &str = "paraphrases";
/// One goal in so many is asked for.
const GOALS: usize = 3;

/// Every set, those of our own first.
pub(crate) fn all(folder: &Path) -> Result<Vec<Set>> {
    let paraphrases = rows(include_str!("../../evaluation/paraphrases.tsv"));
    let terms = rows(include_str!("../../evaluation/exact-terms.tsv"));
    let distractors = rows(include_str!("../../evaluation/distractors.tsv"));
    // One store, as a user has one: each set's answers are among the other's and 1,500 others.
    let stored = paraphrases.iter().chain(&terms).chain(&distractors);
    let texts: Vec<String> = stored.filter_map(|row| row.get(1)).map(|text| without_labels(text)).collect();
    let mut sets = vec![
        Set {
            name: PARAPHRASES,
            about: "experiences, asked for in other words",
            questions: questions(&paraphrases, 0),
            texts: texts.clone(),
            is_ours: true,
        },
        Set {
            name: "exact terms",
            about: "error codes, identifiers and file names",
            questions: questions(&terms, paraphrases.len()),
            texts: texts.clone(),
            is_ours: true,
        },
        Set {
            name: "terms in passing",
            about: "the same in the middle of a long prompt",
            questions: in_passing(questions(&terms, paraphrases.len())),
            texts,
            is_ours: true,
        },
    ];
    for (name, file, about) in [
        ("Rust documents", "documents-rust.tsv", "the first sentence of a comment asks for the rest"),
        ("Python documents", "documents-python.tsv", "the same, in Python's own library"),
    ] {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).map_err(|error| {
            format!("{}: {error}; run scripts/evaluation/documents.py {}", path.display(), folder.display())
        })?;
        let rows = rows(&text);
        let texts = rows.iter().filter_map(|row| row.get(1).cloned()).collect();
        sets.push(Set { name, about, questions: questions(&rows, 0), texts, is_ours: false });
    }
    Ok(sets)
}

/// Prompts that nothing in the first set's store helps with.
pub(crate) fn unrelated() -> Vec<&'static str> {
    lines(include_str!("../../evaluation/unrelated.txt")).collect()
}

/// Prompts as agents get them all day, which nothing that was learned is about.
pub(crate) fn everyday() -> Vec<&'static str> {
    lines(include_str!("../../evaluation/everyday.txt")).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// The questions with much stated around them.
fn in_passing(questions: Vec<EvaluationQuestion>) -> Vec<EvaluationQuestion> {
    let around = [
        (
            "The nightly job of the billing team stopped with",
            "and I have no idea where to begin, could you look into it",
        ),
        ("", "shows up whenever I start the thing on my laptop since yesterday's upgrade"),
        ("after merging the branch everything compiles slowly and then we get", ""),
    ];
    let said = questions.into_iter().zip(around.iter().cycle());
    let long = said.map(|(question, (before, after))| EvaluationQuestion {
        text: format!("{before} {} {after}", question.text).trim().to_owned(),
        ..question
    });
    long.collect()
}

/// Goals of our own sets, as they were stored and with much stated around them. A goal that several texts have is left
/// out: any of them would be right.
pub(crate) fn goals(ours: &Set) -> [Set; 2] {
    let first =
        |text: &str| text.split_once('\n').map(|(goal, _)| goal.trim().trim_end_matches('.').to_owned());
    let goals: Vec<Option<String>> = ours.texts.iter().map(|text| first(text)).collect();
    let is_only = |goal: &String| goals.iter().flatten().filter(|other| *other == goal).count() == 1;
    let only = goals.iter().enumerate().filter_map(|(answer, goal)| Some((answer, goal.clone()?)));
    let only = only.filter(|(_, goal)| is_only(goal)).step_by(GOALS);
    let questions: Vec<EvaluationQuestion> =
        only.map(|(answer, text)| EvaluationQuestion { text, answer }).collect();
    let set = |name, questions| Set { name, about: "", texts: ours.texts.clone(), questions, is_ours: true };
    let again =
        questions.iter().map(|it| EvaluationQuestion { text: it.text.clone(), answer: it.answer }).collect();
    [set("goals word for word", questions), set("goals in a longer prompt", in_passing(again))]
}

/// The sets say which part of an experience is which; the store keeps the parts in lines, without their names.
fn without_labels(text: &str) -> String {
    let labels =
        ["Goal: ", "Hypothesis: ", "Prediction: ", "Outcome: ", "Result: ", "Root cause: ", "Lesson: "];
    let lines = labels.iter().fold(text.to_owned(), |text, label| text.replace(label, "\n"));
    lines.trim().to_owned()
}

fn rows(text: &str) -> Vec<Vec<String>> {
    lines(text).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn questions(rows: &[Vec<String>], first: usize) -> Vec<EvaluationQuestion> {
    let asked = rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.get(2)?.clone())));
    asked.map(|(at, text)| EvaluationQuestion { text, answer: first + at }).collect()
}
