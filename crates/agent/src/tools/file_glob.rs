//! Which files a glob means: `*.rs` at any depth, `src/**/*.rs` from a folder on.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

#[derive(Clone, Debug)]
pub(super) struct FileGlob {
    glob: GlobMatcher,
    /// Whether only the file name counts, in any folder.
    anywhere: bool,
    others: bool,
}

impl FileGlob {
    /// Reads a glob that starts at a folder. The folders that it names in full lead to another one, where the search
    /// can begin: `src/**/*.rs` begins in `src`.
    pub(super) fn below(folder: &Path, glob: &str) -> Result<(PathBuf, Self), String> {
        let (others, glob) = glob.strip_prefix('!').map_or((false, glob), |rest| (true, rest));
        let (mut folder, anywhere) = (folder.to_owned(), !glob.contains('/'));
        let mut rest = glob;
        if let Some(from_root) = rest.strip_prefix('/') {
            (folder, rest) = (PathBuf::from("/"), from_root);
        }
        while let Some((part, after)) = rest.split_once('/')
            && !others
            && !part.contains(['*', '?', '[', '{', '\\'])
        {
            if !matches!(part, "" | ".") {
                folder.push(part);
            }
            rest = after;
        }
        let glob = GlobBuilder::new(rest).literal_separator(true).build().map_err(|error| {
            format!("`{glob}` is no glob: {}. `*`, `?`, `**`, `[ab]` and `{{a,b}}` are known.", error.kind())
        })?;
        Ok((folder, Self { glob: glob.compile_matcher(), anywhere, others }))
    }

    /// Whether it means a file, input from the folder on.
    pub(super) fn mean(&self, path: &Path) -> bool {
        let name = if self.anywhere { path.file_name().map(Path::new) } else { Some(path) };
        name.is_some_and(|name| self.glob.is_match(name) != self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_starts_where_it_can_and_means_what_it_says() {
        for (glob, folder, means, not) in [
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
            for name in means {
                assert!(names.mean(Path::new(name)), "{glob} means {name}");
            }
            for name in not {
                assert!(!names.mean(Path::new(name)), "{glob} does not mean {name}");
            }
        }
    }

    #[test]
    fn what_is_no_glob_is_said() {
        let said = FileGlob::below(Path::new("/p"), "a[").unwrap_err();
        assert!(said.starts_with("`a[` is no glob: unclosed character class"), "{said}");
    }
}
