//! `lint.feedback`, `types.feedback`, `tests.feedback`: what tools say about the file that was just written.
//!
//! A tool runs the project's own code (plugins, build scripts, tests), with the user's rights. That is why
//! none of this happens without a hook in the user's own file.

mod linters;
mod checkers;
mod tests_of;
mod tool;
mod written;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tenter_contract::{Command, Event, Placeholder, Said, Template};

use super::call::{Answer, Call, missing};
use super::programs::{Ran, Run, crashed};
use super::wording::{counted, lines_of, on_one_line};
use tool::{Looked, Plan, Subject, Tool};

const LINT_LINES: usize = 40;
const TEST_LINES: usize = 60;
const LONGEST_LINE: usize = 300;
/// All sections together; an injection has a limit of its own, above which it would be refused.
const LARGEST: usize = 8 * 1024;
/// The user's shell line is run by this one.
const SHELL: &str = "/bin/sh";

/// What the linter of each written file finds.
pub(super) fn lint(call: &mut Call<'_>) -> Answer {
    look(call, &linters::ALL)
}

/// What the type checker of each written file finds.
pub(super) fn types(call: &mut Call<'_>) -> Answer {
    look(call, &checkers::ALL)
}

/// What fails of the tests that belong to each written file.
pub(super) fn tests(call: &mut Call<'_>) -> Answer {
    if call.options.value("command").is_some() {
        return own_command(call);
    }
    look(call, &tests_of::ALL)
}

/// Runs, for each written file, the first tool that fits it and is there.
fn look(call: &mut Call<'_>, all: &[Tool]) -> Answer {
    let subjects = written::files(call)?;
    settle(call);
    let chosen = chosen(call, all);
    let mut sections = Vec::new();
    let mut done: Vec<(PathBuf, Vec<OsString>, PathBuf)> = Vec::new();
    for subject in &subjects {
        let mut fits = chosen.iter().filter(|tool| (tool.fits)(&subject.file)).peekable();
        if fits.peek().is_none() {
            call.note(format!("no tool is known for {}", subject.shown()));
            continue;
        }
        let mut missed = Vec::new();
        for tool in fits {
            let Some(program) = call.program_for(tool.program, &subject.file, &subject.root) else {
                missed.push(format!("{} is not installed", tool.name));
                continue;
            };
            let (arguments, folder) = match (tool.plan)(subject) {
                Plan::Run { arguments, folder } => (arguments, folder),
                Plan::Nothing(why) => {
                    missed.push(why);
                    continue;
                }
            };
            let program = tool.runs.map_or(Some(program), |other| call.program(other));
            let Some(program) = program else { continue };
            let run = (program, arguments, folder);
            if done.contains(&run) {
                missed.clear();
                break;
            }
            let ran = call.start(&Run { program: &run.0, arguments: run.1.clone(), folder: &run.2 })?;
            done.push(run);
            match (tool.reads)(&ran) {
                Looked::Clean => {}
                Looked::Found => sections.push(section(call, tool, subject, &ran)),
                Looked::NotSetUp(why) => {
                    missed.push(why);
                    continue;
                }
                Looked::Broken => return Err(crashed(&ran)),
            }
            missed.clear();
            break;
        }
        for why in missed {
            call.note(why);
        }
    }
    Ok(call.inject(joined(&sections)))
}

/// The tools that the hook's file allows, in its order.
fn chosen<'t>(call: &Call<'_>, all: &'t [Tool]) -> Vec<&'t Tool> {
    match call.options.texts("tools") {
        None => all.iter().collect(),
        Some(names) => names.iter().filter_map(|name| all.iter().find(|tool| tool.name == *name)).collect(),
    }
}

/// Tools are read by a program, not by a person at a terminal.
fn settle(call: &mut Call<'_>) {
    call.environment.remove(std::ffi::OsStr::new("FORCE_COLOR"));
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CI", "1"), ("CARGO_TERM_COLOR", "never")] {
        call.environment.insert(name.into(), value.into());
    }
}

