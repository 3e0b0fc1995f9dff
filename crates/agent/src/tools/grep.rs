//! `Grep`: text in files, by a regular expression.

use std::fs;
use std::path::Path;

use ignore::types::{Types, TypesBuilder};
use tenter_contract::ToolKind;

use super::call_paths::leads_into;
use super::file_glob::FileGlob;
use super::files;
use super::text_pattern::{PatternOptions, TextPattern};
use super::tool_output::counted;
use super::walk::{self, WalkEnd};
use super::{BuiltinTool, Param, ParamType, ToolDisplay, ToolInput, ToolOutput, Workspace};

const DEFAULT_LIMIT: u64 = 250;
const MOST_BYTES: usize = 60_000;
const LONGEST_LINE: usize = 500;
const CONTEXT: ParamType = ParamType::Whole { least: 0, most: 1_000 };
/// Bytes that are checked for binary content.
const SNIFFED: usize = 8 * 1024;

pub(super) const GREP: BuiltinTool = BuiltinTool {
    name: "Grep",
    kind: ToolKind::Search,
    description: "Finds text in files by a regular expression. Skips binary files and files that git ignores. `output_mode` \
         selects paths, lines or counts.",
    params: &[
        Param::required("pattern", ParamType::Name, "The regular expression, in the syntax of ripgrep."),
        Param::optional(
            "path",
            ParamType::Name,
            "The file or folder to search [default: the current folder].",
        ),
        Param::optional(
            "glob",
            ParamType::Name,
            "Only files that match: `*.js`, `src/**/*.{ts,tsx}`, `!*.min.js`.",
        ),
        Param::optional(
            "type",
            ParamType::Name,
            "Only files of this type: `rust`, `py`, `js`, `go`, `java` …",
        ),
        Param::optional(
            "output_mode",
            ParamType::OneOf(&["files_with_matches", "content", "count"]),
            "Return paths, lines or counts [default: files_with_matches].",
        ),
        Param::optional("-A", CONTEXT, "Lines to show after each match; for `content`."),
        Param::optional("-B", CONTEXT, "Lines to show before each match; for `content`."),
        Param::optional("-C", CONTEXT, "Lines to show before and after each match; for `content`."),
        Param::optional("-n", ParamType::Flag, "Show line numbers [default: true]."),
        Param::optional("-i", ParamType::Flag, "Ignore upper and lower case."),
        Param::optional("multiline", ParamType::Flag, "Match over several lines; `.` matches line ends too."),
        Param::optional("head_limit", ParamType::COUNT, "Maximum number of lines or files [default: 250]."),
    ],
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
            numbers: input.flag("-n", true),
        },
        Some("count") => Mode::Counts,
        _ => Mode::Files,
    };
    let options =
        PatternOptions { any_case: input.flag("-i", false), multiline: input.flag("multiline", false) };
    let pattern = TextPattern::parse(source, options)?;
    let types = input.text("type").map(file_types).transpose()?;
    let most = input.whole("head_limit").unwrap_or(DEFAULT_LIMIT);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut results = GrepResults::new(&pattern, mode, most);
    let base = at.path(input.text("path").unwrap_or_default());
    let about = fs::metadata(&base).map_err(|_| files::missing(at, &base))?;
    let walk_end = if about.is_dir() {
        let names = input.text("glob").map(|glob| FileGlob::below(&base, glob)).transpose()?;
        let folder = names.as_ref().map_or(&base, |(folder, _)| folder).clone();
        walk::files(&folder, types, stop, &mut |path| {
            let inside = path.strip_prefix(&folder).unwrap_or(path);
            let is_wanted = names.as_ref().is_none_or(|(_, names)| names.matches(inside));
            // A link may lead outside the project; such a file must be named directly.
            if is_wanted && (!path.is_symlink() || at.is_open(path) || leads_into(&folder, path)) {
                results.search_file(path, at);
            }
            !results.cut
        })
    } else {
        // This file was named, so an error is reported.
        drop(files::open(at, &base)?);
        results.search_file(&base, at);
        WalkEnd::All
    };
    Ok(results.into_output(source, walk_end))
}

impl<'a> GrepResults<'a> {
    fn new(pattern: &'a TextPattern, mode: Mode, most: usize) -> Self {
        let lines = Vec::new();
        Self { pattern, mode, most, lines, bytes: 0, count: 0, files: 0, too_large: 0, cut: false }
    }

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
            Mode::Files if self.pattern.is_in(&content) => self.add(at.shown(path), 1),
            Mode::Files => {}
            Mode::Counts => match self.pattern.count(&content) {
                0 => {}
                count => self.add(format!("{}:{count}", at.shown(path)), count),
            },
            Mode::Lines { around, numbers } => self.add_lines(&content, &at.shown(path), around, numbers),
        }
    }

    fn add_lines(&mut self, content: &[u8], shown: &str, around: (usize, usize), numbers: bool) {
        let room = self.most.saturating_sub(self.lines.len());
        // One more than there is room for, to detect whether lines are left out.
        let lines = self.pattern.lines(content, around, room.saturating_add(1));
        self.files += usize::from(!lines.is_empty());
        let mut last = None;
        for line in lines {
            let has_gap = last.is_some_and(|last| last + 1 != line.number);
            if around != (0, 0) && (has_gap || (last.is_none() && !self.lines.is_empty())) {
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

    fn add(&mut self, line: String, count: usize) {
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
        let files = counted(self.files as u64, "file", "files");
        let line = match self.mode {
            Mode::Files => files,
            Mode::Lines { .. } | Mode::Counts => {
                format!("{} in {files}", counted(self.count as u64, "match", "matches"))
            }
        };
        if self.files == 0 {
            self.lines.push(format!("Nothing matches `{pattern}`."));
        } else if self.mode == Mode::Counts {
            self.lines.push(format!("[{line}]"));
        }
        if self.cut {
            let note = "[There is more. Narrow the search with `path`, `glob` or the pattern, or raise `head_limit`.]";
            self.lines.push(note.to_owned());
        }
        if self.too_large > 0 {
            self.lines.push(format!("[Skipped because larger than 16 MiB: {}.]", self.too_large));
        }
        self.lines.extend(walk_end.note());
        let output = ToolOutput::done(self.lines.join("\n"), ToolDisplay::Line(line));
        ToolOutput { failed: walk_end == WalkEnd::Stopped, ..output }
    }
}

fn shortened(line: &[u8]) -> String {
    let line = &line[..line.len().min(4 * LONGEST_LINE)];
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}… [cut]", &text[..end]),
        None => text.into_owned(),
    }
}

fn file_types(name: &str) -> Result<Types, String> {
    let mut types = TypesBuilder::new();
    types.add_defaults().select(name);
    let unknown = |_| format!("`{name}` is not a known `type`; use `glob` instead, such as `*.{name}`.");
    types.build().map_err(unknown)
}
