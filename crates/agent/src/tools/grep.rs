//! `Grep`: text in files, by a regular expression.

use std::fs;
use std::path::Path;

use ignore::types::{Types, TypesBuilder};
use tenter_contract::ToolKind;

use super::files;
use super::keys::{Form, Given, Key};
use super::matching::{Reading, Wanted};
use super::own::Own;
use super::ran::{Ran, Shown};
use super::reach::leads_into;
use super::walk::{self, Walked};
use super::wanted_names::WantedNames;
use super::workplace::Workplace;

/// So many lines, or files, are given if nothing else is wanted.
const USUAL: u64 = 250;
const MOST_BYTES: usize = 60_000;
const LONGEST_LINE: usize = 500;
const MOST_AROUND: u64 = 1_000;
/// So much of a file is looked at to see whether it is text.
const SNIFFED: usize = 8 * 1024;

const KEYS: &[Key] = &[
    Key::needed("pattern", Form::Name, "The regular expression, as ripgrep reads it."),
    Key::optional("path", Form::Name, "The file or folder to look in; the current folder if not given."),
    Key::optional("glob", Form::Name, "Only files that fit: `*.js`, `src/**/*.{ts,tsx}`, `!*.min.js`."),
    Key::optional("type", Form::Name, "Only files of this kind: `rust`, `py`, `js`, `go`, `java` …"),
    Key::optional(
        "output_mode",
        Form::OneOf(&["files_with_matches", "content", "count"]),
        "`files_with_matches` gives paths and is what counts if not given, `content` gives lines, `count` how many.",
    ),
    Key::optional(
        "-A",
        Form::Whole { least: 0, most: MOST_AROUND },
        "So many lines after each; for `content`.",
    ),
    Key::optional(
        "-B",
        Form::Whole { least: 0, most: MOST_AROUND },
        "So many lines before each; for `content`.",
    ),
    Key::optional(
        "-C",
        Form::Whole { least: 0, most: MOST_AROUND },
        "So many lines before and after; for `content`.",
    ),
    Key::optional("-n", Form::Flag, "Whether lines have their numbers; they do if not given."),
    Key::optional("-i", Form::Flag, "Whether upper and lower case are the same."),
    Key::optional("multiline", Form::Flag, "Whether it may go over several lines, and `.` over their ends."),
    Key::optional(
        "head_limit",
        Form::Whole { least: 1, most: u64::MAX },
        "At most so many lines or files; 250 if not given.",
    ),
];

/// The tool.
pub(super) const GREP: Own = Own {
    name: "Grep",
    kind: ToolKind::Search,
    description: "Finds text in files by a regular expression. What git ignores and what is no text is left out. `output_mode` says \
         whether you get paths, lines or counts.",
    keys: KEYS,
    alone: false,
    run: grep,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Files,
    Lines { around: (usize, usize), numbers: bool },
    Counts,
}

/// What is found so far.
struct Found<'a> {
    wanted: &'a Wanted,
    mode: Mode,
    most: usize,
    lines: Vec<String>,
    bytes: usize,
    /// So many lines fit, or files where those are wanted.
    count: usize,
    files: usize,
    too_large: usize,
    cut: bool,
}

fn grep(given: &Given<'_>, at: &Workplace, stop: &dyn Fn() -> bool) -> Result<Ran, String> {
    let pattern = given.needed("pattern");
    let around = given.count("-C").unwrap_or(0);
    let mode = match given.text("output_mode") {
        Some("content") => Mode::Lines {
            around: (given.count("-B").unwrap_or(around), given.count("-A").unwrap_or(around)),
            numbers: given.flag_or("-n", true),
        },
        Some("count") => Mode::Counts,
        _ => Mode::Files,
    };
    let reading = Reading { any_case: given.flag("-i"), multiline: given.flag("multiline") };
    let wanted = Wanted::parse(pattern, reading)?;
    let types = given.text("type").map(of_type).transpose()?;
    let most = given.whole("head_limit").unwrap_or(USUAL);
    let mut found = Found {
        wanted: &wanted,
        mode,
        most: usize::try_from(most).unwrap_or(usize::MAX),
        lines: Vec::new(),
        bytes: 0,
        count: 0,
        files: 0,
        too_large: 0,
        cut: false,
    };
    let base = at.path(given.text("path").unwrap_or_default());
    let about = fs::metadata(&base).map_err(|_| files::missing(at, &base))?;
    let walked = if about.is_dir() {
        let names = given.text("glob").map(|glob| WantedNames::below(&base, glob)).transpose()?;
        let folder = names.as_ref().map_or(&base, |(folder, _)| folder).clone();
        walk::files(&folder, types, stop, &mut |path| {
            let inside = path.strip_prefix(&folder).unwrap_or(path);
            let is_meant = names.as_ref().is_none_or(|(_, names)| names.mean(inside));
            // A link may lead to where nobody has let us look; whoever means that file names it.
            if is_meant && (!path.is_symlink() || at.is_open(path) || leads_into(&folder, path)) {
                found.look_at(path, at);
            }
            !found.cut
        })
    } else {
        // Said if it cannot be, since just this file is meant.
        drop(files::open(at, &base)?);
        found.look_at(&base, at);
        Walked::All
    };
    Ok(found.told(pattern, walked))
}

