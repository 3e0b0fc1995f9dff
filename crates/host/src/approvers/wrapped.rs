//! Lines that are longer than a terminal is wide. A terminal goes on at the left edge, where a line of ours would begin,
//! so whoever chooses the words could draw one there; what is broken here goes on behind a mark.

use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// What stands before each further part of a line, behind its own indentation.
const FURTHER: &str = "  │ ";
/// How wide a terminal is that does not say so.
const USUAL: usize = 80;
/// A narrower one is taken to be this wide: beside marks and indentation there must be room for words.
const NARROWEST: usize = 20;
/// How far a tab may reach.
const TAB: usize = 8;

/// How many columns there are; none if it is no terminal, where no line is too long.
pub fn width_of(terminal: impl AsFd) -> Option<usize> {
    let columns = usize::from(tcgetwinsize(terminal).ok()?.ws_col);
    Some(if columns == 0 { USUAL } else { columns })
}

/// A line in parts that each fit into the width.
pub fn wrapped(line: &str, width: Option<usize>) -> Vec<String> {
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

/// No fewer than a terminal takes for it: a part that is too short harms nobody.
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
    fn what_fits_stays_and_what_does_not_goes_on_behind_a_mark() {
        let line = format!("    command: {}[1] Deny", "x".repeat(27));
        assert_eq!(wrapped(&line, Some(48)), [line.as_str()]);
        assert_eq!(wrapped(&line, None), [line.as_str()]);
        assert_eq!(
            wrapped(&line, Some(40)),
            [format!("    command: {}", "x".repeat(27)), "      │ [1] Deny".to_owned()]
        );
        assert_eq!(wrapped("", Some(40)), [""]);
    }

    #[test]
    fn no_part_is_wider_than_the_terminal_and_no_further_one_is_unmarked() {
        for line in ["x".repeat(500), "宽".repeat(200), "a\tb".repeat(90), format!("{}x", " ".repeat(300))] {
            for width in [0, 1, 20, 33, 80] {
                let parts = wrapped(&line, Some(width));
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
