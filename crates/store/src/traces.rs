//! Finds a text in the files of the state, for a user who has deleted it elsewhere. Records and session files are never
//! rewritten, so a text that was sent to an agent stays in them.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::StateFolder;
use crate::place::{if_found, names_in, open_to_read};

/// The folders that are searched: records, also quarantined ones; texts that sessions received or wait for; chats.
const FOLDERS: [&str; 3] = ["audit", "sessions", "chats"];

/// A file that contains one of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file.
    pub path: PathBuf,
    /// The number of lines with one of them. In a file of the trail, a line is a record.
    pub lines: u64,
}

impl Trace {
    /// Whether it is a file of the trail, or of one that was quarantined.
    pub fn is_of_trail(&self, state: &StateFolder) -> bool {
        self.path.starts_with(state.path().join("audit"))
    }
}

/// The files that contain one of these texts, plain or JSON-escaped, sorted by path.
pub fn traces(state: &StateFolder, texts: &[&str]) -> io::Result<Vec<Trace>> {
    let mut wanted: Vec<String> = Vec::new();
    for text in texts {
        let quoted = serde_json::Value::from(*text).to_string();
        let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        wanted.extend([(*text).to_owned(), escaped.to_owned()]);
    }
    wanted.sort();
    wanted.dedup();
    let mut found = Vec::new();
    for folder in FOLDERS {
        search_below(&state.path().join(folder), &wanted, &mut found)?;
    }
    Ok(found)
}

fn search_below(folder: &Path, wanted: &[String], found: &mut Vec<Trace>) -> io::Result<()> {
    for name in names_in(folder)? {
        let path = folder.join(name);
        // Links are not followed. A session's file may have been removed since its name was read.
        let Some(metadata) = if_found(path.symlink_metadata())? else { continue };
        let kind = metadata.file_type();
        if kind.is_dir() {
            search_below(&path, wanted, found)?;
        } else if kind.is_file() {
            let lines = lines_with(&path, wanted)?;
            found.extend((lines > 0).then_some(Trace { path, lines }));
        }
    }
    Ok(())
}

fn lines_with(path: &Path, wanted: &[String]) -> io::Result<u64> {
    let Some(file) = if_found(open_to_read(path))? else { return Ok(0) };
    let mut source = BufReader::with_capacity(64 * 1024, file);
    let (mut line, mut count) = (Vec::new(), 0);
    while source.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        count += u64::from(wanted.iter().any(|wanted| text.contains(wanted.as_str())));
        line.clear();
    }
    Ok(count)
}
