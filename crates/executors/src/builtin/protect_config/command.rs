//! Whether a shell command may change protected files: it names one, and does not clearly only read.

use std::path::{Path, PathBuf};

use tenter_shell::{
    Command, Reach, Word, contains_word, inline_script, is_assignment, is_shell, parse, program_name,
    unwrap_command,
};

use super::places::Places;

/// Why a command is denied.
pub(super) enum Suspicion {
    /// It names a protected path.
    Path { path: String, owner: String },
    /// It is a command of tenter that changes which hooks run.
    OwnCommand(String),
}

/// Programs that only read, whatever their arguments are.
const READERS: &str = "cat bat more head tail grep egrep fgrep zgrep ag ls ll dir stat file diff cmp comm wc jq cut tr nl \
    od hexdump strings md5sum sha1sum sha256sum sha512sum shasum cksum realpath readlink dirname basename test [ [[ echo \
    printf cd pushd popd pwd du which type true false : mkdir get-content select-string test-path";
/// They read as long as no argument begins with one of these.
const READERS_UNLESS: [(&str, &[&str]); 5] = [
    ("find", &["-delete", "-exec", "-ok", "-fprint", "-fls"]),
    ("sort", &["-o", "-uo", "-no", "-ro", "--o"]),
    ("rg", &["--pre"]),
    ("less", &["-o", "-O", "--log-file", "--LOG-FILE"]),
    ("tree", &["-o"]),
];
/// Commands of git that change no file of the work tree.
const GIT_READERS: &str =
    "diff log show status blame add commit ls-files grep check-ignore rev-parse cat-file";
/// Programs that run the text they read from a here-document; versions may follow the name.
const INTERPRETERS: &str = "python node ruby perl php deno bun lua osascript ed ex patch pwsh";
const REMOVERS: &str = "rm rmdir shred unlink remove-item mv find chmod chown";
const COPIERS: &str = "cp mv ln install rsync copy-item move-item";
/// Lines in lines (`bash -c '…'`) deeper than this are searched for paths only.
const DEEPEST: usize = 6;
/// The most working folders of one line.
const MOST_FOLDERS: usize = 16;

/// The first reason against a command line.
pub(super) fn find_suspicion(line: &str, places: &Places<'_>) -> Option<Suspicion> {
    Guard { places, folders: vec![places.base.clone()] }.line(line, 0)
}

struct Guard<'g> {
    places: &'g Places<'g>,
    /// The folders in which a command of the line may run.
    folders: Vec<PathBuf>,
}

impl Guard<'_> {
    fn line(&mut self, line: &str, depth: usize) -> Option<Suspicion> {
        let script = parse(line);
        let commands = script.list.commands();
        let found = commands.iter().find_map(|visit| self.command(visit.command, depth));
        if found.is_some() || !commands.iter().any(|visit| reads_script(visit.command)) {
            return found;
        }
        // A shell without a script runs the text that the other commands print.
        let texts = commands.iter().flat_map(|visit| visit.command.texts());
        let texts: Vec<&str> =
            texts.chain(commands.iter().flat_map(|it| it.command.input_texts(true))).collect();
        texts.iter().find_map(|text| match depth {
            DEEPEST => pieces(text).find_map(|piece| self.path(piece)),
            _ => self.line(text, depth + 1),
        })
    }

    fn command(&mut self, command: &Command, depth: usize) -> Option<Suspicion> {
        let mut written = command.redirects.iter().filter(|redirect| redirect.operator.writes());
        if let Some(found) = written.find_map(|redirect| self.path(&redirect.target.text)) {
            return Some(found);
        }
        // The text of a substitution may be a part of a path: `"$(echo .claude)"/settings.json`.
        let whole: Vec<String> = command.words.iter().map(flat_text).collect();
        let words = unwrap_command(&whole, Reach::Arguments);
        // An assignment alone may set a variable for a later command.
        let words = if words.is_empty() { &whole[whole.len().saturating_sub(1)..] } else { words };
        let wrappers = &whole[..whole.len() - words.len()];
        let name = words.first().map(|word| base_name(word)).unwrap_or_default();
        let arguments = words.get(1..).unwrap_or_default();
        // A wrapper may write a file itself: `time -o FILE`.
        if let Some(found) = self.named_paths(wrappers) {
            return Some(found);
        }
        if name == "tenter" {
            return own_command(arguments);
        }
        if matches!(name.as_str(), "cd" | "pushd") {
            self.enter(arguments.iter().find(|word| !word.starts_with('-'))?);
            return None;
        }
        if let Some(folder) = wrapper_folder(wrappers) {
            self.folders.push(self.folders[0].join(self.places.expanded(folder)));
        }
        let texts: Vec<&str> = command.input_texts(true).collect();
        if (is_shell(&name) || name == "eval") && depth < DEEPEST {
            // The words behind a script are its parameters.
            let script = if name == "eval" { Some(arguments) } else { inline_script(arguments) };
            let line = script.map(|script| script.join(" "));
            let lines: Vec<&str> = line.as_deref().into_iter().chain(texts.iter().copied()).collect();
            let found = lines.into_iter().find_map(|line| self.line(line, depth + 1));
            if let Some(script) = script {
                let options = &arguments[..arguments.len() - script.len()];
                return found.or_else(|| self.named_paths(options));
            }
            if found.is_some() {
                return found;
            }
        }
        if reads_only(&name, arguments) {
            return None;
        }
        let runs_text = is_shell(&name) || INTERPRETERS.split(' ').any(|known| name.starts_with(known));
        let texts = whole.iter().map(String::as_str).chain(texts.into_iter().filter(|_| runs_text));
        let mut pieces = texts.flat_map(pieces);
        pieces
            .find_map(|piece| self.path(piece))
            .or_else(|| arguments.iter().find_map(|word| self.folder(&name, word, arguments)))
    }

    fn path(&self, path: &str) -> Option<Suspicion> {
        let owner = self.folders.iter().find_map(|folder| self.places.owner_from(path, folder))?;
        Some(Suspicion::Path { path: path.to_owned(), owner })
    }

    fn named_paths(&self, words: &[String]) -> Option<Suspicion> {
        let words = words.iter().filter(|word| !is_assignment(word));
        words.flat_map(|word| pieces(word)).find_map(|piece| self.path(piece))
    }

    fn enter(&mut self, folder: &str) {
        let folder = self.places.expanded(folder);
        let entered: Vec<PathBuf> = self.folders.iter().map(|base| base.join(&folder)).collect();
        self.folders.extend(entered);
        self.folders.dedup();
        self.folders.truncate(MOST_FOLDERS);
    }

    /// A folder that holds protected files, as a whole.
    fn folder(&self, name: &str, word: &str, all: &[String]) -> Option<Suspicion> {
        if word.starts_with('-') || word.is_empty() {
            return None;
        }
        let others = all.iter().filter(|other| *other != word && !other.starts_with('-'));
        // A file that is copied or moved into a folder keeps its name there.
        let others = others.filter(|_| contains_word(COPIERS, name));
        let copies: Vec<String> = others.map(|other| format!("{word}/{}", base_name(other))).collect();
        let owner = self.folders.iter().find_map(|base| {
            let above = || self.places.owner_above(word, base).filter(|_| contains_word(REMOVERS, name));
            let copied = || copies.iter().find_map(|copy| self.places.owner_from(copy, base));
            self.places.owner_of_folder(word, base).or_else(above).or_else(copied)
        })?;
        Some(Suspicion::Path { path: word.to_owned(), owner })
    }
}

