//! `Read`: the lines of a file, with their numbers.

use std::io::{self, BufReader, Read as _};

use tenter_contract::ToolKind;

use super::files;
use super::keys::{Form, Given, Key};
use super::lines::{self, Lines, Wanted, counted_lines};
use super::own::Own;
use super::ran::{Ran, Shown};
use super::workplace::Workplace;

const USUAL_LINES: u64 = 2_000;
const MOST_BYTES: usize = 100_000;
const LONGEST_LINE: usize = 2_000;
/// So much of a file is looked at to see what it is.
const SNIFFED: u64 = 8 * 1024;

const KEYS: &[Key] = &[
    Key::needed("file_path", Form::Name, "The file; a relative path starts at the current folder."),
    Key::optional(
        "offset",
        Form::Whole { least: 1, most: u64::MAX },
        "The first line to give, counted from 1; for files too long to be read at once.",
    ),
    Key::optional(
        "limit",
        Form::Whole { least: 1, most: u64::MAX },
        "So many lines, as far as 100 kB go; 2000 if not given.",
    ),
];

/// The tool.
pub(super) const READ: Own = Own {
    name: "Read",
    kind: ToolKind::Read,
    description: "Reads a text file. Each line comes as its number, `→` and its text; number and arrow are no part of the \
         file. A long file is given in pieces, and long lines are cut; both are said, and `offset` reads on. \
         A file must have been read before `Edit` changes it.",
    keys: KEYS,
    alone: false,
    run: read,
};

fn read(given: &Given<'_>, at: &Workplace, stop: &dyn Fn() -> bool) -> Result<Ran, String> {
    let path = at.path(given.needed("file_path"));
    let shown = at.shown(&path);
    let unread = |error: io::Error| format!("`{shown}` cannot be read: {error}.");
    let (mut file, found) = files::open(at, &path)?;
    let mut content = Vec::new();
    file.by_ref().take(SNIFFED).read_to_end(&mut content).map_err(unread)?;
    if let Some(what) = no_text(&content) {
        return Err(format!(
            "`{shown}` is {what}, which `Read` does not show. `Bash` has programs that do, such as `file` or `xxd`."
        ));
    }
    let small = found.len() <= files::LARGEST;
    let wanted = Wanted {
        first: given.whole("offset").unwrap_or(1),
        most: given.whole("limit").unwrap_or(USUAL_LINES),
        bytes: MOST_BYTES,
        longest: LONGEST_LINE,
        count_rest: small,
    };
    let lines = if small {
        // A file of the system says that it is empty and is not.
        file.take(files::LARGEST).read_to_end(&mut content).map_err(unread)?;
        at.remember(&path, &content);
        lines::read(content.as_slice(), wanted, stop)
    } else {
        lines::read(BufReader::new(content.as_slice().chain(file)), wanted, stop)
    };
    told(&lines.map_err(unread)?, wanted.first, &shown)
}

fn told(lines: &Lines, first: u64, shown: &str) -> Result<Ran, String> {
    let Lines { given, counted, more, foreign } = lines;
    let Some((last, _)) = given.last() else {
        return if *counted == 0 {
            Ok(Ran::done(format!("`{shown}` is empty."), Shown::Line("empty".to_owned())))
        } else {
            Err(format!("`{shown}` has {}; there is no line {first}.", counted_lines(*counted)))
        };
    };
    let mut output = String::new();
    for (number, line) in given {
        output.extend([&format!("{number:>6}→"), line, "\n"]);
    }
    if *foreign {
        output.push_str("\n[Some bytes are no UTF-8 and stand here as \u{fffd}.]\n");
    }
    if *more {
        let of = if counted > last { format!(" of {counted}") } else { String::new() };
        let next = last + 1;
        output.extend([
            "\n",
            &format!("[Lines {first} to {last}{of}. Read on with `offset`: {next}.]"),
            "\n",
        ]);
    }
    let line = counted_lines(given.len() as u64);
    let line = if *more || first > 1 { format!("{line}, {first} to {last}") } else { line };
    Ok(Ran::done(output, Shown::Line(line)))
}

/// What a file is that is no text, told by its beginning.
fn no_text(head: &[u8]) -> Option<&'static str> {
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
