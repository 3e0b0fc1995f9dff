//! Which test and build runs a command line contains, and what its exit code says about each.
//!
//! ```text
//! line ─▶ shell: lists and pipelines ─▶ wrappers: the real command ─▶ programs: a run, or none
//! ```
//!
//! Of a line like `cargo build && pytest -q | tail -3` the exit code says something about one run, nothing about
//! another. What it says is derived from what joins the commands, never guessed.

use super::printed::{Printers, behind};
use super::run::{Kind, Printed, Run, Runner};
use super::shell::{self, Joint, List, Pipeline, Stage};
use super::{programs, wrappers};

/// Lines in lines (`bash -c '…'`) deeper than this are not looked into.
const DEEPEST: usize = 6;

/// Longer lines are no test runs, and to read one of 50 MB takes seconds.
const LONGEST_LINE: usize = 256 * 1024;

/// The test and build runs of a line, in its order.
///
/// `matchers` are the words that a run begins with (`pytest`, `npm test`): runs that begin otherwise do not count,
/// and a command that no table knows counts if it begins so. Without any, every known run counts.
pub fn recognise(line: &str, matchers: &[&str]) -> Vec<Run> {
    let mut runs = Vec::new();
    if line.len() > LONGEST_LINE {
        return runs;
    }
    let top = Place {
        zero: true,
        nonzero: true,
        end_shown: true,
        stops_at_errors: false,
        pipefail: false,
        printed: Printed::Own,
    };
    let list = shell::parse(line);
    let printers = Printers::of(&list);
    Search { matchers, printers: &printers, runs: &mut runs }.look(&list, top, 0);
    runs
}

/// What is looked for in a line, and what was found.
struct Search<'a> {
    matchers: &'a [&'a str],
    printers: &'a Printers,
    runs: &'a mut Vec<Run>,
}

/// What is known of the place of a command in its line.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is known or not on its own")]
struct Place {
    /// If the line ends with 0, so did it.
    zero: bool,
    /// If the line does not end with 0, neither did it.
    nonzero: bool,
    /// The end of what it prints is shown.
    end_shown: bool,
    /// `set -e`
    stops_at_errors: bool,
    /// `set -o pipefail`
    pipefail: bool,
    /// Whose text the line prints.
    printed: Printed,
}

impl Place {
    fn unknown(self) -> Self {
        Self { zero: false, nonzero: false, ..self }
    }
}

