//! Posts JSON to a server that is not a hook, with the time limits, proxies, certificates and secrets of hooks.

use std::time::Duration;

use super::client::{Client, Deadline, Headers, parse_url, redact_failure};
use crate::secrets::Secrets;

/// Most bytes of a response that are read.
const MOST: usize = 64 * 1024;

/// The response of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The HTTP status.
    pub status: u16,
    /// The delay from `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The beginning of the body.
    pub body: String,
}

/// Posts JSON. The error is text without the values of the headers.
pub fn post(
    url: &str,
    headers: &[(String, String)],
    json: Vec<u8>,
    timeout: Duration,
) -> Result<Posted, String> {
    let ours: Vec<_> = std::env::vars_os().collect();
    let mut secrets = Secrets::default();
    let deadline = Deadline::after(timeout);
    let sent = || {
        let url = parse_url(url)?;
        let headers = Headers::new(headers, &mut secrets, &ours, &mut Vec::new())?;
        let answer = Client::new(&url, &ours, deadline)?.post(&url, &headers, json)?.uncompressed()?;
        let seconds = answer.header("retry-after").and_then(|text| text.trim().parse().ok());
        let status = answer.status();
        let body = answer.read(MOST)?.kept;
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(Posted { status, retry_after: seconds.map(Duration::from_secs), body })
    };
    let sent: Result<Posted, tenter_contract::HookFailure> = sent();
    sent.map_err(|failure| format!("it {}", redact_failure(failure, &secrets)))
}
