//! Decides which run the output of a line belongs to. `pytest > /dev/null; cat log.txt` prints another run's output.

use tenter_shell::{Body, Command, List, Pipeline, RedirectOperator, contains_word, program_name};

use super::programs;
use super::run::{Printed, Runner};

/// Programs that print files.
const SHOW: &str = "cat tail less more nl tac";
/// Programs that print parts of files.
const CHOOSE: &str = "head grep egrep fgrep rg ag sed awk";
/// Words of a closing line.
const OUTCOMES: [&str; 6] = ["pass", "fail", "ok", "success", "result", "error"];

/// The commands of a line that print and are no runs.
#[derive(Debug, Default)]
pub(super) struct Printers {
    /// The printed files, and how much of each.
    files: Vec<(String, Printed)>,
    /// A command prints text that no run of the line wrote.
    others: bool,
}

impl Printers {
    pub(super) fn from_list(list: &List) -> Self {
        let mut written = Vec::new();
        let mut silent = Vec::new();
        collect(list, &mut written, &mut silent);
        let mut printers = Self::default();
        for pipeline in silent {
            printers.note(pipeline, &written);
        }
        printers
    }

    /// Adds those of the line around this one.
    pub(super) fn with_outer(mut self, outer: &Self) -> Self {
        self.others |= outer.others;
        self.files.extend(outer.files.iter().cloned());
        self
    }

    fn note(&mut self, pipeline: &Pipeline, written: &[String]) {
        let commands = &pipeline.commands;
        if commands.last().is_none_or(|last| !Output::from_redirects(last).stdout_shown) {
            return;
        }
        for (at, command) in commands.iter().enumerate() {
            let words = command.texts();
            let Some((program, operands)) = words.split_first() else { continue };
            let name = program_name(program);
            if contains_word(SHOW, name) || contains_word(CHOOSE, name) {
                let own: Vec<&&str> =
                    operands.iter().filter(|word| written.iter().any(|file| file == **word)).collect();
                self.others |= own.is_empty() && at == 0;
                let how = choice(command).max(behind(&commands[1..]));
                self.files.extend(own.into_iter().map(|file| ((*file).to_owned(), how)));
            } else if ["echo", "printf"].contains(&name) {
                let text = operands.join(" ").to_lowercase();
                self.others |= OUTCOMES.iter().any(|word| text.contains(word));
            } else if name == "git" {
                let shows = |word: &&str| contains_word("log show diff blame", word);
                self.others |= operands.first().is_some_and(shows) && at + 1 == commands.len();
            }
        }
    }

    /// How much of the output is from this command.
    pub(super) fn printed_by(&self, command: &Command, runner: Option<Runner>) -> Printed {
        let others = if self.others { Printed::Shared } else { Printed::Own };
        let on_stderr =
            matches!(runner, Some(Runner::Unittest | Runner::Jest | Runner::Nextest | Runner::Cargo));
        let output = Output::from_redirects(command);
        if output.stdout_shown || on_stderr && output.stderr_shown {
            return others;
        }
        let shown = self.files.iter().find(|(name, _)| Some(name.as_str()) == output.stdout_file);
        shown.map_or(Printed::Foreign, |(_, how)| (*how).max(others))
    }
}

/// The redirections of a command's output.
pub(super) struct Output<'a> {
    pub(super) stdout_shown: bool,
    pub(super) stderr_shown: bool,
    stdout_file: Option<&'a str>,
}

impl<'a> Output<'a> {
    pub(super) fn from_redirects(command: &'a Command) -> Self {
        let mut output = Self { stdout_shown: true, stderr_shown: true, stdout_file: None };
        for redirect in &command.redirects {
            let file = redirect.target.text.as_str();
            let is_terminal = ["/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&file);
            if is_terminal || !redirect.operator.writes() || redirect.operator == RedirectOperator::ReadWrite
            {
                continue;
            }
            let both = redirect.operator == RedirectOperator::WriteBoth;
            if both || redirect.descriptor.is_none_or(|number| number == 1) {
                output.stdout_shown = false;
                output.stdout_file = Some(file);
            }
            output.stderr_shown &= !(both || redirect.descriptor == Some(2));
        }
        output
    }
}

/// The files that runs write, and the pipelines without a run.
fn collect<'l>(list: &'l List, written: &mut Vec<String>, silent: &mut Vec<&'l Pipeline>) {
    let file = |command: &Command| Output::from_redirects(command).stdout_file.map(str::to_owned);
    for pipeline in &list.pipelines {
        let is_run = |command: &Command| {
            command.body != Body::None
                || programs::recognise_run(programs::real_command(&command.texts())).is_some()
        };
        let Some(at) = pipeline.commands.iter().position(is_run) else {
            silent.push(pipeline);
            // The user's matchers may know the command as a run.
            written.extend(pipeline.commands.iter().filter_map(file));
            continue;
        };
        for command in &pipeline.commands[at..] {
            written.extend(file(command));
            if let Some((program, operands)) = command.texts().split_first()
                && program_name(program) == "tee"
            {
                let files = operands.iter().filter(|word| !word.starts_with('-'));
                written.extend(files.map(|file| (*file).to_owned()));
            }
            for list in command.body.lists() {
                collect(list, written, silent);
            }
        }
    }
}

/// How much of an output passes these filters.
pub(super) fn behind(filters: &[Command]) -> Printed {
    filters.iter().map(choice).max().unwrap_or(Printed::Own)
}

fn choice(command: &Command) -> Printed {
    let words = command.texts();
    let Some((program, arguments)) = words.split_first() else { return Printed::Foreign };
    let has = |words: &[&str]| {
        arguments.iter().any(|word| words.iter().any(|outcome| word.to_lowercase().contains(outcome)))
    };
    let takes_out = arguments.iter().any(|word| {
        *word == "--invert-match" || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
    });
    match program_name(program) {
        name if contains_word("tail tee cat ts nl less more fold col tac sort uniq", name) => Printed::Own,
        // A pattern about results hides the other results.
        "grep" | "egrep" | "fgrep" | "rg" | "ag" => {
            let (good, bad) = (has(&["ok", "pass", "success", "✓", "✔"]), has(&["fail", "error", "not ok"]));
            let by_outcome = if takes_out { bad || has(&["skip"]) } else { good && !bad };
            if by_outcome { Printed::Filtered } else { Printed::Own }
        }
        "head" => Printed::Filtered,
        "sed" if arguments.contains(&"-n") => Printed::Filtered,
        _ => Printed::Foreign,
    }
}
