//! Control sequences of terminals, which are meant for no reader of ours: where each of them ends.

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
