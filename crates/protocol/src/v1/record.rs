//! A line of the audit trail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with_macros::skip_serializing_none;
use tenter_contract::outcome::{HookRun, Round};
use tenter_contract::{
    ApprovalAnswer, Decision, Degradation, Effect, Event, EventRecord, HookChange, HookId, HookOutput,
    HookReply, Outcome, OutputPatch, Patch, RecordBody, Rewrite, Timestamp, ToolCall, Verdict,
};

use super::approval::{self, GrantV1, RecordedApproval, RuleV1};
use super::injected::{RecordedInjection, injection_record};
pub use super::recorded_effect::RecordedEffect;
use super::recorded_effect::{mark_unread, notice};
use super::recorded_rest::RecordedRest;
use crate::shorten;

mod changes;

/// One line of the audit trail. `prev` is the SHA-256 of the line before it, so anyone can check the chain.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordV1 {
    /// Version of this form: 1.
    pub v: u8,
    /// Number of the record, from 1.
    pub seq: u64,
    /// SHA-256 of the line before, in hex; of nothing for the first.
    pub prev: String,
    /// On a record that could not be written at once and was spilled: its id there, by which it is known
    /// should it be met twice.
    pub id: Option<String>,
    /// When, in RFC 3339.
    pub timestamp: String,
    /// The event's canonical name; `approval:…`, `hook:context_injection`, `hook:failed`, `hook:background`, `trail:lost`,
    /// `trust:…`, `hook:disabled`, `hook:enabled`, `hook:file_accepted` and `profile:chosen` are tenter's own records.
    pub event: String,
    /// The agent's session.
    pub session_id: String,
    /// The agent.
    pub agent: String,
    /// The sub-agent, if it was one.
    pub agent_id: Option<String>,
    /// The turn.
    pub turn: Option<String>,
    /// The directory the agent was in.
    pub cwd: Option<String>,
    /// The project, as hooks received it; missing in records of before it was kept.
    pub project_root: Option<String>,
    /// Why a session starts or what triggers a compaction.
    pub source: Option<String>,
    /// The prompt.
    pub prompt: Option<String>,
    /// The tool call.
    pub tool: Option<RecordedTool>,
    /// What else hooks received.
    pub also: Option<Box<RecordedRest>>,
    /// Every hook that was asked, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<RecordedHook>,
    /// What all verdicts came to.
    pub decision: Option<RecordedDecision>,
    /// What could not be carried, and what was done instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
    /// What tenter itself reported to the user at that moment, such as that a budget was passed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Problems of the hook files at that moment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// From arrival to this record, in milliseconds.
    pub took_ms: Option<f64>,
    /// On a call that had reached tenter by another route before: the `timestamp` of the record of its first
    /// delivery, which has the same `session_id`, `event` and `tool.call_id`, and the hooks that decided.
    pub delivered_first: Option<String>,
    /// On `hook:context_injection`, `hook:failed` and `hook:background`: which hook. On `hook:disabled` and `hook:enabled`: its
    /// address, `layer/name`.
    pub hook_name: Option<String>,
    /// On those: at which event.
    pub hook_event: Option<String>,
    /// On `hook:background`: the `timestamp` of the record of that event. Its own says when the hook ended, and
    /// `hooks` what came of it.
    pub started_at: Option<String>,
    /// On `hook:context_injection`: bytes that the agent received.
    pub injection_size: Option<u64>,
    /// On `hook:context_injection`: the role that the text has in the context; `injection.requested_role` is the one it
    /// asked for, if that is another.
    pub injection_role: Option<String>,
    /// On `hook:context_injection`: what those cost, estimated.
    pub tokens: Option<u64>,
    /// On `hook:context_injection`: the text.
    pub content: Option<String>,
    /// On `hook:context_injection`: what became of it, and what else is known.
    pub injection: Option<RecordedInjection>,
    /// On `hook:failed`: how it failed.
    pub failure: Option<RecordedFailure>,
    /// On `agent:undecodable`: what is wrong with the payload. On `trail:lost`: what is missing.
    pub problem: Option<String>,
    /// On `trust:granted`, `trust:revoked`, and a hook that is switched in one project: which project.
    pub project: Option<String>,
    /// On `trust:granted`: the hash of what is trusted, which `tenter trust --pin` takes.
    pub content_hash: Option<String>,
    /// On `trust:granted`: commands that do what the project says at the time, agreed to nevertheless.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runners: Vec<String>,
    /// On `trust:revoked`: how many contents were trusted until then.
    pub contents: Option<u64>,
    /// On `hook:disabled` and `hook:enabled`: `everywhere`, `project` or `session`. On `hook:file_accepted`: the file.
    pub reach: Option<String>,
    /// On `profile:chosen`: the profile that is active from then on; missing if none is.
    pub profile: Option<String>,
    /// On `approval:…`: what was asked, where, and what came back.
    pub approval: Option<RecordedApproval>,
    /// On `approval:rule_made` and `approval:rule_revoked`: the rule.
    pub rule: Option<RuleV1>,
    /// On `approval:grant_revoked`: the grant.
    pub grant: Option<GrantV1>,
    /// HMAC-SHA-256 of this line without its mac, in hex, made with the key of the trail. Records that were
    /// written before there were keys have none. Always the last field.
    pub mac: Option<String>,
}

