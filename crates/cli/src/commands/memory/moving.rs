//! `tenter memory export` and `import`: to another machine, and from the system that introduced such entries.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_memory::Imported;

use super::super::{Ended, json_line};
use super::Opened;
use crate::arguments::{MemoryExportArguments, MemoryImportArguments};
use crate::error::{CliError, exit};
use crate::listing::{counted, visible};
use crate::printer::{self, Printer, Tone};

/// Writes everything, a line each.
pub(super) fn export(opened: &Opened, arguments: &MemoryExportArguments, printer: &Printer) -> Ended {
    let scope = opened.scope(arguments.all_projects);
    let Some(path) = &arguments.file else {
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
    let mut all = Imported::default();
    let mut refused = Vec::new();
    for path in &files {
        let imported = one(opened, path)?;
        all.taken += imported.taken;
        all.known += imported.known;
        all.lowered += imported.lowered;
        refused.extend(imported.refused.into_iter().map(|(line, why)| (path.clone(), line, why)));
    }
    if arguments.json {
        let refused: Vec<Value> = refused
            .iter()
            .map(|(path, line, why)| serde_json::json!({"file": path, "line": line, "why": why}))
            .collect();
        printer.line(json_line(
            &serde_json::json!({"taken": all.taken, "known": all.known, "refused": refused, "lowered": all.lowered}),
        ));
    } else {
        let done = printer.tone(Tone::Good, "imported:");
        printer.line(format!("{done} {} new, {} there already", all.taken, all.known));
        if all.lowered > 0 {
            printer.line(format!(
                "{} gold without a run that says so, and counts as silver",
                counted(all.lowered as u64, "experience")
            ));
        }
        for (path, line, why) in &refused {
            let text = format!("warning: {}, line {line} was left out: {why}\n", path.display());
            printer::write_error(&visible(&text));
        }
    }
    Ok(if refused.is_empty() { 0 } else { exit::FINDING })
}

fn one(opened: &Opened, path: &Path) -> Result<Imported, CliError> {
    let mut from: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(File::open(path).map_err(|cause| unreadable(path, &cause))?))
    };
    // What we wrote ourselves says which project it is about, or that it is about all; a journal does not.
    let mut first = Vec::new();
    from.read_until(b'\n', &mut first).map_err(|cause| unreadable(path, &cause))?;
    let project = (!is_ours(&first)).then_some(&opened.project);
    let mut whole = BufReader::new(first.as_slice().chain(from));
    Ok(opened.memory.import(&mut whole, project)?)
}

/// Whether a line is one of an export.
fn is_ours(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| {
        let kinds = ["experience", "memory", "journal"];
        value.as_object().is_some_and(|fields| kinds.iter().any(|kind| fields.contains_key(*kind)))
    })
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
        hint: "name a file that `tenter memory export` wrote, or a journal".to_owned(),
    }
}
