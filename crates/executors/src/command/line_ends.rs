//! Detects scripts with Windows line ends, which Unix shells cannot start.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tenter_contract::template::shell_quote;

/// Enough bytes for a first line.
const FIRST_LINE: usize = 256;

/// A hint about the first of these words that names a script with Windows line ends. `folder` is the hook's folder.
#[cold]
#[inline(never)]
pub(crate) fn hint<'w>(words: impl IntoIterator<Item = &'w str>, folder: Option<&Path>) -> Option<String> {
    let file = |word: &str| -> PathBuf {
        let word = Path::new(word.trim_matches(['"', '\'', ';', '(', ')', '&', '|']));
        folder.map_or_else(|| word.to_owned(), |folder| folder.join(word))
    };
    let file = words.into_iter().map(file).find(|file| begins_with_windows_line(file))?;
    let shown = file.to_string_lossy();
    let typed = shell_quote(&shown);
    Some(format!("`{shown}` has Windows line ends (CRLF); type `sed -i 's/\\r$//' {typed}`"))
}

/// Whether the first line of a regular file is a shebang that ends in CR LF, or blank but for it.
fn begins_with_windows_line(file: &Path) -> bool {
    if !file.is_file() {
        return false;
    }
    let mut start = [0; FIRST_LINE];
    let Ok(length) = File::open(file).and_then(|mut file| file.read(&mut start)) else { return false };
    let first = start[..length].split(|byte| *byte == b'\n').next().unwrap_or_default();
    first.len() < length && first.ends_with(b"\r")
}
