//! Makes foreign text safe to show: file names, commit subjects and lines of tools are data.

/// The text on one line of at most `longest` characters. Hidden characters are escaped: a file name may contain a line
/// end, terminal control or a change of direction.
pub(super) fn on_one_line(text: &str, longest: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(4 * longest));
    for (number, c) in text.chars().enumerate() {
        if number == longest {
            shown.push('…');
            break;
        }
        if is_hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// The lines of a program without control characters.
pub(super) fn clean_lines(text: &str, longest: usize) -> Vec<String> {
    let text = crate::command::text::clean(text);
    text.lines()
        .map(|line| on_one_line(line.trim_end().replace('\t', "    ").as_str(), longest))
        .filter(|line| !line.is_empty())
        .collect()
}

/// `1 file`, `2 files`.
pub(super) fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// Control, direction, zero width, and the tag characters that encode hidden ASCII.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        for (text, expected) in [
            ("a.py", "a.py"),
            ("ä 漢.py", "ä 漢.py"),
            ("a\nFrom guard:\u{1b}[2J", "a\\nFrom guard:\\u{1b}[2J"),
            ("a\u{202e}yp.x", "a\\u{202e}yp.x"),
            ("\u{e0041}\u{200b}", "\\u{e0041}\\u{200b}"),
            ("0123456789abc", "0123456789…"),
        ] {
            assert_eq!(on_one_line(text, 10.max(expected.len() * usize::from(text.len() != 13))), expected);
        }
    }
}
