//! Snapshots of every text that a person or an agent reads from this crate. A new variant does not compile until it
//! has a name in the table, and does not pass until it has an example.
#![deny(clippy::wildcard_enum_match_arm)]

use std::collections::BTreeSet;
use std::io::{Error, ErrorKind};
use std::time::Duration;

use tenter_contract::approval_question::{
    ApprovalAnswer, ApprovalPrompt, ApprovalQuestion, Grant, HookQuestion,
};
use tenter_contract::ports::{DecodeError, SettingsError, StateError, TrailError};
use tenter_contract::{Decision, Degradation, HookFailure, HookId, Injection, Layer, Policy, Source};

fn hook() -> HookId {
    HookId::new(Layer::User, "lint")
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// Checks that the examples cover the table and joins their texts.
fn covered<T>(
    examples: &[T],
    table: &[&str],
    name: impl Fn(&T) -> &'static str,
    show: impl Fn(&T) -> String,
) -> String {
    let shown: BTreeSet<&str> = examples.iter().map(&name).collect();
    assert_eq!(shown, table.iter().copied().collect(), "a variant has no example");
    examples
        .iter()
        .map(|example| format!("{}: {}", name(example), show(example)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn degradation_texts() {
    let by = || Source::Hook(hook());
    let examples = [
        Degradation::CannotDeny { by: by(), reason: text("no") },
        Degradation::StopAllowed { by: by(), reason: text("Write tests.") },
        Degradation::CannotWithhold { by: by() },
        Degradation::CannotStop { by: by(), reason: text("enough") },
        Degradation::CannotAsk { prompt: text("Really?") },
        Degradation::CannotAllow { by: hook() },
        Degradation::CannotRewrite { target: "prompt", by: vec![by()], denied: true },
        Degradation::CannotRewrite { target: "tool_output", by: vec![by(), Source::Tenter], denied: false },
        Degradation::Deferred { by: by(), bytes: 12 },
        Degradation::NoContextChannel { by: by(), bytes: 12 },
        Degradation::Spilled { bytes: 12_000, path: text("/state/context-1.txt") },
        Degradation::ContextCut { bytes: 12_000 },
        Degradation::ContextInReason { by: by(), bytes: 12 },
        Degradation::OneChannel { by: by(), wanted: text("role user, ephemeral") },
        Degradation::NoMessageChannel { by: by(), text: text("hello") },
        Degradation::InjectionTooLarge {
            by: hook(),
            injection: Box::new(Injection::text("x".repeat(10_241))),
            limit: 10_240,
        },
        Degradation::Truncated { by: by(), bytes: 20_000, kept: 10_240, missing: 0, path: None },
        Degradation::Truncated {
            by: by(),
            bytes: 20_000,
            kept: 10_100,
            missing: 0,
            path: Some(text("/state/context-2.txt")),
        },
        Degradation::Truncated {
            by: by(),
            bytes: 2_000_000,
            kept: 10_100,
            missing: 951_424,
            path: Some(text("/state/context-3.txt")),
        },
        Degradation::Blank { by: hook(), bytes: 3 },
        Degradation::MadeSafe { by: hook(), what: "context", removed: 3, quoted: 1 },
        Degradation::MadeSafe { by: hook(), what: "message", removed: 1, quoted: 0 },
        Degradation::MadeSafe { by: hook(), what: "reason", removed: 0, quoted: 2 },
        Degradation::MadeSafe { by: hook(), what: "question", removed: 0, quoted: 0 },
        Degradation::Repeated { by: by(), bytes: 245, line: true },
        Degradation::Repeated { by: by(), bytes: 245, line: false },
        Degradation::OverBudget { by: by(), tokens: 61, key: "turn_tokens", limit: 1000, left: 60 },
        Degradation::NotKept { by: by(), bytes: 12, why: text("the database is locked") },
    ];
    let table = [
        "deny",
        "let go",
        "withhold",
        "stop",
        "ask",
        "allow",
        "rewrite",
        "deferred",
        "no context",
        "spilled",
        "cut",
        "in reason",
        "one channel",
        "no message",
        "too large",
        "truncated",
        "blank",
        "made safe",
        "repeated",
        "over budget",
        "not kept",
    ];
    let name = |degraded: &Degradation| match degraded {
        Degradation::CannotDeny { .. } => "deny",
        Degradation::StopAllowed { .. } => "let go",
        Degradation::CannotWithhold { .. } => "withhold",
        Degradation::CannotStop { .. } => "stop",
        Degradation::CannotAsk { .. } => "ask",
        Degradation::CannotAllow { .. } => "allow",
        Degradation::CannotRewrite { .. } => "rewrite",
        Degradation::Deferred { .. } => "deferred",
        Degradation::NoContextChannel { .. } => "no context",
        Degradation::Spilled { .. } => "spilled",
        Degradation::ContextCut { .. } => "cut",
        Degradation::ContextInReason { .. } => "in reason",
        Degradation::OneChannel { .. } => "one channel",
        Degradation::NoMessageChannel { .. } => "no message",
        Degradation::InjectionTooLarge { .. } => "too large",
        Degradation::Truncated { .. } => "truncated",
        Degradation::Blank { .. } => "blank",
        Degradation::MadeSafe { .. } => "made safe",
        Degradation::Repeated { .. } => "repeated",
        Degradation::OverBudget { .. } => "over budget",
        Degradation::NotKept { .. } => "not kept",
    };
    insta::assert_snapshot!(covered(&examples, &table, name, ToString::to_string));
}

#[test]
fn hook_failure_texts() {
    let examples = [
        HookFailure::TimedOut { after: Duration::from_secs(30) },
        HookFailure::NotReached { within: Duration::from_mins(10) },
        HookFailure::Crashed { exit_code: Some(3), signal: None },
        HookFailure::Crashed { exit_code: None, signal: Some(9) },
        HookFailure::Failed { detail: text("the server answered 503 Service Unavailable") },
        HookFailure::Garbled { detail: text("unknown key `denny`; did you mean `deny`?") },
        HookFailure::Missing { detail: text("no such file") },
        HookFailure::Panicked { detail: text("index out of bounds") },
    ];
    let table = ["timed out", "not reached", "crashed", "failed", "garbled", "missing", "panicked"];
    let name = |failure: &HookFailure| match failure {
        HookFailure::TimedOut { .. } => "timed out",
        HookFailure::NotReached { .. } => "not reached",
        HookFailure::Crashed { .. } => "crashed",
        HookFailure::Failed { .. } => "failed",
        HookFailure::Garbled { .. } => "garbled",
        HookFailure::Missing { .. } => "missing",
        HookFailure::Panicked { .. } => "panicked",
    };
    insta::assert_snapshot!(covered(&examples, &table, name, |failure| format!("the hook {failure}")));
}

#[test]
fn decode_error_texts() {
    let examples = [
        DecodeError::Empty,
        DecodeError::NotJson { detail: text("expected value at line 1 column 1") },
        DecodeError::NotAnObject,
        DecodeError::OtherAgent { event: text("BeforeTool") },
        DecodeError::BadField { field: "hook_event_name" },
    ];
    let table = ["empty", "not JSON", "no object", "other agent", "bad field"];
    let name = |error: &DecodeError| match error {
        DecodeError::Empty => "empty",
        DecodeError::NotJson { .. } => "not JSON",
        DecodeError::NotAnObject => "no object",
        DecodeError::OtherAgent { .. } => "other agent",
        DecodeError::BadField { .. } => "bad field",
    };
    insta::assert_snapshot!(covered(&examples, &table, name, ToString::to_string));
}

#[test]
fn settings_error_texts() {
    let examples = [
        SettingsError::NotJson { detail: text("expected comma on line 2 column 9") },
        SettingsError::NotToml { detail: text("its first line is no TOML") },
        SettingsError::WrongType { what: text("`hooks`"), expected: "an object, `{ … }`" },
        SettingsError::Twice { key: text("hooks") },
        SettingsError::Foreign,
        SettingsError::WouldDamage,
    ];
    let table = ["not JSON", "not TOML", "wrong type", "twice", "foreign", "would damage"];
    let name = |error: &SettingsError| match error {
        SettingsError::NotJson { .. } => "not JSON",
        SettingsError::NotToml { .. } => "not TOML",
        SettingsError::WrongType { .. } => "wrong type",
        SettingsError::Twice { .. } => "twice",
        SettingsError::Foreign => "foreign",
        SettingsError::WouldDamage => "would damage",
    };
    insta::assert_snapshot!(covered(&examples, &table, name, ToString::to_string));
}

#[test]
fn state_error_texts() {
    let full = || Error::from(ErrorKind::StorageFull);
    let examples = [
        TrailError::Unusable { path: text("audit"), cause: full() },
        TrailError::Busy { path: text("audit") },
        TrailError::Damaged { path: text("audit"), detail: text("the head cannot be read") },
    ];
    let table = ["unusable", "busy", "damaged"];
    let name = |error: &TrailError| match error {
        TrailError::Unusable { .. } => "unusable",
        TrailError::Busy { .. } => "busy",
        TrailError::Damaged { .. } => "damaged",
    };
    let session_store = StateError { path: text("sessions/1"), cause: full() };
    insta::assert_snapshot!(format!(
        "{}\nsession: {session_store}",
        covered(&examples, &table, name, ToString::to_string)
    ));
}

#[test]
fn approval_answer_texts() {
    let query =
        ApprovalPrompt { prompt: text("Deploy?"), options: Vec::new(), timeout: None, default: Policy::Deny };
    let asked = HookQuestion { hook: hook(), definition: text("00"), query };
    let question = ApprovalQuestion::new(vec![asked]).unwrap();
    let examples = [
        ApprovalAnswer::Granted { option: text("Allow"), grants: Grant::Once },
        ApprovalAnswer::Denied { option: text("Deny") },
        ApprovalAnswer::SavedGrant { by: vec![text("k7q2mf3a")] },
        ApprovalAnswer::SavedDeny { by: text("k7q2mf3a") },
        ApprovalAnswer::TimedOut { after: Duration::from_mins(1) },
        ApprovalAnswer::Withdrawn { why: text("the agent no longer waits for the answer") },
        ApprovalAnswer::LeftToHost,
        ApprovalAnswer::ApproverGone { why: text("the watcher has ended") },
        ApprovalAnswer::NoApprover { why: text("no approver is watching") },
    ];
    let table = [
        "granted",
        "denied",
        "granted before",
        "denied before",
        "timed out",
        "withdrawn",
        "left to the host",
        "deserted",
        "no approver",
    ];
    let name = |answer: &ApprovalAnswer| match answer {
        ApprovalAnswer::Granted { .. } => "granted",
        ApprovalAnswer::Denied { .. } => "denied",
        ApprovalAnswer::SavedGrant { .. } => "granted before",
        ApprovalAnswer::SavedDeny { .. } => "denied before",
        ApprovalAnswer::Withdrawn { .. } => "withdrawn",
        ApprovalAnswer::LeftToHost => "left to the host",
        ApprovalAnswer::TimedOut { .. } => "timed out",
        ApprovalAnswer::ApproverGone { .. } => "deserted",
        ApprovalAnswer::NoApprover { .. } => "no approver",
    };
    let show = |answer: &ApprovalAnswer| match Decision::answered(&question, answer, Decision::Abstain) {
        Decision::Deny { by, reason } => Decision::denied_call(&by, &reason),
        other @ (Decision::Abstain | Decision::Allow { .. } | Decision::Ask(_)) => text(other.as_str()),
    };
    insta::assert_snapshot!(covered(&examples, &table, name, show));
}
