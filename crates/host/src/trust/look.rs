//! One hook, looked at: every text of it that may name a file, and the files that they name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use tenter_contract::{Command, Handler, HookSpec, McpTransport};

use super::made_names::{makes_up_a_name, programs};
use super::pins::variables;
use super::runners::{is_runner, is_runner_here, loads_by_name, python};
use super::shell::{self, MADE, WILD};
use super::walk::Walk;
use super::{LARGEST, links, python as python_files, words};

/// Variables in which a folder stands from which programs load code.
pub(super) const SEARCHED: [&str; 14] = [
    "CLASSPATH",
    "DYLD_LIBRARY_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "LD_LIBRARY_PATH",
    "LUA_CPATH",
    "LUA_PATH",
    "NODE_PATH",
    "PATH",
    "PERL5LIB",
    "PERLLIB",
    "PYTHONHOME",
    "PYTHONPATH",
    "RUBYLIB",
];

/// Variables with options in them, with which interpreters load code by its name.
const OPTIONS: [&str; 5] = ["JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "_JAVA_OPTIONS"];

/// Folders of the system, whose programs are nobody's surprise.
const SYSTEM: [&str; 9] = ["/bin", "/dev", "/etc", "/lib", "/nix", "/opt", "/proc", "/sbin", "/usr"];

/// No command line enters more folders.
const MOST_PLACES: usize = 32;

/// Lines within lines are looked through so deep.
const DEEPEST: usize = 4;

/// A word above this is no name.
const LONGEST: usize = 512;

/// One hook, and what was found.
pub(super) struct Look<'h> {
    hook: &'h HookSpec,
    root: &'h Path,
    real: &'h Path,
    /// From where a word may be meant.
    places: Vec<PathBuf>,
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) absent: BTreeSet<PathBuf>,
    pub(super) named_folders: BTreeSet<PathBuf>,
    pub(super) outside: BTreeSet<PathBuf>,
    pub(super) runners: BTreeSet<String>,
    pub(super) walk: Walk,
    /// Python is started in a way in which it loads modules that lie beside its program.
    loads_beside: bool,
}

