//! A command line in which files are replaced by their copies, wherever it names them.
//!
//! The line is not understood: any wrapper may run the file that it names (`timeout 5 ./check.sh`, `sh < check.sh`,
//! `bash -c "cd scripts && ./check.sh"`). So each name of a copied file is replaced, but for programs to which a file is
//! an entry of a folder.

use std::path::{Path, PathBuf};

use tenter_contract::template::shell_quote;

use super::hook_files::expanded;

/// Programs whose first argument is a script, and shell words that run what follows them.
const INTERPRETERS: [&str; 24] = [
    ".", "ash", "bash", "bun", "dash", "deno", "env", "exec", "fish", "ksh", "lua", "mksh", "node", "nodejs",
    "perl", "php", "pypy", "pypy3", "python", "python3", "ruby", "sh", "source", "zsh",
];

/// Programs for which the name of a file counts and not its content.
const NAMES_ONLY: [&str; 9] = ["git", "hg", "svn", "jj", "rm", "mv", "ln", "touch", "chown"];

/// Words of the shell's grammar before a command.
const GRAMMAR: [&str; 8] = ["if", "then", "elif", "else", "do", "while", "until", "!"];

/// Variables that hold the folder of the project, or the folder in which a hook runs.
const PROJECT: [&str; 5] =
    ["PWD", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "TENTER_PROJECT_ROOT"];

/// Where the names of a line begin, and which files have a copy.
pub(super) struct Replacer<'r> {
    /// The folders from which a name may be meant.
    pub(super) places: Vec<PathBuf>,
    pub(super) copy_of: &'r dyn Fn(&Path) -> Option<String>,
}

impl Replacer<'_> {
    /// The line with the copies; none if it names no file that has one.
    pub(super) fn line(&self, line: &str) -> Option<String> {
        let replacer = Replacer { places: self.places_of(line), copy_of: self.copy_of };
        let mut scan = Scan { line, at: 0, quote: None, program: None, new: String::new(), changed: false };
        while scan.at < line.len() {
            scan.step(&replacer);
        }
        scan.changed.then_some(scan.new)
    }

    pub(super) fn words(&self, words: &[String]) -> Vec<Option<String>> {
        let program = words.first().map(|word| base_name(word)).unwrap_or_default();
        if NAMES_ONLY.contains(&program) {
            return vec![None; words.len()];
        }
        let replaced = |(at, word): (usize, &String)| {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if !value.is_empty() => (Some(option), value),
                _ => (None, word.as_str()),
            };
            let is_operand = at > 0 && INTERPRETERS.contains(&program);
            let copy = self.copy(value, at == 0, is_operand);
            let whole = copy.map(|copy| option.map_or(copy.clone(), |option| format!("{option}={copy}")));
            whole.or_else(|| if word.contains(char::is_whitespace) { self.line(word) } else { None })
        };
        words.iter().enumerate().map(replaced).collect()
    }

    /// The copy of a file that a word names. A program without a folder comes from `PATH`.
    fn copy(&self, name: &str, is_program: bool, is_operand: bool) -> Option<String> {
        let has_extension = !is_program && Path::new(name).extension().is_some();
        if !name.contains('/') && !has_extension && !is_operand || name.starts_with('-') {
            return None;
        }
        let name = expanded(name);
        self.places.iter().find_map(|place| (self.copy_of)(&place.join(&name)))
    }

    /// The places, and the folders that the line enters: `cd scripts && ./check.sh`.
    fn places_of(&self, line: &str) -> Vec<PathBuf> {
        let mut places = self.places.clone();
        let words = line.split(|c: char| !is_plain(c)).filter(|word| !word.is_empty());
        for word in words {
            // A name behind a variable begins with a slash.
            let below = word.trim_start_matches('/');
            let entered = places.iter().flat_map(|place| [place.join(word), place.join(below)]);
            let new: Vec<PathBuf> =
                entered.filter(|folder| folder.is_dir() && !places.contains(folder)).collect();
            places.extend(new);
            places.truncate(MOST_PLACES);
        }
        places
    }
}

/// No command line enters more folders.
const MOST_PLACES: usize = 32;

/// A line that is read once, from left to right.
struct Scan<'l> {
    line: &'l str,
    at: usize,
    quote: Option<char>,
    /// The program of the command in which the scan is.
    program: Option<&'l str>,
    new: String,
    changed: bool,
}

