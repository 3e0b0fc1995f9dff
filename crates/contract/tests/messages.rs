//! Every text that a person or an agent reads from here, as a snapshot. A new variant does not compile
//! until it has a name in the table, and does not pass until it has an example.
#![deny(clippy::wildcard_enum_match_arm)]

use std::collections::BTreeSet;
use std::io::{Error, ErrorKind};
use std::time::Duration;

use tenter_contract::ports::{DecodeError, SettingsError, ShelfError, TrailError};
use tenter_contract::question::{Asker, Grants, HumanAnswer, Query, Question};
use tenter_contract::{Decision, HookFailure, HookId, Injection, Layer, Policy, Source, Unfit};

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
fn what_could_not_be_carried() {
    let by = || Source::Hook(hook());
    let examples = [
        Unfit::CannotDeny { by: by(), reason: text("no") },
        Unfit::LetGo { by: by(), reason: text("Write tests.") },
        Unfit::CannotWithhold { by: by() },
        Unfit::CannotStop { by: by(), reason: text("enough") },
        Unfit::CannotAsk { prompt: text("Really?") },
        Unfit::CannotAllow { by: hook() },
        Unfit::CannotRewrite { target: "prompt", by: vec![by()], denied: true },
        Unfit::CannotRewrite { target: "tool_output", by: vec![by(), Source::Tenter], denied: false },
        Unfit::Carried { by: by(), bytes: 12 },
        Unfit::NoContextChannel { by: by(), bytes: 12 },
        Unfit::Spilled { bytes: 12_000, path: text("/state/context-1.txt") },
        Unfit::ContextCut { bytes: 12_000 },
        Unfit::ContextInReason { by: by(), bytes: 12 },
        Unfit::OneChannel { by: by(), wanted: text("role user, ephemeral") },
        Unfit::NoMessageChannel { by: by(), text: text("hello") },
        Unfit::InjectionTooLarge {
            by: hook(),
            injection: Box::new(Injection::text("x".repeat(10_241))),
            limit: 10_240,
        },
        Unfit::Truncated { by: by(), bytes: 20_000, kept: 10_240, missing: 0, path: None },
        Unfit::Truncated {
            by: by(),
            bytes: 20_000,
            kept: 10_100,
            missing: 0,
            path: Some(text("/state/context-2.txt")),
        },
        Unfit::Truncated {
            by: by(),
            bytes: 2_000_000,
            kept: 10_100,
            missing: 951_424,
            path: Some(text("/state/context-3.txt")),
        },
        Unfit::Blank { by: hook(), bytes: 3 },
        Unfit::MadeSafe { by: hook(), what: "context", removed: 3, quoted: 1 },
        Unfit::MadeSafe { by: hook(), what: "message", removed: 1, quoted: 0 },
        Unfit::MadeSafe { by: hook(), what: "reason", removed: 0, quoted: 2 },
        Unfit::MadeSafe { by: hook(), what: "question", removed: 0, quoted: 0 },
        Unfit::Repeated { by: by(), bytes: 245, line: true },
        Unfit::Repeated { by: by(), bytes: 245, line: false },
        Unfit::OverBudget { by: by(), tokens: 61, key: "turn_tokens", limit: 1000, left: 60 },
        Unfit::NotKept { by: by(), bytes: 12, why: text("the database is locked") },
    ];
    let table = [
        "deny",
        "let go",
        "withhold",
        "stop",
        "ask",
        "allow",
        "rewrite",
        "carried",
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
    let name = |unfit: &Unfit| match unfit {
        Unfit::CannotDeny { .. } => "deny",
        Unfit::LetGo { .. } => "let go",
        Unfit::CannotWithhold { .. } => "withhold",
        Unfit::CannotStop { .. } => "stop",
        Unfit::CannotAsk { .. } => "ask",
        Unfit::CannotAllow { .. } => "allow",
        Unfit::CannotRewrite { .. } => "rewrite",
        Unfit::Carried { .. } => "carried",
        Unfit::NoContextChannel { .. } => "no context",
        Unfit::Spilled { .. } => "spilled",
        Unfit::ContextCut { .. } => "cut",
        Unfit::ContextInReason { .. } => "in reason",
        Unfit::OneChannel { .. } => "one channel",
        Unfit::NoMessageChannel { .. } => "no message",
        Unfit::InjectionTooLarge { .. } => "too large",
        Unfit::Truncated { .. } => "truncated",
        Unfit::Blank { .. } => "blank",
        Unfit::MadeSafe { .. } => "made safe",
        Unfit::Repeated { .. } => "repeated",
        Unfit::OverBudget { .. } => "over budget",
        Unfit::NotKept { .. } => "not kept",
    };
    insta::assert_snapshot!(covered(&examples, &table, name, ToString::to_string));
}

#[test]
fn how_hooks_fail() {
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
fn why_payloads_are_not_understood() {
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
fn why_settings_cannot_be_edited() {
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
fn why_state_cannot_be_used() {
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
    let shelf = ShelfError { path: text("sessions/1"), cause: full() };
    insta::assert_snapshot!(format!(
        "{}\nsession: {shelf}",
        covered(&examples, &table, name, ToString::to_string)
    ));
}

#[test]
fn what_a_person_can_answer() {
    let query = Query { prompt: text("Deploy?"), options: Vec::new(), timeout: None, default: Policy::Deny };
    let asker = Asker { hook: hook(), definition: text("00"), query };
    let question = Question::of(vec![asker]).unwrap();
    let examples = [
        HumanAnswer::Granted { option: text("Allow"), grants: Grants::Once },
        HumanAnswer::Denied { option: text("Deny") },
        HumanAnswer::StandingGrant { by: vec![text("k7q2mf3a")] },
        HumanAnswer::StandingDeny { by: text("k7q2mf3a") },
        HumanAnswer::TimedOut { after: Duration::from_mins(1) },
        HumanAnswer::Withdrawn { why: text("nobody waits for the answer any more") },
        HumanAnswer::LeftToHost,
        HumanAnswer::Deserted { why: text("whoever watched has gone") },
        HumanAnswer::NoDesk { why: text("nobody is watching") },
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
        "no desk",
    ];
    let name = |answer: &HumanAnswer| match answer {
        HumanAnswer::Granted { .. } => "granted",
        HumanAnswer::Denied { .. } => "denied",
        HumanAnswer::StandingGrant { .. } => "granted before",
        HumanAnswer::StandingDeny { .. } => "denied before",
        HumanAnswer::Withdrawn { .. } => "withdrawn",
        HumanAnswer::LeftToHost => "left to the host",
        HumanAnswer::TimedOut { .. } => "timed out",
        HumanAnswer::Deserted { .. } => "deserted",
        HumanAnswer::NoDesk { .. } => "no desk",
    };
    let show = |answer: &HumanAnswer| match Decision::answered(&question, answer, Decision::Abstain) {
        Decision::Deny { by, reason } => Decision::denied_call(&by, &reason),
        other @ (Decision::Abstain | Decision::Allow { .. } | Decision::Ask(_)) => text(other.as_str()),
    };
    insta::assert_snapshot!(covered(&examples, &table, name, show));
}