/// A tool call in a record.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedTool {
    /// Canonical name.
    pub name: String,
    /// The agent's own name, if it differs.
    pub native_name: Option<String>,
    /// The agent's id of the call.
    pub call_id: Option<String>,
    /// The input as it was in the end; strings over 16 KiB are kept as head and hash.
    pub input: Value,
    /// The input as the model wrote it, if a hook rewrote it.
    pub original_input: Option<Value>,
    /// Exit code of a command.
    pub exit_code: Option<i64>,
}

/// A hook that was asked.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedHook {
    /// `layer/name`.
    pub hook: String,
    /// What it was, as a number that another hook hardly has; missing if all that it says is in the hook file, and
    /// in records of before it was kept.
    pub definition: Option<String>,
    /// True if it was asked again because the input was rewritten.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rejudge: bool,
    /// `abstain`, `allow`, `ask`, `deny`; none if it failed, was skipped or goes on in the background.
    pub verdict: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// What else it wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<RecordedEffect>,
    /// How it failed.
    pub failure: Option<RecordedFailure>,
    /// Why it was not run.
    pub skipped: Option<String>,
    /// True if it was started and goes on in the background; a record `hook:background` says how it ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// `hit` if nothing was run, because the reply was cached.
    pub cache: Option<String>,
    /// When it was asked, in milliseconds after `timestamp`.
    pub start_ms: u64,
    /// How long it took.
    pub ms: f64,
    /// Exit code, if it was a program.
    pub exit_code: Option<i32>,
    /// Bytes it wrote.
    #[serde(skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// What was noticed and does not change the reply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// How a hook failed and what that meant.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedFailure {
    /// `timeout`, `error` or `missing`.
    pub class: String,
    /// In words.
    pub detail: String,
    /// `allow` or `deny`: what the hook's `on_failure` says.
    pub policy: Option<String>,
    /// The end of what it wrote to standard error.
    pub stderr_tail: Option<String>,
}

/// What all verdicts came to.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedDecision {
    /// `abstain`, `allow`, `ask` or `deny`.
    pub verdict: String,
    /// Who decided: a hook's name, or `tenter`.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Who asks, if a person is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub askers: Vec<String>,
    /// What an approver of ours came back with.
    pub answer: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl RecordV1 {
    /// The JSON form of a record at its place in the chain.
    pub fn from_body(seq: u64, prev: &str, body: &RecordBody) -> Self {
        let mut record = match body {
            RecordBody::Event(record) => event_record(record),
            RecordBody::Injection { event, entry } => injection_record(event, entry, about(event)),
            RecordBody::Failure { event, hook, failure, policy, stderr_tail } => {
                let stderr_tail = (!stderr_tail.is_empty()).then(|| shorten::text(stderr_tail));
                let class = failure.class().as_str().to_owned();
                let policy = Some(policy.as_str().to_owned());
                let failure = RecordedFailure { class, detail: failure.to_string(), policy, stderr_tail };
                failure_record(event, hook, failure)
            }
            RecordBody::Background { event, at, run, degraded } => {
                background_record(event, *at, run, degraded)
            }
            RecordBody::Undecodable { agent, at, problem, bytes, decision } => {
                undecodable_record(agent, *at, format!("{problem} ({bytes} bytes)"), decision)
            }
            RecordBody::Approval(record) => approval::approval_record(record),
            RecordBody::Change { at, change } => change_record(*at, change),
        };
        record.v = 1;
        record.seq = seq;
        prev.clone_into(&mut record.prev);
        record
    }
}

