//! `tenter hooks check`: checks hook files, for CI and editors.

use serde_json::{Value, json};
use tenter_contract::Message;
use tenter_host::HookFile;
use tenter_host::hook_files::read_file;

use crate::arguments::CheckArguments;
use crate::error::{CommandResult, exit};
use crate::listing::{counted, indented};
use crate::printer::{Printer, json_line};

/// Exit code 1 if there are problems.
pub(crate) fn run(arguments: &CheckArguments, printer: &Printer) -> CommandResult {
    let files: Vec<HookFile> = if arguments.files.is_empty() {
        crate::hooks::layers_to_rely_on(&arguments.config)?.files
    } else {
        arguments.files.iter().flat_map(|path| read_file(path)).collect()
    };
    let checked: Vec<(&HookFile, Vec<Message>)> = files.iter().map(|file| (file, file.mistakes())).collect();
    let count: usize = checked.iter().map(|(_, mistakes)| mistakes.len()).sum();
    if arguments.json {
        let files: Vec<Value> = checked.iter().map(|(file, mistakes)| as_json(file, mistakes)).collect();
        printer.line(json_line(&json!({"v": 1, "problems": count, "files": files})));
    } else {
        for mistake in checked.iter().flat_map(|(_, mistakes)| mistakes) {
            printer.line(indented(&mistake.text, ""));
            printer.gap();
        }
        let found = if count == 0 { "no problems".to_owned() } else { counted(count as u64, "problem") };
        printer.line(format!("{} checked, {found}", counted(checked.len() as u64, "file")));
    }
    Ok(if count == 0 { 0 } else { exit::FINDING })
}

fn as_json(file: &HookFile, mistakes: &[Message]) -> Value {
    let hooks = file.content.as_ref().map_or(0, |loaded| loaded.hooks.len());
    let problems = mistakes.iter().map(|it| {
        let mut lines = it.text.lines().map(str::trim);
        let first = lines.next().unwrap_or_default();
        let message = first.split_once(": ").map_or(first, |(_, message)| message);
        let place = it.text.lines().find_map(|line| line.trim().strip_prefix("--> "));
        let mut numbers = place.unwrap_or_default().rsplitn(3, ':').map(|part| part.parse::<u32>().ok());
        let (column, line) = (numbers.next().flatten(), numbers.next().flatten());
        let hint = it.text.lines().find_map(|line| line.trim().strip_prefix("hint: "));
        json!({"severity": it.level.as_str(), "message": message, "line": line, "column": column, "hint": hint})
    });
    json!({"file": file.name, "layer": file.layer.as_str(), "hooks": hooks, "problems": problems.collect::<Vec<_>>()})
}
