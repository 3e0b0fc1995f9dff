//! What makes two folders the same project: one repository, however many worktrees it has.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::ports::AgentAdapter;

/// The project this process stands in: the nearest folder with hooks of its own or a repository. For callers
/// that do not say which project they work on.
pub fn here() -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    let is_root = |folder: &&Path| folder.join(".tenter").is_dir() || folder.join(".git").exists();
    cwd.ancestors().find(is_root).map(Path::to_path_buf)
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
}
