//! What a hook runs: the files that trust must cover, and the commands that nobody can pin.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tenter_contract::{Command, Handler, HookSpec, McpTransport, Pattern};

/// Programs whose behaviour the project decides: what they do is written in files they look for themselves.
const RUNNERS: [&str; 32] = [
    "ant",
    "bazel",
    "bundle",
    "cargo",
    "composer",
    "ctest",
    "deno",
    "dotnet",
    "eslint",
    "go",
    "gradle",
    "gradlew",
    "jest",
    "just",
    "make",
    "mvn",
    "mvnw",
    "nox",
    "npm",
    "npx",
    "nx",
    "pnpm",
    "poetry",
    "pre-commit",
    "pytest",
    "rake",
    "task",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "yarn",
];

/// No project has more files that its hooks run.
const MOST_FILES: usize = 2_000;

/// What trust covers beside the hook files themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// Files, links resolved, in order.
    pub files: Vec<PathBuf>,
    /// Commands that do what the project says at the time.
    pub runners: Vec<String>,
    /// Those of them for which `trust_files` says what decides.
    pub covered_runners: Vec<String>,
}

impl Pins {
    /// What these hooks run.
    pub fn of(hooks: &[HookSpec], root: &Path) -> Self {
        let mut files = BTreeSet::new();
        let (mut runners, mut covered_runners) = (BTreeSet::new(), BTreeSet::new());
        for hook in hooks {
            for word in words(hook) {
                if let Some(file) = inside(&word, hook, root) {
                    files.insert(file);
                } else if is_runner(&word) {
                    let line = command_line(hook);
                    if !hook.trust_files.is_empty() {
                        covered_runners.insert(line.clone());
                    }
                    runners.insert(line);
                }
            }
            files.extend(modules(hook, root));
            files.extend(globbed(&hook.trust_files, root));
        }
        Self {
            files: files.into_iter().collect(),
            runners: runners.into_iter().collect(),
            covered_runners: covered_runners.into_iter().collect(),
        }
    }

    /// Commands that nothing says anything about: each needs an explicit yes.
    pub fn unpinned(&self) -> impl Iterator<Item = &str> {
        self.runners.iter().filter(|runner| !self.covered_runners.contains(runner)).map(String::as_str)
    }
}

/// Every word of a hook that may name a file or a program.
fn words(hook: &HookSpec) -> Vec<String> {
    match &hook.handler {
        Handler::Command(Command::Shell(line)) => shell_words(line.as_str()),
        Handler::Command(Command::Argv(words)) => words.iter().map(|word| word.as_str().to_owned()).collect(),
        Handler::Script(path) => vec![path.clone()],
        Handler::Mcp(mcp) => match &mcp.server.transport {
            McpTransport::Stdio { command, .. } => command.clone(),
            McpTransport::Http { .. } => Vec::new(),
        },
        Handler::Python(python) => python.interpreter.iter().cloned().collect(),
        Handler::Http(_)
        | Handler::Builtin(_)
        | Handler::Inject(_)
        | Handler::Message { .. }
        | Handler::Ask(_)
        | Handler::Deny(_)
        | Handler::InProcess => Vec::new(),
    }
}

/// Rather a word too many: whatever could be a path between the shell's signs is looked at.
fn shell_words(line: &str) -> Vec<String> {
    let apart = |c: char| c.is_whitespace() || ";|&()<>{}$`=,:'\"".contains(c);
    line.split(apart).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn command_line(hook: &HookSpec) -> String {
    match &hook.handler {
        Handler::Command(Command::Shell(line)) => line.as_str().to_owned(),
        _ => words(hook).join(" "),
    }
}

/// The file a word names inside the project: from the root, where hooks run, or from the hook file's folder.
fn inside(word: &str, hook: &HookSpec, root: &Path) -> Option<PathBuf> {
    let script = matches!(hook.handler, Handler::Script(_));
    let own = PathBuf::from(&hook.source.folder);
    let places = if script { vec![own] } else { vec![root.to_path_buf(), own] };
    let root = std::fs::canonicalize(root).ok()?;
    places.iter().find_map(|folder| {
        let named = folder.join(word);
        match std::fs::canonicalize(&named) {
            Ok(file) if file.is_file() && file.starts_with(&root) => Some(file),
            // A script that is not there yet is covered too: it would run as soon as it is.
            Err(_) if script && named.starts_with(&root) => Some(named),
            Ok(_) | Err(_) => None,
        }
    })
}

fn is_runner(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    RUNNERS.contains(&name)
}

/// A Python function's module and, as nobody knows what it imports, every module beside it.
fn modules(hook: &HookSpec, root: &Path) -> Vec<PathBuf> {
    let Handler::Python(python) = &hook.handler else { return Vec::new() };
    let Some(package) = python.function.split('.').next() else { return Vec::new() };
    let folder = PathBuf::from(&hook.source.folder);
    let mut files = Vec::new();
    for base in [&folder, &root.to_path_buf()] {
        let module = base.join(format!("{package}.py"));
        if module.is_file() {
            files.push(module);
            collect(base, 0, &mut |file| is_python(file), &mut files);
        }
        collect(&base.join(package), 8, &mut |file| is_python(file), &mut files);
    }
    files
}

fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py" || extension == "so" || extension == "pyd")
}

fn globbed(globs: &[String], root: &Path) -> Vec<PathBuf> {
    let patterns: Vec<Pattern> = globs.iter().filter_map(|glob| Pattern::parse(glob).ok()).collect();
    if patterns.is_empty() {
        return Vec::new();
    }
    let mut files = Vec::new();
    let shown = root.to_string_lossy().into_owned();
    let mut wanted = |file: &Path| {
        let path = file.to_string_lossy();
        patterns.iter().any(|pattern| pattern.matches_path(&path, Some(&shown)))
    };
    collect(root, 16, &mut wanted, &mut files);
    files
}

/// Files below a folder, so many levels down; version control and installed packages are nobody's sources.
fn collect(folder: &Path, levels: usize, wanted: &mut dyn FnMut(&Path) -> bool, files: &mut Vec<PathBuf>) {
    let Ok(found) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if files.len() >= MOST_FILES {
            return;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_link = path.symlink_metadata().is_ok_and(|about| about.is_symlink());
        if path.is_dir() {
            let skipped = [".git", "node_modules", "target", "__pycache__", ".venv"].contains(&name.as_str());
            if levels > 0 && !skipped && !is_link {
                collect(&path, levels - 1, wanted, files);
            }
        } else if path.is_file() && wanted(&path) {
            files.push(path);
        }
    }
}
