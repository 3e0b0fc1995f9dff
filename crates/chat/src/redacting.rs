//! Hides API keys in the output of hooks, before it reaches the model, the screen or a file.
//!
//! Keys are hidden where a hook's report is received. Output of background hooks and saved answers is redacted at the
//! conversation and at the display.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use tenter_agent::HiddenKeys;
use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    Effect, Event, HookFailure, HookOutput, HookReply, HookReport, HookSpec, OutputPatch, Patch, Rewrite,
    Transcript, Verdict,
};
use tenter_coordinator::{Shown, UserDisplay};

pub(crate) struct RedactingExecutor {
    pub(crate) inner: Box<dyn HookExecutor>,
    pub(crate) keys: HiddenKeys,
}

impl HookExecutor for RedactingExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        self.inner.runs(hook)
    }

    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        self.inner.runs_at(hook, event)
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let mut report = self.inner.run(hook, event);
        self.hide_in(&mut report);
        report
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.inner.set_stop_flag(stop);
    }

    fn end_event(&self) {
        self.inner.end_event();
    }
}

/// A display that hides keys.
pub(crate) struct DiscreetDisplay {
    pub(crate) inner: Arc<dyn UserDisplay>,
    pub(crate) keys: HiddenKeys,
}

impl UserDisplay for DiscreetDisplay {
    fn show(&self, message: &Shown) {
        let mut message = message.clone();
        self.keys.hide(&mut message.text);
        self.inner.show(&message);
    }
}

impl RedactingExecutor {
    fn hide_in(&self, HookReport { output: said, transcript }: &mut HookReport) {
        match said {
            HookOutput::Reply(reply) => self.hide_in_reply(reply),
            HookOutput::Failure(
                HookFailure::Failed { detail }
                | HookFailure::Garbled { detail }
                | HookFailure::Missing { detail }
                | HookFailure::Panicked { detail },
            )
            | HookOutput::Skipped { why: detail } => self.keys.hide(detail),
            HookOutput::Failure(
                HookFailure::TimedOut { .. } | HookFailure::NotReached { .. } | HookFailure::Crashed { .. },
            )
            | HookOutput::Started => {}
        }
        let Transcript { command, stdout, stderr, notices, .. } = transcript;
        for text in [stdout, stderr].into_iter().chain(command).chain(notices) {
            self.keys.hide(text);
        }
    }

    fn hide_in_reply(&self, HookReply { verdict, effects }: &mut HookReply) {
        match verdict {
            Verdict::Deny { reason } | Verdict::Allow { reason: Some(reason) } => self.keys.hide(reason),
            Verdict::Ask(query) => {
                self.keys.hide(&mut query.prompt);
                query.options.iter_mut().for_each(|choice| self.keys.hide(&mut choice.label));
            }
            Verdict::Allow { reason: None } | Verdict::Abstain => {}
        }
        for effect in effects {
            match effect {
                Effect::Inject(injection) => self.keys.hide(&mut injection.content),
                Effect::Notify(message) => self.keys.hide(&mut message.text),
                Effect::Rewrite(rewrite) => self.hide_in_rewrite(rewrite),
                Effect::StopAgent { reason } => self.keys.hide(reason),
                Effect::SuppressOutput => {}
            }
        }
    }

    fn hide_in_rewrite(&self, rewrite: &mut Rewrite) {
        match rewrite {
            Rewrite::Prompt(text) => self.keys.hide(text),
            Rewrite::ToolOutput(OutputPatch::Merge(value) | OutputPatch::Replace(value)) => {
                self.keys.hide_in(value);
            }
            Rewrite::ToolInput(Patch::Merge(values) | Patch::Replace(values))
            | Rewrite::Data(Patch::Merge(values) | Patch::Replace(values)) => self.hide_in_all(values),
        }
    }

    fn hide_in_all(&self, values: &mut Map<String, Value>) {
        values.values_mut().for_each(|value| self.keys.hide_in(value));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenter_contract::{ApprovalPrompt, Level};
    use tenter_runtime::kit::FunctionExecutor;

    use super::*;

    const KEY: &str = "sk-0123456789";

    #[test]
    fn hook_output_contains_no_key() {
        let said = || HookReply::default().inject(KEY).notify(Level::Info, KEY);
        let values = || json!({"a": [KEY]}).as_object().cloned().unwrap_or_default();
        let rewritten = said()
            .rewrite(Rewrite::Prompt(KEY.to_owned()))
            .rewrite(Rewrite::ToolInput(Patch::Merge(values())))
            .rewrite(Rewrite::ToolOutput(OutputPatch::Replace(json!(KEY))))
            .rewrite(Rewrite::Data(Patch::Replace(values())));
        let failed = |detail: &str| HookFailure::Failed { detail: detail.to_owned() };
        let asked = HookReply::query(ApprovalPrompt::new(KEY).offering([KEY]));
        for said in [
            HookOutput::Reply(rewritten),
            HookOutput::Reply(HookReply::deny(KEY)),
            HookOutput::Reply(asked),
            HookOutput::Failure(failed(KEY)),
            HookOutput::Skipped { why: KEY.to_owned() },
        ] {
            let text = || KEY.to_owned();
            let transcript = Transcript {
                command: Some(text()),
                stdout: text(),
                stderr: text(),
                notices: vec![text()],
                ..Transcript::default()
            };
            let inner =
                Box::new(FunctionExecutor(|_: &HookSpec, _: &Event| HookReport::new(HookOutput::Started)));
            let mut report = HookReport { output: said, transcript };
            RedactingExecutor { inner, keys: HiddenKeys::new([KEY]) }.hide_in(&mut report);
            let shown = format!("{report:?}");
            assert!(shown.contains("[key hidden]") && !shown.contains(KEY), "{shown}");
        }
    }
}
