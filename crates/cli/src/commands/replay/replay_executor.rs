//! Who is asked in place of hooks: those that only judge are asked themselves, the others are taken at their word of
//! then, unless they are to be run for real.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tenter_contract::ports::{Acceptance, Approver, HookExecutor, Waiting};
use tenter_contract::{
    ApprovalAnswer, ApprovalPrompt, ApprovalRequest, ApproverName, Effect, Event, ExecutionMode, Grant,
    Handler, HookFailure, HookOutput, HookReply, HookReport, HookSpec, Injection, Level, Message, Once,
    OutputPatch, Patch, Rewrite, Role, Verdict,
};
use tenter_protocol::v1::record::{RecordV1, RecordedEffect, RecordedHook};

use crate::commands::replay::question;
use crate::commands::replay::question::Offer;

#[derive(Default)]
pub(crate) struct Script {
    /// What each hook did then, in order; one that was asked again is twice.
    pub(crate) then: Vec<RecordedHook>,
    /// What was injected then, by hook.
    pub(crate) texts: Vec<(String, String)>,
    /// What there was to choose from, by the hooks that asked.
    pub(crate) offered: Option<(Vec<String>, Offer)>,
    /// The input after every rewrite.
    pub(crate) became: Option<Value>,
    /// Hooks that were not asked themselves, by address, in the order of the event.
    pub(crate) not_run: Vec<NotRun>,
}

pub(crate) struct NotRun {
    pub(crate) hook: String,
    /// Whether what it said then was taken for its answer; if not, no one knows what it would say.
    pub(crate) as_then: bool,
    /// Whether it is the hook that it was then.
    pub(crate) since: Since,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    Same,
    Changed,
    /// Another version of tenter has recorded it, in a form that says nothing to this one.
    Unknown,
}

impl Since {
    fn of(hook: &HookSpec, then: Option<&RecordedHook>) -> Self {
        match then.and_then(|then| then.definition.as_deref()).map(|was| hook.is_still(was)) {
            None | Some(Some(true)) => Self::Same,
            Some(Some(false)) => Self::Changed,
            Some(None) => Self::Unknown,
        }
    }
}

impl Script {
    pub(crate) fn of(record: &RecordV1, beside: &[RecordV1]) -> Self {
        let text = |record: &RecordV1| Some((record.hook_name.clone()?, record.content.clone()?));
        Self {
            then: record.hooks.clone(),
            texts: beside.iter().filter_map(text).collect(),
            offered: question::put(beside).and_then(|put| Some((put.hooks.clone(), Offer::recorded(put)?))),
            became: record.tool.as_ref().map(|tool| tool.input.clone()),
            not_run: Vec::new(),
        }
    }

    fn next(&mut self, address: &str) -> Option<RecordedHook> {
        let place = self.then.iter().position(|run| run.hook == address)?;
        Some(self.then.remove(place))
    }
}

/// Whether a hook only judges: nothing is started, no one is asked, and what it looks at is in the event.
pub(crate) fn only_judges(handler: &Handler) -> bool {
    match handler {
        Handler::Builtin(builtin) => builtin.guards(),
        handler => handler.is_fixed(),
    }
}

/// Stands in for every hook.
pub(crate) struct ReplayExecutor {
    pub(crate) real: Vec<Box<dyn HookExecutor>>,
    pub(crate) run: bool,
    pub(crate) script: Arc<Mutex<Script>>,
}

impl ReplayExecutor {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HookExecutor for ReplayExecutor {
    fn runs(&self, _: &HookSpec) -> bool {
        true
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let address = hook.id.address();
        let then = self.script().next(&address);
        // What a session remembered then it has forgotten or outgrown; the record knows.
        if let Some(why) = then.as_ref().and_then(|run| run.skipped.clone())
            && (hook.once != Once::Unlimited || hook.every.is_some())
        {
            return HookReport::new(HookOutput::Skipped { why });
        }
        // No one waits for it, and what it says belongs to another event.
        if hook.execution_mode == ExecutionMode::Background {
            return HookReport::new(HookOutput::Started);
        }
        if self.run || only_judges(&hook.handler) {
            return match self.real.iter().find(|real| real.runs(hook)) {
                Some(real) => real.run(hook, event),
                None => HookReport::new(HookOutput::Failure(HookFailure::Missing {
                    detail: format!("this build has no way to run `{}` hooks", hook.handler.kind()),
                })),
            };
        }
        let mut script = self.script();
        let since = Since::of(hook, then.as_ref());
        script.not_run.push(NotRun { hook: address, as_then: then.is_some(), since });
        let said = then.map_or_else(|| HookOutput::Reply(HookReply::default()), |then| script.said(&then));
        HookReport::new(said)
    }