impl Found<'_> {
    fn look_at(&mut self, path: &Path, at: &Workplace) {
        // What cannot be read now is passed over, as a folder is that cannot.
        let Ok((file, about)) = files::open(at, path) else { return };
        let content = if about.len() > files::LARGEST { Ok(None) } else { files::read(file) };
        let Ok(Some(content)) = content else {
            self.too_large += usize::from(content.is_ok());
            return;
        };
        if content[..content.len().min(SNIFFED)].contains(&0) {
            return;
        }
        match self.mode {
            Mode::Files if self.wanted.is_in(&content) => self.take(at.shown(path), 1),
            Mode::Files => {}
            Mode::Counts => match self.wanted.count(&content) {
                0 => {}
                count => self.take(format!("{}:{count}", at.shown(path)), count),
            },
            Mode::Lines { around, numbers } => self.take_lines(&content, &at.shown(path), around, numbers),
        }
    }

    fn take_lines(&mut self, content: &[u8], shown: &str, around: (usize, usize), numbers: bool) {
        let room = self.most.saturating_sub(self.lines.len());
        // One more than there is room for, so that it is known whether something is left out.
        let lines = self.wanted.lines(content, around, room.saturating_add(1));
        self.files += usize::from(!lines.is_empty());
        let mut last = None;
        for line in lines {
            let apart = last.is_some_and(|last| last + 1 != line.number);
            if around != (0, 0) && (apart || (last.is_none() && !self.lines.is_empty())) {
                self.lines.push("--".to_owned());
            }
            last = Some(line.number);
            let mark = if line.fits { ':' } else { '-' };
            let number = if numbers { format!("{}{mark}", line.number) } else { String::new() };
            self.push(format!("{shown}{mark}{number}{}", shortened(line.text)), usize::from(line.fits));
            if self.cut {
                return;
            }
        }
    }

    fn take(&mut self, line: String, count: usize) {
        self.push(line, count);
        self.files += usize::from(!self.cut);
    }

    fn push(&mut self, line: String, count: usize) {
        self.bytes += line.len() + 1;
        if self.lines.len() >= self.most || self.bytes > MOST_BYTES {
            self.cut = true;
            return;
        }
        self.count += count;
        self.lines.push(line);
    }

    fn told(mut self, pattern: &str, walked: Walked) -> Ran {
        let files = if self.files == 1 { "1 file".to_owned() } else { format!("{} files", self.files) };
        let line = match self.mode {
            Mode::Files => files,
            Mode::Lines { .. } | Mode::Counts => format!("{} in {files}", counted(self.count)),
        };
        if self.files == 0 {
            self.lines.push(format!("Nothing fits `{pattern}`."));
        } else if self.mode == Mode::Counts {
            self.lines.push(format!("[{line}]"));
        }
        if self.cut {
            self.lines.push(
                "[There is more. Narrow it down with `path`, `glob` or the pattern, or raise `head_limit`.]"
                    .to_owned(),
            );
        }
        if self.too_large > 0 {
            let count = self.too_large;
            self.lines.push(format!("[Not looked into, because larger than 16 MiB: {count}.]"));
        }
        self.lines.extend(walked.note());
        let ran = Ran::done(self.lines.join("\n"), Shown::Line(line));
        Ran { failed: walked == Walked::Stopped, ..ran }
    }
}

fn counted(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{count} matches") }
}

fn shortened(line: &[u8]) -> String {
    let line = &line[..line.len().min(4 * LONGEST_LINE)];
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}… [cut]", &text[..end]),
        None => text.into_owned(),
    }
}

fn of_type(name: &str) -> Result<Types, String> {
    let mut types = TypesBuilder::new();
    types.add_defaults().select(name);
    types.build().map_err(|_| {
        format!("`{name}` is no `type` of files that is known; say it with `glob`, such as `*.{name}`.")
    })
}
