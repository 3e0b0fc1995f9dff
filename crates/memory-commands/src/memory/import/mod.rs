//! `tenter memory import`.

mod unsupported;

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tenter_memory::{ImportAs, Imported};

use crate::Opened;
use crate::arguments::MemoryImportArguments;
use crate::error::{CommandError, CommandResult};
use tenter_console::error::{CliError, exit};
use tenter_console::listing::{counted, typed, visible};
use tenter_console::printer::{Printer, Tone, json_line};
use tenter_console::{input_file, person, printer};

/// Number of projects, and of lines that were not imported, to name.
const SHOWN: usize = 3;
pub(crate) const WANTED: &str = "name a file that `tenter memory export` wrote, or a journal";

pub(crate) fn run(opened: &Opened, arguments: &MemoryImportArguments, printer: &Printer) -> CommandResult {
    let mut files = Vec::new();
    for path in &arguments.files {
        if path.is_dir() {
            if let Some(database) = unsupported::database_in(path) {
                return Err(unsupported::database(opened, &database).into());
            }
            journals(path, &mut files).map_err(|cause| unreadable(path, &cause))?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        return Err(CliError::bad_input(
            "this folder",
            "no `.jsonl` file is in it",
            "name the file, or the folder of the journal (`.claude/journal`, `~/.calm/journal`)",
        )
        .into());
    }
    let how = ImportAs {
        all_to: arguments.project.as_deref().map(|name| opened.project_named(name)),
        with_forgotten: arguments.with_forgotten,
        only: (!person::is_here()).then(|| opened.project.clone()),
        ..ImportAs::default()
    };
    let mut all = Imported::default();
    let mut refused = Vec::new();
    for path in &files {
        let imported = import_file(opened, path, &how)?;
        all.taken += imported.taken;
        all.known += imported.known;
        all.forgotten += imported.forgotten;
        for (name, count) in imported.projects {
            *all.projects.entry(name).or_default() += count;
        }
        all.lowered += imported.lowered;
        refused.extend(imported.refused.into_iter().map(|(line, why)| (path.clone(), line, why)));
    }
    if arguments.json {
        let refused: Vec<Value> = refused
            .iter()
            .map(|(path, line, why)| serde_json::json!({"file": path, "line": line, "why": why}))
            .collect();
        printer.line(json_line(&serde_json::json!({
            "taken": all.taken, "known": all.known, "forgotten": all.forgotten, "projects": all.projects,
            "refused": refused, "lowered": all.lowered,
        })));
    } else {
        let done = printer.tone(Tone::Good, "imported:");
        printer.line(format!("{done} {} new, {} there already", all.taken, all.known));
        if all.forgotten > 0 {
            let left = format!("{} forgotten here and left out", all.forgotten);
            printer.line(format!("{left}; `--with-forgotten` takes over what you had forgotten, too"));
        }
        if all.lowered > 0 {
            printer.line(format!(
                "{} gold without a run that says so, and counts as silver",
                counted(all.lowered as u64, "experience")
            ));
        }
        print_elsewhere(opened, &all, printer);
        for (path, line, why) in refused.iter().take(SHOWN) {
            let text = format!("warning: {}, line {line} was left out: {why}\n", path.display());
            printer::write_error(&visible(&text));
        }
        if refused.len() > SHOWN {
            let more = counted((refused.len() - SHOWN) as u64, "more line");
            printer::write_error(&format!("warning: and {more} left out; `--json` lists all\n"));
        }
    }
    Ok(if refused.is_empty() { 0 } else { exit::FINDING })
}

/// Says which imported entries are about other projects, and how to find them.
fn print_elsewhere(opened: &Opened, all: &Imported, printer: &Printer) {
    let names = opened.memory.names_of(&opened.project);
    let elsewhere: Vec<(&String, &usize)> =
        all.projects.iter().filter(|(name, _)| !names.contains(name)).collect();
    for (name, count) in elsewhere.iter().take(SHOWN) {
        let lines = counted(**count as u64, "line");
        printer.line(format!(
            "{lines} about {}, which is another project; `tenter memory move {} here` makes it this one's",
            visible(name),
            typed(name)
        ));
    }
    if elsewhere.len() > SHOWN {
        let more = elsewhere.len() - SHOWN;
        printer.line(format!("and {more} more projects; `tenter memory projects` lists all"));
    }
}

fn import_file(opened: &Opened, path: &Path, how: &ImportAs) -> Result<Imported, CommandError> {
    let from = input_file::open(path).map_err(|cause| unreadable(path, &cause))?;
    let mut from = BufReader::new(from.take(input_file::LARGEST_EXPORT));
    // What we wrote ourselves says which project it is about, or that it is about all; a journal does not.
    let mut first = Vec::new();
    from.by_ref()
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut first)
        .map_err(|cause| unreadable(path, &cause))?;
    unsupported::refuse_database(opened, path, &first)?;
    let unnamed = (!is_ours(&first)).then(|| how.all_to.clone().unwrap_or_else(|| opened.project.clone()));
    let mut whole = BufReader::new(first.as_slice().chain(from));
    let imported = opened.memory.import_as(&mut whole, &ImportAs { unnamed, ..how.clone() })?;
    unsupported::refuse_other(path, &first, &imported)?;
    Ok(imported)
}

/// The longest line of an export.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

fn is_ours(line: &[u8]) -> bool {
    serde_json::from_slice(line).is_ok_and(|fields| is_of_export(&fields))
}

/// Whether these fields are of a line of an export.
pub(crate) fn is_of_export(fields: &Map<String, Value>) -> bool {
    ["experience", "memory", "journal"].iter().any(|kind| fields.contains_key(*kind))
}

/// All `.jsonl` files in a folder and below, by name.
fn journals(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut inside = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut inside: Vec<PathBuf> = inside.by_ref().collect::<io::Result<_>>()?;
    inside.sort();
    for path in inside {
        // A link could lead around in a circle.
        let kind = std::fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() {
            journals(&path, files)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, cause: &io::Error) -> CliError {
    CliError::bad_input(path.display().to_string(), cause.to_string(), WANTED.to_owned())
}
