//! What `tenter approvals watch --json` says, a line each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval_request::ApprovalRequestV1;

/// A line of `tenter approvals watch --json`. Answers are lines on its stdin: `ID OPTION`, or
/// `{"id": …, "option": …}`, an option by its label in any case or by its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WatchLineV1 {
    /// The first line: from now on every question comes here.
    Watching {
        /// Version of this form: 1.
        v: u8,
    },
    /// A question waits.
    #[serde(rename = "question")]
    ApprovalQuestion {
        /// Which.
        question: Box<ApprovalRequestV1>,
    },
    /// An answer that was typed here counts.
    Answered {
        /// The question.
        id: String,
        /// The label that was chosen.
        option: String,
    },
    /// A line that was typed here does not count.
    Refused {
        /// The question, if one was named.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Why not, and what to do.
        why: String,
    },
    /// A question is closed. It cannot be answered any more.
    Closed {
        /// Which.
        id: String,
        /// How.
        how: EndingV1,
        /// The label that was chosen, if someone answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        option: Option<String>,
        /// The same in words.
        why: String,
    },
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndingV1 {
    /// Someone allowed it.
    Granted,
    /// Someone denied it.
    Denied,
    /// No one answered in time, and what its `default` says has happened.
    Timeout,
    /// The hook no longer waits, or its process has died. Nothing was granted.
    Withdrawn,
    /// The audit trail does not say.
    Unknown,
}
