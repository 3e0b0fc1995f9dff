//! JSON in which a key may occur only once.
//!
//! `{"deny": "no", "deny": null}` reads as no deny at all in most parsers. tenter never guesses about a verdict, so
//! such an object is refused.

use std::fmt;

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use tenter_contract::json_text::without_lone_surrogates;

/// Reads a text that is one JSON object. Half an emoji becomes U+FFFD, because other readers accept it.
pub fn object(text: &str) -> Result<Map<String, Value>, String> {
    let read = serde_json::from_str::<Strict>(text).or_else(|error| match without_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(mended) => serde_json::from_str(&mended),
    });
    match read {
        Ok(Strict(Value::Object(map))) => Ok(map),
        Ok(_) => Err("it is JSON, but not an object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The error for a repeated key.
const TWICE: &str = "occurs twice";
/// By this key `serde_json` hands over the text of a number.
const NUMBER: &str = "$serde_json::private::Number";

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(value)) = seq.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Strict(value))) = map.next_entry::<String, Strict>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` {TWICE}")));
            }
            object.insert(key, value);
        }
        if let Some(Value::String(digits)) = object.get(NUMBER)
            && object.len() == 1
            && let Ok(number) = digits.parse::<Number>()
        {
            return Ok(Value::Number(number));
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn object_is_read_unchanged() {
        let text = r#"{"a": [1, -2, 1.5, true, null, "x"], "b": {"c": {}}}"#;
        assert_eq!(
            Value::Object(object(text).unwrap()),
            json!({"a": [1, -2, 1.5, true, null, "x"], "b": {"c": {}}})
        );
    }

    #[test]
    fn numbers_keep_their_spelling() {
        let text = r#"{"a":[-0,1e+999,18446744073709551616,0.10]}"#;
        assert_eq!(Value::Object(object(text).unwrap()).to_string(), text);
    }

    #[test]
    fn half_an_emoji_is_replaced() {
        let read = object(r#"{"deny":"x \ud83d","a":"\ude00"}"#).unwrap();
        assert_eq!(Value::Object(read), json!({"deny": "x \u{fffd}", "a": "\u{fffd}"}));
    }

    #[test]
    fn duplicate_key_is_refused_at_any_depth() {
        for text in [r#"{"deny":"x","deny":null}"#, r#"{"a":[{"b":1,"b":2}]}"#] {
            assert!(object(text).unwrap_err().contains("occurs twice"), "{text}");
        }
    }

    #[test]
    fn incomplete_object_is_refused() {
        for text in ["", "[]", "{", "{}x", "\"x\"", "{\"a\":}", &"[".repeat(1000)] {
            assert!(object(text).is_err(), "{text}");
        }
    }
}
