//! The files of the project that one hook runs: every text of the hook that may name a file, and those files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use tenter_contract::{Command, Handler, HookSpec, McpTransport};
use tenter_shell::contains_word;

use super::dynamic_names::{programs, runs_dynamic_name};
use super::line_words::{self, DYNAMIC, WILD};
use super::pins::variables;
use super::runners::{is_runner, is_runner_here, loads_by_name, python};
use super::walk::Walk;
use super::{LARGEST, links, python as python_files};
use crate::places::absolute;

/// Variables with folders from which programs load code.
pub(super) const SEARCHED: &str = "CLASSPATH DYLD_LIBRARY_PATH GEM_HOME GEM_PATH LD_LIBRARY_PATH \
    LUA_CPATH LUA_PATH NODE_PATH PATH PERL5LIB PERLLIB PYTHONHOME \
    PYTHONPATH RUBYLIB";

/// Variables with options that make interpreters load code by its name.
const OPTIONS: &str = "JAVA_TOOL_OPTIONS NODE_OPTIONS PERL5OPT RUBYOPT _JAVA_OPTIONS";

/// Folders of the system, whose programs are not listed.
const SYSTEM: [&str; 9] = ["/bin", "/dev", "/etc", "/lib", "/nix", "/opt", "/proc", "/sbin", "/usr"];

/// The most folders that one command line enters.
const MOST_PLACES: usize = 32;

/// Lines within lines are read to this depth.
const DEEPEST: usize = 4;

/// A longer word is not a name.
const LONGEST: usize = 512;

pub(super) struct HookFiles<'h> {
    hook: &'h HookSpec,
    root: &'h Path,
    real: &'h Path,
    /// The folders from which a relative word may start.
    places: Vec<PathBuf>,
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) absent: BTreeSet<PathBuf>,
    pub(super) named_folders: BTreeSet<PathBuf>,
    pub(super) outside: BTreeSet<PathBuf>,
    pub(super) runners: BTreeSet<String>,
    pub(super) walk: Walk,
    /// Python starts in a way in which it loads modules from the folder of its program.
    loads_own_folder: bool,
}

impl<'h> HookFiles<'h> {
    pub(super) fn find(hook: &'h HookSpec, root: &'h Path, real: &'h Path) -> Self {
        let (run, set) = (run_lines(hook), set_lines(hook));
        let words: BTreeSet<String> =
            run.iter().chain(&set).flat_map(|line| line_words::possible_paths(line)).collect();
        let mut found = Self {
            hook,
            root,
            real,
            places: places(&words, hook, root),
            files: BTreeSet::new(),
            absent: BTreeSet::new(),
            named_folders: BTreeSet::new(),
            outside: BTreeSet::new(),
            runners: BTreeSet::new(),
            walk: Walk::default(),
            loads_own_folder: false,
        };
        let mut globs = hook.trust_files.clone();
        found.script();
        found.python();
        for line in &run {
            found.run_line(line, &mut globs);
        }
        for line in &set {
            found.line(line, &mut globs);
        }
        for place in hook.cwd.iter().map(|cwd| root.join(cwd)) {
            links::on_the_way(&place, root, real, &mut found.walk.links);
        }
        found.search_paths();
        found.walk.globs(&globs, root, real);
        found.first_lines();
        found.own_folders();
        found.too_large();
        found
    }