impl Search<'_> {
    fn look(&mut self, list: &List, mut place: Place, depth: usize) {
        if list.loose {
            // What stands in a loop may print more than once.
            place =
                Place { end_shown: false, printed: place.printed.max(Printed::Shared), ..place.unknown() };
        }
        let all = &list.pipelines;
        for (at, pipeline) in all.iter().enumerate() {
            note_options(pipeline, &mut place);
            // What runs in the background has not ended when the line has.
            if pipeline.joint == Joint::Background {
                continue;
            }
            let own = in_list(all, at, place);
            self.in_pipeline(pipeline, own, depth);
        }
    }

    fn in_pipeline(&mut self, pipeline: &Pipeline, place: Place, depth: usize) {
        let stages = &pipeline.stages;
        for (at, stage) in stages.iter().enumerate() {
            let filters = &stages[at + 1..];
            let own = if filters.is_empty() {
                place
            } else {
                let tame = filters.iter().all(keeps_the_end);
                Place {
                    zero: place.zero && place.pipefail,
                    nonzero: place.nonzero && place.pipefail && tame,
                    end_shown: place.end_shown && tame,
                    printed: place.printed.max(behind(filters)),
                    ..place
                }
            };
            let own = Place { end_shown: own.end_shown && !stage.stdout_gone && !stage.stderr_gone, ..own };
            self.in_stage(stage, own, depth);
        }
    }

    fn in_stage(&mut self, stage: &Stage, place: Place, depth: usize) {
        if let Some(group) = &stage.group {
            let printed = self.printers.of_stage(stage, None).max(place.printed);
            return self.look(group, Place { printed, ..place }, depth);
        }
        let command = wrappers::without(&stage.words);
        if let Some(shell) = inner_line(command, &stage.bodies) {
            if depth < DEEPEST {
                let list = shell::parse(&shell.line);
                let printers = Printers::of(&list).and(self.printers);
                let printed = self.printers.of_stage(stage, None).max(place.printed);
                let inside = Place {
                    stops_at_errors: shell.stops_at_errors,
                    pipefail: shell.pipefail,
                    printed,
                    ..place
                };
                Search { matchers: self.matchers, printers: &printers, runs: &mut *self.runs }.look(
                    &list,
                    inside,
                    depth + 1,
                );
            }
            return;
        }
        let known = programs::run_of(command);
        let matched = self.matchers.is_empty()
            || self.matchers.iter().any(|matcher| begins(command, &stage.words, matcher));
        let (runner, kind) = match known {
            Some(known) if matched => known,
            None if matched && !self.matchers.is_empty() && !programs::only_asks(command) => {
                (Runner::Other, if mentions_build(command) { Kind::Build } else { Kind::Test })
            }
            Some(_) | None => return,
        };
        let fed = stage.words.len() > command.len()
            && stage.words.iter().any(|word| programs::base_name(word) == "xargs");
        self.runs.push(Run {
            runner,
            kind,
            words: command.to_vec(),
            zero_means_passed: place.zero && !fed,
            nonzero_means_failed: place.nonzero,
            end_shown: place.end_shown,
            printed: self.printers.of_stage(stage, Some(runner)).max(place.printed),
            fed,
        });
    }
}

/// `set -e`, `set -o pipefail` and both at once.
fn note_options(pipeline: &Pipeline, place: &mut Place) {
    let [Stage { words, .. }] = pipeline.stages.as_slice() else { return };
    if words.first().is_some_and(|word| word == "set") {
        place.pipefail |= words.iter().any(|word| word == "pipefail");
        let is_letters = |word: &String| word.starts_with('-') && !word.starts_with("--");
        place.stops_at_errors |=
            words.iter().any(|word| word == "errexit" || is_letters(word) && word.contains('e'));
    }
}

/// What the exit code of the whole list says about the pipeline at this place.
fn in_list(all: &[Pipeline], at: usize, place: Place) -> Place {
    let ends_chain = |joint: Joint| match joint {
        Joint::Then => !place.stops_at_errors,
        Joint::Background => true,
        Joint::And | Joint::Or => false,
    };
    let first = all[..at].iter().rposition(|before| ends_chain(before.joint)).map_or(0, |end| end + 1);
    let last =
        all[at..].iter().position(|after| ends_chain(after.joint)).map_or(all.len(), |end| at + end + 1);
    // `pytest || exit 1` ends as pytest does.
    let mut chain = &all[first..last];
    while let [rest @ .., alternative] = chain
        && let Some(before) = rest.last()
        && before.joint == Joint::Or
        && fails_surely(alternative)
        && at - first < rest.len()
    {
        chain = rest;
    }
    let here = at - first;
    let is_or = |pipeline: &Pipeline| pipeline.joint == Joint::Or;
    let inner = chain.len() - 1;
    let decides = last == all.len() && !all[at].negated;
    // `cd x && pytest`: what only prepares hardly fails, and if it does, the shell says so in a way that is read.
    let harmless = |pipeline: &Pipeline| pipeline.stages.iter().all(prepares);
    let before_harmless = chain[..here].iter().all(|before| is_or(before) || harmless(before));
    let after_harmless = chain[here..].windows(2).all(|pair| is_or(&pair[0]) || harmless(&pair[1]));
    let no_or = !chain[..inner].iter().any(is_or);
    Place {
        zero: place.zero && decides && no_or,
        nonzero: place.nonzero && decides && before_harmless && after_harmless,
        // Whether it ran at all is known only from what it prints.
        end_shown: place.end_shown && before_harmless && !chain[..here].iter().any(is_or),
        ..place
    }
}

