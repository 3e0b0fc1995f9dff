//! Hooks that reply from a table, and a driver that takes the kernel's steps.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use serde_json::json;
use tenter_contract::*;
use tenter_kernel::{HostAsks, Registry, Step, begin};

/// What a hook says, and what kind of hook it is.
#[derive(Clone, Debug)]
pub(crate) struct Say {
    output: HookOutput,
    only_if: Option<String>,
    hook: HookSpec,
}

impl Say {
    fn new(output: HookOutput) -> Self {
        let hook = HookSpec::new(HookId::new(Layer::User, ""), EventKind::ToolPre, Handler::InProcess);
        Self { output, only_if: None, hook }
    }
    fn effect(effect: Effect) -> Self {
        Self::new(HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects: vec![effect] }))
    }
    pub(crate) fn nothing() -> Self {
        Self::new(HookOutput::Reply(HookReply::default()))
    }
    pub(crate) fn allow() -> Self {
        let verdict = Verdict::Allow { reason: None };
        Self::new(HookOutput::Reply(HookReply { verdict, effects: Vec::new() }))
    }
    pub(crate) fn started() -> Self {
        Self::new(HookOutput::Started)
    }
    pub(crate) fn stopped() -> Self {
        Self::new(HookOutput::Failure(HookFailure::stopped()))
    }
    pub(crate) fn crash() -> Self {
        Self::new(HookOutput::Failure(HookFailure::Crashed { exit_code: Some(1), signal: None }))
    }
    /// Denies if the command, as this hook sees it, is the given one.
    pub(crate) fn deny_if(command: &str) -> Self {
        Self { only_if: Some(command.to_owned()), ..deny(command) }
    }
    pub(crate) fn when_command(self, command: &str) -> Self {
        self.with(|hook| hook.when.command = vec![Pattern::parse(command).unwrap()])
    }
    pub(crate) fn parallel(self) -> Self {
        self.with(|hook| hook.execution_mode = ExecutionMode::Parallel)
    }
    pub(crate) fn background(self) -> Self {
        self.with(|hook| hook.execution_mode = ExecutionMode::Background)
    }
    pub(crate) fn rejudge(self) -> Self {
        self.with(|hook| hook.rejudge = true)
    }
    pub(crate) fn may_allow(self) -> Self {
        self.with(|hook| hook.may_allow = true)
    }
    pub(crate) fn or_deny(self) -> Self {
        self.with(|hook| hook.on_failure = OnFailure::always(Policy::Deny))
    }
    pub(crate) fn priority(self, priority: i32) -> Self {
        self.with(|hook| hook.priority = priority)
    }
    fn with(mut self, change: impl FnOnce(&mut HookSpec)) -> Self {
        change(&mut self.hook);
        self
    }
    pub(crate) fn and_stop(mut self, reason: &str) -> Self {
        if let HookOutput::Reply(reply) = &mut self.output {
            reply.effects.push(Effect::StopAgent { reason: reason.to_owned() });
        }
        self
    }
    pub(crate) fn and_tell(mut self, text: &str) -> Self {
        if let (HookOutput::Reply(reply), HookOutput::Reply(more)) = (&mut self.output, notify(text).output) {
            reply.effects.extend(more.effects);
        }
        self
    }
}

pub(crate) fn deny(reason: &str) -> Say {
    let verdict = Verdict::Deny { reason: reason.to_owned() };
    Say::new(HookOutput::Reply(HookReply { verdict, effects: Vec::new() }))
}

pub(crate) fn ask(prompt: &str) -> Say {
    query(ApprovalPrompt::new(prompt))
}

pub(crate) fn query(query: ApprovalPrompt) -> Say {
    Say::new(HookOutput::Reply(HookReply { verdict: Verdict::Ask(query), effects: Vec::new() }))
}

pub(crate) fn inject(text: &str) -> Say {
    Say::effect(Effect::Inject(Injection::text(text)))
}

pub(crate) fn notify(text: &str) -> Say {
    Say::effect(Effect::Notify(Message { text: text.to_owned(), level: Level::Info }))
}

pub(crate) fn rewrite(command: &str) -> Say {
    let patch = Patch::Merge(json!({ "command": command }).as_object().cloned().unwrap());
    Say::effect(Effect::Rewrite(Rewrite::ToolInput(patch)))
}

/// Rewrites the command and leaves nothing else of the input.
pub(crate) fn rewrite_all(command: &str) -> Say {
    let patch = Patch::Replace(json!({ "command": command }).as_object().cloned().unwrap());
    Say::effect(Effect::Rewrite(Rewrite::ToolInput(patch)))
}

/// What agents can carry at `tool:pre`.
pub(crate) mod capabilities {
    use super::*;

    pub(crate) fn no_rewrite() -> Capabilities {
        Capabilities { rewrite_input: RewriteInput::Never, ..Capabilities::EVERYTHING }
    }
    pub(crate) fn merged_over() -> Capabilities {
        Capabilities { rewrite_input: RewriteInput::MergedOver, ..Capabilities::EVERYTHING }
    }
    pub(crate) fn no_ask() -> Capabilities {
        Capabilities { ask: AskUser::Never, ..Capabilities::EVERYTHING }
    }
    pub(crate) fn all() -> [Capabilities; 6] {
        let no_context = Capabilities { context: ContextChannel::None, ..Capabilities::EVERYTHING };
        [Capabilities::EVERYTHING, Capabilities::NOTHING, no_rewrite(), merged_over(), no_ask(), no_context]
    }
}

