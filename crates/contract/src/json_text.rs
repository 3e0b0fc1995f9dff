//! Repairs of JSON text that other readers accept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

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

/// Restores the halves of emojis that `without_lone_surrogates` took out of `source`: a text in `answer` that is the
/// mended text gets the spelling that it had. `None` if there is nothing to put back. A text that `source` spells in
/// more than one way stays as it is.
pub fn with_lone_surrogates_of(source: &str, answer: &str) -> Option<String> {
    let spellings = lone_spellings(source);
    if spellings.is_empty() || serde_json::from_str::<Value>(answer).is_err() {
        return None;
    }
    let (mut restored, mut copied) = (String::new(), 0);
    for raw in literals(answer).filter(|raw| may_be_mended(raw)) {
        if let Some(Some(spelling)) = unquoted(raw).and_then(|text| spellings.get(&text)) {
            let from = raw.as_ptr().addr() - answer.as_ptr().addr();
            restored.push_str(&answer[copied..from]);
            restored.push_str(spelling);
            copied = from + raw.len();
        }
    }
    restored.push_str(&answer[copied..]);
    (copied > 0).then_some(restored)
}

/// The mended texts of a JSON text and how they were spelt; nothing where that is not clear.
fn lone_spellings(source: &str) -> BTreeMap<String, Option<&str>> {
    let mut spellings = BTreeMap::new();
    let mut any = false;
    for raw in literals(source) {
        let mended = without_lone_surrogates(raw);
        any |= matches!(mended, Cow::Owned(_));
        if may_be_mended(&mended)
            && let Some(text) = unquoted(&mended)
        {
            let spelling = spellings.entry(text).or_insert(Some(raw));
            if *spelling != Some(raw) {
                *spelling = None;
            }
        }
    }
    if any { spellings } else { BTreeMap::new() }
}

/// Whether a JSON string contains U+FFFD.
fn may_be_mended(raw: &str) -> bool {
    raw.contains('\u{fffd}') || raw.as_bytes().windows(ESCAPE).any(|it| it.eq_ignore_ascii_case(b"\\ufffd"))
}

fn unquoted(raw: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{raw}\"")).ok()
}

/// The insides of the texts in a JSON text.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let inside = &rest[rest.find('"')? + 1..];
        let mut at = 0;
        loop {
            at += inside.get(at..)?.find(['"', '\\'])?;
            if inside.as_bytes()[at] == b'"' {
                rest = &inside[at + 1..];
                return Some(&inside[..at]);
            }
            at += 1 + inside[at + 1..].chars().next()?.len_utf8();
        }
    })
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

    #[test]
    fn lone_surrogate_is_restored() {
        let source =
            r#"{"in":{"t":"a\ud83d","u":"\uDE00 é","\ud83d":1,"v":"\ufffd","same":["x\ud83d","x\ude00"]}}"#;
        let mended: Value = serde_json::from_str(&without_lone_surrogates(source)).unwrap();
        for (answer, expected) in [
            (mended["in"]["t"].to_string(), Some(r#""a\ud83d""#)),
            (mended["in"]["u"].to_string(), Some(r#""\uDE00 é""#)),
            (
                "{\"a\":\"x\",\"b\":[\"a\u{fffd}\"],\"c\":\"\\\"\"}".to_owned(),
                Some(r#"{"a":"x","b":["a\ud83d"],"c":"\""}"#),
            ),
            // A genuine U+FFFD, two spellings, text that is not JSON, another text.
            (mended["in"]["v"].to_string(), None),
            (mended["in"]["same"].to_string(), None),
            ("note \"a\u{fffd}\"".to_owned(), None),
            ("\"b\u{fffd}\"".to_owned(), None),
        ] {
            assert_eq!(with_lone_surrogates_of(source, &answer).as_deref(), expected, "{answer}");
        }
        assert_eq!(with_lone_surrogates_of(r#"{"a":"\ufffd"}"#, "\"\u{fffd}\""), None);
    }

    proptest! {
        #[test]
        fn restoring_never_panics(source in r#"(\\|\\u[dD][89cC][0-9]{2}|é|"|x|\u{fffd}){0,20}"#, answer in r#"[\\"xé\u{fffd}]{0,12}"#) {
            let _ = with_lone_surrogates_of(&source, &answer);
            let _ = with_lone_surrogates_of(&source, &format!("[{source}]"));
        }

        #[test]
        fn repair_never_panics_and_is_stable(text in r#"(\\|\\u[dD][89cC][0-9]{2}|\\u00e9|é|"|x){0,20}"#) {
            let mended = without_lone_surrogates(&text);
            prop_assert_eq!(without_lone_surrogates(&mended), mended.as_ref());
        }
    }
}
