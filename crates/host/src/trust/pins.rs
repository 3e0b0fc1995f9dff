//! What a hook runs: the files and links that trust must cover, and the commands that nobody can pin.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::{Command, Handler, HookSpec, McpTransport};

use super::runners::{is_runner, loads_by_name};
use super::walk::Walk;
use super::{LARGEST, links, words};

/// Variables in which a folder stands from which programs load code.
const SEARCHED: [&str; 8] =
    ["PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "LUA_PATH", "LD_LIBRARY_PATH", "CLASSPATH"];

/// What trust covers beside the hook files themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// Files, links resolved, in order.
    pub files: Vec<PathBuf>,
    /// Links of the project on the way to what runs: where they lead is covered.
    pub links: Vec<PathBuf>,
    /// Scripts that lie outside the project and are not covered.
    pub outside: Vec<PathBuf>,
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
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let (mut runners, mut covered_runners) = (BTreeSet::new(), BTreeSet::new());
        let mut files = BTreeSet::new();
        let (mut links, mut outside) = (BTreeSet::new(), BTreeSet::new());
        let mut folders = BTreeSet::new();
        for hook in hooks {
            let look = Look::at(hook, root, &real);
            if !hook.trust_files.is_empty() {
                covered_runners.extend(look.runners.iter().cloned());
            }
            runners.extend(look.runners);
            // No `trust_files` says what lies beyond the limits.
            runners.extend(look.walk.beyond);
            files.extend(look.files);
            files.extend(look.walk.files);
            links.extend(look.walk.links);
            outside.extend(look.outside);
            folders.extend(look.walk.folders);
        }
        Self {
            files: files.into_iter().collect(),
            links: links.into_iter().collect(),
            outside: outside.into_iter().collect(),
            runners: runners.into_iter().collect(),
            covered_runners: covered_runners.into_iter().collect(),
            folders: folders.into_iter().collect(),
        }
    }

    /// Commands that nothing says anything about: each needs an explicit yes.
    pub fn unpinned(&self) -> impl Iterator<Item = &str> {
        self.runners.iter().filter(|runner| !self.covered_runners.contains(runner)).map(String::as_str)
    }
}

/// Whether a hook's own file is a Python program, which loads modules that lie beside it.
pub(super) fn is_python_script(hook: &HookSpec) -> bool {
    let Handler::Script(script) = &hook.handler else { return false };
    let file = Path::new(&hook.source.folder).join(expanded(script));
    let of_python = |line: String| line.contains("python") || line.contains("pypy");
    file.extension().is_some_and(|extension| extension == "py") || first_line(&file).is_some_and(of_python)
}

/// One hook, looked at.
struct Look<'h> {
    hook: &'h HookSpec,
    root: &'h Path,
    real: &'h Path,
    /// From where a word may be meant.
    places: Vec<PathBuf>,
    files: BTreeSet<PathBuf>,
    outside: BTreeSet<PathBuf>,
    runners: BTreeSet<String>,
    walk: Walk,
}

impl<'h> Look<'h> {
    fn at(hook: &'h HookSpec, root: &'h Path, real: &'h Path) -> Self {
        let lines = lines(hook);
        let words: BTreeSet<String> = lines.iter().flat_map(|line| words::of(line)).collect();
        let mut look = Self {
            hook,
            root,
            real,
            places: places(&words, hook, root),
            files: BTreeSet::new(),
            outside: BTreeSet::new(),
            runners: BTreeSet::new(),
            walk: Walk::default(),
        };
        let mut globs = hook.trust_files.clone();
        look.script();
        look.python();
        for line in &lines {
            look.line(line, &mut globs);
        }
        for place in hook.cwd.iter().map(|cwd| root.join(cwd)) {
            links::on_the_way(&place, root, real, &mut look.walk.links);
        }
        look.searched();
        look.first_lines(&mut globs);
        look.walk.globs(&globs, root, real);
        look.too_large();
        look
    }

