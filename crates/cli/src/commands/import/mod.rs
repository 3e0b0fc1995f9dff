//! `tenter import FILE`: converts the hooks of another system, and reports differences.

mod approval_rules;

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenter_config::{
    Format, ImportError, Imported, ImportedHook, Note, NoteKind, Severity, SourceText, State, import,
};
use tenter_contract::Layer;
use tenter_host::Places;

use crate::arguments::ImportArguments;
use crate::error::{CliError, CommandResult, exit};
use crate::printer::{Printer, json_line};
use crate::{input_file, printer};

/// Exit code 1 if something could not be converted.
pub(crate) fn run(arguments: &ImportArguments, printer: &Printer) -> CommandResult {
    let name = arguments.file.display().to_string();
    if let Some(rules) = approval_rules::read(arguments)? {
        return approval_rules::run(arguments, &name, &rules, printer);
    }
    let imported = converted(arguments, &name)?;
    let target = target(arguments)?;
    if let Some(path) = &target {
        write(path, &imported.yaml)?;
    }
    if arguments.json {
        printer.line(json_line(&as_json(&imported, &name, target.as_deref())));
    } else {
        let report = report(&imported, &name, target.as_deref());
        if target.is_some() {
            printer.line(report.trim_end());
        } else {
            printer.line(imported.yaml.trim_end());
            printer::write_error(&report);
        }
    }
    Ok(if imported.lost_something() { exit::FINDING } else { 0 })
}

fn converted(arguments: &ImportArguments, name: &str) -> Result<Imported, CliError> {
    let bad = |detail: String, hint: &str| CliError::not_imported(name.to_owned(), detail, hint.to_owned());
    let path = fs::canonicalize(&arguments.file)
        .map_err(|error| bad(error.to_string(), "check the path of the file to import"))?;
    if path.is_dir() {
        return Err(bad("it is a folder".to_owned(), "name one of the files in it"));
    }
    let format = Format::from_file_name(name).ok_or_else(|| {
        bad("its file name has no known extension".to_owned(), "it must end in .json, .yaml, .yml or .toml")
    })?;
    let text = input_file::read_text(&path)
        .map_err(|error| bad(error.to_string(), "it must be text that you can read"))?;
    let folder = path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let source = SourceText { name, folder: &folder, layer: Layer::User, format, text: &text };
    import(&source, arguments.from).map_err(|error| {
        let hint = match &error {
            ImportError::Unreadable(problem) => problem.hint(),
            ImportError::Ours => format!("use it as it is: `tenter hooks list --config {name}`"),
            ImportError::UnknownShape => {
                "pass its system with `--from`: amazonq, massgen, claude, gemini, ghap or amplifier"
                    .to_owned()
            }
            ImportError::NotThisShape { recognised: Some(other), .. } => {
                format!("it looks like a file of {}; pass `--from {}`", other.title(), other.as_str())
            }
            ImportError::NotThisShape { recognised: None, .. } => {
                "omit `--from` to detect its system".to_owned()
            }
        };
        bad(error.to_string(), &hint)
    })
}

/// The path of the hook file; `None` for standard output.
fn target(arguments: &ImportArguments) -> Result<Option<PathBuf>, CliError> {
    if !arguments.write {
        return Ok(arguments.out.clone());
    }
    let places = Places::of_process();
    let folder = places.config_folder.clone().ok_or(CliError::no_state())?;
    // A hook file in another format counts: only the first is read.
    let there = tenter_host::hook_files::Lookup::new(&places, None).files.into_iter();
    let mut there = there.filter(|(layer, _)| *layer == tenter_contract::Layer::User).map(|(_, path)| path);
    let there = there.find(|path| path.exists());
    if let Some(path) = there {
        return Err(CliError::file_exists(path.display().to_string()));
    }
    Ok(Some(folder.join("hooks.yaml")))
}

fn write(path: &Path, yaml: &str) -> Result<(), CliError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(CliError::output_not_written)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(yaml.as_bytes())).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CliError::file_exists(path.display().to_string()),
        _ => CliError::output_not_written(error),
    })
}

fn report(imported: &Imported, name: &str, target: Option<&Path>) -> String {
    let count = |state: State| imported.hooks.iter().filter(|hook| hook.state == state).count();
    let mut lines = vec![format!(
        "{name}, read as {}: {} on, {} off, {} not kept",
        imported.from.title(),
        count(State::On),
        count(State::Off),
        count(State::NotKept)
    )];
    for hook in &imported.hooks {
        lines.push(String::new());
        lines.extend(about(hook));
    }
    if !imported.notes.is_empty() || !imported.other_keys.is_empty() {
        lines.push(String::new());
    }
    lines.extend(imported.notes.iter().map(|note| note_line(note, "")));
    if !imported.other_keys.is_empty() {
        lines.push(format!("not about hooks, and not converted: {}", imported.other_keys.join(", ")));
    }
    // Problems of single keys are above.
    let wrong = imported.problems.iter().filter(|problem| problem.severity() == Severity::Error);
    for problem in wrong.filter(|problem| !mentioned(imported, problem.hook.as_deref())) {
        lines.push(String::new());
        lines.push(problem.to_string());
    }
    if let Some(path) = target {
        lines.push(String::new());
        lines.push(format!("written to {}", path.display()));
        let lost = imported.hooks.iter().filter(|hook| hook.state == State::NotKept);
        let lost: Vec<&str> = lost.map(|hook| hook.name.as_str()).collect();
        if !lost.is_empty() {
            lines.push(format!("NOT in it: {}", lost.join(", ")));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Whether the notes of a hook already say why it is not kept.
fn mentioned(imported: &Imported, hook: Option<&str>) -> bool {
    let lost = |hook: &&ImportedHook| hook.notes.iter().any(|note| note.kind == NoteKind::Lost);
    let named = |it: &&ImportedHook| Some(it.name.as_str()) == hook;
    imported.hooks.iter().find(named).is_some_and(|hook| lost(&hook))
}

fn about(hook: &ImportedHook) -> Vec<String> {
    let mut lines =
        vec![format!("{} at {} (line {}): {}", hook.name, hook.event, hook.line, hook.state.as_str())];
    if hook.state != State::NotKept && !hook.kept.is_empty() {
        lines.push(format!("  kept      {}", hook.kept.join(", ")));
    }
    lines.extend(hook.notes.iter().map(|note| note_line(note, "  ")));
    lines
}

fn note_line(note: &Note, indent: &str) -> String {
    format!("{indent}{:<9} {}: {}", note.kind.as_str(), note.key, note.text)
}

fn as_json(imported: &Imported, name: &str, target: Option<&Path>) -> Value {
    let note = |note: &Note| json!({"what": note.kind.as_str(), "key": note.key, "text": note.text, "line": note.line});
    let notes = |notes: &[Note]| notes.iter().map(note).collect::<Vec<_>>();
    let hook = |hook: &ImportedHook| {
        json!({
            "name": hook.name, "event": hook.event, "line": hook.line, "state": hook.state.as_str(),
            "kept": hook.kept, "notes": notes(&hook.notes),
        })
    };
    let problems = imported
        .problems
        .iter()
        .map(|it| json!({"severity": it.severity().as_str(), "text": it.to_string()}));
    json!({
        "file": name,
        "from": imported.from.as_str(),
        "hooks": imported.hooks.iter().map(hook).collect::<Vec<_>>(),
        "notes": notes(&imported.notes),
        "other_keys": imported.other_keys,
        "problems": problems.collect::<Vec<_>>(),
        "written": target.map(|path| path.display().to_string()),
        "yaml": imported.yaml,
    })
}
