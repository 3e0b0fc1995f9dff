//! Files that run code automatically: git, an editor, a shell, a debugger, a CI service or an agent reads them.
//! Changing one equals running a command, so it needs the same approval.

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

/// Folders at any depth of the project, and their readers.
const FOLDERS: &[(&str, &str)] = &[
    (".git", GIT),
    (".hg", VERSIONS),
    (".jj", VERSIONS),
    (".sl", VERSIONS),
    (".bzr", VERSIONS),
    (".husky", GIT),
    (".githooks", GIT),
    (".lefthook", GIT),
    (".vscode", EDITOR),
    (".idea", EDITOR),
    (".fleet", EDITOR),
    (".zed", EDITOR),
    (".devcontainer", EDITOR),
    (".ssh", SHELL),
    (".config", SHELL),
    (".local", SHELL),
    (".direnv", SHELL),
    (".mise", SHELL),
    (".claude", AGENT),
    (".codex", AGENT),
    (".gemini", AGENT),
    (".qwen", AGENT),
    (".cursor", AGENT),
    (".copilot", AGENT),
    (".opencode", AGENT),
    (".kilo", AGENT),
    (".kilocode", AGENT),
    (".kiro", AGENT),
    (".amazonq", AGENT),
    (".aws", AGENT),
    (".factory", AGENT),
    (".augment", AGENT),
    (".windsurf", AGENT),
    (".codeium", AGENT),
    (".amp", AGENT),
    (".kimi", AGENT),
    (".crush", AGENT),
    (".devin", AGENT),
    (".agents", AGENT),
    (".agent", AGENT),
    (".cline", AGENT),
    (".clinerules", AGENT),
    (".continue", AGENT),
    (".roo", AGENT),
    (".goose", AGENT),
    (".tenter", OURS),
    (".circleci", CI),
    (".woodpecker", CI),
    (".semaphore", CI),
    (".teamcity", CI),
    (".tekton", CI),
    (".buildkite", CI),
    (".cargo", PACKAGES),
    (".yarn", PACKAGES),
    (".bundle", PACKAGES),
    (".ipython", DEBUGGER),
];

/// Folders of forges; most of their files are only descriptions.
const FORGES: [&str; 4] = [".github", ".forgejo", ".gitea", ".gitlab"];

const OF_FORGES: &[(&str, &str)] =
    &[("workflows", CI), ("actions", CI), ("ci", CI), ("hooks", AGENT), ("copilot", AGENT)];

/// Files in any folder of the project. A `*` at the end matches anything.
const FILES: &[(&str, &str)] = &[
    (".gitconfig", GIT),
    (".gitmodules", GIT),
    (".pre-commit-config.*", GIT),
    ("lefthook*", GIT),
    (".lefthook*", GIT),
    (".overcommit.yml", GIT),
    (".huskyrc*", GIT),
    ("husky.config.*", GIT),
    (".simple-git-hooks.*", GIT),
    ("simple-git-hooks.*", GIT),
    (".hgrc", VERSIONS),
    (".envrc", SHELL),
    (".mise*", SHELL),
    ("mise.toml", SHELL),
    ("mise.local.toml", SHELL),
    (".bashrc", SHELL),
    (".bash_profile", SHELL),
    (".bash_login", SHELL),
    (".bash_logout", SHELL),
    (".bash_aliases", SHELL),
    (".profile", SHELL),
    (".zshrc", SHELL),
    (".zshenv", SHELL),
    (".zprofile", SHELL),
    (".zlogin", SHELL),
    (".zlogout", SHELL),
    (".kshrc", SHELL),
    (".inputrc", SHELL),
    (".tmux.conf", SHELL),
    (".xprofile", SHELL),
    (".exrc", EDITOR),
    (".vimrc", EDITOR),
    (".nvimrc", EDITOR),
    (".nvim.lua", EDITOR),
    (".lvimrc", EDITOR),
    (".emacs", EDITOR),
    (".dir-locals.el", EDITOR),
    (".dir-locals-2.el", EDITOR),
    (".mcp.json", AGENT),
    (".gdbinit", DEBUGGER),
    (".lldbinit", DEBUGGER),
    (".pdbrc", DEBUGGER),
    (".irbrc", DEBUGGER),
    (".pryrc", DEBUGGER),
    (".rprofile", DEBUGGER),
    ("sitecustomize.py", DEBUGGER),
    ("usercustomize.py", DEBUGGER),
    (".gitlab-ci.y*", CI),
    (".travis.y*", CI),
    ("azure-pipelines.y*", CI),
    ("bitbucket-pipelines.y*", CI),
    (".drone.*", CI),
    (".woodpecker.*", CI),
    (".cirrus.*", CI),
    (".appveyor.y*", CI),
    ("appveyor.y*", CI),
    (".build.y*", CI),
    ("wercker.y*", CI),
    ("jenkinsfile", CI),
    (".npmrc", PACKAGES),
    (".yarnrc*", PACKAGES),
    (".pnpmfile.*", PACKAGES),
    (".pypirc", PACKAGES),
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
            // Another name of the same file may lie anywhere.
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
    let row = |rows: &[(&str, &'static str)], name: &str| {
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(begin) => name.starts_with(begin),
            None => name == pattern,
        };
        rows.iter().find(|(pattern, _)| fits(pattern)).map(|(_, who)| *who)
    };
    let folder = parts.iter().find_map(|part| row(FOLDERS, part));
    let forge = || {
        let mut pairs = parts.windows(2).filter(|pair| FORGES.contains(&pair[0].as_str()));
        pairs.find_map(|pair| row(OF_FORGES, &pair[1]))
    };
    let file = || {
        let name = parts.last()?;
        let end = ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, who)| *who);
        row(FILES, name).or(end)
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
