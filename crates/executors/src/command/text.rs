//! Decodes, cleans and shortens the output of programs.

use tenter_contract::hook::PLAIN_TEXT_LIMIT;
use tenter_contract::terminal::after_control;

/// The beginning of a text whose real beginning is missing.
const MISSING_MARK: &str = "truncated ... ";

/// Decodes a stream of which `cut` further bytes are missing. Bad bytes are replaced with a notice; a character that the
/// cut divided is left out without one.
pub(crate) fn decode(bytes: &[u8], cut: u64, notices: &mut Vec<String>) -> String {
    if let Some(text) = wide(bytes) {
        notices.push("the output is UTF-16 or UTF-32, not UTF-8".to_owned());
        return text;
    }
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if cut > 0 && error.error_len().is_none() => &bytes[..error.valid_up_to()],
        Ok(_) | Err(_) => bytes,
    };
    let text = String::from_utf8_lossy(whole);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        notices.push("the output is not valid UTF-8; the bad bytes were replaced".to_owned());
    }
    text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
}

/// Text in UTF-16 or UTF-32, which programs on Windows and some runtimes write. It has a byte order mark, or begins
/// with an ASCII character and the zeros that belong to it.
fn wide(bytes: &[u8]) -> Option<String> {
    let first = *bytes.first().filter(|_| bytes.len() >= 4)?;
    let (width, big) = match bytes {
        [0xFF, 0xFE, 0, 0, ..] => (4, false),
        [0, 0, 0xFE, 0xFF, ..] => (4, true),
        [0xFF, 0xFE, ..] => (2, false),
        [0xFE, 0xFF, ..] => (2, true),
        [0, 0, 0, last, ..] if last.is_ascii() && *last != 0 => (4, true),
        [_, 0, 0, 0, ..] if first.is_ascii() && first != 0 => (4, false),
        [0, ascii, 0, ..] if ascii.is_ascii() && *ascii != 0 => (2, true),
        [_, 0, second, 0, ..] if first.is_ascii() && first != 0 && *second != 0 => (2, false),
        _ => return None,
    };
    let units = bytes.chunks_exact(width).map(|unit| {
        let push = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        if big { unit.iter().fold(0, push) } else { unit.iter().rev().fold(0, push) }
    });
    let text: String = if width == 4 {
        units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    } else {
        let units = units.map(|unit| u16::try_from(unit).unwrap_or(0xFFFD));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    Some(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

/// Decodes without a notice.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Cuts an error text at its beginning if it is too long, or if `cut` bytes are missing already: errors are at the end.
pub(crate) fn ending(text: &str, cut: u64, notices: &mut Vec<String>) -> String {
    if cut == 0 && text.len() <= PLAIN_TEXT_LIMIT {
        return text.to_owned();
    }
    let room = PLAIN_TEXT_LIMIT - MISSING_MARK.len();
    let from = text.ceil_char_boundary(text.len().saturating_sub(room));
    let lost = from as u64 + cut;
    notices.push(format!("{lost} bytes of the reason were cut; the last {PLAIN_TEXT_LIMIT} fit"));
    format!("{MISSING_MARK}{}", &text[from..])
}

/// Removes terminal control sequences and NUL bytes.
pub(crate) fn clean(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}', '\0']) {
        kept.push_str(&rest[..at]);
        rest = after_control(&rest[at..]);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terminal_control_is_removed() {
        for (text, expected) in [
            ("\u{1b}[1;31merror\u{1b}[0m: x", "error: x"),
            ("\u{9b}31mred", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;never closed\n{\"deny\":\"x\"}", "0;never closed\n{\"deny\":\"x\"}"),
            ("\u{1b}(Bplain\u{1b}7", "plain"),
            ("\u{1b}(0qx\u{1b}(B", "qx"),
            ("a\0b", "ab"),
            ("end\u{1b}", "end"),
            ("\u{1b}ä", "ä"),
            ("tab\tand\r\nline", "tab\tand\r\nline"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }

    #[test]
    fn long_reason_keeps_its_end() {
        let end = |text: &str, missing| {
            let mut notices = Vec::new();
            (ending(text, missing, &mut notices), notices)
        };
        assert_eq!(end("no", 0), ("no".to_owned(), vec![]));
        assert_eq!(end(&"a".repeat(10_240), 0).1, [""; 0]);
        let (text, notices) = end(&format!("{}END", "ä".repeat(6_000)), 1_000);
        assert!(text.len() <= 10_240 && text.starts_with("truncated ... ä") && text.ends_with("END"));
        assert_eq!(notices, ["2778 bytes of the reason were cut; the last 10240 fit"]);
    }

    #[test]
    fn wide_text_is_decoded() {
        let text = "{\"deny\":\"é😀\"}";
        let utf16: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = utf16.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = utf16.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let utf32: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        for bytes in
            [&little, &big, &utf32, &[b"\xff\xfe", &little[..]].concat(), &[b"\xfe\xff", &big[..]].concat()]
        {
            assert_eq!(decode(bytes, 0, &mut Vec::new()), text, "{bytes:?}");
        }
        for narrow in [&b"a\0b"[..], b"a", b"", b"\0\0\0\0", b"a\0\0b"] {
            assert_eq!(wide(narrow), None, "{narrow:?}");
        }
    }

    #[test]
    fn divided_character_is_no_bad_byte() {
        let mut notices = Vec::new();
        assert_eq!(decode(b"a\xc3", 5, &mut notices), "a");
        assert_eq!(notices.len(), 0);
        assert_eq!(decode(b"a\xc3", 0, &mut notices), "a\u{fffd}");
        assert_eq!(notices.len(), 1);
    }

    /// The characters that control sequences are made of, and a few that are none.
    const CLOSE_TO_CONTROL: &str = "[\u{1b}\u{9b}\u{7}\0\\[\\];a(0{\nä\\\\]{0,40}";

    proptest! {
        #[test]
        fn clean_text_has_no_control(text in CLOSE_TO_CONTROL) {
            let left = clean(&text).contains(['\u{1b}', '\u{9b}', '\0']);
            prop_assert!(!left);
        }
    }
}