    fn end_event(&self) {
        self.real.iter().for_each(|real| real.end_event());
    }
}

impl Script {
    fn said(&self, then: &RecordedHook) -> HookOutput {
        if let Some(why) = &then.skipped {
            return HookOutput::Skipped { why: why.clone() };
        }
        if then.background {
            return HookOutput::Started;
        }
        if let Some(failure) = &then.failure {
            let detail = failure.detail.clone();
            return HookOutput::Failure(match failure.class.as_str() {
                "timeout" => {
                    HookFailure::TimedOut { after: Duration::from_secs_f64(then.ms.max(0.0) / 1000.0) }
                }
                "missing" => HookFailure::Missing { detail },
                _ => HookFailure::Failed { detail },
            });
        }
        let reason = then.reason.clone();
        let verdict = match then.verdict.as_deref() {
            Some("deny") => Verdict::Deny { reason: reason.unwrap_or_default() },
            Some("allow") => Verdict::Allow { reason },
            Some("ask") => Verdict::Ask(self.asked(&then.hook, reason.unwrap_or_default())),
            Some(_) | None => Verdict::Abstain,
        };
        let effects = then.effects.iter().filter_map(|effect| self.effect(then, effect)).collect();
        HookOutput::Reply(HookReply { verdict, effects })
    }

    /// What a hook asked then. Of several that offered different choices the record has the plain ones that were put.
    fn asked(&self, hook: &String, prompt: String) -> ApprovalPrompt {
        let query = ApprovalPrompt::new(prompt);
        match &self.offered {
            Some((hooks, offer)) if hooks.contains(hook) => {
                let (options, default) = offer.clone().into_parts();
                ApprovalPrompt { options, default, ..query }
            }
            _ => query,
        }
    }

    fn effect(&self, then: &RecordedHook, effect: &RecordedEffect) -> Option<Effect> {
        match effect.effect.as_str() {
            "inject" => {
                let bytes = usize::try_from(effect.bytes.unwrap_or_default()).unwrap_or(0);
                let name = then.hook.split_once('/').map_or(then.hook.as_str(), |(_, name)| name);
                let text = self.texts.iter().find(|(by, text)| by == name && text.len() == bytes);
                // A text that the record does not have whole counts by its length.
                let content = text.map_or_else(|| " ".repeat(bytes), |(_, text)| text.clone());
                let role = effect.role.as_deref().and_then(Role::parse).unwrap_or_default();
                Some(Effect::Inject(Injection { role, ..Injection::text(content) }))
            }
            "rewrite" => self.rewrite(effect).map(Effect::Rewrite),
            "tell" => {
                let level = match effect.level.as_deref() {
                    Some("warning") => Level::Warning,
                    Some("error") => Level::Error,
                    Some(_) | None => Level::Info,
                };
                Some(Effect::Notify(Message { text: effect.text.clone().unwrap_or_default(), level }))
            }
            "suppress_output" => Some(Effect::SuppressOutput),
            "stop_agent" => Some(Effect::StopAgent { reason: effect.text.clone().unwrap_or_default() }),
            _ => None,
        }
    }

    fn rewrite(&self, effect: &RecordedEffect) -> Option<Rewrite> {
        let change = effect.change.clone()?;
        match (effect.target.as_deref()?, change) {
            ("tool_input", Value::Object(change)) => {
                // The change may have been the whole: then what it became is exactly that.
                let whole = self.became.as_ref() == Some(&Value::Object(change.clone()));
                Some(Rewrite::ToolInput(if whole { Patch::Replace(change) } else { Patch::Merge(change) }))
            }
            ("tool_output", change) => Some(Rewrite::ToolOutput(OutputPatch::Merge(change))),
            ("prompt", Value::String(prompt)) => Some(Rewrite::Prompt(prompt)),
            ("data", Value::Object(change)) => Some(Rewrite::Data(Patch::Merge(change))),
            _ => None,
        }
    }
}

/// An approver that puts no question to anybody. That it would be put is what is shown.
pub(crate) struct Unasked;

impl Approver for Unasked {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        ApprovalAnswer::Granted { option: "Allow".to_owned(), grants: Grant::Once }
    }
}
