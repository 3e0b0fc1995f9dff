//! `Grep`: text in files, by a regular expression.

use std::fs;
use std::path::Path;

use ignore::types::{Types, TypesBuilder};
use tenter_contract::ToolKind;

use super::builtin_tool::BuiltinTool;
use super::call_paths::leads_into;
use super::file_glob::FileGlob;
use super::files;
use super::params::{Param, ParamType, ToolInput};
use super::text_pattern::{PatternOptions, TextPattern};
use super::tool_output::{ToolDisplay, ToolOutput};
use super::walk::{self, WalkEnd};
use super::workspace::Workspace;

const USUAL: u64 = 250;
const MOST_BYTES: usize = 60_000;
const LONGEST_LINE: usize = 500;
const MOST_AROUND: u64 = 1_000;
/// Bytes that are checked for binary content.
const SNIFFED: usize = 8 * 1024;

const PARAMS: &[Param] = &[
    Param::required("pattern", ParamType::Name, "The regular expression, as ripgrep reads it."),
    Param::optional("path", ParamType::Name, "The file or folder to search [default: the current folder]."),
    Param::optional(
        "glob",
        ParamType::Name,
        "Only files that match: `*.js`, `src/**/*.{ts,tsx}`, `!*.min.js`.",
    ),
    Param::optional("type", ParamType::Name, "Only files of this type: `rust`, `py`, `js`, `go`, `java` …"),
    Param::optional(
        "output_mode",
        ParamType::OneOf(&["files_with_matches", "content", "count"]),
        "`files_with_matches` (the default) gives paths, `content` gives lines, `count` gives numbers.",
    ),
    Param::optional(
        "-A",
        ParamType::Whole { least: 0, most: MOST_AROUND },
        "Lines to show after each match; for `content`.",
    ),
    Param::optional(
        "-B",
        ParamType::Whole { least: 0, most: MOST_AROUND },
        "Lines to show before each match; for `content`.",
    ),
    Param::optional(
        "-C",
        ParamType::Whole { least: 0, most: MOST_AROUND },
        "Lines to show before and after each match; for `content`.",
    ),
    Param::optional("-n", ParamType::Flag, "Show line numbers [default: true]."),
    Param::optional("-i", ParamType::Flag, "Ignore upper and lower case."),
    Param::optional("multiline", ParamType::Flag, "Match over several lines; `.` matches line ends too."),
    Param::optional(
        "head_limit",
        ParamType::Whole { least: 1, most: u64::MAX },
        "Maximum number of lines or files [default: 250].",
    ),
];

pub(super) const GREP: BuiltinTool = BuiltinTool {
    name: "Grep",
    kind: ToolKind::Search,
    description: "Finds text in files by a regular expression. Skips binary files and files that git ignores. `output_mode` selects \
         paths, lines or counts.",
    params: PARAMS,
    alone: false,
    run: grep,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Files,
    Lines { around: (usize, usize), numbers: bool },
    Counts,
}

struct GrepResults<'a> {
    pattern: &'a TextPattern,
    mode: Mode,
    most: usize,
    lines: Vec<String>,
    bytes: usize,
    /// Matching lines, or files.
    count: usize,
    files: usize,
    too_large: usize,
    cut: bool,
}

fn grep(input: &ToolInput<'_>, at: &Workspace, stop: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let source = input.required("pattern");
    let around = input.count("-C").unwrap_or(0);
    let mode = match input.text("output_mode") {
        Some("content") => Mode::Lines {
            around: (input.count("-B").unwrap_or(around), input.count("-A").unwrap_or(around)),
            numbers: input.flag_or("-n", true),
        },
        Some("count") => Mode::Counts,
        _ => Mode::Files,
    };
    let options = PatternOptions { any_case: input.flag("-i"), multiline: input.flag("multiline") };
    let pattern = TextPattern::parse(source, options)?;
    let types = input.text("type").map(of_type).transpose()?;
    let most = input.whole("head_limit").unwrap_or(USUAL);
    let mut found = GrepResults {
        pattern: &pattern,
        mode,
        most: usize::try_from(most).unwrap_or(usize::MAX),
        lines: Vec::new(),
        bytes: 0,
        count: 0,
        files: 0,
        too_large: 0,
        cut: false,
    };
    let base = at.path(input.text("path").unwrap_or_default());
    let about = fs::metadata(&base).map_err(|_| files::missing(at, &base))?;
    let walk_end = if about.is_dir() {
        let names = input.text("glob").map(|glob| FileGlob::below(&base, glob)).transpose()?;
        let folder = names.as_ref().map_or(&base, |(folder, _)| folder).clone();
        walk::files(&folder, types, stop, &mut |path| {
            let inside = path.strip_prefix(&folder).unwrap_or(path);
            let is_meant = names.as_ref().is_none_or(|(_, names)| names.mean(inside));
            // A link may lead outside the project; such a file must be named directly.
            if is_meant && (!path.is_symlink() || at.is_open(path) || leads_into(&folder, path)) {
                found.search_file(path, at);
            }
            !found.cut
        })
    } else {
        // An error is reported, because this file was named.
        drop(files::open(at, &base)?);
        found.search_file(&base, at);
        WalkEnd::All
    };
    Ok(found.into_output(source, walk_end))
}

impl GrepResults<'_> {
    fn search_file(&mut self, path: &Path, at: &Workspace) {
        // Unreadable files are skipped, like unreadable folders.
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
            Mode::Files if self.pattern.is_in(&content) => self.take(at.shown(path), 1),
            Mode::Files => {}
            Mode::Counts => match self.pattern.count(&content) {
                0 => {}
                count => self.take(format!("{}:{count}", at.shown(path)), count),
            },
            Mode::Lines { around, numbers } => self.take_lines(&content, &at.shown(path), around, numbers),
        }
    }

    fn take_lines(&mut self, content: &[u8], shown: &str, around: (usize, usize), numbers: bool) {
        let room = self.most.saturating_sub(self.lines.len());
        // One more than there is room for, so that it is known whether something is left out.
        let lines = self.pattern.lines(content, around, room.saturating_add(1));
        self.files += usize::from(!lines.is_empty());
        let mut last = None;
        for line in lines {
            let apart = last.is_some_and(|last| last + 1 != line.number);
            if around != (0, 0) && (apart || (last.is_none() && !self.lines.is_empty())) {
                self.lines.push("--".to_owned());
            }
            last = Some(line.number);
            let mark = if line.matches { ':' } else { '-' };
            let number = if numbers { format!("{}{mark}", line.number) } else { String::new() };
            self.push(format!("{shown}{mark}{number}{}", shortened(line.text)), usize::from(line.matches));
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

    fn into_output(mut self, pattern: &str, walk_end: WalkEnd) -> ToolOutput {
        let files = if self.files == 1 { "1 file".to_owned() } else { format!("{} files", self.files) };
        let line = match self.mode {
            Mode::Files => files,
            Mode::Lines { .. } | Mode::Counts => format!("{} in {files}", counted(self.count)),
        };
        if self.files == 0 {
            self.lines.push(format!("Nothing matches `{pattern}`."));
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
            self.lines.push(format!("[Skipped because larger than 16 MiB: {count}.]"));
        }
        self.lines.extend(walk_end.note());
        let output = ToolOutput::done(self.lines.join("\n"), ToolDisplay::Line(line));
        ToolOutput { failed: walk_end == WalkEnd::Stopped, ..output }
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
    types
        .build()
        .map_err(|_| format!("`{name}` is not a known `type`; use `glob` instead, such as `*.{name}`."))
}
