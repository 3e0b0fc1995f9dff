//! `Read`: reads the lines of a file with their numbers.

use std::io::{self, BufReader, Read as _};

use tenter_contract::ToolKind;

use super::files;
use super::line_range::{self, LineRange, Lines};
use super::tool_output::counted;
use super::{BuiltinTool, Param, ParamType, ToolDisplay, ToolInput, ToolOutput, Workspace};

const DEFAULT_LINES: u64 = 2_000;
const MOST_BYTES: usize = 100_000;
const LONGEST_LINE: usize = 2_000;
/// Bytes that are checked for binary content.
const SNIFFED: u64 = 8 * 1024;

pub(super) const READ: BuiltinTool = BuiltinTool {
    name: "Read",
    kind: ToolKind::Read,
    description: "Reads a text file. Each line comes as its number, `→` and its text; number and arrow are not part of the \
         file. Long files come in pieces and long lines are cut, with a note; continue with `offset`. \
         Read a file before you change it with `Edit`.",
    params: &[
        Param::FILE_PATH,
        Param::optional(
            "offset",
            ParamType::COUNT,
            "The first line, counted from 1; for files too long to read at once.",
        ),
        Param::optional("limit", ParamType::COUNT, "Maximum number of lines, up to 100 kB [default: 2000]."),
    ],
    alone: false,
    run: read,
};

fn read(input: &ToolInput<'_>, at: &Workspace, stop: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let path = at.path(input.required("file_path"));
    let shown = at.shown(&path);
    let unread = |error: io::Error| format!("`{shown}` cannot be read: {error}.");
    let (mut file, found) = files::open(at, &path)?;
    let mut content = Vec::new();
    file.by_ref().take(SNIFFED).read_to_end(&mut content).map_err(unread)?;
    if let Some(what) = binary_type(&content) {
        return Err(format!(
            "`{shown}` is {what}, which `Read` does not show. Use a program such as `file` or `xxd` with `Bash`."
        ));
    }
    let is_small = found.len() <= files::LARGEST;
    let range = LineRange {
        first: input.whole("offset").unwrap_or(1),
        most: input.whole("limit").unwrap_or(DEFAULT_LINES),
        bytes: MOST_BYTES,
        longest: LONGEST_LINE,
        count_rest: is_small,
    };
    let lines = if is_small {
        // Files in `/proc` report a size of zero.
        file.take(files::LARGEST).read_to_end(&mut content).map_err(unread)?;
        at.remember(&path, &content);
        line_range::read(content.as_slice(), range, stop)
    } else {
        line_range::read(BufReader::new(content.as_slice().chain(file)), range, stop)
    };
    to_output(&lines.map_err(unread)?, range.first, &shown)
}

fn to_output(lines: &Lines, first: u64, shown: &str) -> Result<ToolOutput, String> {
    let Lines { shown: lines, counted: total, more, not_utf8 } = lines;
    let Some((last, _)) = lines.last() else {
        return if *total == 0 {
            Ok(ToolOutput::done(format!("`{shown}` is empty."), ToolDisplay::Line("empty".to_owned())))
        } else {
            Err(format!("`{shown}` has {}; there is no line {first}.", counted(*total, "line", "lines")))
        };
    };
    let mut output = String::new();
    for (number, line) in lines {
        output.extend([&format!("{number:>6}→"), line, "\n"]);
    }
    if *not_utf8 {
        output.push_str("\n[Some bytes are not UTF-8 and are shown as \u{fffd}.]\n");
    }
    if *more {
        let of = if total > last { format!(" of {total}") } else { String::new() };
        let next = last + 1;
        output.extend([
            "\n",
            &format!("[Lines {first} to {last}{of}. Continue with `offset`: {next}.]"),
            "\n",
        ]);
    }
    let line = counted(lines.len() as u64, "line", "lines");
    let line = if *more || first > 1 { format!("{line}, {first} to {last}") } else { line };
    Ok(ToolOutput::done(output, ToolDisplay::Line(line)))
}

/// The type of a binary file, by its first bytes.
fn binary_type(head: &[u8]) -> Option<&'static str> {
    const MARKS: [(&[u8], &str); 14] = [
        (b"\x89PNG\r\n", "an image (PNG)"),
        (b"\xff\xd8\xff", "an image (JPEG)"),
        (b"GIF8", "an image (GIF)"),
        (b"%PDF-", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b", "compressed (gzip)"),
        (b"(\xb5\x2f\xfd", "compressed (zstd)"),
        (b"\xfd7zXZ", "compressed (xz)"),
        (b"BZh", "compressed (bzip2)"),
        (b"\x7fELF", "a program (ELF)"),
        (b"\xcf\xfa\xed\xfe", "a program (Mach-O)"),
        (b"\0asm", "a WebAssembly module"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\xff\xfe", "text in UTF-16 (`iconv -f utf-16` makes it readable)"),
    ];
    let marked = MARKS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, what)| *what);
    marked.or_else(|| head.contains(&0).then_some("a binary file"))
}
