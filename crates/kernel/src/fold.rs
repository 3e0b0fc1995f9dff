//! Folds the replies of all hooks into one outcome.
//!
//! | rule | why |
//! |---|---|
//! | deny beats ask beats allow beats abstain; the first deny in order gives the reason | the same replies give the same reason, in any order |
//! | a deny ends the chain and keeps the earlier effects | other systems lose them |
//! | an allow lifts nothing unless the hook has `may_allow` | hooks cannot skip the agent's own permission check |
//! | rewrites chain; the original input is kept | the next hook sees what would run |
//! | every effect of a valid reply is in the outcome or among its degradations | no effect is lost in silence |
//! | injected text is made safe and limited | many hooks and the agent share one context |
//! | the hook's `on_failure` decides about a failure, and the user is notified | no guard may be off in silence |

use std::sync::Arc;

use tenter_contract::approval_question::{ApprovalPrompt, Grant};
use tenter_contract::outcome::Round;
use tenter_contract::{
    ApprovalQuestion, Choice, Decision, Degradation, Effect, Event, ExecutionMode, Facts, Handler,
    HookFailure, HookId, HookOutput, HookQuestion, HookReply, HookReport, HookRun, HookSpec, Injection,
    Level, Limits, Message, OnFailure, Outcome, Policy, RewriteInput, RewriteOutput, Source, Verdict,
};

use crate::limit::{Limited, fetched_from, limited};
use crate::safe_text::{MadeSafe, as_message, made_safe, on_one_line};

/// The replies folded so far.
#[derive(Debug)]
pub(crate) struct Folding {
    event: Arc<Event>,
    original: Arc<Event>,
    denied: Option<(Source, String)>,
    asked: Vec<HookQuestion>,
    allowed: Option<(HookId, Option<String>)>,
    effects: Vec<(Source, Effect)>,
    runs: Vec<HookRun>,
    degraded: Vec<Degradation>,
    last_rewriter: Option<usize>,
    limits: Limits,
}

impl Folding {
    pub(crate) fn new(event: Arc<Event>, limits: Limits) -> Self {
        Self {
            original: Arc::clone(&event),
            event,
            denied: None,
            asked: Vec::new(),
            allowed: None,
            effects: Vec::new(),
            runs: Vec::new(),
            degraded: Vec::new(),
            last_rewriter: None,
            limits,
        }
    }

    /// Adds the report of one hook. `place` is its place in the order of hooks.
    pub(crate) fn add_report(&mut self, place: usize, hook: &HookSpec, round: Round, report: HookReport) {
        let HookReport { output, transcript } = report;
        let mut output = checked(output, hook, round);
        match &mut output {
            HookOutput::Reply(reply) => {
                self.add_verdict(hook, &reply.verdict);
                if round == Round::First {
                    self.add_effects(place, hook, reply);
                }
            }
            HookOutput::Failure(failure) => self.add_failure(hook, failure, &transcript.stderr),
            HookOutput::Skipped { .. } | HookOutput::Started => {}
        }
        self.runs.push(HookRun { hook: hook.id.clone(), round, output, transcript });
    }

    fn add_verdict(&mut self, hook: &HookSpec, verdict: &Verdict) {
        match verdict {
            Verdict::Abstain => {}
            Verdict::Allow { reason } if hook.may_allow => {
                let reason = reason.as_ref().map(|reason| self.safe(hook, "reason", reason));
                self.allowed.get_or_insert((hook.id.clone(), reason));
            }
            Verdict::Allow { .. } => self.degraded.push(Degradation::CannotAllow { by: hook.id.clone() }),
            // If a hook asks again about the final input, the newer question counts.
            Verdict::Ask(query) => {
                let query = self.safe_query(hook, query);
                match self.asked.iter_mut().find(|asked| asked.hook == hook.id) {
                    Some(earlier) => earlier.query = query,
                    None => self.asked.push(HookQuestion::new(hook, query)),
                }
            }
            Verdict::Deny { reason } => {
                let reason = self.safe(hook, "reason", reason);
                self.deny(Source::Hook(hook.id.clone()), reason);
            }
        }
    }

    /// Makes a hook's text safe for a model or for an agent's own prompt.
    fn safe(&mut self, hook: &HookSpec, what: &'static str, text: &str) -> String {
        let Some(MadeSafe { text, removed, quoted }) = made_safe(text) else { return text.to_owned() };
        self.degraded.push(Degradation::MadeSafe { by: hook.id.clone(), what, removed, quoted });
        text
    }

    /// Makes a question safe: a choice means what its visible label says.
    fn safe_query(&mut self, hook: &HookSpec, query: &ApprovalPrompt) -> ApprovalPrompt {
        let choice = |choice: &Choice| {
            let label = on_one_line(&choice.label);
            if choice.grants == Grant::Nothing && label != choice.label {
                return Choice::named(&label);
            }
            Choice::granting(&label, choice.grants).unwrap_or(Choice { label, grants: Grant::Nothing })
        };
        let options = query.options.iter().map(choice).collect();
        ApprovalPrompt { prompt: self.safe(hook, "question", &query.prompt), options, ..query.clone() }
    }

