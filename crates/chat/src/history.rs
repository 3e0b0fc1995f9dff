//! Input history, in a private file of the state folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tenter_store::StateFolder;

pub(crate) const MOST: usize = 1000;

/// File name. One JSON string per line, because an entry may have several lines.
pub(crate) struct History {
    path: PathBuf,
}

impl History {
    /// The history of a state folder. Errors are reported when an entry is added.
    pub(crate) fn new(state: &StateFolder) -> Self {
        Self { path: state.path().join("chats").join("history") }
    }

    /// All entries, latest last. Invalid lines are skipped.
    pub(crate) fn read(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let all: Vec<String> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let recent = all[all.len().saturating_sub(MOST)..].to_vec();
        if all.len() > 2 * MOST {
            // Only a convenience: a file that stays long is read again next time.
            let _ = self.rewrite(&recent);
        }
        recent
    }

    /// Adds an entry, unless it starts with a space.
    pub(crate) fn add(&self, entry: &str) -> io::Result<()> {
        if entry.starts_with(' ') || entry.trim().is_empty() {
            return Ok(());
        }
        let line = line(entry)?;
        private(&self.path, OpenOptions::new().append(true).create(true))?.write_all(line.as_bytes())
    }

    fn rewrite(&self, entries: &[String]) -> io::Result<()> {
        let temporary = self.path.with_extension(std::process::id().to_string());
        let text: String = entries.iter().map(|entry| line(entry)).collect::<io::Result<_>>()?;
        private(&temporary, OpenOptions::new().write(true).create(true).truncate(true))?
            .write_all(text.as_bytes())?;
        fs::rename(temporary, &self.path)
    }
}

fn line(entry: &str) -> io::Result<String> {
    Ok(format!("{}\n", serde_json::to_string(entry)?))
}

fn private(path: &Path, options: &mut OpenOptions) -> io::Result<fs::File> {
    options.mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn history_is_kept_and_private() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("chats")).unwrap();
        let history = History::new(&StateFolder::new(folder.path().to_path_buf()));
        assert_eq!(history.read(), Vec::<String>::new());
        for entry in ["one", "two\nlines", " hidden", ""] {
            history.add(entry).unwrap();
        }
        assert_eq!(history.read(), ["one", "two\nlines"]);
        let mode = fs::metadata(&history.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn long_history_loses_its_oldest_entries() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("chats")).unwrap();
        let history = History::new(&StateFolder::new(folder.path().to_path_buf()));
        let many: Vec<String> = (0..=2 * MOST).map(|number| number.to_string()).collect();
        history.rewrite(&many).unwrap();
        assert_eq!(history.read().first(), Some(&(MOST + 1).to_string()));
        assert_eq!(fs::read_to_string(&history.path).unwrap().lines().count(), MOST);
    }
}
