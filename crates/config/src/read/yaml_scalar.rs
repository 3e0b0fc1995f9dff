//! What an unquoted word of YAML means, by the core schema of YAML 1.2.
//!
//! Not by YAML 1.1, where `no`, `off` and `y` were truth values and `12:30` a number: a hook named `on` is
//! named `on`.

use crate::tree::Value;

pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Value::Float(f64::NAN),
        _ => number(text).unwrap_or_else(|| Value::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    let digits = |digits: &str, radix: u32| {
        let proper = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        proper.then(|| i64::from_str_radix(digits, radix)).and_then(Result::ok)
    };
    if let Some(octal) = text.strip_prefix("0o") {
        return digits(octal, 8).map(Value::Int);
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return digits(hexadecimal, 16).map(Value::Int);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(Value::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }));
    }
    if !is_decimal(unsigned) {
        return None;
    }
    match text.parse() {
        Ok(whole) => Some(Value::Int(whole)),
        Err(_) => text.parse().ok().map(Value::Float),
    }
}

/// `[0-9]+ ( \. [0-9]* )?` or `\. [0-9]+`, with an exponent; Rust's own parser would also take `inf`.
fn is_decimal(unsigned: &str) -> bool {
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|digits| !digits.is_empty() && all_digits(digits))
}

#[cfg(test)]
mod tests {
    use super::plain;
    use crate::tree::Value;

    #[test]
    fn plain_words_have_the_types_of_the_core_schema() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (word, expected) in [
            ("", Value::Null),
            ("~", Value::Null),
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("False", Value::Bool(false)),
            ("yes", text("yes")),
            ("off", text("off")),
            ("n", text("n")),
            ("0", Value::Int(0)),
            ("-100", Value::Int(-100)),
            ("+7", Value::Int(7)),
            ("007", Value::Int(7)),
            ("0o17", Value::Int(15)),
            ("0xff", Value::Int(255)),
            ("0x", text("0x")),
            ("1_000", text("1_000")),
            ("12:30", text("12:30")),
            ("1.5", Value::Float(1.5)),
            (".5", Value::Float(0.5)),
            ("5.", Value::Float(5.0)),
            ("1e3", Value::Float(1000.0)),
            ("-.inf", Value::Float(f64::NEG_INFINITY)),
            ("inf", text("inf")),
            ("nan", text("nan")),
            (".", text(".")),
            ("-", text("-")),
            ("1e", text("1e")),
            ("10s", text("10s")),
            ("9223372036854775808", Value::Float(9_223_372_036_854_775_808.0)),
        ] {
            assert_eq!(plain(word), expected, "`{word}`");
        }
    }
}
