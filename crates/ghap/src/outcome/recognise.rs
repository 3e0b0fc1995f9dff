//! Finds the test and build runs of a command line, and what its exit code proves about each.
//!
//! ```text
//! line ─▶ tenter_shell: pipelines and the real command ─▶ programs: a run, or none
//! ```
//!
//! The exit code of `cargo build && pytest -q | tail -3` is evidence for one run and not for the other. The operators
//! between the commands decide which one.

use tenter_shell::{
    Body, Command, Flaw, Joint, List, Pipeline, Script, contains_word, inline_script, is_assignment,
    is_shell, parse, program_name,
};

use super::printed::{Output, Printers, behind};
use super::programs;
use super::run::{Kind, Printed, Run, Runner};

/// The deepest nesting of `bash -c '…'`.
const DEEPEST: usize = 6;

/// Longer lines are no test runs; parsing 50 MB takes seconds.
const LONGEST_LINE: usize = 256 * 1024;

/// The test and build runs of a line, in its order.
///
/// `matchers` are prefixes of commands (`pytest`, `npm test`): only commands with such a prefix count, known or not.
/// Without matchers every known run counts.
pub fn recognise(line: &str, matchers: &[&str]) -> Vec<Run> {
    let mut runs = Vec::new();
    if line.len() > LONGEST_LINE {
        return runs;
    }
    let top = Evidence {
        zero: true,
        nonzero: true,
        end_shown: true,
        stops_at_errors: false,
        pipefail: false,
        printed: Printed::Own,
    };
    let script = parse(line);
    let printers = Printers::from_list(&script.list);
    Search { matchers, printers: &printers, runs: &mut runs }.search(&script, top, 0);
    runs
}

struct Search<'a> {
    matchers: &'a [&'a str],
    printers: &'a Printers,
    runs: &'a mut Vec<Run>,
}

/// What the exit code and output of a line prove about a command in it.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is known or not on its own")]
struct Evidence {
    /// Exit code 0 of the line is that of the command.
    zero: bool,
    /// A failure of the line is one of the command.
    nonzero: bool,
    /// The end of its output is visible.
    end_shown: bool,
    /// `set -e`
    stops_at_errors: bool,
    /// `set -o pipefail`
    pipefail: bool,
    /// How much of the output is from the command.
    printed: Printed,
}

impl Evidence {
    fn unknown(self) -> Self {
        Self { zero: false, nonzero: false, ..self }
    }
}

impl Search<'_> {
    fn search(&mut self, script: &Script, evidence: Evidence, depth: usize) {
        // A loop may run a command more than once, and a condition never.
        let is_loose = script.flaw.is_some_and(|flaw| flaw != Flaw::Unclosed) || has_compound(&script.list);
        let loose = Evidence {
            end_shown: false,
            printed: evidence.printed.max(Printed::Shared),
            ..evidence.unknown()
        };
        self.search_list(&script.list, if is_loose { loose } else { evidence }, depth);
    }

    fn search_list(&mut self, list: &List, mut evidence: Evidence, depth: usize) {
        for (at, pipeline) in list.pipelines.iter().enumerate() {
            note_options(pipeline, &mut evidence);
            // A background command has not ended when the line has.
            if pipeline.joint != Joint::Background {
                self.search_pipeline(pipeline, in_list(&list.pipelines, at, evidence), depth);
            }
        }
    }

    fn search_pipeline(&mut self, pipeline: &Pipeline, evidence: Evidence, depth: usize) {
        let commands = &pipeline.commands;
        for (at, command) in commands.iter().enumerate() {
            let filters = &commands[at + 1..];
            let mut own = evidence;
            if !filters.is_empty() {
                let keeps_end = filters.iter().all(keeps_the_end);
                own.zero &= evidence.pipefail;
                own.nonzero &= evidence.pipefail && keeps_end;
                own.end_shown &= keeps_end;
                own.printed = own.printed.max(behind(filters));
            }
            let output = Output::from_redirects(command);
            own.end_shown &= output.stdout_shown && output.stderr_shown;
            self.search_command(command, own, depth);
        }
    }

    fn search_command(&mut self, command: &Command, evidence: Evidence, depth: usize) {
        let inside =
            Evidence { printed: self.printers.printed_by(command, None).max(evidence.printed), ..evidence };
        if command.body != Body::None {
            return command.body.lists().iter().for_each(|list| self.search_list(list, inside, depth));
        }
        let whole = command.texts();
        let words = programs::real_command(&whole);
        if let Some(inner) = InnerLine::from_command(words, command) {
            if depth < DEEPEST {
                let script = parse(&inner.line);
                let printers = Printers::from_list(&script.list).with_outer(self.printers);
                let mut search =
                    Search { matchers: self.matchers, printers: &printers, runs: &mut *self.runs };
                let InnerLine { stops_at_errors, pipefail, .. } = inner;
                search.search(&script, Evidence { stops_at_errors, pipefail, ..inside }, depth + 1);
            }
            return;
        }
        let is_matched =
            self.matchers.is_empty() || self.matchers.iter().any(|matcher| begins(words, &whole, matcher));
        let (runner, kind) = match programs::recognise_run(words) {
            Some(known) if is_matched => known,
            None if is_matched && !self.matchers.is_empty() && !programs::only_asks(words) => {
                let builds = words.iter().any(|word| word.contains("build") || word.contains("compile"));
                (Runner::Other, if builds { Kind::Build } else { Kind::Test })
            }
            Some(_) | None => return,
        };
        let fed = whole.len() > words.len() && whole.iter().any(|word| program_name(word) == "xargs");
        self.runs.push(Run {
            runner,
            kind,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            zero_means_passed: evidence.zero && !fed,
            nonzero_means_failed: evidence.nonzero,
            end_shown: evidence.end_shown,
            printed: self.printers.printed_by(command, Some(runner)).max(evidence.printed),
            fed,
        });
    }
}

