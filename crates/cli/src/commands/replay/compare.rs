//! What came of an event then, and what would come of it today.

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
use crate::trail::words::{in_short, said, shortened};

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
    /// What the event is about, where that fits on a line: `Bash: git push`.
    pub(crate) about: String,
    pub(crate) then: Came,
    pub(crate) today: Came,
    /// What there was to choose from and what there would be, if the same hooks ask and that is not the same.
    pub(crate) question: Option<(Offer, Offer)>,
    pub(crate) hooks: Vec<Changed>,
    /// Hooks that were not run, but taken at their word of then.
    pub(crate) not_run: Vec<String>,
    /// Those of them that another version of tenter has recorded, so that no one knows whether they are the same.
    pub(crate) unsure: Vec<String>,
    /// Hooks that were not run and are others than they were then, so their word of then says nothing.
    pub(crate) rewritten: Vec<String>,
    /// Hooks that were not run and were not asked then either, so no one knows what they would say.
    pub(crate) undelivered: Vec<String>,
    /// What the record does not have of the event.
    pub(crate) missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    pub(crate) verdict: String,
    pub(crate) by: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) words: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) hook: String,
    pub(crate) how: How,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It was asked then and would not be today.
    Gone { then: String, why: String },
    /// It would be asked today and was not then.
    New { today: String },
    /// The same, but it would have to be run to know what it says.
    Undelivered,
    /// It was asked then as well, but it is another hook today, and would have to be run.
    Rewritten { then: String },
    /// It says something else.
    Different { then: String, today: String },
}

impl Compared {
    pub(crate) fn of(
        record: &RecordV1,
        beside: &[RecordV1],
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
        let undelivered = not_run(|it| !it.as_then);
        let mut hooks = Vec::new();
        for then in &record.hooks {
            match run_of(&today.record, then) {
                None => hooks.push(Changed {
                    hook: then.hook.clone(),
                    how: How::Gone { then: said(then), why: why_not(then, today) },
                }),
                Some(_) if rewritten.contains(&then.hook) => {
                    hooks.push(Changed { hook: then.hook.clone(), how: How::Rewritten { then: said(then) } });
                }
                Some(_) if taken.contains(&then.hook) => {}
                Some(now) => {
                    hooks.extend(
                        difference(then, now, beside, today)
                            .map(|how| Changed { hook: then.hook.clone(), how }),
                    );
                }
            }
        }
        for now in today.record.hooks.iter().filter(|now| run_of(record, now).is_none()) {
            let how =
                if undelivered.contains(&now.hook) { How::Undelivered } else { How::New { today: said(now) } };
            hooks.push(Changed { hook: now.hook.clone(), how });
        }
        Self {
            seq: record.seq,
            event: record.event.clone(),
            about: about(&today.event),
            then: Came::of(record),
            today: Came::of(&today.record),
            question: question::changed(beside, today.question.as_ref()),
            hooks,
            not_run: taken,
            unsure,
            rewritten,
            undelivered,
            missing,
        }
    }

    pub(crate) fn differs(&self) -> bool {
        self.came_to_another() || self.question.is_some() || !self.hooks.is_empty()
    }

    /// Whether the event would come to something else. What a person answered then is not asked again.
    pub(crate) fn came_to_another(&self) -> bool {
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

impl Came {
    fn of(record: &RecordV1) -> Self {
        let decision = record.decision.clone().unwrap_or_default();
        let (_, words) = in_short(record, &decision);
        if decision.answer.is_some() {
            let answer = approvals::records::answer(&decision);
            let answer = answer.map(|answer| format!(" ({answer})")).unwrap_or_default();
            // Whatever came of it, there was a question for a person; whether one answered is in the words.
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
        Some(hook) => crate::commands::hooks::explain::against(hook, today.layers, &today.event)
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
    beside: &[RecordV1],
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
    let texts = texts::of(then, beside, today);
    if same && !texts.differ() {
        return None;
    }
    let with = |said: String, text: Option<&String>| match text {
        Some(text) => format!("{said}: {}", shortened(text.trim_end())),
        None => said,
    };
    let (before, after) = texts.shown();
    Some(How::Different { then: with(said(then), before), today: with(said(now), after) })
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

/// Of a text that the record does not have whole no one can say that it was another.
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
