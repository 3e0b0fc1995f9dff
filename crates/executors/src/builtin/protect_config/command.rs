//! Whether a shell command may change something protected: it names it, and does not clearly only read.

use std::path::{Path, PathBuf};

use super::places::Places;
use super::words::{Segment, segments};

/// Why a command is denied.
pub(super) enum Suspect {
    /// It names a protected path.
    Path { path: String, whose: String },
    /// It is a command of ours that changes which hooks run.
    OwnCommand(String),
}

/// Words before the real command.
const WRAPPERS: [&str; 16] = [
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "time", "nice", "ionice", "setsid",
    "stdbuf", "timeout", "xargs", "then", "do",
];
/// Options of wrappers with a value behind them.
const VALUED: [&str; 10] = ["-u", "-g", "-C", "-D", "-h", "-p", "-T", "-n", "--chdir", "--user"];
const KEYWORDS: [&str; 7] = ["if", "elif", "else", "while", "until", "!", "{"];
/// They only read, whatever their arguments are.
const READERS: [&str; 55] = [
    "cat",
    "bat",
    "more",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "ag",
    "ls",
    "ll",
    "dir",
    "stat",
    "file",
    "diff",
    "cmp",
    "comm",
    "wc",
    "jq",
    "cut",
    "tr",
    "nl",
    "od",
    "hexdump",
    "strings",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "cksum",
    "realpath",
    "readlink",
    "dirname",
    "basename",
    "test",
    "[",
    "[[",
    "echo",
    "printf",
    "cd",
    "pushd",
    "popd",
    "pwd",
    "du",
    "which",
    "type",
    "true",
    "false",
    ":",
    "mkdir",
    "get-content",
    "select-string",
    "test-path",
];
/// They read as long as none of these words, or a word that begins with one, is among the arguments.
const READERS_UNLESS: [(&str, &[&str]); 5] = [
    ("find", &["-delete", "-exec", "-ok", "-fprint", "-fls"]),
    ("sort", &["-o", "-uo", "-no", "-ro", "--o"]),
    ("rg", &["--pre"]),
    ("less", &["-o", "-O", "--log-file", "--LOG-FILE"]),
    ("tree", &["-o"]),
];
/// What git does without changing a file of the work tree.
const GIT_READERS: [&str; 12] = [
    "diff",
    "log",
    "show",
    "status",
    "blame",
    "add",
    "commit",
    "ls-files",
    "grep",
    "check-ignore",
    "rev-parse",
    "cat-file",
];
/// They run a line that is given to them.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "eval"];
/// So many places are looked at on the disk; a line with more is denied unread if it names anything protected.
const DEEPEST: usize = 6;
/// So many working folders of one line are looked at.
const MOST_FOLDERS: usize = 16;

/// The first reason against a command line.
pub(super) fn suspect(line: &str, places: &Places<'_>) -> Option<Suspect> {
    look(line, places, &mut vec![places.base.clone()], 0)
}

fn look(line: &str, places: &Places<'_>, bases: &mut Vec<PathBuf>, depth: usize) -> Option<Suspect> {
    let mut all = segments(line);
    // What a shell reads from a pipe is written by the commands before it.
    let piped: Vec<String> = all.iter().flat_map(|it| it.words.iter().chain(&it.bodies)).cloned().collect();
    for segment in all.iter_mut().filter(|segment| reads_program(segment)) {
        segment.bodies.extend(piped.iter().cloned());
    }
    for segment in all {
        if let Some(found) = segment_is_suspect(&segment, places, bases, depth) {
            return Some(found);
        }
    }
    None
}

/// Whether it is a shell that is given no line and no file.
fn reads_program(segment: &Segment) -> bool {
    let words = without_wrappers(&segment.words);
    let name = words.first().map(|word| base_name(word)).unwrap_or_default();
    SHELLS.contains(&name.as_str()) && name != "eval" && words[1..].iter().all(|word| word.starts_with('-'))
}