    /// A script is looked for in one place only. One that is not there yet is covered too: it would run as soon as
    /// it is.
    fn script(&mut self) {
        let Handler::Script(script) = &self.hook.handler else { return };
        let named = Path::new(&self.hook.source.folder).join(expanded(script));
        links::on_the_way(&named, self.root, self.real, &mut self.walk.links);
        match fs::canonicalize(&named) {
            Ok(file) if file.starts_with(self.real) => {
                if is_python_script(self.hook)
                    && let Some(folder) = file.parent()
                {
                    self.walk.python(folder, self.real);
                }
                self.files.insert(file);
            }
            Ok(file) => {
                self.outside.insert(file);
            }
            Err(_) if named.starts_with(self.root) || named.starts_with(self.real) => {
                self.files.insert(named);
            }
            Err(_) => {
                self.outside.insert(named);
            }
        }
    }

    /// As nobody knows what a Python function's module imports: every module that it could, from where it is
    /// imported itself.
    fn python(&mut self) {
        if !matches!(self.hook.handler, Handler::Python(_)) {
            return;
        }
        let folder = PathBuf::from(&self.hook.source.folder);
        links::on_the_way(&folder, self.root, self.real, &mut self.walk.links);
        self.walk.python(&folder, self.real);
    }

    /// The words of a line: files, folders that are glued to an option, programs that cannot be pinned.
    fn line(&mut self, line: &str, globs: &mut Vec<String>) {
        let spoken = words::spoken(line);
        if loads_by_name(&spoken, |word| self.is_folder(word)) {
            self.cannot_pin();
        }
        for word in words::of(line) {
            let is_file = self.named(&word);
            if is_runner(&word, is_file) {
                self.cannot_pin();
            } else if !is_file && word.contains(['*', '?', '[']) && word.contains('/') {
                globs.push(word.trim_start_matches("./").to_owned());
            }
            for end in words::glued(&word) {
                self.named(end);
            }
        }
        let options = spoken.iter().zip(spoken.iter().skip(1)).filter(|(option, _)| *option == "-I");
        let apart = options.map(|(_, folder)| folder.as_str());
        let glued =
            spoken.iter().filter(|word| !word.starts_with("--")).filter_map(|word| words::glued(word).next());
        let folders: Vec<PathBuf> = apart.chain(glued).flat_map(|word| self.folders(word)).collect();
        for folder in folders {
            self.walk.everything(&folder, self.real);
        }
    }

    /// Folders of the project in variables that say where code is looked for.
    fn searched(&mut self) {
        let env = variables(self.hook).filter(|(name, _)| SEARCHED.contains(&name.as_str()));
        let folders: Vec<PathBuf> =
            env.flat_map(|(_, value)| words::of(value)).flat_map(|word| self.folders(&word)).collect();
        for folder in folders {
            self.walk.everything(&folder, self.real);
        }
    }

    /// `#!/usr/bin/env -S sh scripts/check.sh`: what a file says it is run with is a line like any other.
    fn first_lines(&mut self, globs: &mut Vec<String>) {
        let mut read = BTreeSet::new();
        while let Some(file) = self.files.difference(&read).next().cloned() {
            if let Some(line) = first_line(&file) {
                self.line(&line, globs);
            }
            read.insert(file);
        }
    }

    /// Notes the files of the project that a word names, and the links on the way to what it names; whether there
    /// is a file.
    fn named(&mut self, word: &str) -> bool {
        let mut found = false;
        for path in self.candidates(word) {
            let Ok(resolved) = fs::canonicalize(&path) else {
                if path.is_symlink() {
                    links::on_the_way(&path, self.root, self.real, &mut self.walk.links);
                }
                continue;
            };
            links::on_the_way(&path, self.root, self.real, &mut self.walk.links);
            if resolved.is_file() && resolved.starts_with(self.real) {
                self.files.insert(resolved);
                found = true;
            }
        }
        found
    }