/// The fields every record of an event has.
pub(super) fn about(event: &Event) -> RecordV1 {
    RecordV1 {
        timestamp: event.at.to_string(),
        event: event.kind.to_string(),
        session_id: event.session.as_ref().map(ToString::to_string).unwrap_or_default(),
        agent: event.agent.to_string(),
        agent_id: event.agent_id.clone(),
        turn: event.turn.clone(),
        ..RecordV1::default()
    }
}

fn event_record(record: &EventRecord) -> RecordV1 {
    let Outcome { event, decision, approval, runs, degraded, delivered_first, effects } = &record.outcome;
    let mut decision = recorded_decision(decision);
    let answered = approval.as_ref().filter(|approval| approval.answer != ApprovalAnswer::LeftToHost);
    decision.answer = answered.map(|approval| approval.answer.in_words());
    let mut hooks: Vec<RecordedHook> = runs.iter().map(|run| recorded_run(run, event.at)).collect();
    for degraded in degraded {
        mark_unread(&mut hooks, degraded);
    }
    RecordV1 {
        cwd: event.cwd.clone(),
        project_root: event.project_root.clone(),
        source: event.source.clone(),
        prompt: event.prompt.as_deref().map(shorten::text),
        tool: event.tool.as_ref().map(recorded_tool),
        also: RecordedRest::new(event, !runs.is_empty()),
        hooks,
        decision: Some(decision),
        degraded: degraded.iter().map(ToString::to_string).collect(),
        notices: effects.iter().filter_map(|effect| notice(effect, &record.problems)).collect(),
        problems: record.problems.clone(),
        took_ms: Some(milliseconds(record.took)),
        delivered_first: delivered_first.map(|at| at.to_string()),
        ..about(event)
    }
}

#[inline(never)]
fn failure_record(event: &Event, hook: &HookId, failure: RecordedFailure) -> RecordV1 {
    RecordV1 {
        event: "hook:failed".to_owned(),
        hook_name: Some(hook.to_string()),
        hook_event: Some(event.kind.to_string()),
        failure: Some(failure),
        ..about(event)
    }
}

#[inline(never)]
fn background_record(event: &Event, at: Timestamp, run: &HookRun, degraded: &[Degradation]) -> RecordV1 {
    RecordV1 {
        timestamp: at.to_string(),
        event: "hook:background".to_owned(),
        hook_name: Some(run.hook.to_string()),
        hook_event: Some(event.kind.to_string()),
        started_at: Some(event.at.to_string()),
        hooks: vec![recorded_run(run, event.at)],
        degraded: degraded.iter().map(ToString::to_string).collect(),
        ..about(event)
    }
}

#[inline(never)]
fn undecodable_record(agent: &str, at: Timestamp, problem: String, decision: &Decision) -> RecordV1 {
    RecordV1 {
        timestamp: at.to_string(),
        event: "agent:undecodable".to_owned(),
        agent: agent.to_owned(),
        problem: Some(problem),
        decision: Some(recorded_decision(decision)),
        ..RecordV1::default()
    }
}

#[inline(never)]
fn change_record(at: Timestamp, change: &HookChange) -> RecordV1 {
    RecordV1 { timestamp: at.to_string(), ..changes::record(change) }
}

pub(super) fn recorded_tool(tool: &ToolCall) -> RecordedTool {
    RecordedTool {
        name: tool.name.clone(),
        native_name: (tool.native_name != tool.name).then(|| tool.native_name.clone()),
        call_id: tool.call_id.clone(),
        input: shorten::value(&Value::Object(tool.input.clone())),
        original_input: tool.original_input.clone().map(|map| shorten::value(&Value::Object(map))),
        exit_code: tool.exit_code,
    }
}