    /// Makes a message safe that a person reads among others.
    fn safe_message(&mut self, hook: &HookSpec, message: &Message) -> Message {
        let (text, removed) = as_message(&message.text);
        if removed > 0 {
            let by = hook.id.clone();
            self.degraded.push(Degradation::MadeSafe { by, what: "message", removed, quoted: 0 });
        }
        Message { text, level: message.level }
    }

    fn add_effects(&mut self, place: usize, hook: &HookSpec, reply: &mut HookReply) {
        let before = self.degraded.len();
        let mut admitted: Vec<Option<Injection>> = Vec::new();
        for effect in &mut reply.effects {
            if let Effect::Inject(injection) = effect {
                admitted.push(self.within_limits(hook, injection));
            }
        }
        let refused = |degraded: &Degradation| matches!(degraded, Degradation::InjectionTooLarge { .. });
        let injection_failed = self.degraded[before..].iter().any(refused);
        let mut admitted = admitted.into_iter();
        for effect in &reply.effects {
            let by = Source::Hook(hook.id.clone());
            match effect {
                Effect::Inject(_) => {
                    let injection = admitted.next().flatten().map(|it| (by, Effect::Inject(it)));
                    self.effects.extend(injection);
                }
                Effect::Notify(message) if injection_failed => {
                    let text = format!("{} (injection failed)", self.safe_message(hook, message).text);
                    self.effects.push((by, Effect::Notify(Message { text, level: Level::Error })));
                }
                Effect::Rewrite(rewrite) => {
                    if Arc::make_mut(&mut self.event).rewrite(rewrite) {
                        self.last_rewriter = Some(place);
                        self.effects.push((by, effect.clone()));
                    } else {
                        self.degraded.push(Degradation::CannotRewrite {
                            target: rewrite.target(),
                            by: vec![by],
                            denied: false,
                        });
                    }
                }
                Effect::Notify(message) => {
                    let message = self.safe_message(hook, message);
                    self.effects.push((by, Effect::Notify(message)));
                }
                Effect::SuppressOutput => self.effects.push((by, effect.clone())),
                Effect::StopAgent { reason } => {
                    let reason = self.safe(hook, "reason", reason);
                    self.effects.push((by, Effect::StopAgent { reason }));
                }
            }
        }
    }

    /// The text that may be injected: safe, within the limit, and framed as data if it was fetched. The reply gets
    /// the safe text too, so that sizes agree everywhere.
    fn within_limits(&mut self, hook: &HookSpec, injection: &mut Injection) -> Option<Injection> {
        let bytes = injection.content.len();
        injection.content = self.safe(hook, "context", &injection.content);
        // Built-in hooks mark their fetched texts themselves.
        if !matches!(hook.handler, Handler::Builtin(_)) {
            injection.foreign = fetched_from(&hook.handler);
        }
        if injection.content.trim().is_empty() {
            let by = hook.id.clone();
            self.degraded.extend((bytes > 0).then_some(Degradation::Blank { by, bytes }));
            return None;
        }
        match limited(injection.clone(), &self.limits) {
            Limited::Admitted(injection) => Some(injection),
            Limited::Refused(injection) => {
                let (by, limit) = (hook.id.clone(), self.limits.injection_bytes);
                let injection = Box::new(injection);
                self.degraded.push(Degradation::InjectionTooLarge { by, injection, limit });
                None
            }
        }
    }

    fn add_failure(&mut self, hook: &HookSpec, failure: &HookFailure, stderr: &str) {
        // The last line of standard error, unless the failure quotes it already.
        let last_line = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let last_line = last_line.filter(|line| !failure.to_string().contains(line));
        let last_line = last_line.map(|line| format!(" ({})", on_one_line(line))).unwrap_or_default();
        let failure_text = on_one_line(&failure.to_string());
        match hook.on_failure.policy_for(failure.class()) {
            Policy::Deny => {
                let unless_said = OnFailure::default_for(hook.id.layer, &hook.event, &hook.handler);
                let says = if hook.on_failure == unless_said { "is deny by default" } else { "says deny" };
                let reason = format!("the hook {failure_text}{last_line}, and its `on_failure` {says}");
                self.deny(Source::Hook(hook.id.clone()), reason);
            }
            // The user stopped the agent, so the call ends too.
            Policy::Allow if failure.is_stopped() => {
                let text = format!("hook `{}` was ended with the agent's turn", hook.id);
                self.effects.push((Source::Tenter, Effect::Notify(Message { text, level: Level::Info })));
            }
            Policy::Allow => {
                let text = format!("hook `{}` {failure_text}{last_line}; went on without it", hook.id);
                self.effects.push((Source::Tenter, Effect::Notify(Message { text, level: Level::Warning })));
            }
        }
    }

    /// Denies, unless a hook did before.
    pub(crate) fn deny(&mut self, by: Source, reason: String) {
        self.denied.get_or_insert((by, reason));
    }

    pub(crate) fn runs(&self) -> &[HookRun] {
        &self.runs
    }

    pub(crate) fn degraded(&mut self, degraded: Degradation) {
        self.degraded.push(degraded);
    }