    /// The folders of the project that a word names.
    fn folders(&self, word: &str) -> Vec<PathBuf> {
        let resolved = self.candidates(word).into_iter().filter_map(|path| fs::canonicalize(path).ok());
        resolved.filter(|path| path.is_dir() && path.starts_with(self.real)).collect()
    }

    fn is_folder(&self, word: &str) -> bool {
        !self.folders(word).is_empty()
    }

    fn candidates(&self, word: &str) -> Vec<PathBuf> {
        let home = expanded(word);
        let from_home = home.is_absolute().then_some(home);
        let below = spellings(word).flat_map(|word| self.places.iter().map(move |place| place.join(word)));
        below.chain(from_home).collect()
    }

    fn cannot_pin(&mut self) {
        let line = match &self.hook.handler {
            Handler::Command(Command::Shell(line)) => line.as_str().to_owned(),
            _ => lines(self.hook).join(" "),
        };
        self.runners.insert(line);
    }

    /// What is not read is not compared either.
    fn too_large(&mut self) {
        for file in self.files.iter().chain(&self.walk.files) {
            if fs::metadata(file).is_ok_and(|about| about.len() > LARGEST) {
                let shown = file.strip_prefix(self.real).unwrap_or(file).display();
                self.walk.beyond.insert(format!("{shown}, which is too large to look at"));
            }
        }
    }
}

/// Every text of a hook that may name a file or a program, in what it runs and in the variables it sets. `sh -c`
/// has a whole line in one argument, so an argument is a line too.
fn lines(hook: &HookSpec) -> Vec<String> {
    let runs: Vec<String> = match &hook.handler {
        Handler::Command(Command::Shell(line)) => vec![line.as_str().to_owned()],
        Handler::Command(Command::Argv(words)) => {
            one_line(words.iter().map(tenter_contract::Template::as_str))
        }
        Handler::Mcp(mcp) => match &mcp.server.transport {
            McpTransport::Stdio { command, .. } => one_line(command.iter().map(String::as_str)),
            McpTransport::Http { .. } => return Vec::new(),
        },
        Handler::Python(python) => python.interpreter.iter().cloned().collect(),
        Handler::Script(_) => Vec::new(),
        Handler::Http(_)
        | Handler::Builtin(_)
        | Handler::Inject(_)
        | Handler::Message { .. }
        | Handler::Ask(_)
        | Handler::Deny(_)
        | Handler::InProcess => return Vec::new(),
    };
    runs.into_iter().chain(variables(hook).map(|(_, value)| value.clone())).collect()
}

/// Arguments as the one line that a shell would read as them.
fn one_line<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,~".contains(c);
    let quoted = |word: &str| {
        let is_plain = !word.is_empty() && word.chars().all(plain);
        if is_plain { word.to_owned() } else { tenter_contract::template::shell_quote(word) }
    };
    vec![words.map(quoted).collect::<Vec<_>>().join(" ")]
}

/// The variables that a hook sets, for itself or for the server it starts.
pub(super) fn variables(hook: &HookSpec) -> impl Iterator<Item = &(String, String)> {
    let of_server: &[(String, String)] = match &hook.handler {
        Handler::Mcp(mcp) => match &mcp.server.transport {
            McpTransport::Stdio { env, .. } => env,
            McpTransport::Http { .. } => &[],
        },
        _ => &[],
    };
    hook.env.iter().chain(of_server)
}

/// The folders from which a word may be meant: the root, where hooks run, the hook file's own, where `cwd` says,
/// and those that the words themselves name, because of `cd scripts && ./check.sh`.
fn places(words: &BTreeSet<String>, hook: &HookSpec, root: &Path) -> Vec<PathBuf> {
    let mut places = vec![root.to_path_buf(), PathBuf::from(&hook.source.folder)];
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

/// A leading `~` is the user's home, as it is when the hook runs.
fn expanded(path: &str) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// What a file says it is run with.
fn first_line(file: &Path) -> Option<String> {
    let bytes = super::read(file)?;
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}
