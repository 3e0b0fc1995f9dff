//! `lint.feedback`, `types.feedback`, `tests.feedback`: findings of tools in the file that was just written.
//!
//! A tool runs the project's code (plugins, build scripts, tests) with the user's rights, so it needs a hook in the
//! user's own file.

mod linters;
mod type_checkers;
mod test_runners;
mod tool;
mod written_files;

use std::ffi::OsString;
use std::path::PathBuf;

use tenter_contract::{Command, Event, HookOutput, Placeholder, Template};

use super::builtin_run::{BuiltinResult, BuiltinRun, missing, skipped};
use super::display::{clean_lines, counted, on_one_line};
use super::tool_process::{ToolOutput, ToolProcess, crashed};
use tool::{LineOrder, Plan, Tool, ToolVerdict, WrittenFile};

const LINT_LINES: usize = 40;
const TEST_LINES: usize = 60;
const LONGEST_LINE: usize = 300;
/// The largest text of all sections; a larger injection would be refused.
const LARGEST: usize = 8 * 1024;
const SHELL: &str = "/bin/sh";

pub(super) fn lint(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    run_tools(call, &linters::ALL)
}

pub(super) fn types(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    run_tools(call, &type_checkers::ALL)
}

/// Reports failing tests of the written files.
pub(super) fn tests(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    if call.options.value("command").is_some() {
        return own_command(call);
    }
    run_tools(call, &test_runners::ALL)
}

/// Runs the first installed tool for each written file.
fn run_tools(call: &mut BuiltinRun<'_>, all: &[Tool]) -> BuiltinResult {
    let files = written_files::find(call)?;
    adjust_environment(call);
    let chosen = chosen(call, all);
    let mut sections = Vec::new();
    let mut done: Vec<(PathBuf, Vec<OsString>, PathBuf)> = Vec::new();
    for file in &files {
        let mut accepting = chosen.iter().filter(|tool| (tool.accepts)(&file.path)).peekable();
        if accepting.peek().is_none() {
            call.add_notice(format!("no tool is known for {}", file.shown()));
            continue;
        }
        let mut missed = Vec::new();
        for tool in accepting {
            let Some(program) = call.program_for(tool.program, &file.path, &file.root) else {
                missed.push(format!("{} is not installed", tool.name));
                continue;
            };
            let (arguments, folder) = match (tool.plan)(file) {
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
            let ran =
                call.start(&ToolProcess { program: &run.0, arguments: run.1.clone(), folder: &run.2 })?;
            done.push(run);
            match (tool.verdict)(&ran) {
                ToolVerdict::Clean => {}
                ToolVerdict::Findings => sections.push(section(call, tool, file, &ran)),
                ToolVerdict::NotSetUp(why) => {
                    missed.push(why);
                    continue;
                }
                ToolVerdict::Broken => return Err(crashed(&ran)),
            }
            missed.clear();
            break;
        }
        for why in missed {
            call.add_notice(why);
        }
    }
    Ok(call.inject(joined(&sections)))
}

/// The tools that the hook's file allows, in its order.
fn chosen<'t>(call: &BuiltinRun<'_>, all: &'t [Tool]) -> Vec<&'t Tool> {
    match call.options.texts("tools") {
        None => all.iter().collect(),
        Some(names) => names.iter().filter_map(|name| all.iter().find(|tool| tool.name == *name)).collect(),
    }
}

/// Turns off colours and progress bars.
fn adjust_environment(call: &mut BuiltinRun<'_>) {
    call.environment.remove(std::ffi::OsStr::new("FORCE_COLOR"));
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CI", "1"), ("CARGO_TERM_COLOR", "never")] {
        call.environment.insert(name.into(), value.into());
    }
}

/// The findings of one run as a section of the injected text.
fn section(call: &BuiltinRun<'_>, tool: &Tool, file: &WrittenFile, ran: &ToolOutput) -> String {
    let text = format!("{}\n{}", ran.stdout, ran.stderr);
    let root = format!("{}/", file.root.display());
    let lines: Vec<String> = clean_lines(&text.replace(&root, ""), LONGEST_LINE)
        .into_iter()
        .filter(|line| (tool.keeps)(line))
        .collect();
    let default = if matches!(tool.order, LineOrder::End) { TEST_LINES } else { LINT_LINES };
    let limit = call.options.count("limit", default);
    let cut = lines.len().saturating_sub(limit);
    let mut section = vec![format!("{} {} {}:", tool.name, tool.finding, file.shown())];
    match tool.order {
        LineOrder::FileFirst => {
            section.extend(file_first(lines, file).into_iter().take(limit));
            section.extend((cut > 0).then(|| format!("… and {} more", counted(cut, "line"))));
        }
        LineOrder::End => {
            section.extend((cut > 0).then(|| format!("… {} before this", counted(cut, "line"))));
            section.extend(lines.into_iter().skip(cut));
        }
    }
    section.join("\n")
}

/// Lines about the written file, then the others, each in their order.
fn file_first(lines: Vec<String>, file: &WrittenFile) -> Vec<String> {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut ours, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.contains(&name));
    ours.extend(others);
    ours
}

/// Joins the sections and cuts the text at a line.
fn joined(sections: &[String]) -> String {
    let mut text = sections.join("\n\n");
    if text.len() > LARGEST {
        text.truncate(text.floor_char_boundary(LARGEST));
        text.truncate(text.rfind('\n').unwrap_or(text.len()));
        text.push_str("\n… cut");
    }
    text
}

/// Runs the command of the hook file: once, or once per file if it names the path.
fn own_command(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let files = written_files::find(call)?;
    adjust_environment(call);
    let command = parsed(call).ok_or_else(|| missing("its `command` cannot be read".to_owned()))?;
    let folder = call.folder()?;
    let per_file = match &command {
        Command::Shell(line) => line.mentions(Placeholder::ToolPath),
        Command::Argv(words) => words.iter().any(|word| word.mentions(Placeholder::ToolPath)),
    };
    let mut sections = Vec::new();
    for file in files.iter().take(if per_file { usize::MAX } else { 1 }) {
        let (program, arguments) = fill_command(call, &command, file)?;
        let ran = call.start(&ToolProcess { program: &program, arguments, folder: &folder })?;
        if ran.code == 127 || ran.code == 126 {
            return Err(missing(on_one_line(ran.stderr.trim(), LONGEST_LINE)));
        }
        if ran.code != 0 {
            sections.push(section(call, &test_runners::OWN, file, &ran));
        }
    }
    Ok(call.inject(joined(&sections)))
}

fn parsed(call: &BuiltinRun<'_>) -> Option<Command> {
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

/// The program and its arguments. The path is absolute, so it never begins with a dash.
fn fill_command(
    call: &BuiltinRun<'_>,
    command: &Command,
    file: &WrittenFile,
) -> Result<(PathBuf, Vec<OsString>), HookOutput> {
    let path = file.path.to_string_lossy();
    let fill = |template: &Template, fill: Fill| {
        fill(template, call.event, Some(&path))
            .map_err(|no| skipped(&format!("the event has no {}", no.0.as_str())))
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
            let program = program.or_else(|| call.program_for(&first, &file.path, &file.root));
            let program = program.ok_or_else(|| missing(format!("`{first}` was not found")))?;
            Ok((program, words.map(OsString::from).collect()))
        }
    }
}

type Fill = fn(&Template, &Event, Option<&str>) -> Result<String, tenter_contract::NoValue>;

#[cfg(test)]
mod tests;
