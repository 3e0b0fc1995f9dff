//! Matches files by a glob: `*.rs` at any depth, `src/**/*.rs` below a folder.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

#[derive(Clone, Debug)]
pub(super) struct FileGlob {
    glob: GlobMatcher,
    /// Whether only the file name counts, in any folder.
    anywhere: bool,
    negated: bool,
}

impl FileGlob {
    /// Parses a glob relative to a folder. Returns the folder where the search can start: `src/**/*.rs` starts in `src`.
    pub(super) fn below(folder: &Path, glob: &str) -> Result<(PathBuf, Self), String> {
        let (negated, glob) = glob.strip_prefix('!').map_or((false, glob), |rest| (true, rest));
        let (mut folder, anywhere) = (folder.to_owned(), !glob.contains('/'));
        let mut rest = glob;
        if let Some(from_root) = rest.strip_prefix('/') {
            (folder, rest) = (PathBuf::from("/"), from_root);
        }
        while let Some((part, after)) = rest.split_once('/')
            && !negated
            && !part.contains(['*', '?', '[', '{', '\\'])
        {
            if !matches!(part, "" | ".") {
                folder.push(part);
            }
            rest = after;
        }
        let glob = GlobBuilder::new(rest).literal_separator(true).build().map_err(|error| {
            format!("`{glob}` is not a glob: {}. Use `*`, `?`, `**`, `[ab]` and `{{a,b}}`.", error.kind())
        })?;
        Ok((folder, Self { glob: glob.compile_matcher(), anywhere, negated }))
    }

    /// Whether it matches a path, relative to the folder.
    pub(super) fn matches(&self, path: &Path) -> bool {
        let name = if self.anywhere { path.file_name().map(Path::new) } else { Some(path) };
        name.is_some_and(|name| self.glob.is_match(name) != self.negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glob_has_a_start_folder_and_matches() {
        for (glob, folder, matching, other) in [
            ("*.rs", "/p", &["a.rs", "b/c/a.rs"][..], &["a.rsx", "a.rs/b"][..]),
            ("src/*.rs", "/p/src", &["a.rs"], &["b/a.rs"]),
            ("./src/**/*.rs", "/p/src", &["a.rs", "b/c/a.rs"], &["a.py"]),
            ("**/test_*.py", "/p", &["test_a.py", "x/test_b.py"], &["x/a.py"]),
            ("*/a", "/p", &["x/a"], &["a", "x/y/a"]),
            ("/etc/*.conf", "/etc", &["a.conf"], &[]),
            ("../q/*", "/p/../q", &["a"], &["a/b"]),
            ("{src,tests}/**/*.{rs,py}", "/p", &["src/a.rs", "tests/x/b.py"], &["c.rs", "lib/a.rs"]),
            ("!*.min.js", "/p", &["a.js"], &["x/a.min.js"]),
            ("src/lib.rs", "/p/src", &["lib.rs"], &["x/lib.rs"]),
        ] {
            let (found, names) = FileGlob::below(Path::new("/p"), glob).unwrap();
            assert_eq!(found, Path::new(folder), "{glob}");
            for name in matching {
                assert!(names.matches(Path::new(name)), "{glob} matches {name}");
            }
            for name in other {
                assert!(!names.matches(Path::new(name)), "{glob} does not match {name}");
            }
        }
    }

    #[test]
    fn invalid_glob_is_an_error() {
        let error = FileGlob::below(Path::new("/p"), "a[").unwrap_err();
        assert!(error.starts_with("`a[` is not a glob: unclosed character class"), "{error}");
    }
}
