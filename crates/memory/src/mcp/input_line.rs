//! Parses a line of input. The sender of invalid JSON waits for an answer too, so its id is recovered if possible.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum InputLine {
    Empty,
    /// JSON: a message or several.
    Message(Value),
    /// Invalid JSON. The id is null if it cannot be recovered.
    Broken {
        id: Value,
        why: String,
    },
}

impl InputLine {
    /// Reads a line. Invalid UTF-8 and lone surrogates become replacement characters.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Self::Empty;
        }
        let error = match serde_json::from_str(text) {
            Ok(message) => return Self::Message(message),
            Err(error) => error,
        };
        let mended = without_lone_surrogates(text);
        if let Some(message) = mended.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
            return Self::Message(message);
        }
        let id = id_in(mended.as_deref().unwrap_or(text)).unwrap_or_default();
        Self::Broken { id, why: format!("this is not JSON: {error}") }
    }
}

fn without_lone_surrogates(text: &str) -> Option<String> {
    let (mut mended, mut rest, mut found) = (String::new(), text, false);
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        let (length, lone) = match unit(escape) {
            Some(0xD800..=0xDBFF) if matches!(escape.get(6..).and_then(unit), Some(0xDC00..=0xDFFF)) => {
                (12, false)
            }
            Some(0xD800..=0xDFFF) => (6, true),
            Some(_) => (6, false),
            // The next character is escaped and begins no escape.
            None => (escape.chars().take(2).map(char::len_utf8).sum(), false),
        };
        mended.push_str(before);
        mended.push_str(if lone { r"\ufffd" } else { &escape[..length] });
        found |= lone;
        rest = &escape[length..];
    }
    found.then(|| mended + rest)
}

/// The code unit of an escape such as `\ud83d` at the beginning.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// The id of an invalid object: the value after the key `"id"` at its first level.
fn id_in(text: &str) -> Option<Value> {
    if !text.starts_with('{') {
        return None;
    }
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = end_of_string(text.as_bytes(), at);
                let behind = text[end..].trim_start().strip_prefix(':');
                if let (1, "\"id\"", Some(value)) = (depth, &text[at..end], behind) {
                    let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
                    let id = values.next().and_then(Result::ok);
                    return id.filter(|id| id.is_string() || id.is_number());
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn end_of_string(text: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_a_character_is_replaced_and_a_whole_one_is_not() {
        for (line, expected) in [
            (r#"{"a":"\ud800"}"#, json!({"a": "\u{fffd}"})),
            (r#"{"a":"x\udc00y"}"#, json!({"a": "x\u{fffd}y"})),
            (r#"{"a":"\ud83d\ude00 \ud83d"}"#, json!({"a": "\u{1f600} \u{fffd}"})),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, json!({"a": "\u{fffd}\u{1f600}"})),
            (r#"{"a":"\\ud800 \ud800"}"#, json!({"a": "\\ud800 \u{fffd}"})),
            (r#"{"\ud800":"\"\ud800ä"}"#, json!({"\u{fffd}": "\"\u{fffd}ä"})),
        ] {
            assert_eq!(InputLine::read(line.as_bytes()), InputLine::Message(expected), "{line}");
        }
        assert_eq!(InputLine::read(b"\xef\xbb\xbf[\"\xff\"]\r"), InputLine::Message(json!(["\u{fffd}"])));
        assert_eq!(InputLine::read(b" \r"), InputLine::Empty);
    }

    #[test]
    fn the_id_of_a_line_that_is_no_json_is_found() {
        let deep = format!(r#"{{"params":{}1{},"id":7}}"#, "[".repeat(500), "]".repeat(500));
        for (line, expected) in [
            (deep.as_str(), json!(7)),
            (r#"{"id":"a\"b","method":"x","params":{"id":3,}}"#, json!("a\"b")),
            (r#"{"params":{"id":3,"x":"}\"id\":4"}, "id" : 5, "method": "x" "y"}"#, json!(5)),
            ("{\"x\":\"a\tb\",\"id\":-1}", json!(-1)),
            (r#"{"id":"\ud800","x":}"#, json!("\u{fffd}")),
            (r#"{"id":{"id":1},"x":}"#, Value::Null),
            (r#"{"id":tru"#, Value::Null),
            (r#"{"id""#, Value::Null),
            (r#"[{"id":1},"#, Value::Null),
            ("{\"id\\", Value::Null),
            ("ä", Value::Null),
        ] {
            let InputLine::Broken { id, .. } = InputLine::read(line.as_bytes()) else { panic!("{line}") };
            assert_eq!(id, expected, "{line}");
        }
    }
}
