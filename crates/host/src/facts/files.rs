//! Whether something lies at a path, or fits a glob.

use std::path::Path;

use tenter_executors::search::{Start, search};
use tenter_store::read_regular;

/// More to read than an answer is worth keeping for.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Whether something fits a path or glob, seen from the project root.
pub(super) fn exists(wanted: &str, root: Option<&Path>) -> bool {
    let home = std::env::home_dir();
    // A search that takes too long counts as successful.
    search(wanted, &Start { root, home: home.as_deref(), skipped: &[".git"] }, &mut |_| true).unwrap_or(true)
}

/// The paths and contents of all files that fit, in one hash.
pub(super) fn fingerprint(wanted: &[String], root: Option<&Path>) -> Option<String> {
    let mut found = Vec::new();
    let home = std::env::home_dir();
    let start = Start { root, home: home.as_deref(), skipped: &[".git"] };
    for path in wanted {
        search(path, &start, &mut |path| {
            found.push(path.to_owned());
            false
        })?;
    }
    found.sort();
    found.dedup();
    let (mut all, mut bytes) = (Vec::new(), 0);
    for path in found.iter().filter(|path| path.is_file()) {
        bytes += path.metadata().ok()?.len();
        if bytes > MOST_BYTES {
            return None;
        }
        let hash = tenter_protocol::shorten::sha256_hex(&read_regular(path, MOST_BYTES).ok()?);
        all.extend_from_slice(path.as_os_str().as_encoded_bytes());
        // No path has this byte.
        all.push(0);
        all.extend_from_slice(hash.as_bytes());
    }
    Some(tenter_protocol::shorten::sha256_hex(&all))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn place() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in ["Cargo.toml", "infra/eu/main.tf", ".git/config.tf", "docs/a [b].md"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::create_dir(folder.path().join("empty")).unwrap();
        folder
    }

    fn check(there: &[&str], absent: &[&str]) {
        let place = place();
        for path in there {
            assert!(exists(path, Some(place.path())), "{path} is there");
        }
        for path in absent {
            assert!(!exists(path, Some(place.path())), "{path} is not there");
        }
    }

    #[test]
    fn paths_and_folders_are_seen_from_the_root() {
        check(
            &["Cargo.toml", "./Cargo.toml", "infra", "infra/", "infra/eu/main.tf", "infra/../Cargo.toml"],
            &["cargo.toml", "main.tf", "Cargo.toml/x", "none/../Cargo.toml"],
        );
    }

    #[test]
    fn globs_are_searched_for() {
        check(
            &["*.toml", "**/*.tf", "infra/**", "infra/*/main.??", "**/main.tf", "**/Cargo.toml", "docs/a*"],
            &["*.tf", "infra/*.tf", "**/config.tf", "empty/**", "**/*.py", "*/*/*/*"],
        );
    }

    #[test]
    fn an_absolute_path_is_that_path_and_without_a_root_others_are_nowhere() {
        let place = place();
        let file = place.path().join("Cargo.toml");
        assert!(exists(file.to_str().unwrap(), None));
        assert!(!exists("Cargo.toml", None));
    }

    #[test]
    fn a_search_without_end_counts_as_successful() {
        let place = place();
        for number in 0..=tenter_executors::search::MOST_NAMES / 200 {
            let folder = place.path().join(format!("many/{number}"));
            fs::create_dir_all(&folder).unwrap();
            (0..200).for_each(|name| fs::write(folder.join(name.to_string()), "").unwrap());
        }
        assert!(exists("**/*.py", Some(place.path())));
        assert_eq!(fingerprint(&["**/*.py".to_owned()], Some(place.path())), None);
    }

    #[test]
    fn a_fingerprint_is_another_one_when_a_file_is() {
        let place = place();
        let now = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            fingerprint(&files, Some(place.path())).unwrap()
        };
        let (toml, deep) = (now(&["*.toml"]), now(&["infra/**"]));
        assert_eq!(toml, now(&["Cargo.toml", "*.toml"]));
        fs::write(place.path().join("infra/eu/main.tf"), "changed").unwrap();
        assert_eq!(toml, now(&["*.toml"]));
        assert_ne!(deep, now(&["infra/**"]));
        fs::write(place.path().join("new.toml"), "").unwrap();
        assert_ne!(toml, now(&["*.toml"]));
    }
}
