//! The way out of every adapter: an answer is written whole, or nothing is.

use serde::Serialize;
use tenter_contract::Answer;

/// An answer in JSON, on one line.
pub(crate) fn json(answer: &impl Serialize) -> Answer {
    match serde_json::to_string(answer) {
        Ok(json) => text(json),
        // Nothing in it can fail to be written; if it did, silence would let a denied call pass.
        Err(error) => exit_2(&format!("tenter could not write its answer: {error}")),
    }
}

/// An answer that is the text itself.
pub(crate) fn text(mut text: String) -> Answer {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Answer { stdout: text.into_bytes(), ..Answer::default() }
}

/// Stops whatever could not be understood, in agents that take exit code 2 for a deny: it needs no JSON, so it
/// needs no knowledge of the event.
pub(crate) fn exit_2(reason: &str) -> Answer {
    Answer { stderr: format!("{reason}\n").into_bytes(), exit_code: 2, ..Answer::default() }
}

/// A text that says something; a blank one is left out.
pub(crate) fn said(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.trim().is_empty())
}

/// A reason, for agents that take no deny without one.
pub(crate) fn never_blank(reason: &str) -> &str {
    if reason.trim().is_empty() { "a hook denies it" } else { reason }
}

/// Two texts that have to share one place.
pub(crate) fn followed_by(first: &str, second: Option<impl AsRef<str>>) -> String {
    match second {
        Some(second) => format!("{first}\n\n{}", second.as_ref()),
        None => first.to_owned(),
    }
}
