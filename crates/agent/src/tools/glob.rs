//! `Glob`: files by their names, the newest first.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use tenter_contract::ToolKind;

use super::files;
use super::keys::{Form, Given, Key};
use super::own::Own;
use super::ran::{Ran, Shown};
use super::walk::{self, Walked};
use super::wanted_names::WantedNames;
use super::workplace::Workplace;

/// So many files are given.
const MOST: usize = 100;

const KEYS: &[Key] = &[
    Key::needed("pattern", Form::Name, "The glob: `*.rs` at any depth, `src/**/*.rs` from a folder on."),
    Key::optional("path", Form::Name, "The folder to look in; the current one if not given."),
];

/// The tool.
pub(super) const GLOB: Own = Own {
    name: "Glob",
    kind: ToolKind::Search,
    description: "Finds files by a glob, those changed last first, at most 100. What git ignores is left out.",
    keys: KEYS,
    alone: false,
    run: glob,
};

fn glob(given: &Given<'_>, at: &Workplace, stop: &dyn Fn() -> bool) -> Result<Ran, String> {
    let pattern = given.needed("pattern");
    let base = at.path(given.text("path").unwrap_or_default());
    match fs::metadata(&base) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(format!("`{}` is no folder; give its folder as `path`.", at.shown(&base))),
        Err(_) => return Err(files::missing(at, &base)),
    }
    let (folder, names) = WantedNames::below(&base, pattern)?;
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    let walked = if folder.is_dir() {
        walk::files(&folder, None, stop, &mut |path| {
            if names.mean(path.strip_prefix(&folder).unwrap_or(path)) {
                let changed = fs::symlink_metadata(path).and_then(|found| found.modified());
                found.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), path.to_owned()));
            }
            true
        })
    } else {
        Walked::All
    };
    let count = found.len();
    // They came by name, and stay so where the time is the same.
    found.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    let mut lines: Vec<String> = found.iter().take(MOST).map(|(_, path)| at.shown(path)).collect();
    if count == 0 {
        lines.push(format!("No file fits `{pattern}`."));
    } else if count > MOST {
        lines.push(format!("[{count} files fit; these are the {MOST} that were changed last.]"));
    }
    lines.extend(walked.note());
    let line = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let ran = Ran::done(lines.join("\n"), Shown::Line(line));
    Ok(Ran { failed: walked == Walked::Stopped, ..ran })
}
