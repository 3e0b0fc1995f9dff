//! Sends spans to a collector with OTLP over HTTP, or to a file with one request per line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tenter_host::post::{Posted, post};

use crate::error::CliError;
use crate::printer::write_bytes;

/// Without `--follow`, the number of tries to reach a collector.
const TRIES: u32 = 5;
/// The time limit of one request, as in the exporters of OpenTelemetry.
const TIMEOUT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

pub(crate) enum Destination {
    Collector { url: String, headers: Vec<(String, String)> },
    File { name: String, file: File },
    Stdout,
}

impl Destination {
    /// A URL, a file or `-`; by default the variables of OpenTelemetry.
    pub(crate) fn named(named: Option<&str>) -> Result<Self, CliError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let collector = |url: String| {
            let headers = variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS")
                .or_else(|| variable("OTEL_EXPORTER_OTLP_HEADERS"));
            Self::Collector { url, headers: headers.map(|text| headers_of(&text)).unwrap_or_default() }
        };
        match named {
            Some("-") => Ok(Self::Stdout),
            Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
                Ok(collector(with_path(url)))
            }
            Some(name) => {
                let file = OpenOptions::new().create(true).append(true).open(name);
                let file = file.map_err(|cause| CliError::not_written(format!("`{name}`"), cause))?;
                Ok(Self::File { name: name.to_owned(), file })
            }
            None => {
                let traces = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
                let all = || variable("OTEL_EXPORTER_OTLP_ENDPOINT");
                let url =
                    traces.or_else(|| all().map(|base| format!("{}/v1/traces", base.trim_end_matches('/'))));
                url.map(collector).ok_or_else(nowhere)
            }
        }
    }

    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    /// Without the part after `?`.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Self::Collector { url, .. } => url.split('?').next().unwrap_or_default(),
            Self::File { name, .. } => name,
            Self::Stdout => "-",
        }
    }

    /// Sends a request. Returns the collector's message about rejected spans.
    pub(crate) fn take(&mut self, request: &Value, patient: bool) -> Result<Option<String>, CliError> {
        let mut bytes = request.to_string().into_bytes();
        let unwritten = |what: &str| {
            let what = format!("`{what}`");
            move |cause: io::Error| CliError::not_written(what, cause)
        };
        match self {
            Self::Stdout => {
                bytes.push(b'\n');
                write_bytes(&bytes).map_err(CliError::output_not_written).map(|()| None)
            }
            Self::File { name, file } => {
                bytes.push(b'\n');
                file.write_all(&bytes).map_err(unwritten(name)).map(|()| None)
            }
            Self::Collector { url, headers } => posted(url, headers, &bytes, patient),
        }
    }
}

/// Adds the path for traces to an address without a path.
fn with_path(url: &str) -> String {
    let (address, query) = url.split_once('?').map_or((url, None), |(address, query)| (address, Some(query)));
    let path = address.splitn(4, '/').nth(3).unwrap_or_default();
    let address = if path.is_empty() {
        format!("{}/v1/traces", address.trim_end_matches('/'))
    } else {
        address.to_owned()
    };
    query.map_or(address.clone(), |query| format!("{address}?{query}"))
}

/// `name=value,name=value`; values may be percent-encoded.
fn headers_of(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim().to_owned(), decoded(value.trim())))
    };
    text.split(',').filter_map(pair).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn posted(
    url: &str,
    headers: &[(String, String)],
    request: &[u8],
    patient: bool,
) -> Result<Option<String>, CliError> {
    let mut tries = 0;
    loop {
        let (why, wait) = match post(url, headers, request.to_vec(), TIMEOUT) {
            Ok(Posted { status: 200..=299, body, .. }) => return Ok(rejected_message(&body)),
            // OTLP allows another try after these.
            Ok(Posted { status: status @ (429 | 502 | 503 | 504), retry_after, .. }) => {
                (format!("it answered {status}"), retry_after)
            }
            Ok(Posted { status, body, .. }) => {
                let line = body.lines().next().filter(|line| !line.is_empty());
                let detail = line.map(|line| format!(": {line}")).unwrap_or_default();
                return Err(refused(url, format!("it answered {status}{detail}")));
            }
            Err(why) => (why, None),
        };
        tries += 1;
        if tries >= TRIES && !patient {
            return Err(refused(url, why));
        }
        let usual = Duration::from_millis(250) * 2_u32.saturating_pow(tries.min(7));
        sleep(wait.unwrap_or(usual).min(LONGEST_WAIT));
    }
}

fn nowhere() -> CliError {
    CliError::bad_input(
        "the export",
        "no destination is set",
        "run `tenter audit export --otlp http://127.0.0.1:4318`, or set OTEL_EXPORTER_OTLP_ENDPOINT",
    )
}

fn refused(url: &str, detail: String) -> CliError {
    CliError::bad_input(
        format!("the collector `{}`", url.split('?').next().unwrap_or_default()),
        detail,
        "nothing is lost: export again with `--since`, or use `--follow` to wait for a collector",
    )
}

/// The collector's message about rejected spans.
fn rejected_message(body: &str) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Answer {
        partial_success: Option<Partial>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Partial {
        rejected_spans: Value,
        error_message: String,
    }
    let partial = serde_json::from_str::<Answer>(body).ok()?.partial_success?;
    let rejected = match &partial.rejected_spans {
        Value::String(count) => count.parse().unwrap_or(0),
        Value::Number(count) => count.as_u64().unwrap_or(0),
        _ => 0,
    };
    (rejected > 0).then(|| format!("the collector has not taken {rejected} spans: {}", partial.error_message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_without_path_gets_path_of_traces() {
        for (named, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://otel.example.com/v1/traces", "https://otel.example.com/v1/traces"),
            ("https://otel.example.com?key=1", "https://otel.example.com/v1/traces?key=1"),
            ("https://otel.example.com/otlp?key=a/b", "https://otel.example.com/otlp?key=a/b"),
        ] {
            assert_eq!(with_path(named), expected, "{named}");
        }
    }

    #[test]
    fn headers_are_decoded_pairs() {
        let expected = [("authorization", "Bearer a b=c"), ("x-team", "ops%")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(headers_of("authorization=Bearer%20a%20b=c, x-team = ops% ,nothing"), expected);
    }

    #[test]
    fn rejected_spans_are_reported() {
        for (body, expected) in [
            ("", None),
            ("{}", None),
            (r#"{"partialSuccess": {}}"#, None),
            (r#"{"partialSuccess": {"rejectedSpans": "0", "errorMessage": "slow down"}}"#, None),
            (
                r#"{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}"#,
                Some("2 spans: too old"),
            ),
            (r#"{"partialSuccess": {"rejectedSpans": 3, "errorMessage": "no"}}"#, Some("3 spans: no")),
        ] {
            let message = rejected_message(body);
            assert_eq!(
                message.as_deref().map(|it| it.trim_start_matches("the collector has not taken ")),
                expected,
                "{body}"
            );
        }
    }
}
