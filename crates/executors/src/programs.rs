//! Finds programs and shows command lines.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tenter_contract::template::shell_quote;

/// The program folders of a system.
pub(crate) const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The first program of that name in a `PATH`. Relative folders do not count: a project must not decide what runs.
pub(crate) fn find_in_path(name: impl AsRef<Path>, path: &OsStr) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(&name)).find(|file| is_executable(file))
}

pub(crate) fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

/// The command line as a person would type it.
pub(crate) fn display_command<'w>(words: impl IntoIterator<Item = &'w OsStr>) -> String {
    let words = words.into_iter().map(|word| quote_if_needed(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// A word as a person would type it: quoted only if it must be.
pub(crate) fn quote_if_needed(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { shell_quote(text) }
}
