//! What makes two folders the same project: one repository, however many worktrees it has.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::ports::AgentAdapter;
use tenter_runtime::hooks::{home_around, project_around};
use tenter_store::{TrustedRoots, read_regular_text};

use crate::places::{Places, is_home};

/// The project of the current folder, as an event from here would have it. For callers that do not say
/// which project they work on.
pub fn here() -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    project_around(&cwd, is_home).map(Path::to_path_buf)
}

/// The nearest root around this process at which something was trusted, for a project that is none any more.
pub fn trusted_around() -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    let roots = TrustedRoots::read(Places::of_process().state_folder.as_deref()?);
    let nearest =
        roots.around(&cwd).filter(|root| !is_home(root)).max_by_key(|root| root.components().count());
    nearest.map(Path::to_path_buf)
}

/// The current folder if it is the user's home and has a repository or hooks of its own. It still is no project.
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

/// The folder that all worktrees of a repository share. `.git` is that folder, or in a linked worktree a file that
/// names `<common>/worktrees/<name>`, where git keeps a link back to the file. Everything in a downloaded folder can
/// claim to belong to a trusted repository, so only what the repository says itself counts: the back link must lie
/// in the common folder. Submodules and `--separate-git-dir` have none and are known by their own folder, and so is a
/// folder whose `.git` is a symbolic link.
fn common_git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let metadata = fs::symlink_metadata(&git).ok()?;
    if metadata.is_dir() {
        return Some(git);
    }
    if metadata.is_symlink() {
        return None;
    }
    let pointer = |path: &Path| read_regular_text(path, LONGEST_POINTER).ok();
    let named = pointer(&git)?;
    let own = fs::canonicalize(root.join(named.strip_prefix("gitdir:")?.trim())).ok()?;
    let common = fs::canonicalize(own.join(pointer(&own.join("commondir"))?.trim())).ok()?;
    if own.parent()? != common.join("worktrees") {
        return None;
    }
    let back = fs::canonicalize(own.join(pointer(&own.join("gitdir"))?.trim())).ok()?;
    (back == fs::canonicalize(root).ok()?.join(".git")).then_some(common)
}

/// Git writes paths of at most this size into its files.
const LONGEST_POINTER: u64 = 8 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
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

    type Claim<'a> = &'a dyn Fn(&Path);

    #[test]
    fn downloaded_folders_cannot_claim_another_repository() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir(at("main")).unwrap();
        git(&at("main"), &["init", "-q"]);
        git(&at("main"), &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&at("main"), &["worktree", "add", "-q", "../second"]);
        let common = fs::canonicalize(at("main/.git")).unwrap();
        let claims: [(&str, Claim<'_>); 7] = [
            ("a link to the folder", &|liar| symlink(&common, liar.join(".git")).unwrap()),
            ("a link to a worktree's file", &|liar| symlink(at("second/.git"), liar.join(".git")).unwrap()),
            ("a common folder of its own making", &|liar| own_worktree(liar, common.to_str().unwrap())),
            ("the same, relative", &|liar| own_worktree(liar, "../../main/.git")),
            ("the same below `worktrees`", &|liar| {
                fs::create_dir_all(liar.join("fake/worktrees")).unwrap();
                own_worktree(liar, common.to_str().unwrap());
                fs::rename(liar.join("meta"), liar.join("fake/worktrees/x")).unwrap();
                fs::write(liar.join(".git"), "gitdir: fake/worktrees/x\n").unwrap();
                fs::write(liar.join("fake/worktrees/x/gitdir"), "../../../.git\n").unwrap();
            }),
            ("a link to the worktrees of the repository", &|liar| {
                symlink(common.join("worktrees"), liar.join("worktrees")).unwrap();
                fs::write(liar.join(".git"), "gitdir: worktrees/second\n").unwrap();
            }),
            ("a folder with a `commondir`", &|liar| {
                fs::create_dir(liar.join(".git")).unwrap();
                fs::write(liar.join(".git/commondir"), common.to_str().unwrap()).unwrap();
            }),
        ];
        for (what, claim) in claims {
            let liar = at("liar");
            fs::create_dir(&liar).unwrap();
            claim(&liar);
            assert_ne!(identity(&liar), identity(&at("main")), "{what}");
            fs::remove_dir_all(&liar).unwrap();
        }
        let pipe = at("pipe");
        fs::create_dir(&pipe).unwrap();
        assert!(Command::new("mkfifo").arg(pipe.join(".git")).status().unwrap().success());
        assert_ne!(identity(&pipe), identity(&at("main")), "a pipe is not read");
    }

    /// A folder that describes itself as a worktree of another repository.
    fn own_worktree(liar: &Path, common: &str) {
        fs::create_dir(liar.join("meta")).unwrap();
        fs::write(liar.join(".git"), "gitdir: meta\n").unwrap();
        fs::write(liar.join("meta/gitdir"), "../.git\n").unwrap();
        fs::write(liar.join("meta/commondir"), format!("{common}\n")).unwrap();
    }

    #[test]
    fn everything_that_git_makes_keeps_its_identity() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir(at("main")).unwrap();
        git(&at("main"), &["init", "-q"]);
        git(&at("main"), &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&at("main"), &["worktree", "add", "-q", "../second"]);
        git(&at("main"), &["worktree", "move", "../second", "../moved"]);
        assert_eq!(identity(&at("moved")), identity(&at("main")));
        fs::rename(at("moved"), at("deferred")).unwrap();
        assert_ne!(identity(&at("deferred")), identity(&at("main")), "git does not know it there");
        git(&at("main"), &["worktree", "repair", "../deferred"]);
        assert_eq!(identity(&at("deferred")), identity(&at("main")));
        git(folder.path(), &["clone", "-q", "--bare", "main", "bare.git"]);
        git(&at("bare.git"), &["worktree", "add", "-q", "../one"]);
        git(&at("bare.git"), &["worktree", "add", "-q", "-b", "two", "../two"]);
        assert_eq!(identity(&at("one")), identity(&at("two")));
        fs::create_dir(at("apart")).unwrap();
        git(&at("apart"), &["init", "-q", "--separate-git-dir", "../apart.git"]);
        assert_eq!(identity(&at("apart")), fs::canonicalize(at("apart")).unwrap().to_string_lossy());
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
