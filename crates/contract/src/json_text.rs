//! Repairs of JSON text that other readers accept.

use std::borrow::Cow;

/// Replaces `\ud83d` without its other half by `\ufffd`. Programs written in JavaScript
/// send it when they cut a text inside an emoji. JavaScript and Python accept it, `serde_json` does not.
pub fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        match (surrogate(text, at), surrogate(text, at + ESCAPE)) {
            (Some(Half::High), Some(Half::Low)) => at += 2 * ESCAPE,
            (Some(Half::High | Half::Low), _) => {
                mended.push_str(&text[copied..at]);
                mended.push_str("\\ufffd");
                at += ESCAPE;
                copied = at;
            }
            // Past the backslash and what it escapes, so that `\\ud83d` is not taken for a surrogate.
            (None, _) => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    mended.push_str(&text[copied..]);
    Cow::Owned(mended)
}

/// The length of `\ud83d`.
const ESCAPE: usize = 6;

enum Half {
    High,
    Low,
}

/// Which half of a surrogate pair is escaped at this place, if one is.
fn surrogate(text: &str, at: usize) -> Option<Half> {
    let digits = text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn repair_never_panics_and_is_stable(text in r#"(\\|\\u[dD][89cC][0-9]{2}|\\u00e9|é|"|x){0,20}"#) {
            let mended = without_lone_surrogates(&text);
            prop_assert_eq!(without_lone_surrogates(&mended), mended.as_ref());
        }
    }
}
