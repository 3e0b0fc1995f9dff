//! Whose text a line prints. `pytest > /dev/null; cat log.txt` shows the words of another run.

use super::programs::{self, base_name};
use super::run::{Printed, Runner};
use super::shell::{List, Pipeline, Stage};
use super::wrappers;

/// Programs that show what is in files.
const SHOW: [&str; 6] = ["cat", "tail", "less", "more", "nl", "tac"];
/// Programs that show a part of it.
const CHOOSE: [&str; 8] = ["head", "grep", "egrep", "fgrep", "rg", "ag", "sed", "awk"];
/// Words of a closing line.
const OUTCOMES: [&str; 6] = ["pass", "fail", "ok", "success", "result", "error"];

/// The commands of a line that are no runs, and print.
#[derive(Debug, Default)]
pub(super) struct Printers {
    /// Files that are shown, and how.
    files: Vec<(String, Printed)>,
    /// Text is shown that no run of the line wrote.
    others: bool,
}

impl Printers {
    pub(super) fn of(list: &List) -> Self {
        let mut written = Vec::new();
        let mut silent = Vec::new();
        collect(list, &mut written, &mut silent);
        let mut printers = Self::default();
        for pipeline in silent {
            printers.note(pipeline, &written);
        }
        printers
    }

    /// Those of a line inside of another.
    pub(super) fn and(mut self, outer: &Self) -> Self {
        self.others |= outer.others;
        self.files.extend(outer.files.iter().cloned());
        self
    }

    fn note(&mut self, pipeline: &Pipeline, written: &[String]) {
        if pipeline.stages.last().is_none_or(|last| last.stdout_gone) {
            return;
        }
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let Some(name) = stage.words.first().map(|word| base_name(word)) else { continue };
            let operands = &stage.words[1..];
            let is = |list: &[&str]| list.contains(&name.as_str());
            if is(&SHOW) || is(&CHOOSE) {
                let own: Vec<&String> = operands.iter().filter(|word| written.contains(word)).collect();
                self.others |= own.is_empty() && at == 0;
                let how = choice(stage).max(behind(&pipeline.stages[1..]));
                self.files.extend(own.into_iter().map(|file| (file.clone(), how)));
            } else if is(&["echo", "printf"]) {
                let text = operands.join(" ").to_lowercase();
                self.others |= OUTCOMES.iter().any(|word| text.contains(word));
            } else if name == "git" {
                let shows = |word: &String| matches!(word.as_str(), "log" | "show" | "diff" | "blame");
                self.others |= operands.first().is_some_and(shows) && at + 1 == pipeline.stages.len();
            }
        }
    }

    /// Whose text is printed beside this command, and whether its own is.
    pub(super) fn of_stage(&self, stage: &Stage, runner: Option<Runner>) -> Printed {
        let beside = if self.others { Printed::Shared } else { Printed::Own };
        let on_stderr =
            matches!(runner, Some(Runner::Unittest | Runner::Jest | Runner::Nextest | Runner::Cargo));
        if !stage.stdout_gone || on_stderr && !stage.stderr_gone {
            return beside;
        }
        let file = stage.stdout_file.as_ref();
        let shown = self.files.iter().find(|(name, _)| Some(name) == file).map(|(_, how)| *how);
        shown.map_or(Printed::Foreign, |how| how.max(beside))
    }
}

/// The files that runs write, and the pipelines without any run.
fn collect<'l>(list: &'l List, written: &mut Vec<String>, silent: &mut Vec<&'l Pipeline>) {
    for pipeline in &list.pipelines {
        let is_run = |stage: &Stage| {
            let command = wrappers::without(&stage.words);
            programs::run_of(command).is_some() || stage.group.is_some()
        };
        let Some(at) = pipeline.stages.iter().position(is_run) else {
            silent.push(pipeline);
            // Of a command that only the user's matchers know.
            written.extend(pipeline.stages.iter().filter_map(|stage| stage.stdout_file.clone()));
            continue;
        };
        for stage in &pipeline.stages[at..] {
            written.extend(stage.stdout_file.clone());
            if stage.words.first().is_some_and(|word| base_name(word) == "tee") {
                written.extend(stage.words[1..].iter().filter(|word| !word.starts_with('-')).cloned());
            }
            if let Some(group) = &stage.group {
                collect(group, written, silent);
            }
        }
    }
}

/// What is left of a text behind these filters.
pub(super) fn behind(filters: &[Stage]) -> Printed {
    filters.iter().map(choice).max().unwrap_or(Printed::Own)
}

fn choice(stage: &Stage) -> Printed {
    let Some((program, arguments)) = stage.words.split_first() else { return Printed::Foreign };
    let says = |words: &[&str]| {
        arguments.iter().any(|word| words.iter().any(|outcome| word.to_lowercase().contains(outcome)))
    };
    let takes_out = arguments.iter().any(|word| {
        word == "--invert-match" || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
    });
    match base_name(program).as_str() {
        "tail" | "tee" | "cat" | "ts" | "nl" | "less" | "more" | "fold" | "col" | "tac" | "sort" | "uniq" => {
            Printed::Own
        }
        // Lines that say how it ended are chosen by that, or all of them are.
        "grep" | "egrep" | "fgrep" | "rg" | "ag" => {
            let (good, bad) =
                (says(&["ok", "pass", "success", "✓", "✔"]), says(&["fail", "error", "not ok"]));
            let by_outcome = if takes_out { bad || says(&["skip"]) } else { good && !bad };
            if by_outcome { Printed::Chosen } else { Printed::Own }
        }
        "head" => Printed::Chosen,
        "sed" if arguments.iter().any(|word| word == "-n") => Printed::Chosen,
        _ => Printed::Foreign,
    }
}
