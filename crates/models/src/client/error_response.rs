//! Responses that are not replies.

use serde_json::Value;

use super::retry::RetryAdvice;
use super::{FailureCause, ModelError};

/// Most characters of a server's message.
const MESSAGE_LIMIT: usize = 500;

/// A response with another status than 200, or an error in the middle of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ErrorResponse {
    pub(super) status: u16,
    /// The server's message, on one line.
    pub(super) message: String,
    pub(super) advice: RetryAdvice,
    /// The provider's error code.
    code: String,
}

impl ErrorResponse {
    pub(super) fn parse(status: u16, body: &[u8], advice: RetryAdvice) -> Self {
        let text = String::from_utf8_lossy(body);
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        // Gemini's stream answers with a list of one.
        let value = value.get(0).unwrap_or(&value);
        let error = value.get("error").unwrap_or(value);
        let message = [&error["message"], error, &value["message"], &value["detail"]]
            .into_iter()
            .find_map(Value::as_str)
            .filter(|message| !message.trim().is_empty());
        let code =
            ["code", "type", "status"].into_iter().find_map(|key| error[key].as_str()).unwrap_or_default();
        let message = match message {
            Some(message) => one_line(message),
            None if value.is_null() => one_line(&text),
            None => one_line(&value.to_string()),
        };
        let message = if message.is_empty() { "no message".to_owned() } else { message };
        Self { status, message, advice, code: code.to_owned() }
    }

    pub(super) fn from_stream(status: u16, message: &str) -> Self {
        Self { status, message: one_line(message), advice: RetryAdvice::default(), code: String::new() }
    }

    /// Whether another try may succeed.
    pub(super) fn is_temporary(&self) -> bool {
        // A missing payment has the same status, and waiting does not help.
        let hopeless = self.code == "insufficient_quota" || self.is_too_long();
        self.advice.again.unwrap_or(matches!(self.status, 408 | 409 | 429 | 500..=599) && !hopeless)
    }

    /// Whether the conversation exceeds the context window. Every provider words this differently.
    fn is_too_long(&self) -> bool {
        const PHRASES: [&str; 6] = [
            "prompt is too long",
            "context length",
            "context window",
            "context size",
            "context limit",
            "maximum prompt length",
        ];
        let message = self.message.to_ascii_lowercase();
        let by_code = matches!(self.code.as_str(), "context_length_exceeded" | "exceed_context_size_error");
        let by_message = PHRASES.iter().any(|phrase| message.contains(phrase))
            || (message.contains("input token count") && message.contains("exceed"));
        by_code || self.status == 413 || (by_message && matches!(self.status, 400 | 422 | 500))
    }

    /// Whether the key is the problem.
    fn is_about_the_key(&self) -> bool {
        self.status == 401 || (matches!(self.status, 400 | 403) && self.message.contains("API key"))
    }

    pub(super) fn error(self, place: &str, variable: Option<&'static str>, tries: u32) -> ModelError {
        let Self { status, advice, .. } = self;
        let (cause, message) = if self.is_too_long() {
            (FailureCause::TooLong, self.message)
        } else if self.is_temporary() {
            (FailureCause::Busy(tries, advice.after), format!("{status}: {}", self.message))
        } else {
            let variable = variable.filter(|_| self.is_about_the_key());
            (FailureCause::Refused(status, variable), self.message)
        };
        ModelError::new(cause, place, message)
    }
}

/// A foreign text on one line, cut at a limit.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MESSAGE_LIMIT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_text(status: u16, body: &str) -> String {
        let response = ErrorResponse::parse(status, body.as_bytes(), RetryAdvice::default());
        response.error("https://api.example", Some("THE_KEY"), 3).to_string()
    }

    #[test]
    fn messages_of_every_provider() {
        let cases = [
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: too\nlarge"}}"#,
            ),
            (400, r#"{"error":{"message":"Unsupported value","type":"invalid_request_error","code":null}}"#),
            (404, r#"{"error":"model \"x\" not found, try pulling it first"}"#),
            (422, r#"{"detail":"no such field"}"#),
            (
                401,
                r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            ),
            (
                400,
                r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            ),
            (429, r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#),
            (429, r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#),
            (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            (502, "<html>\u{1b}[2J<body>Bad gateway</body></html>"),
            (500, ""),
            (500, "{}"),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Your input exceeds the window","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            ),
            (302, ""),
        ];
        let lines: Vec<String> = cases.iter().map(|(status, body)| error_text(*status, body)).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn retry_header_overrides_the_status() {
        let no = RetryAdvice { again: Some(false), ..RetryAdvice::default() };
        assert!(!ErrorResponse::parse(529, b"", no).is_temporary());
        let yes = RetryAdvice { again: Some(true), ..RetryAdvice::default() };
        assert!(ErrorResponse::parse(400, b"", yes).is_temporary());
    }
}
