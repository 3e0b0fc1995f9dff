//! Stored text on its way into a context: measured, laid on one line, cut between words.

/// What a text costs, estimated as a quarter of its characters.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The text on one line: a stored line break must not look like a heading or an item of ours.
pub(super) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text, if it costs no more than this; otherwise its beginning up to a word's end, and a note that names where
/// the rest is. None if not even a few words would be left.
pub(super) fn cut(text: &str, most: usize, id: &str) -> Option<String> {
    /// Less than this says nothing, in characters.
    const LEAST: usize = 40;
    if tokens(text) <= most {
        return Some(text.to_owned());
    }
    let note = format!(" … (cut; `{id}` has the rest)");
    let room = (most * 4).checked_sub(note.chars().count()).filter(|room| *room >= LEAST)?;
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    // A word that ends right here is whole.
    let whole = text[end..].starts_with(char::is_whitespace);
    let kept = if whole { &text[..end] } else { &text[..text[..end].rfind(char::is_whitespace)?] };
    Some(format!("{}{note}", kept.trim_end()))
}
