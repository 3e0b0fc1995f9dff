//! Finds a text among the files of the state, for a user who has deleted it elsewhere. A text that was sent to an
//! agent is recorded, and neither a chain of records nor the file of a session is rewritten because of it.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::StateFolder;
use crate::audit::files::names_in;
use crate::place::open_to_read;

/// The folders that are looked through: records, those quarantined too; texts that sessions received or wait for; chats.
const FOLDERS: [&str; 3] = ["audit", "sessions", "chats"];

/// A file that has one of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file.
    pub path: PathBuf,
    /// In so many lines of it, which are records in a file of the trail.
    pub lines: u64,
}

impl Trace {
    /// Whether it is a file of the trail, or of one that was quarantined.
    pub fn is_of_trail(&self, state: &StateFolder) -> bool {
        self.path.starts_with(state.path().join("audit"))
    }
}

/// The files that have one of these texts, plain or JSON-escaped, sorted by their paths.
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
        look_below(&state.path().join(folder), &wanted, &mut found)?;
    }
    Ok(found)
}

fn look_below(folder: &Path, wanted: &[String], found: &mut Vec<Trace>) -> io::Result<()> {
    for name in names_in(folder)? {
        let path = folder.join(name);
        // A link leads to what is not ours to look at.
        let kind = match path.symlink_metadata() {
            // A session's file may have been taken up since its name was read.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
            looked => looked?.file_type(),
        };
        if kind.is_dir() {
            look_below(&path, wanted, found)?;
        } else if kind.is_file() {
            let lines = lines_with(&path, wanted)?;
            found.extend((lines > 0).then_some(Trace { path, lines }));
        }
    }
    Ok(())
}

fn lines_with(path: &Path, wanted: &[String]) -> io::Result<u64> {
    let file = match open_to_read(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(0),
        opened => opened?,
    };
    let mut source = BufReader::with_capacity(64 * 1024, file);
    let (mut line, mut count) = (Vec::new(), 0);
    while source.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        count += u64::from(wanted.iter().any(|wanted| text.contains(wanted.as_str())));
        line.clear();
    }
    Ok(count)
}
