//! Stored text on its way into a context: measured, laid on one line, cut between words.

/// What a text costs, estimated as a quarter of its characters.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The text on one line: a stored line break must not resemble a heading or an item of ours.
pub(super) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text, if it costs no more than this; otherwise its beginning up to a word's end, and a note that there is more:
/// the id that follows it says where. None if not even a few words would be left.
pub(super) fn cut(text: &str, most: usize) -> Option<String> {
    /// Less than this says nothing, in characters.
    const LEAST: usize = 40;
    const NOTE: &str = " … (cut)";
    if tokens(text) <= most {
        return Some(text.to_owned());
    }
    let room = (most * 4).checked_sub(NOTE.chars().count()).filter(|room| *room >= LEAST)?;
    Some(format!("{}{NOTE}", whole_words(text, room)?))
}

pub(crate) fn title(text: &str) -> String {
    const LONGEST: usize = 60;
    let line = on_one_line(text);
    if line.chars().count() <= LONGEST {
        return line;
    }
    // A word longer than that is no goal.
    let kept = whole_words(&line, LONGEST - 1).map(str::to_owned);
    format!("{}…", kept.unwrap_or_else(|| line.chars().take(LONGEST - 1).collect()))
}

fn whole_words(text: &str, room: usize) -> Option<&str> {
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    // A word that ends right here is whole.
    let whole = text[end..].starts_with(char::is_whitespace);
    let kept = if whole { &text[..end] } else { &text[..text[..end].rfind(char::is_whitespace)?] };
    Some(kept.trim_end())
}