/// Commands that change nothing but where and how the next one runs, or say something.
fn prepares(stage: &Stage) -> bool {
    let harmless = [
        "cd", "pushd", "popd", "export", "set", "source", ".", "echo", "printf", "true", ":", "unset",
        "ulimit", "umask", "mkdir", "sleep", "clear", "date", "pwd", "nvm", "shopt", "trap", "rm",
    ];
    match stage.words.first() {
        Some(first) => {
            harmless.contains(&first.as_str()) || stage.words.iter().all(|word| is_assignment(word))
        }
        None => stage.group.is_none(),
    }
}

pub(super) fn is_assignment(word: &str) -> bool {
    let name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    word.split_once('=').is_some_and(|(before, _)| name(before))
}

/// `exit 1`, `false`, `{ echo no; exit 1; }`
fn fails_surely(pipeline: &Pipeline) -> bool {
    let [Stage { words, group, .. }] = pipeline.stages.as_slice() else { return false };
    if let Some(group) = group {
        return group.pipelines.last().is_some_and(fails_surely);
    }
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["false"] => true,
        ["exit" | "return", code] => *code != "0",
        _ => false,
    }
}

/// Filters behind which the last lines are still there, and that do not fail by themselves.
fn keeps_the_end(stage: &Stage) -> bool {
    let name = stage.words.first().map(|word| programs::base_name(word)).unwrap_or_default();
    matches!(name.as_str(), "tail" | "tee" | "cat" | "ts" | "nl" | "less" | "more" | "fold" | "col")
        && !stage.stdout_gone
}

/// Whether a command begins with the words of a matcher, with or without what it is wrapped in. The first word may
/// be a path to the program.
fn begins(command: &[String], whole: &[String], matcher: &str) -> bool {
    let wanted: Vec<&str> = matcher.split_whitespace().collect();
    let fits =
        |words: &[String]| {
            !wanted.is_empty()
                && words.len() >= wanted.len()
                && wanted.iter().zip(words).enumerate().all(|(at, (wanted, word))| {
                    word == wanted || at == 0 && programs::base_name(word) == *wanted
                })
        };
    fits(command) || fits(whole)
}

fn mentions_build(command: &[String]) -> bool {
    command.iter().any(|word| word.contains("build") || word.contains("compile"))
}

struct InnerLine {
    line: String,
    stops_at_errors: bool,
    pipefail: bool,
}

/// The line that a shell is given to run: behind `-c`, behind `eval`, or as a here-document.
fn inner_line(command: &[String], bodies: &[String]) -> Option<InnerLine> {
    let (program, arguments) = command.split_first()?;
    let name = programs::base_name(program);
    let letters = |wanted: char| {
        arguments
            .iter()
            .take_while(|word| word.starts_with('-'))
            .any(|word| !word.starts_with("--") && word.contains(wanted))
    };
    let pipefail = arguments.iter().any(|word| word == "pipefail");
    match name.as_str() {
        "eval" => Some(InnerLine { line: arguments.join(" "), stops_at_errors: false, pipefail: false }),
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish" => {
            let is_c = |word: &String| {
                word.strip_prefix('-').is_some_and(|letters| {
                    letters.ends_with('c') && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
                })
            };
            let given = arguments.iter().position(is_c).and_then(|at| arguments.get(at + 1)).cloned();
            let line = given.or_else(|| bodies.first().filter(|_| arguments.is_empty()).cloned())?;
            Some(InnerLine { line, stops_at_errors: letters('e'), pipefail })
        }
        "nix-shell" => {
            let at = arguments.iter().position(|word| matches!(word.as_str(), "--run" | "--command"))?;
            Some(InnerLine { line: arguments.get(at + 1)?.clone(), stops_at_errors: false, pipefail: false })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
