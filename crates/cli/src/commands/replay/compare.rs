//! Compares the recorded result of an event with the result of today's hooks.

use serde::Serialize;
use serde_json::Value;
use tenter_contract::{ApprovalQuestion, Event};
use tenter_host::Layers;
use tenter_protocol::shorten;
use tenter_protocol::v1::record::{RecordV1, RecordedEffect, RecordedHook};

use crate::approvals;
use crate::commands::replay::question::Offer;
use crate::commands::replay::replay_executor::{NotRun, Since};
use crate::commands::replay::{question, texts};
use crate::hooks;
use crate::trail::words::{describe_decision, describe_reply, shortened};

pub(crate) struct Today<'s> {
    pub(crate) record: RecordV1,
    pub(crate) texts: Vec<(String, String)>,
    pub(crate) question: Option<ApprovalQuestion>,
    pub(crate) not_run: Vec<NotRun>,
    pub(crate) layers: &'s Layers,
    pub(crate) event: Event,
}

pub(crate) struct Compared {
    pub(crate) seq: u64,
    pub(crate) event: String,
    /// The subject of the event on one line: `Bash: git push`.
    pub(crate) about: String,
    pub(crate) then: EventResult,
    pub(crate) today: EventResult,
    /// The options then and today, if the same hooks ask and the options differ.
    pub(crate) question: Option<(Offer, Offer)>,
    pub(crate) hooks: Vec<Changed>,
    /// Hooks that were not run: their recorded reply was used.
    pub(crate) not_run: Vec<String>,
    /// Those of them that another version of tenter recorded, so that they may have changed.
    pub(crate) unsure: Vec<String>,
    /// Hooks that were not run and have changed, so that their recorded reply says nothing.
    pub(crate) rewritten: Vec<String>,
    /// Hooks that were not run and have no recorded reply.
    pub(crate) unknown: Vec<String>,
    /// Parts of the event that the record does not have.
    pub(crate) missing: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct EventResult {
    pub(crate) verdict: String,
    pub(crate) by: Option<String>,
    pub(crate) reason: Option<String>,
    #[serde(skip)]
    pub(crate) words: String,
}

#[derive(Serialize)]
pub(crate) struct Changed {
    pub(crate) hook: String,
    #[serde(flatten)]
    pub(crate) how: How,
}

#[derive(Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub(crate) enum How {
    /// It was asked then and would not be today.
    Gone { then: String, why: String },
    /// It would be asked today and was not then. Without a run its reply is not known.
    New { today: Option<String> },
    /// The hook has changed since, so that only a run shows its reply.
    Rewritten { then: String, today: Option<String> },
    /// Its reply differs.
    Different { then: String, today: String },
}

impl Compared {
    pub(crate) fn new(
        record: &RecordV1,
        related: &[RecordV1],
        today: &Today<'_>,
        missing: Vec<String>,
    ) -> Self {
        let not_run = |which: fn(&NotRun) -> bool| {
            let hooks = today.not_run.iter().filter(|it| which(it));
            hooks.map(|it| it.hook.clone()).collect::<Vec<String>>()
        };
        let taken = not_run(|it| it.as_then && it.since != Since::Changed);
        let unsure = not_run(|it| it.since == Since::Unknown);
        let rewritten = not_run(|it| it.since == Since::Changed);
        let unknown = not_run(|it| !it.as_then);
        let mut hooks = Vec::new();
        for then in &record.hooks {
            match run_of(&today.record, then) {
                None => hooks.push(Changed {
                    hook: then.hook.clone(),
                    how: How::Gone { then: describe_reply(then), why: why_not(then, today) },
                }),
                Some(_) if rewritten.contains(&then.hook) => {
                    hooks.push(Changed {
                        hook: then.hook.clone(),
                        how: How::Rewritten { then: describe_reply(then), today: None },
                    });
                }
                Some(_) if taken.contains(&then.hook) => {}
                Some(now) => {
                    hooks.extend(
                        difference(then, now, related, today)
                            .map(|how| Changed { hook: then.hook.clone(), how }),
                    );
                }
            }
        }
        for now in today.record.hooks.iter().filter(|now| run_of(record, now).is_none()) {
            let today = (!unknown.contains(&now.hook)).then(|| describe_reply(now));
            hooks.push(Changed { hook: now.hook.clone(), how: How::New { today } });
        }
        Self {
            seq: record.seq,
            event: record.event.clone(),
            about: about(&today.event),
            then: EventResult::from_record(record),
            today: EventResult::from_record(&today.record),
            question: question::changed(related, today.question.as_ref()),
            hooks,
            not_run: taken,
            unsure,
            rewritten,
            unknown,
            missing,
        }
    }

    pub(crate) fn differs(&self) -> bool {
        self.result_differs() || self.question.is_some() || !self.hooks.is_empty()
    }

