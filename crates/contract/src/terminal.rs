//! Control sequences of terminals, which are meant for no reader of ours: where each of them ends.

use std::borrow::Cow;

/// What follows the control sequence at the beginning of a text.
pub fn after_control(text: &str) -> &str {
    let mut chars = text.chars();
    if chars.next() != Some('\u{1b}') {
        let rest = chars.as_str();
        return if text.starts_with('\u{9b}') { after_parameters(rest) } else { rest };
    }
    let lone = chars.as_str();
    let kind = chars.next();
    let rest = chars.as_str();
    match kind {
        Some('[') => after_parameters(rest),
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(rest),
        Some(' '..='~') => after_intermediates(lone),
        Some(_) | None => lone,
    }
}

/// Parameters, then one letter.
fn after_parameters(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| matches!(c, ' '..='?'));
    rest.strip_prefix(|c| matches!(c, '@'..='~')).unwrap_or(rest)
}

/// The choice of a character set, or a single letter or digit.
fn after_intermediates(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| matches!(c, ' '..='/'));
    rest.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(rest)
}

/// A title or a link, up to its end mark. One that is never closed on its line takes nothing with it: what
/// follows could be a reply.
fn after_string(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let bell = line.find('\u{7}').map(|at| at + 1);
    let mark = line.find("\u{1b}\\").map(|at| at + 2);
    match (bell, mark) {
        (Some(bell), Some(mark)) => &text[bell.min(mark)..],
        (Some(end), None) | (None, Some(end)) => &text[end..],
        (None, None) => text,
    }
}

/// Text without anything that a terminal would obey or that reads other than it is written: control characters, and
/// those that [`is_hidden`] knows, become visible as `\u{1b}`. Lines stay lines, and letters that belong together
/// stay joined. Every text that is shown on a terminal comes through here.
pub fn visible(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) || byte == b'\n' || byte == b'\t';
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        let stays = c == '\n' || c == '\t' || joins(before, c) || c == '\u{fe0f}' && is_symbol(before);
        if !stays && (c.is_control() || is_hidden(c)) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
        before = c;
    }
    Cow::Owned(shown)
}

/// Whether a character is not seen, turns the direction of what is, or ends a line where none should end.
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether it is a joiner that belongs to the letter or picture before it, as in Persian, in the scripts of India and in
/// emoji. Behind anything that commands and paths are commonly made of, it would only hide.
pub fn joins(before: char, c: char) -> bool {
    let is_letter = !before.is_ascii() && !before.is_control();
    matches!(c, '\u{200c}' | '\u{200d}') && is_letter && (before == '\u{fe0f}' || !is_hidden(before))
}

/// Symbols that may be asked to be shown in colour.
pub fn is_symbol(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}') && !is_hidden(c)
}