    /// A script has one place only. A missing one is covered too: it would run as soon as it exists.
    fn script(&mut self) {
        let Handler::Script(script) = &self.hook.handler else { return };
        let named = Path::new(&self.hook.source.folder).join(expanded(script));
        links::on_the_way(&named, self.root, self.real, &mut self.walk.links);
        match fs::canonicalize(&named) {
            Ok(file) if file.starts_with(self.real) => {
                // A script without a first line runs with the interpreter of its extension.
                self.loads_own_folder |= file.extension().is_some_and(|extension| extension == "py");
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

    /// The imports of a Python function's module are unknown: every module of its folder counts.
    fn python(&mut self) {
        if !matches!(self.hook.handler, Handler::Python(_)) {
            return;
        }
        let folder = PathBuf::from(&self.hook.source.folder);
        links::on_the_way(&folder, self.root, self.real, &mut self.walk.links);
        self.walk.python(&folder, self.real);
    }

    /// A line that the shell or the system runs.
    fn run_line(&mut self, line: &str, globs: &mut Vec<String>) {
        self.line(line, globs);
        let words = line_words::unquoted_words(line);
        let by_name = loads_by_name(&words, |word| self.is_folder(word));
        let dynamic = runs_dynamic_name(line, &|word| self.is_folder(word));
        let by_place = programs(line).iter().any(|word| is_runner_here(word));
        let python = python(&words);
        self.loads_own_folder |= python.iter().any(|start| start.own_folder);
        if by_name || dynamic || by_place || python.iter().any(|start| !start.obeys_variables) {
            self.cannot_pin();
        }
        let set: Vec<(&str, &str)> = words.iter().filter_map(|word| word.split_once('=')).collect();
        for (_, value) in set.iter().filter(|(name, _)| contains_word(SEARCHED, name)) {
            self.load_from(value);
        }
        if set.iter().any(|(name, _)| contains_word(OPTIONS, name)) {
            self.cannot_pin();
        }
    }

    /// The words of a line: files, folders behind an option, programs that cannot be pinned.
    fn line(&mut self, line: &str, globs: &mut Vec<String>) {
        self.missing(line, DEEPEST);
        let words = line_words::unquoted_words(line);
        let written = only_written(line);
        for word in line_words::possible_paths(line).into_iter().filter(|word| !written.contains(word)) {
            let is_file = self.named(&word);
            if is_runner(&word, is_file) {
                self.cannot_pin();
            } else if !is_file && word.contains(['*', '?', '[']) && word.contains('/') {
                let word = word.trim_start_matches("./");
                let below = self.places.iter().filter_map(|place| place.strip_prefix(self.root).ok());
                globs.extend(below.map(|place| place.join(word).to_string_lossy().into_owned()));
            }
            for end in line_words::option_values(&word) {
                self.named(end);
            }
        }
        let options = words.iter().zip(words.iter().skip(1)).filter(|(option, _)| *option == "-I");
        let apart = options.map(|(_, folder)| folder.as_str());
        let glued = words
            .iter()
            .filter(|word| !word.starts_with("--"))
            .filter_map(|word| line_words::option_values(word).next());
        let folders: Vec<PathBuf> = apart.chain(glued).flat_map(|word| self.folders(word)).collect();
        for folder in folders {
            self.walk.everything(&folder, self.real);
        }
    }

    /// Folders of the project in variables with search paths.
    fn search_paths(&mut self) {
        let of_hook: Vec<(String, String)> = variables(self.hook).cloned().collect();
        for (name, value) in &of_hook {
            if contains_word(SEARCHED, name) {
                self.load_from(value);
            } else if contains_word(OPTIONS, name) {
                self.cannot_pin();
            }
        }
    }

    fn load_from(&mut self, value: &str) {
        let folders: Vec<PathBuf> =
            line_words::possible_paths(value).iter().flat_map(|word| self.folders(word)).collect();
        for folder in folders {
            self.walk.everything(&folder, self.real);
            self.environment(&folder.join("x"));
        }
    }

    /// `#!/usr/bin/env -S sh scripts/check.sh`: the first line of a file is a command line too.
    fn first_lines(&mut self) {
        let mut read = BTreeSet::new();
        loop {
            let all = self.files.iter().chain(&self.walk.files);
            let new: BTreeSet<PathBuf> = all.filter(|file| !read.contains(*file)).cloned().collect();
            if new.is_empty() {
                return;
            }
            let lines: BTreeSet<String> = new.iter().filter_map(|file| first_line(file)).collect();
            read.extend(new);
            for line in lines {
                let mut globs = Vec::new();
                self.run_line(&line, &mut globs);
                self.walk.globs(&globs, self.root, self.real);
            }
        }
    }

    /// A Python program loads modules from its own folder first, before those of the standard library.
    fn own_folders(&mut self) {
        if !self.loads_own_folder {
            return;
        }
        let programs = self.files.iter().filter(|file| python_files::is_program(file));
        let folders: BTreeSet<PathBuf> =
            programs.filter_map(|file| file.parent()).map(Path::to_path_buf).collect();
        for folder in folders.iter().filter(|folder| !python_files::is_environments(folder)) {
            self.walk.python(folder, self.real);
        }
    }

    /// A program of a virtual environment runs with everything that is installed there.
    fn environment(&mut self, program: &Path) {
        if !(program.starts_with(self.real) || program.starts_with(self.root)) {
            return;
        }
        for settings in python_files::settings_of(program) {
            if settings.is_file() {
                self.walk.environment(settings.parent().unwrap_or(self.real), self.real);
            } else {
                self.absent.insert(settings);
            }
        }
    }

    /// Missing files that a line names: they would run as soon as they exist.
    fn missing(&mut self, line: &str, levels: usize) {
        let written = only_written(line);
        for command in line_words::commands(line) {
            // A program without a folder comes from `PATH`.
            let program = command.words.first().filter(|word| !word.contains('/'));
            let words = command.words.iter().skip(usize::from(program.is_some()));
            for word in words.chain(&command.inputs) {
                if levels > 0 && word != line && word.contains(char::is_whitespace) {
                    self.missing(word, levels - 1);
                }
                let pieces = word.split(['=', ':', ',']).chain([word.as_str()]);
                let glued = line_words::option_values(word).filter(|end| end.contains(['/', '.']));
                for name in
                    pieces.chain(glued).filter(|name| could_be_named(name) && !written.contains(*name))
                {
                    let places = self.places.iter().map(|place| place.join(name));
                    let absent =
                        places.filter(|path| path.symlink_metadata().is_err() && self.is_inside(path));
                    self.absent.extend(absent.collect::<Vec<_>>());
                }
            }
        }
    }

    /// Adds the files of the project that a word names, and the links on the way; whether there is a file.
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
            let inside = resolved.starts_with(self.real);
            if resolved.is_file() {
                self.environment(&path);
                if inside {
                    self.files.insert(resolved);
                    found = true;
                } else if !path.starts_with(self.root) && !path.starts_with(self.real) && is_private(&path) {
                    self.outside.insert(path);
                }
            } else if inside && resolved != self.real {
                self.named_folders.insert(path);
            }
        }
        found
    }

    /// Whether a missing path would be in the project.
    fn is_inside(&self, path: &Path) -> bool {
        let below = path.strip_prefix(self.root).or_else(|_| path.strip_prefix(self.real));
        let mut depth = 0_i32;
        below.is_ok_and(|below| {
            below.components().all(|step| {
                depth += match step {
                    Component::ParentDir => -1,
                    Component::Normal(_) => 1,
                    Component::CurDir | Component::RootDir | Component::Prefix(_) => 0,
                };
                depth >= 0
            })
        })
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
            Handler::Script(script) => script.clone(),
            _ => run_lines(self.hook).join(" "),
        };
        self.runners.insert(line);
    }