fn flat_text(word: &Word) -> String {
    word.replace_expansions(|text, expansion, raw| {
        let is_list = !expansion.lists.is_empty() && raw.ends_with(')');
        text.push_str(if is_list { raw[1..raw.len() - 1].trim_start_matches('(') } else { raw });
    })
}

/// Whether it is a shell without a script.
fn reads_script(command: &Command) -> bool {
    let words = command.texts();
    let command = unwrap_command(&words, Reach::Arguments).split_first();
    command.is_some_and(|(program, arguments)| {
        is_shell(&base_name(program)) && arguments.iter().all(|word| word.starts_with('-'))
    })
}

/// The folder in which a wrapper runs the command: `env -C`, `sudo -D`.
fn wrapper_folder(words: &[String]) -> Option<&str> {
    let at = words.iter().position(|word| matches!(word.as_str(), "-C" | "-D" | "--chdir"));
    let joined = words.iter().find_map(|word| word.strip_prefix("--chdir="));
    joined.or_else(|| words.get(at? + 1).map(String::as_str))
}

fn base_name(word: &str) -> String {
    Path::new(program_name(word)).file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn reads_only(name: &str, arguments: &[String]) -> bool {
    if let Some((_, unless)) = READERS_UNLESS.iter().find(|(reader, _)| *reader == name) {
        return !arguments.iter().any(|word| unless.iter().any(|option| word.starts_with(option)));
    }
    match name {
        "git" => git_reads(arguments),
        "sed" => sed_reads(arguments),
        _ => contains_word(READERS, name),
    }
}

fn git_reads(arguments: &[String]) -> bool {
    let writes = |word: &String| {
        word == "-c" || ["--output", "--ext-diff", "-O"].iter().any(|option| word.starts_with(option))
    };
    let mut words = arguments.iter();
    let mut command = words.next();
    while let Some(option) = command.filter(|word| word.starts_with('-')) {
        if option == "-C" {
            words.next();
        }
        command = words.next();
    }
    command.is_some_and(|word| contains_word(GIT_READERS, word)) && !arguments.iter().any(writes)
}

/// `sed -n '1,20p' file` prints lines by their numbers.
fn sed_reads(arguments: &[String]) -> bool {
    let [option, script, ..] = arguments else { return false };
    option == "-n"
        && script.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | 'p' | '$' | ';' | '='))
        && !arguments[2..].iter().any(|word| word.starts_with('-'))
}

/// Commands of tenter that change which hooks run are for the user, whatever path they name. The others may name any
/// file.
fn own_command(arguments: &[String]) -> Option<Suspicion> {
    let mut words = arguments.iter().filter(|word| !word.starts_with('-')).map(String::as_str);
    let command = words.next()?;
    // An option may have its value behind it, so a word counts at any place.
    let mut has = |known: &[&str]| words.any(|word| known.contains(&word));
    let changes = match command {
        "init" | "uninstall" => true,
        "hooks" => has(&["accept", "enable", "disable", "new"]),
        "profile" => has(&["use"]),
        // An agent does not answer its own questions.
        "approvals" => has(&["watch", "answer", "allow", "deny", "revoke"]),
        "trust" => !has(&["show"]),
        "import" => arguments.iter().any(|word| word == "--write" || word.starts_with("--out")),
        _ => false,
    };
    changes.then(|| Suspicion::OwnCommand(format!("tenter {command}")))
}

/// Everything in a word that could be a path: all of it, and the pieces between characters that surround paths in
/// programs and options.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let divides = |c: char| !(c.is_alphanumeric() || "._-/~$*?[]{}@+%".contains(c));
    let whole = (text.len() < 4096).then_some(text);
    // The value right behind an option's letter: `-ofile`.
    let behind = text.strip_prefix('-').and_then(|option| option.get(1..));
    whole.into_iter().chain(behind).chain(text.split(divides)).filter(|piece| !piece.is_empty())
}