fn segment_is_suspect(
    segment: &Segment,
    places: &Places<'_>,
    bases: &mut Vec<PathBuf>,
    depth: usize,
) -> Option<Suspect> {
    let at = |path: &str, bases: &[PathBuf]| {
        bases.iter().find_map(|base| {
            let whose = places.whose_from(path, base)?;
            Some(Suspect::Path { path: path.to_owned(), whose })
        })
    };
    if let Some(found) = segment.writes.iter().find_map(|path| at(path, bases)) {
        return Some(found);
    }
    let words = without_wrappers(&segment.words);
    let name = words.first().map(|word| base_name(word)).unwrap_or_default();
    let arguments = words.get(1..).unwrap_or_default();
    if name == "tenter" {
        return own_command(arguments);
    }
    if matches!(name.as_str(), "cd" | "pushd") {
        let target = arguments.iter().find(|word| !word.starts_with('-'));
        let target = places.expanded(target?);
        let there: Vec<PathBuf> = bases.iter().map(|base| base.join(&target)).collect();
        bases.extend(there);
        bases.dedup();
        bases.truncate(MOST_FOLDERS);
        return None;
    }
    if let Some(folder) = folder_of_wrapper(&segment.words) {
        bases.push(bases[0].join(places.expanded(&folder)));
    }
    // What a shell is given as a line is looked at as one.
    if SHELLS.contains(&name.as_str()) && depth < DEEPEST {
        let given = line_for_shell(&name, arguments).into_iter().chain(segment.bodies.iter().cloned());
        let found = given.collect::<Vec<_>>().iter().find_map(|line| look(line, places, bases, depth + 1));
        let clearly = name == "eval" || arguments.iter().any(|word| word == "-c");
        if found.is_some() || clearly {
            return found;
        }
    }
    if reads_only(&name, arguments) {
        return None;
    }
    let texts = segment.words.iter().chain(segment.bodies.iter().filter(|_| runs_its_input(&name)));
    for text in texts {
        let found = pieces(text).find_map(|piece| at(piece, bases));
        if found.is_some() {
            return found;
        }
    }
    arguments.iter().find_map(|word| of_folder(&name, word, arguments, places, bases))
}

/// A folder that holds protected files, as a whole.
fn of_folder(
    name: &str,
    word: &str,
    all: &[String],
    places: &Places<'_>,
    bases: &[PathBuf],
) -> Option<Suspect> {
    if word.starts_with('-') || word.is_empty() {
        return None;
    }
    bases.iter().find_map(|base| {
        let removes = matches!(
            name,
            "rm" | "rmdir" | "shred" | "unlink" | "remove-item" | "mv" | "find" | "chmod" | "chown"
        );
        let whose = places
            .whose_folder(word, base)
            .or_else(|| removes.then(|| places.whose_above(word, base)).flatten())
            .or_else(|| {
                // What is copied or moved into a folder keeps its name there.
                let put =
                    matches!(name, "cp" | "mv" | "ln" | "install" | "rsync" | "copy-item" | "move-item");
                let mut others = all.iter().filter(|other| put && *other != word && !other.starts_with('-'));
                others.find_map(|other| places.whose_from(&format!("{word}/{}", base_name(other)), base))
            })?;
        Some(Suspect::Path { path: word.to_owned(), whose })
    })
}

/// The words from the real command on.
fn without_wrappers(words: &[String]) -> &[String] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let name = base_name(first);
        let assignment = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let skipped = WRAPPERS.contains(&name.as_str()) || KEYWORDS.contains(&name.as_str());
        if !(skipped || assignment && !after.is_empty()) {
            break;
        }
        rest = after;
        // The options of a wrapper, and the duration of `timeout`.
        while skipped && rest.first().is_some_and(|word| word.starts_with('-') || is_duration(word)) {
            let has_value = VALUED.contains(&rest[0].as_str());
            rest = rest.get(if has_value { 2 } else { 1 }..).unwrap_or_default();
        }
    }
    rest
}

/// The folder in which a wrapper runs the command: `env -C`, `sudo -D`.
fn folder_of_wrapper(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| matches!(word.as_str(), "-C" | "-D" | "--chdir"));
    let joined = words.iter().find_map(|word| word.strip_prefix("--chdir=")).map(str::to_owned);
    joined.or_else(|| words.get(at? + 1).cloned())
}