    /// Files that are too large to compare.
    fn too_large(&mut self) {
        for file in self.files.iter().chain(&self.walk.files) {
            if fs::metadata(file).is_ok_and(|about| about.len() > LARGEST) {
                let shown = file.strip_prefix(self.real).unwrap_or(file).display();
                self.walk.beyond.insert(format!("{shown}, which is too large to compare"));
            }
        }
    }
}

/// The lines that a hook runs. An argument list becomes one line, because `sh -c` has a whole line in one argument.
fn run_lines(hook: &HookSpec) -> Vec<String> {
    match &hook.handler {
        Handler::Command(Command::Shell(line)) => vec![line.as_str().to_owned()],
        Handler::Command(Command::Argv(words)) => {
            one_line(words.iter().map(tenter_contract::Template::as_str))
        }
        Handler::Mcp(mcp) => match &mcp.server.transport {
            McpTransport::Stdio { command, .. } => one_line(command.iter().map(String::as_str)),
            McpTransport::Http { .. } => Vec::new(),
        },
        Handler::Python(python) => one_line(python.interpreter.iter().map(String::as_str)),
        Handler::Script(_)
        | Handler::Http(_)
        | Handler::Builtin(_)
        | Handler::Inject(_)
        | Handler::Message { .. }
        | Handler::Ask(_)
        | Handler::Deny(_)
        | Handler::InProcess => Vec::new(),
    }
}

