//! Long output: its start and end for the model, all of it in a file.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::shell::OutputSink;

/// Bytes of the start.
const HEAD: usize = 10_000;
/// Bytes of the end, where programs print their errors.
const TAIL: usize = 20_000;
/// Most bytes of a file, because a program that never stops writing must not fill the disk.
const MOST_SPILLED: u64 = 64 * 1024 * 1024;

/// A text of any length.
#[derive(Debug)]
pub(super) struct BoundedText {
    /// The prefix of the file name.
    name: &'static str,
    folder: PathBuf,
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
    spill: Spill,
}

#[derive(Debug)]
enum Spill {
    NotNeeded,
    To { path: PathBuf, file: File, written: u64 },
    Failed(io::Error),
}

impl BoundedText {
    /// An empty text; if it becomes too long, all of it is written to this folder.
    pub(super) fn new(name: &'static str, folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { name, folder, head: Vec::new(), tail: Vec::new(), total: 0, spill: Spill::NotNeeded }
    }

    /// Shortens a complete text.
    pub(super) fn shorten(name: &'static str, folder: &Path, text: &str) -> String {
        if text.len() <= HEAD + TAIL {
            return text.to_owned();
        }
        let mut bounded = Self::new(name, folder);
        bounded.receive(text.as_bytes());
        bounded.into_text()
    }

    pub(super) fn into_text(mut self) -> String {
        if self.total <= (HEAD + TAIL) as u64 {
            self.head.extend(self.tail);
            return String::from_utf8_lossy(&self.head).into_owned();
        }
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        let (head, tail) = (trim_end(&self.head), trim_start(&self.tail));
        let left_out = self.total - (head.len() + tail.len()) as u64;
        let kept = match &self.spill {
            Spill::To { path, written, .. } if *written == self.total => {
                format!("all of it is in `{}`", path.display())
            }
            Spill::To { path, written, .. } => {
                format!("the first {written} bytes of all {} are in `{}`", self.total, path.display())
            }
            Spill::Failed(error) => format!("they could not be saved: {error}"),
            Spill::NotNeeded => "they were not saved".to_owned(),
        };
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
        format!("{head}\n[… {left_out} bytes are left out here; {kept}.]\n{tail}")
    }

    fn spill(&mut self, bytes: &[u8]) {
        if matches!(self.spill, Spill::NotNeeded) {
            self.spill = match create_file(self.name, &self.folder) {
                Ok((file, path)) => Spill::To { path, file, written: 0 },
                Err(error) => Spill::Failed(error),
            };
            // Nothing was dropped before, because the text was short enough.
            let so_far = [self.head.as_slice(), &self.tail].concat();
            self.append(&so_far);
        }
        self.append(bytes);
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Spill::To { file, written, .. } = &mut self.spill {
            let room = usize::try_from(MOST_SPILLED.saturating_sub(*written)).unwrap_or(usize::MAX);
            let bytes = &bytes[..bytes.len().min(room)];
            match file.write_all(bytes) {
                Ok(()) => *written += bytes.len() as u64,
                Err(error) => self.spill = Spill::Failed(error),
            }
        }
    }
}

impl OutputSink for BoundedText {
    fn receive(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if self.total > (HEAD + TAIL) as u64 {
            self.spill(bytes);
        }
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend_from_slice(&bytes[room..]);
        // Up to twice as much is kept, so that the front is dropped rarely.
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
    }
}

fn create_file(name: &str, folder: &Path) -> io::Result<(File, PathBuf)> {
    if !folder.is_dir() {
        // The output of commands is private.
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let folder = fs::canonicalize(folder)?;
    let file = tempfile::Builder::new().prefix(&format!("{name}-")).suffix(".txt").tempfile_in(folder)?;
    file.keep().map_err(|error| error.error)
}

/// The text up to a line end if one is near, without a cut character.
fn trim_end(text: &[u8]) -> &[u8] {
    match memchr::memrchr(b'\n', text) {
        Some(at) if at * 2 > text.len() => &text[..at],
        _ => match std::str::from_utf8(text) {
            Err(error) if error.error_len().is_none() => &text[..error.valid_up_to()],
            _ => text,
        },
    }
}

fn trim_start(text: &[u8]) -> &[u8] {
    match memchr::memchr(b'\n', text) {
        Some(at) if at * 2 < text.len() => &text[at + 1..],
        // Skips the rest of a character that was cut.
        _ => &text[text.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(pieces: &[&[u8]], folder: &Path) -> String {
        let mut bounded = BoundedText::new("out", folder);
        for piece in pieces {
            bounded.receive(piece);
        }
        bounded.into_text()
    }

    #[test]
    fn short_text_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let spills = folder.path().join("spills");
        assert_eq!(text_of(&["a".as_bytes(), &[0xc3], &[0xa4]], &spills), "aä");
        let full = "x".repeat(HEAD + TAIL);
        assert_eq!(text_of(&[full.as_bytes()], &spills), full);
        assert!(!spills.exists());
    }

    #[test]
    fn long_text_is_saved_and_shows_both_ends() {
        let folder = tempfile::tempdir().unwrap();
        let spills = folder.path().join("a/b");
        let text: String = (0..20_000)
            .flat_map(|number| ["line ".to_owned(), number.to_string(), "\n".to_owned()])
            .collect();
        for size in [7, 1_000, 64 * 1024, text.len()] {
            let shown = text_of(&text.as_bytes().chunks(size).collect::<Vec<_>>(), &spills);
            assert!(shown.starts_with("line 0\nline 1\n"), "{size}");
            assert!(shown.ends_with("line 19998\nline 19999\n"), "{size}");
            assert!(shown.len() < HEAD + TAIL + 300, "{size}");
            let path = shown.split("all of it is in `").nth(1).unwrap().split('`').next().unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), text, "{size}");
            let middle = shown.lines().find(|line| line.starts_with("[…")).unwrap();
            let left_out: usize = middle.split(' ').nth(1).unwrap().parse().unwrap();
            assert_eq!(shown.len() - middle.len() - 2 + left_out, text.len(), "{size}");
        }
    }

    #[test]
    fn failed_save_is_reported() {
        let shown = text_of(&["ä".repeat(HEAD + TAIL).as_bytes()], Path::new("/dev/null/x"));
        assert!(shown.contains("they could not be saved: Not a directory"), "{shown}");
        assert!(!shown.contains('\u{fffd}'), "{shown}");
    }
}
