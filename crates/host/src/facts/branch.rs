//! The branch that is checked out, read where git keeps it: starting git would cost more than all the rest.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// No pointer that git writes is longer.
const LONGEST: u64 = 8 * 1024;

/// The branch of the repository that a folder belongs to. None outside of one, and if a commit is checked out
/// instead of a branch.
pub(super) fn checked_out(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|above| above.join(".git")).find(|git| git.exists())?;
    let head = read(&git_folder(&git)?.join("HEAD"))?;
    let branch = head.trim_end().strip_prefix("ref:")?.trim_start().strip_prefix("refs/heads/")?;
    // Repositories that keep their branches in a table put this here for older readers.
    (branch != ".invalid").then(|| branch.to_owned())
}

/// `.git` itself or, in worktrees and submodules, the folder that it names.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let pointer = read(git)?;
    let named = pointer.trim_end_matches(['\n', '\r']).strip_prefix("gitdir:")?.trim_start();
    Some(git.parent()?.join(named))
}

/// A small plain file. Whatever else lies there must not make us wait.
fn read(path: &Path) -> Option<String> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).ok()?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn place(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn the_branch_is_read_at_or_above_the_folder() {
        let place = place(&[("repo/.git/HEAD", "ref: refs/heads/feature/a b\n"), ("repo/src/deep/x", "")]);
        for folder in ["repo", "repo/src/deep"] {
            assert_eq!(checked_out(&place.path().join(folder)).as_deref(), Some("feature/a b"), "{folder}");
        }
        assert_eq!(checked_out(place.path()), None);
    }

    #[test]
    fn a_worktree_has_a_branch_of_its_own() {
        let place = place(&[
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/.git/worktrees/w/HEAD", "ref: refs/heads/side\n"),
            ("relative/.git", "gitdir: ../repo/.git/worktrees/w\n"),
        ]);
        let absolute = place.path().join("absolute");
        fs::create_dir(&absolute).unwrap();
        let pointer = format!("gitdir: {}\n", place.path().join("repo/.git/worktrees/w").display());
        fs::write(absolute.join(".git"), pointer).unwrap();
        assert_eq!(checked_out(&place.path().join("repo")).as_deref(), Some("main"));
        assert_eq!(checked_out(&place.path().join("relative")).as_deref(), Some("side"));
        assert_eq!(checked_out(&absolute).as_deref(), Some("side"));
    }

    #[test]
    fn no_branch_is_no_fact() {
        for head in ["8a6f1c2e9d\n", "ref: refs/heads/.invalid\n", "ref: refs/tags/v1\n", ""] {
            assert_eq!(checked_out(place(&[(".git/HEAD", head)]).path()), None, "{head}");
        }
        assert_eq!(checked_out(place(&[(".git", "nonsense")]).path()), None);
    }

    #[test]
    fn what_is_no_plain_file_does_not_make_us_wait() {
        let place = place(&[(".git/config", "")]);
        let made = std::process::Command::new("mkfifo").arg(place.path().join(".git/HEAD")).status().unwrap();
        assert!(made.success());
        assert_eq!(checked_out(place.path()), None);
    }
}