/// Whether a loop, a condition or a function is among the commands.
fn has_compound(list: &List) -> bool {
    let mut commands = list.pipelines.iter().flat_map(|pipeline| &pipeline.commands);
    commands.any(|command| match &command.body {
        Body::None => false,
        Body::Group(list) => has_compound(list),
        Body::Compound(_) => true,
    })
}

/// `set -e`, `set -o pipefail` and both at once.
fn note_options(pipeline: &Pipeline, evidence: &mut Evidence) {
    let [command] = pipeline.commands.as_slice() else { return };
    let words = command.texts();
    if words.first() == Some(&"set") {
        evidence.pipefail |= words.contains(&"pipefail");
        let is_letters = |word: &str| word.starts_with('-') && !word.starts_with("--");
        evidence.stops_at_errors |=
            words.iter().any(|word| *word == "errexit" || is_letters(word) && word.contains('e'));
    }
}

/// The evidence of the exit code of the whole list for one of its pipelines.
fn in_list(all: &[Pipeline], at: usize, evidence: Evidence) -> Evidence {
    let ends_chain = |joint: Joint| match joint {
        Joint::Then => !evidence.stops_at_errors,
        Joint::Background => true,
        Joint::And | Joint::Or => false,
    };
    let first = all[..at].iter().rposition(|before| ends_chain(before.joint)).map_or(0, |end| end + 1);
    let last =
        all[at..].iter().position(|after| ends_chain(after.joint)).map_or(all.len(), |end| at + end + 1);
    // `pytest || exit 1` fails as pytest does.
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
    // `cd x && pytest`: preparations rarely fail, and then the shell's message is recognised.
    let harmless = |pipeline: &Pipeline| pipeline.commands.iter().all(prepares);
    let before_harmless = chain[..here].iter().all(|before| is_or(before) || harmless(before));
    let after_harmless = chain[here..].windows(2).all(|pair| is_or(&pair[0]) || harmless(&pair[1]));
    let no_or = !chain[..inner].iter().any(is_or);
    Evidence {
        zero: evidence.zero && decides && no_or,
        nonzero: evidence.nonzero && decides && before_harmless && after_harmless,
        // Whether it ran at all is known only from what it prints.
        end_shown: evidence.end_shown && before_harmless && !chain[..here].iter().any(is_or),
        ..evidence
    }
}

/// Whether a command only prepares the next one, or prints a message.
fn prepares(command: &Command) -> bool {
    const HARMLESS: &str = "cd pushd popd export set source . echo printf true : unset ulimit umask mkdir sleep clear \
        date pwd nvm shopt trap rm";
    let words = command.texts();
    match words.first() {
        Some(first) => contains_word(HARMLESS, first) || words.iter().all(|word| is_assignment(word)),
        None => command.body == Body::None,
    }
}

/// `exit 1`, `false`, `{ echo no; exit 1; }`
fn fails_surely(pipeline: &Pipeline) -> bool {
    let [command] = pipeline.commands.as_slice() else { return false };
    match (&command.body, command.texts().as_slice()) {
        (Body::Group(list), _) => list.pipelines.last().is_some_and(fails_surely),
        (Body::None, ["exit" | "return", code]) => *code != "0",
        (Body::None, words) => words == ["false"],
        (Body::Compound(_), _) => false,
    }
}

/// Filters that keep the last lines and do not fail by themselves.
fn keeps_the_end(command: &Command) -> bool {
    let name = command.words.first().map_or("", |word| program_name(&word.text));
    contains_word("tail tee cat ts nl less more fold col", name)
        && Output::from_redirects(command).stdout_shown
}

/// Whether a command begins with the words of a matcher, with or without its wrappers. The first word may be a path to
/// the program.
fn begins(command: &[&str], whole: &[&str], matcher: &str) -> bool {
    let wanted: Vec<&str> = matcher.split_whitespace().collect();
    let fits = |words: &[&str]| {
        let mut pairs = wanted.iter().zip(words).enumerate();
        !wanted.is_empty()
            && words.len() >= wanted.len()
            && pairs.all(|(at, (wanted, word))| word == wanted || at == 0 && program_name(word) == *wanted)
    };
    fits(command) || fits(whole)
}

/// The line that a shell runs: behind `-c`, behind `eval`, or in a here-document.
struct InnerLine {
    line: String,
    stops_at_errors: bool,
    pipefail: bool,
}

impl InnerLine {
    fn from_command(words: &[&str], command: &Command) -> Option<Self> {
        let (program, arguments) = words.split_first()?;
        let plain = |line: String| Self { line, stops_at_errors: false, pipefail: false };
        match program_name(program) {
            "eval" => Some(plain(arguments.join(" "))),
            "nix-shell" => {
                let at = arguments.iter().position(|word| matches!(*word, "--run" | "--command"))?;
                Some(plain((*arguments.get(at + 1)?).to_owned()))
            }
            name if is_shell(name) => {
                let script = inline_script(arguments).map(|script| script[0]);
                let document = || command.input_texts(false).next().filter(|_| arguments.is_empty());
                let mut options = arguments.iter().take_while(|word| word.starts_with('-'));
                Some(Self {
                    line: script.or_else(document)?.to_owned(),
                    stops_at_errors: options.any(|word| !word.starts_with("--") && word.contains('e')),
                    pipefail: arguments.contains(&"pipefail"),
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