/// An outcome, and how it came about.
pub(crate) struct Checked {
    pub(crate) outcome: Outcome,
    /// Names of the hooks of every step, in order.
    pub(crate) groups: Vec<Vec<String>>,
    /// Questions put to an approver.
    pub(crate) questions: Vec<String>,
    seen: HashMap<String, String>,
}

impl Deref for Checked {
    type Target = Outcome;
    fn deref(&self) -> &Outcome {
        &self.outcome
    }
}

impl Checked {
    pub(crate) fn decision_text(&self) -> String {
        match &self.outcome.decision {
            Decision::Deny { by, reason } => format!("deny by {by}: {reason}"),
            other => other.as_str().to_owned(),
        }
    }
    pub(crate) fn effects_text(&self) -> Vec<String> {
        let text = |(by, effect): &(Source, Effect)| match effect {
            Effect::Inject(injection) => format!("{by} injects {}", injection.content),
            Effect::Notify(message) => format!("{by} notifies {}", message.text),
            Effect::Rewrite(rewrite) => format!("{by} rewrites {}", rewrite.target()),
            Effect::SuppressOutput => format!("{by} suppresses"),
            Effect::StopAgent { reason } => format!("{by} stops the agent: {reason}"),
        };
        self.outcome.effects.iter().map(text).collect()
    }
    /// Every hook that was asked, in the order of folding.
    pub(crate) fn asked(&self) -> Vec<String> {
        let name = |run: &HookRun| match run.round {
            Round::First => run.hook.to_string(),
            Round::Rejudge => format!("{} again", run.hook),
        };
        self.outcome.runs.iter().map(name).collect()
    }
    /// The command a hook saw.
    pub(crate) fn seen_by(&self, hook: &str) -> Option<String> {
        self.seen.get(hook).cloned()
    }
}

pub(crate) fn check(hooks: &[(&str, Say)]) -> Checked {
    check_with(&Capabilities::EVERYTHING, hooks)
}

pub(crate) fn check_with(capabilities: &Capabilities, hooks: &[(&str, Say)]) -> Checked {
    drive(capabilities, hooks, |reports| reports)
}

/// As [`check`], with the hooks of every step finishing in another order.
pub(crate) fn check_shuffled(hooks: &[(&str, Say)], seed: u64) -> Checked {
    let mut state = seed | 1;
    drive(&Capabilities::EVERYTHING, hooks, move |mut reports| {
        for i in (1..reports.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            reports.swap(i, usize::try_from(state >> 33).unwrap() % (i + 1));
        }
        reports
    })
}

fn drive(
    capabilities: &Capabilities,
    hooks: &[(&str, Say)],
    mut order: impl FnMut(Vec<(usize, HookReport)>) -> Vec<(usize, HookReport)>,
) -> Checked {
    let registry = Registry::new(hooks.iter().map(|(name, say)| spec(name, say)));
    let says: HashMap<&str, &Say> = hooks.iter().map(|(name, say)| (*name, say)).collect();
    let (mut groups, mut questions, mut seen) = (Vec::new(), Vec::new(), HashMap::new());
    let mut step = begin(Arc::new(bash("original")), &registry, capabilities);
    loop {
        step = match step {
            Step::RunHooks { event, invocations, then } => {
                groups.push(invocations.iter().map(|asked| asked.hook.id.to_string()).collect());
                let command = event.tool.as_ref().unwrap().command.clone().unwrap();
                let reports = invocations.iter().enumerate().map(|(number, asked)| {
                    let name = asked.hook.id.name.as_str();
                    seen.insert(name.to_owned(), command.clone());
                    let say = says[name];
                    let silent = say.only_if.as_ref().is_some_and(|wanted| *wanted != command);
                    let output = if silent { Say::nothing().output } else { say.output.clone() };
                    (number, HookReport::new(output))
                });
                then.resume(order(reports.collect()))
            }
            Step::GatherFacts { event, then } => then.resume(event.facts.clone()),
            Step::AskHuman { question, host, then, .. } => {
                let answer = match host {
                    HostAsks::Yes => ApprovalAnswer::LeftToHost,
                    HostAsks::AsLastResort | HostAsks::No => {
                        questions.push(question.prompt());
                        ApprovalAnswer::NoApprover { why: "no approver in this test".to_owned() }
                    }
                };
                then.resume(Approval { question, answer })
            }
            Step::Finish(outcome) => return Checked { outcome: *outcome, groups, questions, seen },
        };
    }
}

pub(crate) fn bash(command: &str) -> Event {
    let mut event =
        Event::new(EventKind::ToolPre, AgentName::from_static("claude"), None, Timestamp::default());
    let input = json!({ "command": command, "description": "…" }).as_object().cloned().unwrap();
    event.tool = Some(ToolCall::new("Bash", ToolKind::Shell, input));
    event
}

fn spec(name: &str, say: &Say) -> HookSpec {
    HookSpec { id: HookId::new(Layer::User, name), ..say.hook.clone() }
}