#[inline(never)]
fn recorded_run(run: &HookRun, arrived: Timestamp) -> RecordedHook {
    let mut hook = RecordedHook {
        hook: run.hook.address(),
        definition: run.transcript.definition.clone(),
        rejudge: run.round == Round::Rejudge,
        cache: run.transcript.cached.then(|| "hit".to_owned()),
        start_ms: run.transcript.began.map_or(0, |at| at.unix_ms.saturating_sub(arrived.unix_ms)),
        ms: milliseconds(run.transcript.took),
        exit_code: run.transcript.exit_code,
        bytes: run.transcript.stdout.len() as u64 + run.transcript.cut,
        notices: run.transcript.notices.clone(),
        ..RecordedHook::default()
    };
    match &run.output {
        HookOutput::Reply(HookReply { verdict, effects }) => {
            hook.verdict = Some(verdict.as_str().to_owned());
            hook.reason = match verdict {
                Verdict::Abstain => None,
                Verdict::Allow { reason } => reason.clone(),
                Verdict::Ask(query) => Some(query.prompt.clone()),
                Verdict::Deny { reason } => Some(reason.clone()),
            };
            hook.effects = effects.iter().map(recorded_effect).collect();
        }
        HookOutput::Failure(failure) => {
            hook.failure = Some(RecordedFailure {
                class: failure.class().as_str().to_owned(),
                detail: failure.to_string(),
                ..RecordedFailure::default()
            });
        }
        HookOutput::Skipped { why } => hook.skipped = Some(why.clone()),
        HookOutput::Started => hook.background = true,
    }
    hook
}

fn recorded_effect(effect: &Effect) -> RecordedEffect {
    let blank = RecordedEffect::default();
    match effect {
        Effect::Inject(injection) => RecordedEffect {
            effect: "inject".to_owned(),
            bytes: Some(injection.whole_bytes() as u64),
            role: Some(injection.role.as_str().to_owned()),
            ..blank
        },
        Effect::Rewrite(rewrite) => RecordedEffect {
            effect: "rewrite".to_owned(),
            target: Some(Rewrite::target(rewrite).to_owned()),
            change: Some(shorten::value(&change(rewrite))),
            ..blank
        },
        Effect::Notify(message) => RecordedEffect {
            effect: "tell".to_owned(),
            text: Some(shorten::text(&message.text)),
            level: Some(message.level.as_str().to_owned()),
            ..blank
        },
        Effect::StopAgent { reason } => {
            RecordedEffect { effect: "stop_agent".to_owned(), text: Some(shorten::text(reason)), ..blank }
        }
        Effect::SuppressOutput => RecordedEffect { effect: "suppress_output".to_owned(), ..blank },
    }
}

/// The keys that a rewrite sets, or the whole new value.
pub(super) fn change(rewrite: &Rewrite) -> Value {
    match rewrite {
        Rewrite::ToolInput(Patch::Merge(map) | Patch::Replace(map))
        | Rewrite::Data(Patch::Merge(map) | Patch::Replace(map)) => Value::Object(map.clone()),
        Rewrite::ToolOutput(OutputPatch::Merge(value) | OutputPatch::Replace(value)) => value.clone(),
        Rewrite::Prompt(prompt) => Value::String(prompt.clone()),
    }
}

/// The JSON form of a decision, shared with outcomes.
pub(crate) fn recorded_decision(decision: &Decision) -> RecordedDecision {
    let mut recorded =
        RecordedDecision { verdict: decision.as_str().to_owned(), ..RecordedDecision::default() };
    match decision {
        Decision::Abstain => {}
        Decision::Allow { by, reason } => {
            recorded.by = Some(by.to_string());
            recorded.reason.clone_from(reason);
        }
        Decision::Ask(question) => {
            recorded.askers = question.askers.iter().map(|asked| asked.hook.to_string()).collect();
            recorded.reason = Some(question.prompt());
        }
        Decision::Deny { by, reason } => {
            recorded.by = Some(by.to_string());
            recorded.reason = Some(reason.clone());
        }
    }
    recorded
}

pub(super) fn milliseconds(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
