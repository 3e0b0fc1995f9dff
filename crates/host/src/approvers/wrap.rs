//! Wraps lines for a terminal. A terminal continues a long line at the left edge, where a text could imitate a line of
//! tenter, so every continued line begins with a mark here.

use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// The mark before each further part of a line, after its indentation.
const FURTHER: &str = "  │ ";
/// How wide a terminal is that does not say so.
const USUAL: usize = 80;
/// A narrower terminal counts as this wide, so that words fit next to mark and indentation.
const NARROWEST: usize = 20;
const TAB: usize = 8;

/// The number of columns; none if this is no terminal.
pub fn terminal_width(terminal: impl AsFd) -> Option<usize> {
    let columns = usize::from(tcgetwinsize(terminal).ok()?.ws_col);
    Some(if columns == 0 { USUAL } else { columns })
}

/// A line in parts that each fit into the width.
pub fn wrap_line(line: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width.map(|width| width.max(NARROWEST)) else { return vec![line.to_owned()] };
    let indent = line.chars().take_while(|c| *c == ' ').count().min(width / 4);
    let mark = format!("{}{FURTHER}", " ".repeat(indent));
    let mut parts = Vec::new();
    let (mut part, mut columns) = (String::new(), 0);
    for c in line.chars() {
        if columns + columns_of(c) > width {
            columns = mark.chars().map(columns_of).sum();
            parts.push(std::mem::replace(&mut part, mark.clone()));
        }
        part.push(c);
        columns += columns_of(c);
    }
    parts.push(part);
    parts
}

/// At least as many columns as a terminal uses. A part that is too short does no harm.
fn columns_of(c: char) -> usize {
    match c {
        '\t' => TAB,
        c if c.is_ascii() => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_continues_after_mark() {
        let line = format!("    command: {}[1] Deny", "x".repeat(27));
        assert_eq!(wrap_line(&line, Some(48)), [line.as_str()]);
        assert_eq!(wrap_line(&line, None), [line.as_str()]);
        assert_eq!(
            wrap_line(&line, Some(40)),
            [format!("    command: {}", "x".repeat(27)), "      │ [1] Deny".to_owned()]
        );
        assert_eq!(wrap_line("", Some(40)), [""]);
    }

    #[test]
    fn wrapped_parts_fit_and_are_marked() {
        for line in ["x".repeat(500), "宽".repeat(200), "a\tb".repeat(90), format!("{}x", " ".repeat(300))] {
            for width in [0, 1, 20, 33, 80] {
                let parts = wrap_line(&line, Some(width));
                let columns = |part: &String| part.chars().map(columns_of).sum::<usize>();
                assert!(parts.iter().all(|part| columns(part) <= width.max(NARROWEST)), "{width}: {parts:?}");
                assert!(parts.iter().skip(1).all(|part| part.trim_start().starts_with('│')), "{parts:?}");
                let unmarked =
                    parts.iter().map(|part| part.split_once(FURTHER).map_or(&**part, |(_, it)| it));
                assert_eq!(unmarked.collect::<String>(), line);
            }
        }
    }
}
