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
    /// Folders in which a new file would be covered too.
    pub folders: Vec<PathBuf>,
}

impl Pins {
    /// What these hooks run.
    pub fn of(hooks: &[HookSpec], root: &Path) -> Self {
        let mut files = BTreeSet::new();
        let (mut runners, mut covered_runners) = (BTreeSet::new(), BTreeSet::new());
        let mut walk = Walk::default();
        for hook in hooks {
            let words = words(hook);
            let places = places(&words, hook, root);
            let mut globs = hook.trust_files.clone();
            for word in &words {
                let found: Vec<PathBuf> = inside(word, hook, &places, root).collect();
                if found.is_empty() && is_runner(word) {
                    let line = command_line(hook);
                    if !hook.trust_files.is_empty() {
                        covered_runners.insert(line.clone());
                    }
                    runners.insert(line);
                } else if found.is_empty() && word.contains(['*', '?', '[']) && word.contains('/') {
                    globs.push(word.trim_start_matches("./").to_owned());
                }
                files.extend(found);
            }
            modules(hook, root, &mut walk);
            globbed(&globs, root, &mut walk);
        }
        if walk.files.len() >= MOST_FILES {
            // What is beyond them nobody has looked at.
            runners.insert(format!("whatever lies beyond the first {MOST_FILES} files of `trust_files`"));
        }
        files.extend(walk.files);
        Self {
            files: files.into_iter().collect(),
            runners: runners.into_iter().collect(),
            covered_runners: covered_runners.into_iter().collect(),
            folders: walk.folders,
        }
    }

    /// Commands that nothing says anything about: each needs an explicit yes.
    pub fn unpinned(&self) -> impl Iterator<Item = &str> {
        self.runners.iter().filter(|runner| !self.covered_runners.contains(runner)).map(String::as_str)
    }
}

/// Every word of a hook that may name a file or a program, in what it runs and in the variables it sets.
fn words(hook: &HookSpec) -> Vec<String> {
    let mut words = match &hook.handler {
        Handler::Command(Command::Shell(line)) => shell_words(line.as_str()),
        // `sh -c` has a whole line in one argument.
        Handler::Command(Command::Argv(words)) => {
            words.iter().flat_map(|word| shell_words(word.as_str())).collect()
        }
        Handler::Script(path) => vec![path.clone()],
        Handler::Mcp(mcp) => match &mcp.server.transport {
            McpTransport::Stdio { command, .. } => {
                command.iter().flat_map(|word| shell_words(word)).collect()
            }
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
    };
    if !words.is_empty() {
        words.extend(hook.env.iter().flat_map(|(_, value)| shell_words(value)));
    }
    words
}

/// Rather a word too many: whatever could be a path between the shell's signs is looked at, and whatever
/// stands between quotes as well, which may have spaces in it. The whole comes first.
fn shell_words(line: &str) -> Vec<String> {
    let apart = |c: char| c.is_whitespace() || ";|&()<>{}$`=,:'\"".contains(c);
    let whole = std::iter::once(line).chain(line.split(['\'', '"']));
    let words = whole.chain(line.split(apart)).filter(|word| !word.is_empty()).map(str::to_owned);
    let unique: BTreeSet<String> = words.collect();
    unique.into_iter().collect()
}

fn command_line(hook: &HookSpec) -> String {
    match &hook.handler {
        Handler::Command(Command::Shell(line)) => line.as_str().to_owned(),
        _ => words(hook).join(" "),
    }
}

/// The folders from which a word may be meant: the root, where hooks run, the hook file's own, where `cwd` says,
/// and those that the words themselves name, because of `cd scripts && ./check.sh`.
fn places(words: &[String], hook: &HookSpec, root: &Path) -> Vec<PathBuf> {
    let own = PathBuf::from(&hook.source.folder);
    if matches!(hook.handler, Handler::Script(_)) {
        return vec![own];
    }
    let mut places = vec![root.to_path_buf(), own];
    places.extend(hook.cwd.iter().map(|cwd| root.join(cwd)));
    let named = words.iter().flat_map(|word| spellings(word)).map(|word| root.join(word));
    places.extend(named.filter(|folder| folder.is_dir() && folder != root));
    places
}

/// A word, and what remains of it if a variable or a leading slash stood before: `$CLAUDE_PROJECT_DIR/check.sh`.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let rest = word.split_once('/').map(|(_, rest)| rest.trim_start_matches('/'));
    [Some(word), rest].into_iter().flatten().filter(|word| !word.is_empty())
}

/// The files a word names inside the project.
fn inside<'a>(
    word: &'a str,
    hook: &'a HookSpec,
    places: &'a [PathBuf],
    root: &Path,
) -> impl Iterator<Item = PathBuf> + 'a {
    let script = matches!(hook.handler, Handler::Script(_))
        && matches!(&hook.handler, Handler::Script(path) if path == word);
    let real = std::fs::canonicalize(root).unwrap_or(root.to_path_buf());
    let named = spellings(word).flat_map(move |word| places.iter().map(move |folder| folder.join(word)));
    named.filter_map(move |named| match std::fs::canonicalize(&named) {
        Ok(file) if file.is_file() && file.starts_with(&real) => Some(file),
        // A script that is not there yet is covered too: it would run as soon as it is.
        Err(_) if script && named.ends_with(word) => Some(named),
        Ok(_) | Err(_) => None,
    })
}

fn is_runner(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    RUNNERS.contains(&name)
}

/// Files that were found by walking through folders, and those folders.
#[derive(Default)]
struct Walk {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

/// A Python function's module and, as nobody knows what it imports, every module beside it.
fn modules(hook: &HookSpec, root: &Path, walk: &mut Walk) {
    let Handler::Python(python) = &hook.handler else { return };
    let Some(package) = python.function.split('.').next() else { return };
    let folder = PathBuf::from(&hook.source.folder);
    for base in [&folder, &root.to_path_buf()] {
        let module = base.join(format!("{package}.py"));
        if module.is_file() {
            walk.files.push(module);
            collect(base, 0, &mut |file| is_python(file), walk);
        }
        collect(&base.join(package), 8, &mut |file| is_python(file), walk);
    }
}

fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py" || extension == "so" || extension == "pyd")
}

fn globbed(globs: &[String], root: &Path, walk: &mut Walk) {
    let patterns: Vec<Pattern> = globs.iter().filter_map(|glob| Pattern::parse(glob).ok()).collect();
    if patterns.is_empty() {
        return;
    }
    let shown = root.to_string_lossy().into_owned();
    let mut wanted = |file: &Path| {
        let path = file.to_string_lossy();
        patterns.iter().any(|pattern| pattern.matches_path(&path, Some(&shown)))
    };
    collect(root, 16, &mut wanted, walk);
}

/// Files below a folder, so many levels down; version control and installed packages are nobody's sources.
fn collect(folder: &Path, levels: usize, wanted: &mut dyn FnMut(&Path) -> bool, walk: &mut Walk) {
    let Ok(found) = std::fs::read_dir(folder) else { return };
    walk.folders.push(folder.to_path_buf());
    let mut paths: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if walk.files.len() >= MOST_FILES {
            return;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_link = path.symlink_metadata().is_ok_and(|about| about.is_symlink());
        if path.is_dir() {
            let skipped = [".git", "node_modules", "target", "__pycache__", ".venv"].contains(&name.as_str());
            if levels > 0 && !skipped && !is_link {
                collect(&path, levels - 1, wanted, walk);
            }
        } else if path.is_file() && wanted(&path) {
            walk.files.push(path);
        }
    }
}