/// What one run found, as one section of the injected text.
fn section(call: &Call<'_>, tool: &Tool, subject: &Subject, ran: &Ran) -> String {
    let text = format!("{}\n{}", ran.stdout, ran.stderr);
    let root = format!("{}/", subject.root.display());
    let lines: Vec<String> = lines_of(&text.replace(&root, ""), LONGEST_LINE)
        .into_iter()
        .filter(|line| (tool.keeps)(line))
        .collect();
    let (lines, limit) = match tool.order {
        tool::Order::FileFirst => (file_first(lines, subject), call.options.count("limit", LINT_LINES)),
        tool::Order::End => (lines, call.options.count("limit", TEST_LINES)),
    };
    let cut = lines.len().saturating_sub(limit);
    let head = format!("{} {} {}:", tool.name, tool.says, subject.shown());
    match tool.order {
        tool::Order::FileFirst => {
            let more = (cut > 0).then(|| format!("… and {} more", counted(cut, "line")));
            let lines = std::iter::once(head).chain(lines.into_iter().take(limit)).chain(more);
            lines.collect::<Vec<_>>().join("\n")
        }
        tool::Order::End => {
            let before = (cut > 0).then(|| format!("… {} before this", counted(cut, "line")));
            let lines = std::iter::once(head).chain(before).chain(lines.into_iter().skip(cut));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

/// Lines about the written file, then the others, each in their order.
fn file_first(lines: Vec<String>, subject: &Subject) -> Vec<String> {
    let name = subject.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut ours, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.contains(&name));
    ours.extend(others);
    ours
}

/// All sections, as far as there is room; the last one that fits only in part is cut at a line.
fn joined(sections: &[String]) -> String {
    let mut text = sections.join("\n\n");
    if text.len() > LARGEST {
        text.truncate(text.floor_char_boundary(LARGEST));
        text.truncate(text.rfind('\n').unwrap_or(text.len()));
        text.push_str("\n… cut");
    }
    text
}

/// The command of the hook's file in place of all that: once, or once per file if it names the path.
fn own_command(call: &mut Call<'_>) -> Answer {
    let subjects = written::files(call)?;
    settle(call);
    let command = parsed(call).ok_or_else(|| missing("its `command` cannot be read".to_owned()))?;
    let folder = call.folder()?;
    let per_file = match &command {
        Command::Shell(line) => line.mentions(Placeholder::ToolPath),
        Command::Argv(words) => words.iter().any(|word| word.mentions(Placeholder::ToolPath)),
    };
    let mut sections = Vec::new();
    for subject in subjects.iter().take(if per_file { usize::MAX } else { 1 }) {
        let (program, arguments) = filled(call, &command, subject)?;
        let ran = call.start(&Run { program: &program, arguments, folder: &folder })?;
        if ran.code == 127 || ran.code == 126 {
            return Err(missing(on_one_line(ran.stderr.trim(), LONGEST_LINE)));
        }
        if ran.code != 0 {
            sections.push(section(call, &tests_of::OWN, subject, &ran));
        }
    }
    Ok(call.inject(joined(&sections)))
}

fn parsed(call: &Call<'_>) -> Option<Command> {
    use serde_json::Value;
    match call.options.value("command")? {
        Value::String(line) => Template::parse_shell(line).ok().map(Command::Shell),
        Value::Array(words) => {
            let words = words.iter().map(|word| Template::parse(word.as_str()?).ok());
            words.collect::<Option<Vec<_>>>().filter(|words| !words.is_empty()).map(Command::Argv)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// The program and its arguments. The path is the file as it lies there, so it never begins with a dash.
fn filled(call: &Call<'_>, command: &Command, subject: &Subject) -> Result<(PathBuf, Vec<OsString>), Said> {
    let path = subject.file.to_string_lossy();
    let fill = |template: &Template, fill: Fill| {
        fill(template, call.event, Some(&path))
            .map_err(|no| Said::Skipped { why: format!("the event has no {}", no.0.as_str()) })
    };
    match command {
        Command::Shell(line) => {
            let line = fill(line, Template::shell)?;
            Ok((PathBuf::from(SHELL), vec!["-c".into(), line.into()]))
        }
        Command::Argv(words) => {
            let words = words.iter().map(|word| fill(word, Template::argument));
            let mut words = words.collect::<Result<Vec<_>, _>>()?.into_iter();
            let first = words.next().unwrap_or_default();
            let program = if first.contains('/') { Some(PathBuf::from(&first)) } else { None };
            let program = program.or_else(|| call.program_for(&first, &subject.file, &subject.root));
            let program = program.ok_or_else(|| missing(format!("`{first}` was not found")))?;
            Ok((program, words.map(OsString::from).collect()))
        }
    }
}

type Fill = fn(&Template, &Event, Option<&str>) -> Result<String, tenter_contract::NoValue>;

/// The nearest file of that name in a folder above a file, within the root.
fn nearest(file: &Path, root: &Path, name: &str) -> Option<PathBuf> {
    let above = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    above.map(|folder| folder.join(name)).find(|found| found.is_file())
}

#[cfg(test)]
mod tests;