impl<'l> Scan<'l> {
    fn step(&mut self, replacer: &Replacer<'_>) {
        let rest = &self.line[self.at..];
        if let Some((length, name)) = self.name(rest) {
            let whole = &rest[..length];
            // A name behind a variable is one in a folder.
            let has_folder = length > name.len();
            let copy = self.replacement(name, has_folder, replacer).filter(|_| self.boundary());
            self.changed |= copy.is_some();
            self.new.push_str(copy.as_deref().unwrap_or(whole));
            if !name.is_empty() && self.program.is_none() && !is_before_program(name) {
                self.program = Some(name);
            }
            self.at += length;
            return;
        }
        let Some(letter) = rest.chars().next() else { return };
        match (letter, self.quote) {
            ('\'' | '"', None) => {
                self.quote = Some(letter);
                let inner = rest[1..].split(letter).next().unwrap_or_default();
                // A whole line, as behind `-c`.
                if inner.contains(char::is_whitespace) && !inner.starts_with('/') {
                    self.program = None;
                }
                if let Some((length, copy)) = self.quoted_name(inner, replacer) {
                    self.new.push(letter);
                    self.new.push_str(&copy);
                    self.changed = true;
                    self.at += 1 + length;
                    return;
                }
            }
            (letter, Some(quote)) if letter == quote => self.quote = None,
            (';' | '|' | '&' | '\n' | '(' | ')' | '{' | '}' | '`', _) => self.program = None,
            _ => {}
        }
        self.new.push(letter);
        self.at += letter.len_utf8();
    }

    /// The name at the start of a text, and how much of the text it is with a variable before it.
    fn name(&self, rest: &'l str) -> Option<(usize, &'l str)> {
        let plain = |text: &str| text.find(|c: char| !is_plain(c)).unwrap_or(text.len());
        if let Some(length) = variable(rest) {
            let behind = rest[length..].strip_prefix('/')?;
            return Some((length + 1 + plain(behind), &behind[..plain(behind)]));
        }
        let length = plain(rest);
        (length > 0).then(|| (length, &rest[..length]))
    }

    /// What takes the place of a name.
    fn replacement(&self, name: &str, has_folder: bool, replacer: &Replacer<'_>) -> Option<String> {
        let program = self.program.map(base_name);
        if program.is_some_and(|program| NAMES_ONLY.contains(&program)) {
            return None;
        }
        let is_operand = has_folder || program.is_some_and(|program| INTERPRETERS.contains(&program));
        let copy = replacer.copy(name, program.is_none() && self.quote.is_none(), is_operand)?;
        match self.quote {
            None => Some(if copy.chars().all(is_plain) { copy } else { shell_quote(&copy) }),
            Some(quote) => fits(&copy, quote).then_some(copy),
        }
    }

    /// A name with blanks between quotes.
    fn quoted_name(&self, inner: &str, replacer: &Replacer<'_>) -> Option<(usize, String)> {
        if inner.chars().all(is_plain) || self.program.is_some_and(|it| NAMES_ONLY.contains(&base_name(it))) {
            return None;
        }
        let start = variable(inner).filter(|length| inner[*length..].starts_with('/')).map_or(0, |it| it + 1);
        let copy = replacer.copy(&inner[start..], false, true)?;
        fits(&copy, self.quote?).then_some((inner.len(), copy))
    }

    /// Whether a name may begin here: not in the middle of a word that a variable or an escape began.
    fn boundary(&self) -> bool {
        !self.new.ends_with(['\\', '$', '}', '*', '?', '['])
    }
}

/// Whether a text needs no escapes between these quotes.
fn fits(text: &str, quote: char) -> bool {
    if quote == '\'' { !text.contains('\'') } else { !text.contains(['"', '$', '`', '\\']) }
}

fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./+@%~".contains(letter)
}

fn is_before_program(name: &str) -> bool {
    GRAMMAR.contains(&name)
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The length of a variable for the folder of the project at the start of a text, quotes of its own included.
fn variable(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let quoted = inner.len() < text.len();
    let behind = inner.strip_prefix('$')?;
    let (name, length) = if let Some(braced) = behind.strip_prefix('{') {
        let end = braced.find('}')?;
        let whole = &braced[..end];
        (whole.split([':', '-']).next().unwrap_or(whole), end + 2)
    } else {
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        (&behind[..end], end)
    };
    if !PROJECT.contains(&name) {
        return None;
    }
    let whole = 1 + length;
    match (quoted, inner[whole..].starts_with('"')) {
        (false, _) => Some(whole),
        (true, true) => Some(whole + 2),
        (true, false) => None,
    }
}