    pub(crate) fn denied(&self) -> bool {
        self.denied.is_some()
    }

    pub(crate) fn allowed(&self) -> bool {
        self.allowed.is_some()
    }

    pub(crate) fn set_facts(&mut self, facts: Facts) {
        Arc::make_mut(&mut self.event).facts = facts;
    }

    /// The current event.
    pub(crate) fn event(&self) -> Arc<Event> {
        Arc::clone(&self.event)
    }

    pub(crate) fn last_rewriter(&self) -> Option<usize> {
        self.last_rewriter
    }

    /// The removed keys of the input that the agent would keep.
    pub(crate) fn kept_input(&self, capability: RewriteInput) -> Vec<String> {
        let Some(tool) = &self.event.tool else { return Vec::new() };
        capability.kept(tool.asked_input(), &tool.input).into_iter().map(str::to_owned).collect()
    }

    /// Whether the agent accepts the current result in place of the original.
    pub(crate) fn output_fits(&self, capability: RewriteOutput) -> bool {
        let output = |event: &Event| event.tool.as_ref().and_then(|tool| tool.output.clone());
        output(&self.event).is_none_or(|new| capability.takes(&new, output(&self.original).as_ref()))
    }

    pub(crate) fn rewriters(&self, target: &str) -> Vec<Source> {
        let mut by: Vec<Source> = Vec::new();
        for (source, effect) in &self.effects {
            if matches!(effect, Effect::Rewrite(rewrite) if rewrite.target() == target)
                && !by.contains(source)
            {
                by.push(source.clone());
            }
        }
        by
    }

    /// The shared question of all hooks that ask.
    pub(crate) fn question(&self) -> Option<ApprovalQuestion> {
        let rewriters = ["tool_input", "prompt"].into_iter().flat_map(|target| self.rewriters(target));
        let hooks = rewriters.filter_map(|by| match by {
            Source::Hook(hook) => Some(hook),
            Source::Approver | Source::Tenter => None,
        });
        Some(ApprovalQuestion::new(self.asked.clone())?.rewritten_by(hooks.collect()))
    }

    pub(crate) fn outcome(self) -> Outcome {
        let decision = match (self.denied, self.allowed) {
            (Some((by, reason)), _) => Decision::Deny { by, reason },
            (None, Some((by, reason))) => Decision::Allow { by, reason },
            (None, None) => Decision::Abstain,
        };
        Outcome {
            event: self.event,
            decision,
            effects: self.effects,
            approval: None,
            runs: self.runs,
            degraded: self.degraded,
            delivered_first: None,
        }
    }
}

/// Folds the run of a background hook. Failures are reported and long texts rejected as usual; a deny has no effect
/// any more.
pub fn fold_background_run(
    event: Arc<Event>,
    hook: &HookSpec,
    limits: Limits,
    report: HookReport,
) -> Outcome {
    let hook = HookSpec { on_failure: OnFailure::always(Policy::Allow), ..hook.clone() };
    let mut folding = Folding::new(event, limits);
    folding.add_report(0, &hook, Round::First, report);
    folding.outcome()
}

/// Turns a reply that is not allowed here into a failure, or into a deny if rewrites do not settle.
fn checked(output: HookOutput, hook: &HookSpec, round: Round) -> HookOutput {
    let HookOutput::Reply(reply) = &output else { return output };
    if hook.execution_mode == ExecutionMode::Background {
        return in_background(reply)
            .map_or(output, |detail| HookOutput::Failure(HookFailure::Garbled { detail }));
    }
    if !reply.effects.iter().any(|effect| matches!(effect, Effect::Rewrite(_))) {
        return output;
    }
    match (round, hook.execution_mode) {
        (Round::First, ExecutionMode::Alone | ExecutionMode::Background) => output,
        (Round::First, ExecutionMode::Parallel) => HookOutput::Failure(HookFailure::Garbled {
            detail: "a hook with `parallel: true` may not rewrite".to_owned(),
        }),
        (Round::Rejudge, ExecutionMode::Alone | ExecutionMode::Parallel | ExecutionMode::Background) => {
            HookOutput::Reply(HookReply {
                verdict: match &reply.verdict {
                    Verdict::Deny { reason } => Verdict::Deny { reason: reason.clone() },
                    Verdict::Abstain | Verdict::Allow { .. } | Verdict::Ask(_) => {
                        Verdict::Deny { reason: "rewrites do not settle".to_owned() }
                    }
                },
                effects: reply.effects.clone(),
            })
        }
    }
}

/// Why a background hook may not reply so, if it may not.
fn in_background(reply: &HookReply) -> Option<String> {
    let rewrites = reply.effects.iter().any(|effect| matches!(effect, Effect::Rewrite(_)));
    let what = match &reply.verdict {
        Verdict::Abstain if rewrites => "rewrite",
        Verdict::Abstain => return None,
        Verdict::Allow { .. } => "allow",
        Verdict::Ask(_) => "ask",
        Verdict::Deny { .. } => "deny",
    };
    Some(format!("a hook with `background: true` may not {what}"))
}
