//! `${NAME}` in a hook file: values from the environment, which are never shown.

use std::ffi::OsString;

use tenter_contract::HookFailure;
use tenter_contract::secret_names::looks_secret;

/// Shorter values are ordinary words, and hiding them would hide half of the output.
const SHORTEST: usize = 8;

/// The secrets of one run. A program or server may repeat them, so all its output goes through [`Secrets::hide`]
/// before it is kept or shown.
#[derive(Default)]
pub(crate) struct Secrets {
    /// Each secret and its replacement.
    hidden: Vec<(String, String)>,
}

impl Secrets {
    /// Fills `${NAME}` in the value of a header or a variable called `name`. A variable that is not set keeps the
    /// hook from running: without its secret it would ask as another user.
    pub(crate) fn filled(
        &mut self,
        name: &str,
        value: &str,
        ours: &[(OsString, OsString)],
    ) -> Result<String, HookFailure> {
        let mut filled = String::with_capacity(value.len());
        let mut rest = value;
        while let Some((before, from)) = rest.split_once("${") {
            filled.push_str(before);
            let Some((variable, after)) = from.split_once('}').filter(|(variable, _)| is_name(variable))
            else {
                filled.push_str("${");
                rest = from;
                continue;
            };
            let text = variable_of(variable, ours).map_err(|why| HookFailure::Missing {
                detail: format!("the variable `{variable}`, which `{name}` needs, {why}"),
            })?;
            if looks_secret(variable) {
                self.hide_words(text, variable);
            }
            filled.push_str(text);
            rest = after;
        }
        filled.push_str(rest);
        if looks_secret(name) {
            self.hide_words(&filled, name);
        }
        Ok(filled)
    }

    /// The bytes without the secrets.
    pub(crate) fn hide_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.hidden.iter().fold(bytes, |bytes, (secret, instead)| replaced(bytes, secret, instead))
    }

    /// The text without the secrets.
    pub(crate) fn hide(&self, text: &str) -> String {
        self.hidden.iter().fold(text.to_owned(), |text, (secret, instead)| text.replace(secret, instead))
    }

    /// Every word by itself: in `Bearer …` only the second is one. The longest first, so that no end of one stays
    /// because its beginning is another.
    fn hide_words(&mut self, value: &str, name: &str) {
        let words = value.split(|c: char| c.is_whitespace() || c == ';' || c == ',');
        for word in words.filter(|word| word.len() >= SHORTEST) {
            let in_json = serde_json::Value::from(word).to_string();
            for form in [word, in_json.trim_matches('"')] {
                if !self.hidden.iter().any(|(known, _)| known == form) {
                    self.hidden.push((form.to_owned(), format!("[redacted:{name}]")));
                }
            }
        }
        self.hidden.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
    }
}

fn variable_of<'a>(name: &str, ours: &'a [(OsString, OsString)]) -> Result<&'a str, &'static str> {
    let found = ours.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    match found.map(|value| value.to_str()) {
        None => Err("is not set"),
        Some(None) => Err("is no text"),
        Some(Some("")) => Err("is empty"),
        Some(Some(text)) if text.contains(char::is_control) => {
            Err("contains a line break or another control")
        }
        Some(Some(text)) => Ok(text),
    }
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn replaced(bytes: Vec<u8>, secret: &str, instead: &str) -> Vec<u8> {
    let secret = secret.as_bytes();
    let mut kept = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some(at) = rest.windows(secret.len()).position(|window| window == secret) {
        kept.extend_from_slice(&rest[..at]);
        kept.extend_from_slice(instead.as_bytes());
        rest = &rest[at + secret.len()..];
    }
    if kept.is_empty() {
        return bytes;
    }
    kept.extend_from_slice(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn variables_are_filled_in_and_other_braces_stay() {
        let ours = ours(&[("A", "1"), ("B_2", "two")]);
        for (value, expected) in [
            ("x", "x"),
            ("${A}", "1"),
            ("${A}${B_2}", "1two"),
            ("Bearer ${B_2}!", "Bearer two!"),
            ("$A ${ ${} ${1} ${A", "$A ${ ${} ${1} ${A"),
            ("${${A}}", "${1}"),
        ] {
            assert_eq!(Secrets::default().filled("X", value, &ours).unwrap(), expected, "{value}");
        }
    }

    #[test]
    fn unusable_value_is_named_and_not_shown() {
        let ours = ours(&[("EMPTY", ""), ("TWO_LINES", "secret-value\r\nX-Evil: 1")]);
        for (value, why) in [
            ("${NONE}", "`NONE`, which `X` needs, is not set"),
            ("${EMPTY}", "is empty"),
            ("${TWO_LINES}", "contains a line break"),
        ] {
            let failure = Secrets::default().filled("X", value, &ours).unwrap_err();
            assert_eq!(failure.class(), tenter_contract::FailureClass::Missing);
            let failure = failure.to_string();
            assert!(failure.contains(why) && !failure.contains("secret-value"), "{failure}");
        }
    }

    #[test]
    fn values_of_secret_names_are_hidden_in_output() {
        let ours = ours(&[("API_TOKEN", "abc\"12345"), ("STAGE", "production")]);
        let mut secrets = Secrets::default();
        secrets.filled("X-Stage", "${STAGE}", &ours).unwrap();
        secrets.filled("X-Custom", "${API_TOKEN}", &ours).unwrap();
        secrets.filled("Authorization", "Basic dXNlcjpwYXNz", &ours).unwrap();
        let output = r#"production abc"12345 {"abc\"12345":1} Basic dXNlcjpwYXNz"#;
        let expected =
            r#"production [redacted:API_TOKEN] {"[redacted:API_TOKEN]":1} Basic [redacted:Authorization]"#;
        assert_eq!(secrets.hide(output), expected);
        assert_eq!(secrets.hide_bytes(output.as_bytes().to_vec()), expected.as_bytes());
        assert_eq!(secrets.hide_bytes(b"\xffabc".to_vec()), b"\xffabc");
    }
}
