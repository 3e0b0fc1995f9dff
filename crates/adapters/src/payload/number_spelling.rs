//! Keeps numbers as the agent wrote them.

use serde_json::{Number, Value};

/// Restores the spelling of numbers with an exponent. `serde_json` keeps every other number as it is, and writes
/// `1E5` as `1e+5`; an input that no hook changed must go back to the agent byte for byte.
pub(super) fn restore(text: &str, value: &mut Value) {
    if !has_exponent(value) {
        return;
    }
    let written = numbers(text);
    let mut read = Vec::new();
    collect(value, &mut read);
    let is_same = read.iter().zip(&written).all(|(read, written)| read.as_str() == in_serde_form(written));
    if read.len() == written.len() && is_same {
        for (number, spelling) in read.into_iter().zip(written) {
            *number = Number::from_string_unchecked(spelling.to_owned());
        }
    }
}

fn has_exponent(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_str().contains('e'),
        Value::Array(list) => list.iter().any(has_exponent),
        Value::Object(object) => object.values().any(has_exponent),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn collect<'v>(value: &'v mut Value, into: &mut Vec<&'v mut Number>) {
    match value {
        Value::Number(number) => into.push(number),
        Value::Array(list) => list.iter_mut().for_each(|value| collect(value, into)),
        Value::Object(object) => object.values_mut().for_each(|value| collect(value, into)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The numbers of a JSON text, in their order.
fn numbers(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let from = at;
                let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                while bytes.get(at).is_some_and(is_digit) {
                    at += 1;
                }
                found.push(&text[from..at]);
            }
            _ => at += 1,
        }
    }
    found
}

fn in_serde_form(written: &str) -> String {
    match written.split_once(['e', 'E']) {
        Some((digits, exponent)) if exponent.starts_with(['+', '-']) => format!("{digits}e{exponent}"),
        Some((digits, exponent)) => format!("{digits}e+{exponent}"),
        None => written.to_owned(),
    }
}
