//! JSON for a server that is no hook: the same care about time, proxies, certificates and secrets.

use std::time::{Duration, Instant};

use super::client::{Client, Headers, Patience, parsed, without};
use crate::secrets::Secrets;

/// What a server may say in its answer; more is not looked at.
const MOST: usize = 64 * 1024;

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The status.
    pub status: u16,
    /// How long it wants to be left alone.
    pub retry_after: Option<Duration>,
    /// The beginning of what it said.
    pub body: String,
}

/// Posts JSON, with these headers. The error is in words, without what the headers hold.
pub fn post(
    url: &str,
    headers: &[(String, String)],
    json: Vec<u8>,
    timeout: Duration,
) -> Result<Posted, String> {
    let ours: Vec<_> = std::env::vars_os().collect();
    let mut secrets = Secrets::default();
    let patience = Patience { until: Instant::now() + timeout, timeout };
    let sent = || {
        let url = parsed(url)?;
        let headers = Headers::of(headers, &mut secrets, &ours, &mut Vec::new())?;
        let answer = Client::to(&url, &ours, patience)?.post(&url, &headers, json)?.unpacked()?;
        let seconds = answer.header("retry-after").and_then(|text| text.trim().parse().ok());
        let status = answer.status();
        let body = answer.read(MOST)?.kept;
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(Posted { status, retry_after: seconds.map(Duration::from_secs), body })
    };
    let sent: Result<Posted, tenter_contract::HookFailure> = sent();
    sent.map_err(|failure| format!("it {}", without(failure, &secrets)))
}
