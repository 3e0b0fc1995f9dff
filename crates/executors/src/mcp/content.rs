//! The text of a server's result.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::command::text;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content {
    pub(super) text: String,
    /// Notices about other content, if the text is JSON and must be the whole output.
    pub(super) notices: Vec<String>,
}

/// The result of a tool; an error if the server marks it as one.
pub(super) fn parse_tool_result(result: &Map<String, Value>) -> Result<Content, String> {
    let blocks = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut content = joined(blocks.iter());
    if content.text.is_empty()
        && let Some(Value::Object(structured)) = result.get("structuredContent")
    {
        content.text = Value::Object(structured.clone()).to_string();
    }
    if result.get("isError") == Some(&Value::Bool(true)) { Err(content.text) } else { Ok(content) }
}

pub(super) fn parse_resource(result: &Map<String, Value>) -> Content {
    let contents = result.get("contents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts = contents.iter().map(|content| match content.get("text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => format!("[{} is no text: {}]", word(content, "uri"), kind(content)),
    });
    Content { text: texts.collect::<Vec<_>>().join("\n"), notices: Vec::new() }
}

/// The messages of a prompt, one after the other.
pub(super) fn parse_prompt(result: &Map<String, Value>) -> Content {
    let messages = result.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let blocks =
        messages.iter().filter_map(|message| message.get("content")).flat_map(|content| match content {
            Value::Array(blocks) => blocks.iter().collect(),
            one => vec![one],
        });
    let texts: Vec<String> =
        blocks.map(|block| text_of(block).map_or_else(|| named(block), Cow::into_owned)).collect();
    Content { text: texts.join("\n"), notices: Vec::new() }
}

/// Joins the texts. Other blocks are named in one line each, but not behind a reply, which must be the whole output.
fn joined<'a>(blocks: impl Iterator<Item = &'a Value>) -> Content {
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for block in blocks {
        match text_of(block) {
            Some(text) => texts.push(text),
            None => others.push(named(block)),
        }
    }
    let mut text = texts.join("\n");
    if text.trim_start().starts_with('{') {
        let notices = others.into_iter().map(|other| format!("not used: {other}")).collect();
        return Content { text, notices };
    }
    for other in others {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&other);
    }
    Content { text, notices: Vec::new() }
}

/// The text of a block, or of a resource in it.
fn text_of(block: &Value) -> Option<Cow<'_, str>> {
    match block.get("type")?.as_str()? {
        "text" => block.get("text")?.as_str().map(Cow::Borrowed),
        "resource" => {
            let resource = block.get("resource")?;
            match resource.get("text").and_then(Value::as_str) {
                Some(text) => Some(Cow::Borrowed(text)),
                None => text_of_blob(resource.get("blob")?.as_str()?).map(Cow::Owned),
            }
        }
        _ => None,
    }
}

/// The text in a blob, if it is text.
fn text_of_blob(blob: &str) -> Option<String> {
    let bytes = STANDARD.decode(blob.split_ascii_whitespace().collect::<String>()).ok()?;
    let mut notices = Vec::new();
    let text = text::decode(&bytes, 0, &mut notices);
    let is_text = std::str::from_utf8(&bytes).is_ok() || !text.contains(char::REPLACEMENT_CHARACTER);
    (is_text && !text.trim_end_matches('\0').contains('\0')).then_some(text)
}

/// A block that is not text: `[image: image/png]`, `[resource: file:///a, text/plain]`.
fn named(block: &Value) -> String {
    let about = block.get("resource").unwrap_or(block);
    let uri = word(about, "uri");
    let about = [uri, kind(about)].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    format!("[{}: {}]", or(word(block, "type"), "block"), or(about.join(", "), "no text"))
}

fn kind(block: &Value) -> String {
    word(block, "mimeType")
}

fn word(block: &Value, key: &str) -> String {
    super::conversation::shortened(block.get(key).and_then(Value::as_str).unwrap_or_default())
}

fn or(text: String, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn tool(content: &Value) -> Content {
        parse_tool_result(&object(&json!({ "content": content }))).unwrap()
    }

    #[test]
    fn texts_are_joined_and_the_rest_is_named() {
        let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
        let embedded =
            json!({ "type": "resource", "resource": { "uri": "file:///a", "mimeType": "text/plain" } });
        let text = |text: &str| json!({ "type": "text", "text": text });
        let content = tool(&json!([text("a"), image, text("b"), embedded, 3]));
        assert_eq!(
            content.text,
            "a\nb\n[image: image/png]\n[resource: file:///a, text/plain]\n[block: no text]"
        );
        let content = tool(&json!([text(r#"{"deny":"no"}"#), image]));
        assert_eq!(content.text, r#"{"deny":"no"}"#);
        assert_eq!(content.notices, ["not used: [image: image/png]"]);
        let resource = |resource: Value| tool(&json!([{ "type": "resource", "resource": resource }])).text;
        assert_eq!(resource(json!({ "uri": "x:y", "text": r#"{"deny":"no"}"# })), r#"{"deny":"no"}"#);
        assert_eq!(resource(json!({ "uri": "x:y", "blob": "eyJkZW55IjoibyJ9" })), r#"{"deny":"o"}"#);
        assert_eq!(resource(json!({ "uri": "x:y", "blob": "iVBORw0KGgo=" })), "[resource: x:y]");
        assert_eq!(tool(&json!([])).text, "");
        assert_eq!(parse_tool_result(&Map::new()).unwrap().text, "");
    }

    #[test]
    fn structured_content_replaces_missing_text() {
        let result = json!({ "content": [], "structuredContent": { "deny": "no" } });
        assert_eq!(parse_tool_result(&object(&result)).unwrap().text, r#"{"deny":"no"}"#);
    }

    #[test]
    fn error_needs_a_true_flag() {
        let content = json!([{ "type": "text", "text": "broken" }]);
        let result =
            |is_error: Value| parse_tool_result(&object(&json!({ "content": content, "isError": is_error })));
        assert_eq!(result(json!(true)), Err("broken".to_owned()));
        assert_eq!(result(json!(false)).unwrap().text, "broken");
    }

    #[test]
    fn resources_and_prompts_are_texts() {
        let result = json!({ "contents": [
            { "uri": "file:///a", "text": "A" },
            { "uri": "file:///b", "blob": "aGk=", "mimeType": "image/png" },
        ] });
        assert_eq!(parse_resource(&object(&result)).text, "A\n[file:///b is no text: image/png]");
        let result = json!({ "messages": [
            { "role": "user", "content": { "type": "text", "text": "one" } },
            { "role": "assistant", "content": [{ "type": "text", "text": "two" }, { "type": "audio" }] },
        ] });
        assert_eq!(parse_prompt(&object(&result)).text, "one\ntwo\n[audio: no text]");
    }
}
