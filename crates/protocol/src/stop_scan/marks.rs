//! Text that may precede and follow a reply in its line.

use super::Reader;

/// Blanks, list brackets and Markdown fences with their language.
pub(super) fn is_frame(gap: &[u8]) -> bool {
    are_frame(gap.iter().copied())
}

fn are_frame(mut gap: impl Iterator<Item = u8>) -> bool {
    let mut after_fence = false;
    gap.all(|byte| match byte {
        b'`' | b'~' => {
            after_fence = true;
            true
        }
        0xEF | 0xBB | 0xBF => true,
        byte if byte == b' ' || byte.is_ascii_control() || b"[],".contains(&byte) => {
            after_fence = false;
            true
        }
        letter => after_fence && letter.is_ascii_alphanumeric(),
    })
}

/// Marks that may be before a reply in its line: a frame, `data:` of an event stream, tags. The signs of a diff and of
/// a Markdown list are none.
pub(super) fn is_marks(mut before: &[u8]) -> bool {
    loop {
        if is_frame(before) {
            return true;
        }
        let Some(at) = before.iter().position(|byte| matches!(byte, b'<' | b'd')) else { return false };
        let (frame, mark) = before.split_at(at);
        let Some(after) = mark.strip_prefix(b"data:").or_else(|| after_tag(mark)) else { return false };
        if !is_frame(frame) {
            return false;
        }
        before = after;
    }
}

/// Values of a list that are no objects. Other words are those of a text in brackets.
pub(super) fn are_values(mut gap: &[u8]) -> bool {
    while let Some(from) = gap.iter().position(|byte| !is_frame(&[*byte])) {
        gap = &gap[from..];
        let mut reader = Reader { bytes: gap, at: 0 };
        let text_end = if gap[0] == b'"' { reader.skip_text().map(|()| reader.at) } else { None };
        let is_end = |byte: &u8| is_frame(&[*byte]) || *byte == b'"';
        let end = text_end.unwrap_or_else(|| gap.iter().position(is_end).unwrap_or(gap.len()));
        let is_number = |word: &[u8]| word.iter().all(|byte| b"+-.0123456789eE".contains(byte));
        let word = &gap[..end];
        if text_end.is_none() && (end == 0 || !(is_number(word) || LITERALS.contains(&word))) {
            return false;
        }
        gap = &gap[end..];
    }
    true
}

const LITERALS: [&[u8]; 6] = [b"true", b"false", b"null", b"undefined", b"NaN", b"-Infinity"];

/// Where a list begins behind marks. Its first values may have no verdict.
pub(super) fn list_start(in_line: &[u8]) -> Option<usize> {
    let at = in_line.iter().position(|byte| *byte == b'[')?;
    is_marks(&in_line[..at]).then_some(at)
}

/// The text behind `<reply>`, `</reply>` or `<?xml …?>`.
fn after_tag(text: &[u8]) -> Option<&[u8]> {
    let inner = text.strip_prefix(b"<")?;
    let is_tag = inner.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"/!?".contains(byte));
    let end = inner.iter().position(|byte| *byte == b'>')?;
    is_tag.then(|| &inner[end + 1..])
}

/// Blanks and the marks that close a list, a fence, a tag or a call.
pub(super) fn is_closing(mut rest: &[u8]) -> bool {
    loop {
        let (marks, tag) = rest.split_at(rest.iter().position(|byte| *byte == b'<').unwrap_or(rest.len()));
        if !are_frame(marks.iter().copied().filter(|byte| !b");".contains(byte))) {
            return false;
        }
        if tag.is_empty() {
            return true;
        }
        let Some(after) = after_tag(tag).filter(|_| tag.starts_with(b"</")) else { return false };
        rest = after;
    }
}
