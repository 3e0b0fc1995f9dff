//! Executes hooks in a replay: guards run, other hooks give their recorded reply, unless `--run` runs them too.

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
    /// The recorded runs in order; a hook that was asked again is in it twice.
    pub(crate) then: Vec<RecordedHook>,
    /// The recorded texts, by hook.
    pub(crate) texts: Vec<(String, String)>,
    /// The recorded options, by the hooks that asked.
    pub(crate) offered: Option<(Vec<String>, Offer)>,
    /// The input after all rewrites.
    pub(crate) became: Option<Value>,
    /// Hooks that were not run, in the order of the event.
    pub(crate) not_run: Vec<NotRun>,
}

pub(crate) struct NotRun {
    pub(crate) hook: String,
    /// Whether its recorded reply was used; if not, its reply is not known.
    pub(crate) as_then: bool,
    /// Whether the hook has changed since.
    pub(crate) since: Since,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    Same,
    Changed,
    /// Another version of tenter recorded the hook in a form that cannot be compared.
    Unknown,
}

impl Since {
    fn compare(hook: &HookSpec, then: Option<&RecordedHook>) -> Self {
        match then.and_then(|then| then.definition.as_deref()).map(|was| hook.is_still(was)) {
            None | Some(Some(true)) => Self::Same,
            Some(Some(false)) => Self::Changed,
            Some(None) => Self::Unknown,
        }
    }
}

impl Script {
    pub(crate) fn new(record: &RecordV1, related: &[RecordV1]) -> Self {
        let text = |record: &RecordV1| Some((record.hook_name.clone()?, record.content.clone()?));
        Self {
            then: record.hooks.clone(),
            texts: related.iter().filter_map(text).collect(),
            offered: question::recorded(related)
                .and_then(|asked| Some((asked.hooks.clone(), Offer::from_record(asked)?))),
            became: record.tool.as_ref().map(|tool| tool.input.clone()),
            not_run: Vec::new(),
        }
    }

    fn next(&mut self, address: &str) -> Option<RecordedHook> {
        let place = self.then.iter().position(|run| run.hook == address)?;
        Some(self.then.remove(place))
    }
}

/// Whether a hook only judges the event: it starts nothing and asks nothing.
pub(crate) fn only_judges(handler: &Handler) -> bool {
    match handler {
        Handler::Builtin(builtin) => builtin.guards(),
        handler => handler.is_fixed(),
    }
}

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
        // The session has other counts by now; the record has those of then.
        if let Some(why) = then.as_ref().and_then(|run| run.skipped.clone())
            && (hook.once != Once::Unlimited || hook.every.is_some())
        {
            return HookReport::new(HookOutput::Skipped { why });
        }
        // Its reply belongs to another event.
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
        let since = Since::compare(hook, then.as_ref());
        script.not_run.push(NotRun { hook: address, as_then: then.is_some(), since });
        let output =
            then.map_or_else(|| HookOutput::Reply(HookReply::default()), |then| script.output(&then));
        HookReport::new(output)
    }

    fn end_event(&self) {
        self.real.iter().for_each(|real| real.end_event());
    }
}

impl Script {
    fn output(&self, then: &RecordedHook) -> HookOutput {
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
            Some("ask") => Verdict::Ask(self.prompt(&then.hook, reason.unwrap_or_default())),
            Some(_) | None => Verdict::Abstain,
        };
        let effects = then.effects.iter().filter_map(|effect| self.effect(then, effect)).collect();
        HookOutput::Reply(HookReply { verdict, effects })
    }

    /// The recorded question of a hook. If several hooks asked, the record has the plain options.
    fn prompt(&self, hook: &String, prompt: String) -> ApprovalPrompt {
        let plain = ApprovalPrompt::new(prompt);
        match &self.offered {
            Some((hooks, offer)) if hooks.contains(hook) => {
                let (options, default) = offer.clone().into_parts();
                ApprovalPrompt { options, default, ..plain }
            }
            _ => plain,
        }
    }

    fn effect(&self, then: &RecordedHook, effect: &RecordedEffect) -> Option<Effect> {
        match effect.effect.as_str() {
            "inject" => {
                let bytes = usize::try_from(effect.bytes.unwrap_or_default()).unwrap_or(0);
                let name = then.hook.split_once('/').map_or(then.hook.as_str(), |(_, name)| name);
                let text = self.texts.iter().find(|(by, text)| by == name && text.len() == bytes);
                // A text that the record does not have in full counts by its length.
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
                // A change that equals the new input replaced all of it.
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

/// An approver that asks no question, so that the replay shows it.
pub(crate) struct SilentApprover;

impl Approver for SilentApprover {
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
