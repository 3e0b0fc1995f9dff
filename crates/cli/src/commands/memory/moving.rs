//! `tenter memory export` and `import`: to another machine, and from the system that introduced such entries.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tenter_memory::{ImportAs, Imported};

use super::super::{Ended, json_line, person};
use super::{Opened, no_export};
use crate::arguments::{MemoryExportArguments, MemoryImportArguments};
use crate::error::{CliError, exit};
use crate::input_file;
use crate::listing::{counted, typed, visible};
use crate::printer::{self, Printer, Tone};

/// So many projects are named that something came in about, and so many lines that did not come in.
const SHOWN: usize = 3;
/// What can be imported.
pub(super) const WANTED: &str = "name a file that `tenter memory export` wrote, or a journal";

/// Writes everything, a line each.
pub(super) fn export(opened: &Opened, arguments: &MemoryExportArguments, printer: &Printer) -> Ended {
    let scope = opened.scope(arguments.all_projects);
    let Some(path) = arguments.file.as_ref().filter(|path| path.as_os_str() != "-") else {
        opened.memory.export(&scope, &mut Stdout(printer))?;
        return Ok(0);
    };
    let shown = path.display().to_string();
    let unwritten = |cause| CliError::NotWritten { what: shown.clone(), cause };
    let file = match tenter_store::our_file().write(true).create_new(true).open(path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            return Err(CliError::BadInput {
                what: shown,
                detail: "there is a file of that name".to_owned(),
                hint: "nothing was changed; choose another name".to_owned(),
            });
        }
        file => file.map_err(unwritten)?,
    };
    let mut file = io::BufWriter::new(file);
    let lines = opened.memory.export(&scope, &mut file)?;
    file.flush().and_then(|()| file.get_ref().sync_all()).map_err(unwritten)?;
    let done = printer.tone(Tone::Good, "exported:");
    printer.line(format!("{done} {} to {}", counted(lines as u64, "line"), visible(&shown)));
    printer.line(
        "`tenter memory import FILE` takes it over elsewhere; it may be private, so mind where it goes",
    );
    Ok(0)
}

/// Standard output as something that is written to.
struct Stdout<'a>(&'a Printer);

impl Write for Stdout<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes over what others wrote.
pub(super) fn import(opened: &Opened, arguments: &MemoryImportArguments, printer: &Printer) -> Ended {
    let mut files = Vec::new();
    for path in &arguments.files {
        if path.is_dir() {
            if let Some(database) = no_export::database_in(path) {
                return Err(no_export::database(opened, &database));
            }
            journals(path, &mut files).map_err(|cause| unreadable(path, &cause))?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        return Err(CliError::BadInput {
            what: "this folder".to_owned(),
            detail: "no `.jsonl` file is in it".to_owned(),
            hint: "name the file, or the folder of the journal (`.claude/journal`, `~/.calm/journal`)"
                .to_owned(),
        });
    }
    let how = ImportAs {
        all_to: arguments.project.as_deref().map(|name| opened.named(name)),
        with_forgotten: arguments.with_forgotten,
        only: (!person::is_here()).then(|| opened.project.clone()),
        ..ImportAs::default()
    };
    let mut all = Imported::default();
    let mut refused = Vec::new();
    for path in &files {
        let imported = one(opened, path, &how)?;
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
        tell_elsewhere(opened, &all, printer);
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

/// Says what is not found here because it is about other projects, and how it would be.
fn tell_elsewhere(opened: &Opened, all: &Imported, printer: &Printer) {
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

fn one(opened: &Opened, path: &Path, how: &ImportAs) -> Result<Imported, CliError> {
    let from = input_file::open(path).map_err(|cause| unreadable(path, &cause))?;
    let mut from = BufReader::new(from.take(input_file::LARGEST_EXPORT));
    // What we wrote ourselves says which project it is about, or that it is about all; a journal does not.
    let mut first = Vec::new();
    from.by_ref()
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut first)
        .map_err(|cause| unreadable(path, &cause))?;
    no_export::refuse_database(opened, path, &first)?;
    let unnamed = (!is_ours(&first)).then(|| how.all_to.clone().unwrap_or_else(|| opened.project.clone()));
    let mut whole = BufReader::new(first.as_slice().chain(from));
    let imported = opened.memory.import_as(&mut whole, &ImportAs { unnamed, ..how.clone() })?;
    no_export::refuse_other(path, &first, &imported)?;
    Ok(imported)
}

/// No line of an export is longer.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// Whether a line is one of an export.
fn is_ours(line: &[u8]) -> bool {
    serde_json::from_slice(line).is_ok_and(|fields| is_of_export(&fields))
}

/// Whether these are the fields of a line of an export.
pub(super) fn is_of_export(fields: &Map<String, Value>) -> bool {
    ["experience", "memory", "journal"].iter().any(|kind| fields.contains_key(*kind))
}

/// Every `.jsonl` file in a folder and below, in the order of their names.
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
    CliError::BadInput {
        what: path.display().to_string(),
        detail: cause.to_string(),
        hint: WANTED.to_owned(),
    }
}