fn is_duration(word: &str) -> bool {
    word.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().is_ok()
}

fn base_name(word: &str) -> String {
    Path::new(word).file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn reads_only(name: &str, arguments: &[String]) -> bool {
    if READERS.contains(&name) {
        return true;
    }
    if let Some((_, unless)) = READERS_UNLESS.iter().find(|(reader, _)| *reader == name) {
        return !arguments.iter().any(|word| unless.iter().any(|option| word.starts_with(option)));
    }
    match name {
        "git" => git_reads(arguments),
        "sed" => sed_reads(arguments),
        _ => false,
    }
}

fn git_reads(arguments: &[String]) -> bool {
    let writes = |word: &String| {
        word.starts_with("--output")
            || word == "-c"
            || word.starts_with("--ext-diff")
            || word.starts_with("-O")
    };
    let mut words = arguments.iter();
    let mut command = words.next();
    while command.is_some_and(|word| word.starts_with('-')) {
        if command.is_some_and(|word| word == "-C") {
            words.next();
        }
        command = words.next();
    }
    command.is_some_and(|word| GIT_READERS.contains(&word.as_str())) && !arguments.iter().any(writes)
}

/// `sed -n '1,20p' file`: printing of lines by their numbers.
fn sed_reads(arguments: &[String]) -> bool {
    let [option, script, ..] = arguments else { return false };
    option == "-n"
        && script.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | 'p' | '$' | ';' | '='))
        && !arguments[2..].iter().any(|word| word.starts_with('-'))
}

/// Our own commands: those that change which hooks run are for the user, whatever path they name. Those that
/// only look may name any file.
fn own_command(arguments: &[String]) -> Option<Suspect> {
    let mut words = arguments.iter().filter(|word| !word.starts_with('-')).map(String::as_str);
    let command = words.next()?;
    // An option may have its value behind it, so a word counts wherever it stands.
    let mut says = |known: &[&str]| words.any(|word| known.contains(&word));
    let changes = match command {
        "init" | "uninstall" => true,
        "hooks" => says(&["accept", "enable", "disable", "new"]),
        "profile" => says(&["use"]),
        // An agent does not answer its own questions.
        "approvals" => says(&["watch", "answer", "allow", "deny", "revoke"]),
        "trust" => !says(&["show"]),
        "import" => arguments.iter().any(|word| word == "--write" || word.starts_with("--out")),
        _ => false,
    };
    changes.then(|| Suspect::OwnCommand(format!("tenter {command}")))
}

/// What follows `-c`, or everything behind `eval`.
fn line_for_shell(name: &str, arguments: &[String]) -> Option<String> {
    if name == "eval" {
        return Some(arguments.join(" "));
    }
    let at = arguments
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    // What follows the line fills in its positional parameters.
    let given: Vec<&str> =
        arguments[at + 1..].iter().map(String::as_str).filter(|word| *word != "--").collect();
    (!given.is_empty()).then(|| given.join(" "))
}

/// Whether what it reads is run: then a here-document is no text but a program.
fn runs_its_input(name: &str) -> bool {
    let names = [
        "python",
        "node",
        "ruby",
        "perl",
        "php",
        "deno",
        "bun",
        "lua",
        "osascript",
        "ed",
        "ex",
        "patch",
        "pwsh",
    ];
    names.iter().any(|known| name.starts_with(known)) || SHELLS.contains(&name)
}

/// Everything in a word that could be a path: all of it, and the pieces between characters that paths in
/// programs and options stand between.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let divides = |c: char| !(c.is_alphanumeric() || "._-/~$*?[]{}@+%".contains(c));
    let whole = (text.len() < 4096).then_some(text);
    // The value right behind an option's letter: `-ofile`.
    let behind = text.strip_prefix('-').and_then(|option| option.get(1..));
    whole.into_iter().chain(behind).chain(text.split(divides)).filter(|piece| !piece.is_empty())
}