impl<'h> Look<'h> {
    pub(super) fn at(hook: &'h HookSpec, root: &'h Path, real: &'h Path) -> Self {
        let (run, set) = (run_lines(hook), set_lines(hook));
        let words: BTreeSet<String> = run.iter().chain(&set).flat_map(|line| words::of(line)).collect();
        let mut look = Self {
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
            loads_beside: false,
        };
        let mut globs = hook.trust_files.clone();
        look.script();
        look.python();
        for line in &run {
            look.run_line(line, &mut globs);
        }
        for line in &set {
            look.line(line, &mut globs);
        }
        for place in hook.cwd.iter().map(|cwd| root.join(cwd)) {
            links::on_the_way(&place, root, real, &mut look.walk.links);
        }
        look.searched();
        look.walk.globs(&globs, root, real);
        look.first_lines();
        look.beside();
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
                // What has no first line runs with the interpreter of its extension.
                self.loads_beside |= file.extension().is_some_and(|extension| extension == "py");
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

    /// A line that the shell or the system runs.
    fn run_line(&mut self, line: &str, globs: &mut Vec<String>) {
        self.line(line, globs);
        let spoken = words::spoken(line);
        let by_name = loads_by_name(&spoken, |word| self.is_folder(word));
        let made_up = makes_up_a_name(line, &|word| self.is_folder(word));
        let by_place = programs(line).iter().any(|word| is_runner_here(word));
        let python = python(&spoken);
        self.loads_beside |= python.iter().any(|start| start.own_folder);
        if by_name || made_up || by_place || python.iter().any(|start| !start.heeds_variables) {
            self.cannot_pin();
        }
        let set: Vec<(&str, &str)> = spoken.iter().filter_map(|word| word.split_once('=')).collect();
        for (_, value) in set.iter().filter(|(name, _)| SEARCHED.contains(name)) {
            self.load_from(value);
        }
        if set.iter().any(|(name, _)| OPTIONS.contains(name)) {
            self.cannot_pin();
        }
    }

    /// The words of a line: files, folders that are glued to an option, programs that cannot be pinned.
    fn line(&mut self, line: &str, globs: &mut Vec<String>) {
        self.awaited(line, DEEPEST);
        let spoken = words::spoken(line);
        let written = only_written(line);
        for word in words::of(line).into_iter().filter(|word| !written.contains(word)) {
            let is_file = self.named(&word);
            if is_runner(&word, is_file) {
                self.cannot_pin();
            } else if !is_file && word.contains(['*', '?', '[']) && word.contains('/') {
                let word = word.trim_start_matches("./");
                let below = self.places.iter().filter_map(|place| place.strip_prefix(self.root).ok());
                globs.extend(below.map(|place| place.join(word).to_string_lossy().into_owned()));
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
        let of_hook: Vec<(String, String)> = variables(self.hook).cloned().collect();
        for (name, value) in &of_hook {
            if SEARCHED.contains(&name.as_str()) {
                self.load_from(value);
            } else if OPTIONS.contains(&name.as_str()) {
                self.cannot_pin();
            }
        }
    }

    fn load_from(&mut self, value: &str) {
        let folders: Vec<PathBuf> = words::of(value).iter().flat_map(|word| self.folders(word)).collect();
        for folder in folders {
            self.walk.everything(&folder, self.real);
            self.environment(&folder.join("x"));
        }
    }

    /// `#!/usr/bin/env -S sh scripts/check.sh`: what a file says it is run with is a line like any other.
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

    /// A Python program loads whatever has the name of a module and lies beside it, be it one of the standard
    /// library's.
    fn beside(&mut self) {
        if !self.loads_beside {
            return;
        }
        let programs = self.files.iter().filter(|file| python_files::is_program(file));
        let folders: BTreeSet<PathBuf> =
            programs.filter_map(|file| file.parent()).map(Path::to_path_buf).collect();
        for folder in folders.iter().filter(|folder| !python_files::is_environments(folder)) {
            self.walk.python(folder, self.real);
        }
    }

    /// A program of a virtual environment runs with all that is installed there.
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

    /// What a line names and is not there: it would be run as soon as it is.
    fn awaited(&mut self, line: &str, levels: usize) {
        let written = only_written(line);
        for command in shell::commands(line) {
            // A program that is named without a folder is looked for elsewhere.
            let program = command.words.first().filter(|word| !word.contains('/'));
            let words = command.words.iter().skip(usize::from(program.is_some()));
            for word in words.chain(&command.inputs) {
                if levels > 0 && word != line && word.contains(char::is_whitespace) {
                    self.awaited(word, levels - 1);
                }
                let pieces = word.split(['=', ':', ',']).chain([word.as_str()]);
                let glued = words::glued(word).filter(|end| end.contains(['/', '.']));
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

    /// Whether a path that is not there would be in the project.
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

/// The lines that a hook runs. `sh -c` has a whole line in one argument, so arguments are one line too.
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

/// The values of the variables that a hook sets, which may name a file too.
fn set_lines(hook: &HookSpec) -> Vec<String> {
    let runs = match &hook.handler {
        Handler::Command(_) | Handler::Script(_) | Handler::Python(_) => true,
        Handler::Mcp(mcp) => matches!(mcp.server.transport, McpTransport::Stdio { .. }),
        _ => false,
    };
    variables(hook).filter(|_| runs).map(|(_, value)| value.clone()).collect()
}

/// Arguments as the one line that a shell would read as them.
fn one_line<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,~".contains(c);
    let quoted = |word: &str| {
        let is_plain = !word.is_empty() && word.chars().all(plain);
        if is_plain { word.to_owned() } else { tenter_contract::template::shell_quote(word) }
    };
    let line = words.map(quoted).collect::<Vec<_>>().join(" ");
    if line.is_empty() { Vec::new() } else { vec![line] }
}

/// Files that a line writes its output to and names nowhere else: they decide nothing, and change with every run.
fn only_written(line: &str) -> BTreeSet<String> {
    let outputs = shell::commands(line).into_iter().flat_map(|command| command.outputs);
    outputs.filter(|file| !file.contains([MADE, WILD]) && line.matches(file.as_str()).count() == 1).collect()
}

/// The folders from which a word may be meant: the root, where hooks run, the hook file's own, where `cwd` says,
/// and those that the words themselves name, because of `cd scripts && cd checks && ./check.sh`.
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

/// Whether a word is one that could name a file, if there were one.
fn could_be_named(word: &str) -> bool {
    let is_name = !word.is_empty() && word.len() <= LONGEST && !word.starts_with('-');
    is_name && !word.contains(['\n', '\0', MADE, WILD])
}

/// A word, and what remains of it if a variable or a leading slash stood before: `$CLAUDE_PROJECT_DIR/check.sh`.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let rest = word.split_once('/').map(|(_, rest)| rest.trim_start_matches('/'));
    [Some(word), rest].into_iter().flatten().filter(|word| !word.is_empty())
}

fn is_private(path: &Path) -> bool {
    !SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// A leading `~` is the user's home, as it is when the hook runs.
pub(super) fn expanded(path: &str) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|spelled| path.strip_prefix(spelled));
    match (rest, home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// What a file says it is run with.
pub(super) fn first_line(file: &Path) -> Option<String> {
    let bytes = super::read(file)?;
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}