    /// Whether the event would have another result. A recorded answer of a person is not asked again.
    pub(crate) fn result_differs(&self) -> bool {
        if self.then.verdict != self.today.verdict {
            return true;
        }
        let another = |then: &Option<String>, today: &Option<String>| match (then, today) {
            (Some(then), Some(today)) => !same_text(then, today),
            (then, today) => then.is_some() != today.is_some() && self.then.verdict != "ask",
        };
        another(&self.then.by, &self.today.by) || another(&self.then.reason, &self.today.reason)
    }
}

impl EventResult {
    fn from_record(record: &RecordV1) -> Self {
        let decision = record.decision.clone().unwrap_or_default();
        let (_, words) = describe_decision(record, &decision);
        if decision.answer.is_some() {
            let answer = approvals::records::answer(&decision);
            let answer = answer.map(|answer| format!(" ({answer})")).unwrap_or_default();
            // The words say whether a person answered.
            return Self {
                verdict: "ask".to_owned(),
                by: None,
                reason: None,
                words: format!("there was a question for you{answer}, and so: {words}"),
            };
        }
        Self { verdict: decision.verdict, by: decision.by, reason: decision.reason, words }
    }
}

/// The same hook in the same round.
fn run_of<'r>(record: &'r RecordV1, other: &RecordedHook) -> Option<&'r RecordedHook> {
    record.hooks.iter().find(|run| run.hook == other.hook && run.rejudge == other.rejudge)
}

fn why_not(then: &RecordedHook, today: &Today<'_>) -> String {
    let all = hooks::active_hooks(today.layers);
    let decision = today.record.decision.as_ref();
    match all.iter().find(|hook| hook.id.address() == then.hook) {
        Some(hook) => crate::commands::hooks::explain::failed_condition(hook, today.layers, &today.event)
            .unwrap_or_else(|| {
                let denier = decision.filter(|it| it.verdict == "deny").and_then(|it| it.by.as_deref());
                match denier {
                    Some(denier) => format!("it is not reached: `{denier}` denies before"),
                    None if then.rejudge => {
                        "nothing is rewritten after it, so it is not asked again".to_owned()
                    }
                    None => "what is rewritten before it does not concern it".to_owned(),
                }
            }),
        None => match hooks::off(today.layers).find(|(address, _)| *address == then.hook) {
            Some((_, why)) => format!("it is off: {why}"),
            None => "there is no such hook any more".to_owned(),
        },
    }
}

fn difference(
    then: &RecordedHook,
    now: &RecordedHook,
    related: &[RecordV1],
    today: &Today<'_>,
) -> Option<How> {
    let class = |run: &RecordedHook| run.failure.as_ref().map(|failure| failure.class.clone());
    let same = then.verdict == now.verdict
        && same_option(then.reason.as_deref(), now.reason.as_deref())
        && then.skipped.is_some() == now.skipped.is_some()
        && then.background == now.background
        && class(then) == class(now)
        && then.effects.len() == now.effects.len()
        && then.effects.iter().zip(&now.effects).all(|(then, now)| same_effect(then, now));
    let texts = texts::collect(then, related, today);
    if same && !texts.differ() {
        return None;
    }
    let with = |reply: String, text: Option<&String>| match text {
        Some(text) => format!("{reply}: {}", shortened(text.trim_end())),
        None => reply,
    };
    let (before, after) = texts.shown();
    Some(How::Different { then: with(describe_reply(then), before), today: with(describe_reply(now), after) })
}

fn same_effect(then: &RecordedEffect, now: &RecordedEffect) -> bool {
    let changes = match (&then.change, &now.change) {
        (Some(then), Some(now)) => same_value(then, now),
        (then, now) => then == now,
    };
    changes
        && (&then.effect, &then.role, &then.target, &then.level, then.bytes)
            == (&now.effect, &now.role, &now.target, &now.level, now.bytes)
        && same_option(then.text.as_deref(), now.text.as_deref())
}

fn same_option(then: Option<&str>, now: Option<&str>) -> bool {
    match (then, now) {
        (Some(then), Some(now)) => same_text(then, now),
        (then, now) => then == now,
    }
}

/// Texts that the record does not have in full count as equal.
pub(crate) fn same_text(then: &str, now: &str) -> bool {
    then == now || then.contains("[redacted:") || shorten::is_shortened(then)
}

fn same_value(then: &Value, now: &Value) -> bool {
    match (then, now) {
        (Value::String(then), Value::String(now)) => same_text(then, now),
        (Value::Array(then), Value::Array(now)) => {
            then.len() == now.len() && then.iter().zip(now).all(|(then, now)| same_value(then, now))
        }
        (Value::Object(then), Value::Object(now)) => {
            then.len() == now.len()
                && then.iter().all(|(key, value)| now.get(key).is_some_and(|now| same_value(value, now)))
        }
        (then, now) => then == now,
    }
}

fn about(event: &Event) -> String {
    crate::commands::hooks::test::subject(event).trim_start().to_owned()
}
