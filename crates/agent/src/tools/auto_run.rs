//! Files that run code automatically: git, an editor, a shell, a debugger, a CI service or an agent reads them.
//! Changing such a file equals running a command, so it needs the same approval.

use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use tenter_executors::builtin::protect_config::settings_of;

use super::call_paths::real_path;
use super::workspace::Workspace;

const GIT: &str = "git";
const VERSIONS: &str = "a version control program";
const EDITOR: &str = "an editor";
const SHELL: &str = "a shell";
const AGENT: &str = "an agent";
const CI: &str = "a CI service";
const PACKAGES: &str = "a package manager";
const DEBUGGER: &str = "a debugger or an interpreter";
const OURS: &str = "tenter";
/// A file with several names: one of them may be any of these.
const OTHER_NAME: &str = "a program that uses its other name";

/// Programs and the folders that they read, at any depth of the project.
const FOLDERS: &[(&str, &str)] = &[
    (GIT, ".git .husky .githooks .lefthook"),
    (VERSIONS, ".hg .jj .sl .bzr"),
    (EDITOR, ".vscode .idea .fleet .zed .devcontainer"),
    (SHELL, ".ssh .config .local .direnv .mise"),
    (
        AGENT,
        ".claude .codex .gemini .qwen .cursor .copilot .opencode .kilo .kilocode .kiro .amazonq .aws \
         .factory .augment .windsurf .codeium .amp .kimi .crush .devin .agents .agent .cline .clinerules \
         .continue .roo .goose",
    ),
    (OURS, ".tenter"),
    (CI, ".circleci .woodpecker .semaphore .teamcity .tekton .buildkite"),
    (PACKAGES, ".cargo .yarn .bundle"),
    (DEBUGGER, ".ipython"),
];

/// Folders of forges; most of their files are only descriptions.
const FORGES: [&str; 4] = [".github", ".forgejo", ".gitea", ".gitlab"];

const FORGE_ENTRIES: &[(&str, &str)] = &[(CI, "workflows actions ci"), (AGENT, "hooks copilot")];

/// Programs and the files that they read, in any folder. A `*` at the end matches anything.
const FILES: &[(&str, &str)] = &[
    (
        GIT,
        ".gitconfig .gitmodules .pre-commit-config.* lefthook* .lefthook* .overcommit.yml .huskyrc* \
         husky.config.* .simple-git-hooks.* simple-git-hooks.*",
    ),
    (VERSIONS, ".hgrc"),
    (
        SHELL,
        ".envrc .mise* mise.toml mise.local.toml .bashrc .bash_profile .bash_login .bash_logout \
         .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .inputrc .tmux.conf \
         .xprofile",
    ),
    (EDITOR, ".exrc .vimrc .nvimrc .nvim.lua .lvimrc .emacs .dir-locals.el .dir-locals-2.el"),
    (AGENT, ".mcp.json"),
    (DEBUGGER, ".gdbinit .lldbinit .pdbrc .irbrc .pryrc .rprofile sitecustomize.py usercustomize.py"),
    (
        CI,
        ".gitlab-ci.y* .travis.y* azure-pipelines.y* bitbucket-pipelines.y* .drone.* .woodpecker.* \
         .cirrus.* .appveyor.y* appveyor.y* .build.y* wercker.y* jenkinsfile",
    ),
    (PACKAGES, ".npmrc .yarnrc* .pnpmfile.* .pypirc"),
];

const ENDS: [(&str, &str); 3] = [(".code-workspace", EDITOR), (".pth", DEBUGGER), (".iml", EDITOR)];

const LARGEST_CONFIG: u64 = 64 * 1024;

impl Workspace {
    /// The program that runs a project file automatically. Checks the path in the call and the resolved path.
    pub(crate) fn auto_run(&self, path: &Path) -> Option<&'static str> {
        let real = real_path(path);
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let below = |path: &Path| {
            let inside = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(&root));
            inside.map_or_else(|_| path.to_owned(), Path::to_owned)
        };
        let names = [Some(path), real.as_deref()].into_iter().flatten();
        let by_name = names.map(below).find_map(|path| by_name(&path));
        by_name.or_else(|| {
            let real = real?;
            let hooks = hooks_folder(&root).and_then(|folder| real_path(&folder));
            let is_hook = hooks.is_some_and(|hooks| real.starts_with(hooks));
            // A hard link of the same file may be anywhere.
            let has_names = fs::metadata(&real).is_ok_and(|found| found.is_file() && found.nlink() > 1);
            if is_hook { Some(GIT) } else { has_names.then_some(OTHER_NAME) }
        })
    }
}

fn by_name(path: &Path) -> Option<&'static str> {
    let parts: Vec<String> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
            _ => None,
        })
        .collect();
    let reader = |rows: &[(&'static str, &str)], name: &str| {
        let matches = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        rows.iter().find(|(_, names)| names.split(' ').any(matches)).map(|(reader, _)| *reader)
    };
    let folder = parts.iter().find_map(|part| reader(FOLDERS, part));
    let forge = || {
        let mut pairs = parts.windows(2).filter(|pair| FORGES.contains(&pair[0].as_str()));
        pairs.find_map(|pair| reader(FORGE_ENTRIES, &pair[1]))
    };
    let file = || {
        let name = parts.last()?;
        let end = ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, reader)| *reader);
        reader(FILES, name).or(end)
    };
    let settings = || settings_of(&parts.join("/")).map(|_| AGENT);
    folder.or_else(forge).or_else(file).or_else(settings)
}

/// The hooks folder in git's configuration of this repository.
fn hooks_folder(root: &Path) -> Option<PathBuf> {
    let mut config = String::new();
    let file = fs::File::open(git_folder(root)?.join("config")).ok()?;
    file.take(LARGEST_CONFIG).read_to_string(&mut config).ok()?;
    let mut value = config.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let key = key.rsplit(']').next().unwrap_or(key);
        key.trim().eq_ignore_ascii_case("hookspath").then(|| value.trim().trim_matches('"'))
    });
    value.next_back().map(|folder| root.join(folder))
}

/// The folder with the repository's configuration. A worktree's `.git` is a file that names another folder, which has a
/// file that names this one.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let line = |path: PathBuf| {
        let mut text = String::new();
        fs::File::open(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
        Some(text.lines().next()?.trim().to_owned())
    };
    let folder = root.join(line(git)?.strip_prefix("gitdir:")?.trim());
    Some(line(folder.join("commondir")).map_or(folder.clone(), |common| folder.join(common)))
}