/// The values of the variables that a hook sets. They may name a file too.
fn set_lines(hook: &HookSpec) -> Vec<String> {
    let runs = match &hook.handler {
        Handler::Command(_) | Handler::Script(_) | Handler::Python(_) => true,
        Handler::Mcp(mcp) => matches!(mcp.server.transport, McpTransport::Stdio { .. }),
        _ => false,
    };
    variables(hook).filter(|_| runs).map(|(_, value)| value.clone()).collect()
}

/// Arguments as one line for a shell.
fn one_line<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,~".contains(c);
    let quoted = |word: &str| {
        let is_plain = !word.is_empty() && word.chars().all(plain);
        if is_plain { word.to_owned() } else { tenter_contract::template::shell_quote(word) }
    };
    let line = words.map(quoted).collect::<Vec<_>>().join(" ");
    if line.is_empty() { Vec::new() } else { vec![line] }
}

/// Files that a line only writes: they decide nothing, and change with every run.
fn only_written(line: &str) -> BTreeSet<String> {
    let outputs = line_words::commands(line).into_iter().flat_map(|command| command.outputs);
    outputs
        .filter(|file| !file.contains([DYNAMIC, WILD]) && line.matches(file.as_str()).count() == 1)
        .collect()
}

/// The folders from which a relative word may start: the root, the hook file's own, `cwd`, and those that the words
/// themselves name, because of `cd scripts && cd checks && ./check.sh`.
fn places(words: &BTreeSet<String>, hook: &HookSpec, root: &Path) -> Vec<PathBuf> {
    let mut places = vec![root.to_path_buf()];
    let own = PathBuf::from(&hook.source.folder);
    let more = std::iter::once(own).chain(hook.cwd.iter().map(|cwd| root.join(cwd)));
    for place in more {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let mut from = 0;
    while from < places.len() && places.len() < MOST_PLACES {
        let here = places[from].clone();
        for folder in words.iter().flat_map(|word| spellings(word)).map(|word| here.join(word)) {
            if folder.is_dir()
                && places.len() < MOST_PLACES
                && !places.iter().any(|place| same(place, &folder))
            {
                places.push(folder);
            }
        }
        from += 1;
    }
    places
}

fn same(one: &Path, other: &Path) -> bool {
    one == other || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(a), Ok(b)) if a == b)
}

/// Whether a word could name a file.
fn could_be_named(word: &str) -> bool {
    let is_name = !word.is_empty() && word.len() <= LONGEST && !word.starts_with('-');
    is_name && !word.contains(['\n', '\0', DYNAMIC, WILD])
}

/// A word with and without its first component, which may be a variable: `$CLAUDE_PROJECT_DIR/check.sh`.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let rest = word.split_once('/').map(|(_, rest)| rest.trim_start_matches('/'));
    [Some(word), rest].into_iter().flatten().filter(|word| !word.is_empty())
}

fn is_private(path: &Path) -> bool {
    !SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Replaces a leading `~` by the user's home, as the shell does when the hook runs.
pub(super) fn expanded(path: &str) -> PathBuf {
    let home = absolute("HOME");
    let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|spelled| path.strip_prefix(spelled));
    match (rest, home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// The interpreter line of a file, without `#!`.
pub(super) fn first_line(file: &Path) -> Option<String> {
    let bytes = super::read(file)?;
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}
