//! What makes two folders the same project: one repository, however many worktrees it has.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::ports::AgentAdapter;
use tenter_runtime::locate::{home_around, project_around};

use crate::places::is_home;

/// The project this process stands in, as an event would find it that comes from here. For callers that do not say
/// which project they work on.
pub fn here() -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    project_around(&cwd, is_home).map(Path::to_path_buf)
}

/// The home in which this process stands, if it is a repository or has hooks of its own, and is no project for all that.
pub fn home_here() -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    home_around(&cwd, is_home).map(Path::to_path_buf)
}

/// The project that an agent says it works on, as its events will.
pub(crate) fn of_agent(agent: &dyn AgentAdapter) -> Option<PathBuf> {
    let named = |variable: &&str| std::env::var_os(variable).filter(|value| !value.is_empty());
    agent.project_variables().iter().find_map(named).map(PathBuf::from)
}

/// The repository's common folder; without one, the folder itself.
pub fn identity(root: &Path) -> String {
    let folder = common_git_folder(root).unwrap_or_else(|| root.to_path_buf());
    fs::canonicalize(&folder).unwrap_or(folder).to_string_lossy().into_owned()
}

/// `.git` is a folder; in a worktree it is a file that names another one, which names the common one. A file
/// is only believed if the repository knows the worktree too: otherwise any folder could claim to be part of
/// a project that is trusted.
fn common_git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    let own = root.join(text.strip_prefix("gitdir:")?.trim());
    let claimed = fs::read_to_string(own.join("gitdir")).ok()?;
    let back = fs::canonicalize(own.join(claimed.trim())).ok()?;
    if back != fs::canonicalize(&git).ok()? {
        return None;
    }
    let common = fs::read_to_string(own.join("commondir")).ok()?;
    Some(own.join(common.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, arguments: &[&str]) {
        let identity =
            ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"];
        let ran = Command::new("git").args(identity).args(arguments).current_dir(folder).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    #[test]
    fn worktrees_share_an_identity_and_a_folder_that_only_claims_to_be_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("main");
        fs::create_dir(&main).unwrap();
        git(&main, &["init", "-q"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../second"]);
        let second = folder.path().join("second");
        assert_eq!(identity(&main), identity(&second));

        let liar = folder.path().join("liar");
        fs::create_dir(&liar).unwrap();
        fs::copy(second.join(".git"), liar.join(".git")).unwrap();
        assert_ne!(identity(&liar), identity(&main));
    }

    #[test]
    fn a_home_is_a_project_only_for_what_is_started_in_it_and_if_it_has_hooks() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in
            ["home/ann/src/app/.git", "home/ann/src/app/lib", "home/ann/notes/old", "home/ann/own/.tenter"]
        {
            fs::create_dir_all(at(path)).unwrap();
        }
        let is_home: fn(&Path) -> bool = |it| it.ends_with("ann") || it.ends_with("home");
        let found = |path: &str| project_around(&at(path), is_home).map(Path::to_path_buf);
        let passed_over = |path: &str| home_around(&at(path), is_home).map(Path::to_path_buf);
        for (root, what) in [("home/ann", "the home"), ("home", "what lies around it")] {
            fs::create_dir(at(root).join(".git")).unwrap();
            assert_eq!(found("home/ann/src/app/lib"), Some(at("home/ann/src/app")), "{what}");
            assert_eq!(found("home/ann/own"), Some(at("home/ann/own")), "{what}");
            for path in ["home/ann", "home/ann/notes", "home/ann/notes/old"] {
                assert_eq!(found(path), None, "{what} is a repository, and {path} is no project");
                assert_eq!(passed_over(path), Some(at(root)), "{what}");
            }
            fs::create_dir(at(root).join(".tenter")).unwrap();
            assert_eq!(found(root), Some(at(root)), "{what}");
            assert_eq!(found("home/ann/notes"), None, "{what}");
            fs::remove_dir(at(root).join(".git")).unwrap();
            fs::remove_dir(at(root).join(".tenter")).unwrap();
        }
        assert_eq!(passed_over("home/ann/notes"), None);
    }
}
