//! `~` in the paths of hook files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The user's home from the environment.
pub(crate) fn find(ours: &[(OsString, OsString)]) -> Option<&Path> {
    let home = ours.iter().find(|(name, _)| name == "HOME").map(|(_, value)| Path::new(value))?;
    home.is_absolute().then_some(home)
}

/// Expands a leading `~`. Without a home the path stays unchanged and is reported as missing later.
pub(crate) fn expand(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_leading_tilde_is_expanded() {
        for (path, expected) in [
            ("~", "/home/u"),
            ("~/a", "/home/u/a"),
            ("~//a", "/home/u/a"),
            ("~other/a", "~other/a"),
            ("a/~", "a/~"),
            ("/a", "/a"),
        ] {
            assert_eq!(expand(path, Some(Path::new("/home/u"))), PathBuf::from(expected), "{path}");
        }
        assert_eq!(expand("~/a", None), PathBuf::from("~/a"));
    }
}
