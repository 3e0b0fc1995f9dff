//! Adapts an outcome to the capabilities of an agent: unsupported effects get a safe alternative and are named.
//! `dispatch` has handled two cases before: an unsupported rewrite denies, and a question goes to an approver.

use std::sync::Arc;

use tenter_contract::{
    AgentOutcome, AgentOutcomeParts, AgentVerdict, AskUser, Capabilities, ContextChannel, Decision,
    Degradation, Effect, EventKind, Form, Injection, InjectionStatus, Level, Limits, Message, Outcome,
    OverLimit, RewriteInput, RewriteOutput, Role, Source, Strategy,
};

use crate::batch::{Batched, batch, in_all, shortened, units, whole};
use crate::safe_text::as_message;

/// The part of the outcome that the agent supports, and the degradations, besides those of the outcome.
pub fn adapt(outcome: &Outcome, capabilities: &Capabilities) -> (AgentOutcome, Vec<Degradation>) {
    let Adapted { adapted, degraded, received: _ } = adapt_spilled(outcome, capabilities, None);
    (adapted, degraded)
}

/// An adapted outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapted {
    /// The part that the agent supports.
    pub adapted: AgentOutcome,
    /// What it does not support, and the alternative.
    pub degraded: Vec<Degradation>,
    /// What the agent receives of each injection, in their order.
    pub received: Vec<Received>,
}

/// The part of an injection that an agent receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Its status.
    pub status: InjectionStatus,
    /// The bytes that the agent gets.
    pub bytes: usize,
}

/// The route of injected text at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextRoute {
    /// To the model, in the agent's channel for it.
    Channel,
    /// To the model, in the reason of a deny.
    Reason,
    /// To a later event of the session.
    Later,
    /// Not at all.
    Nowhere,
}

/// The route of text that is injected with this decision.
pub fn context_route(outcome: &Outcome, capabilities: &Capabilities) -> ContextRoute {
    route_for(&verdict(outcome, capabilities, &mut Vec::new()), capabilities)
}

/// Whether a model reads text that is injected with this decision. A denied prompt never reaches a model.
pub fn is_read(outcome: &Outcome, capabilities: &Capabilities) -> bool {
    let verdict = verdict(outcome, capabilities, &mut Vec::new());
    let arrives = matches!(route_for(&verdict, capabilities), ContextRoute::Channel | ContextRoute::Reason);
    arrives && !is_denied_prompt(outcome, &verdict)
}

fn is_denied_prompt(outcome: &Outcome, verdict: &AgentVerdict) -> bool {
    outcome.event.kind == EventKind::PromptSubmit && matches!(verdict, AgentVerdict::Deny { .. })
}

fn route_for(verdict: &AgentVerdict, capabilities: &Capabilities) -> ContextRoute {
    let denied = matches!(verdict, AgentVerdict::Deny { .. });
    let channel = match capabilities.context {
        ContextChannel::Always => true,
        ContextChannel::UnlessDenied | ContextChannel::WholeAnswer => !denied,
        ContextChannel::None => false,
    };
    match (channel, denied, capabilities.later.possible()) {
        (true, _, _) => ContextRoute::Channel,
        (false, true, _) => ContextRoute::Reason,
        (false, false, true) => ContextRoute::Later,
        (false, false, false) => ContextRoute::Nowhere,
    }
}

/// All of the context, if it is more than the agent takes at once. The caller writes it to a file and passes the
/// path to [`adapt_spilled`].
pub fn overflow(outcome: &Outcome, capabilities: &Capabilities, limits: &Limits) -> Option<String> {
    let limit = capabilities.context_limit?;
    let (injections, Batched { text, .. }) = texts(outcome)?;
    // If each long text gets its own file, the notes about the files need room as well.
    let pointer = |(_, it): &(&Source, &Injection)| {
        if is_long(it) && limits.over_limit == OverLimit::Spill {
            LONGEST_POINTER + it.content.len() - units(&it.content)
        } else {
            0
        }
    };
    let pointers: usize = injections.iter().map(pointer).sum();
    let too_much =
        units(&text) + pointers > limit && context_route(outcome, capabilities) == ContextRoute::Channel;
    too_much.then(|| whole(&injections))
}

/// The length of a note with a long path.
const LONGEST_POINTER: usize = 400;

/// Whether a text is longer than its limit. A line in place of one never is.
pub fn is_long(injection: &Injection) -> bool {
    let is_beginning = matches!(injection.form, Form::Beginning(_));
    is_beginning && injection.content.len() < injection.whole_content().len()
}

/// [`adapt`] with the path of a file that has all of the context.
pub fn adapt_spilled(outcome: &Outcome, capabilities: &Capabilities, spilled: Option<&str>) -> Adapted {
    let mut degraded = Vec::new();
    let mut parts = AgentOutcomeParts {
        verdict: verdict(outcome, capabilities, &mut degraded),
        ..AgentOutcomeParts::default()
    };
    rewrites(outcome, capabilities, &mut parts);
    let mut received = context(outcome, capabilities, spilled, &mut parts, &mut degraded);
    if is_denied_prompt(outcome, &parts.verdict) {
        received
            .iter_mut()
            .filter(|it| it.status.reached_agent())
            .for_each(|it| it.status = InjectionStatus::Shown);
    }
    stop(outcome, capabilities, &mut parts, &mut degraded);
    messages(outcome, capabilities, &mut parts, &mut degraded);
    // If the response is the text itself, it has no field for that.
    parts.suppress = capabilities.context != ContextChannel::WholeAnswer
        && outcome.effects.iter().any(|(_, effect)| *effect == Effect::SuppressOutput);
    let event = Arc::clone(&outcome.event);
    let denial = denial(&parts.verdict);
    let adapted = AgentOutcome::new(Arc::clone(&event), parts, capabilities).unwrap_or_else(|_| {
        // A bug above. The verdict alone is always supported, and a deny must never be lost.
        let parts = AgentOutcomeParts { verdict: denial, ..AgentOutcomeParts::default() };
        AgentOutcome::new(Arc::clone(&event), parts, capabilities)
            .unwrap_or_else(|_| AgentOutcome::silent(event))
    });
    Adapted { adapted, degraded, received }
}

/// Allows a stop that was denied too often in a row, and names the hook that denied it.
#[inline(never)]
pub fn allow_stop(mut outcome: Outcome) -> Outcome {
    match std::mem::replace(&mut outcome.decision, Decision::Abstain) {
        Decision::Deny { by, reason } => outcome.degraded.push(Degradation::StopAllowed { by, reason }),
        other @ (Decision::Abstain | Decision::Allow { .. } | Decision::Ask(_)) => outcome.decision = other,
    }
    outcome
}

fn denial(verdict: &AgentVerdict) -> AgentVerdict {
    match verdict {
        AgentVerdict::Deny { .. } | AgentVerdict::Ask { .. } => verdict.clone(),
        AgentVerdict::Silent | AgentVerdict::Allow { .. } => AgentVerdict::Silent,
    }
}

fn verdict(outcome: &Outcome, capabilities: &Capabilities, degraded: &mut Vec<Degradation>) -> AgentVerdict {
    match &outcome.decision {
        Decision::Abstain => AgentVerdict::Silent,
        Decision::Allow { reason, .. } if capabilities.allow.possible() => {
            AgentVerdict::Allow { reason: reason.clone() }
        }
        Decision::Allow { by, .. } => {
            degraded.push(Degradation::CannotAllow { by: by.clone() });
            AgentVerdict::Silent
        }
        Decision::Ask(question) if capabilities.ask != AskUser::Never => {
            AgentVerdict::Ask { prompt: question.prompt() }
        }
        Decision::Ask(question) if capabilities.block.possible() => {
            let reason = format!("no approver can be asked here: {}", question.prompt());
            AgentVerdict::Deny { reason: Decision::denied_call(&Source::Tenter, &reason) }
        }
        Decision::Ask(question) => {
            degraded.push(Degradation::CannotAsk { prompt: question.prompt() });
            AgentVerdict::Silent
        }
        Decision::Deny { by, reason } if capabilities.block.possible() => {
            if outcome.event.kind == EventKind::ToolPost && !capabilities.withhold.possible() {
                degraded.push(Degradation::CannotWithhold { by: by.clone() });
            }
            AgentVerdict::Deny { reason: reason_for(&outcome.event.kind, by, reason) }
        }
        Decision::Deny { by, reason } => {
            degraded.push(Degradation::CannotDeny { by: by.clone(), reason: reason.clone() });
            AgentVerdict::Silent
        }
    }
}

/// Ends the agent's run where that is possible. A denied prompt reaches no model, and an agent that stops ends
/// anyway.
fn stop(
    outcome: &Outcome,
    capabilities: &Capabilities,
    parts: &mut AgentOutcomeParts,
    degraded: &mut Vec<Degradation>,
) {
    let Some((by, reason)) = outcome.stop() else { return };
    let denied = matches!(parts.verdict, AgentVerdict::Deny { .. });
    if denied && capabilities.stop.possible() {
        parts.stop = Some(reason.to_owned());
    } else if !is_denied_prompt(outcome, &parts.verdict) {
        degraded.push(Degradation::CannotStop { by: by.clone(), reason: reason.to_owned() });
    }
}

/// After a denied stop, the agent reads the reason as its next task.
fn reason_for(kind: &EventKind, by: &Source, reason: &str) -> String {
    if matches!(kind, EventKind::OrchestratorComplete | EventKind::SubagentComplete) {
        reason.to_owned()
    } else {
        Decision::denied_call(by, reason)
    }
}

/// Adds the rewrites. `dispatch` has refused those that the agent does not support.
fn rewrites(outcome: &Outcome, capabilities: &Capabilities, parts: &mut AgentOutcomeParts) {
    let denied = matches!(parts.verdict, AgentVerdict::Deny { .. });
    let allowed = matches!(parts.verdict, AgentVerdict::Allow { .. });
    let takes_input = match capabilities.rewrite_input {
        RewriteInput::Freely
        | RewriteInput::MergedOver
        | RewriteInput::SamePatch(_)
        | RewriteInput::Only(_) => !denied,
        RewriteInput::OnlyWithAllow => allowed,
        RewriteInput::Never => false,
    };
    let tool = outcome.event.tool.as_ref();
    parts.input = tool
        .filter(|_| takes_input && outcome.rewrote("tool_input"))
        .filter(|tool| capabilities.rewrite_input.kept(tool.asked_input(), &tool.input).is_empty())
        .map(|tool| tool.input.clone());
    // A withheld result cannot be rewritten as well.
    let withheld = denied && capabilities.withhold.possible();
    parts.output = tool
        .filter(|_| !withheld && !output_refused(outcome, capabilities) && outcome.rewrote("tool_output"))
        .and_then(|tool| tool.output.clone());
    if capabilities.rewrite_prompt.possible() && !denied && outcome.rewrote("prompt") {
        parts.prompt.clone_from(&outcome.event.prompt);
    }
    if capabilities.rewrite_data.possible() && outcome.rewrote("data") {
        parts.data = Some(outcome.event.data.clone());
    }
}

fn output_refused(outcome: &Outcome, capabilities: &Capabilities) -> bool {
    let refused = |degraded: &Degradation| matches!(degraded, Degradation::CannotRewrite { target, .. } if *target == "tool_output");
    capabilities.rewrite_output == RewriteOutput::Never || outcome.degraded.iter().any(refused)
}

/// The injections, and all of them as one text.
fn texts(outcome: &Outcome) -> Option<(Vec<(&Source, &Injection)>, Batched)> {
    let injections: Vec<(&Source, &Injection)> = outcome.injections().collect();
    let batched = batch(&injections)?;
    Some((injections, batched))
}

fn context(
    outcome: &Outcome,
    capabilities: &Capabilities,
    spilled: Option<&str>,
    parts: &mut AgentOutcomeParts,
    degraded: &mut Vec<Degradation>,
) -> Vec<Received> {
    match texts(outcome) {
        Some(texts) => add_context(texts, capabilities, spilled, parts, degraded),
        None => Vec::new(),
    }
}

#[inline(never)]
fn add_context(
    (injections, batched): (Vec<(&Source, &Injection)>, Batched),
    capabilities: &Capabilities,
    spilled: Option<&str>,
    parts: &mut AgentOutcomeParts,
    degraded: &mut Vec<Degradation>,
) -> Vec<Received> {
    let name_all = |degraded: &mut Vec<Degradation>, what: fn(Source, usize) -> Degradation| {
        degraded.extend(injections.iter().map(|(by, it)| what((*by).clone(), it.whole_bytes())));
    };
    let all = |status: InjectionStatus| vec![Received { status, bytes: 0 }; injections.len()];
    match (route_for(&parts.verdict, capabilities), &mut parts.verdict) {
        (ContextRoute::Channel, _) => {
            one_channel(&injections, capabilities, degraded);
            let limit =
                capabilities.context_limit.filter(|it| spilled.is_some() || units(&batched.text) > *it);
            let Some(limit) = limit else {
                truncated(&injections, &batched.bytes, degraded);
                let received = injections.iter().zip(batched.bytes);
                parts.context = Some(batched.text);
                return received.map(|((_, it), bytes)| Received { status: status_of(it), bytes }).collect();
            };
            let (bytes, _) = in_all(&injections);
            let (more_than_taken, status) = match spilled {
                Some(path) => {
                    (Degradation::Spilled { bytes, path: path.to_owned() }, InjectionStatus::Spilled)
                }
                None => (Degradation::ContextCut { bytes }, InjectionStatus::Cut),
            };
            degraded.push(more_than_taken);
            let batch = shortened(&injections, limit, spilled);
            parts.context = Some(batch.text);
            let received = |((_, it), bytes): (&(&Source, &Injection), usize)| {
                let is_line = matches!(it.form, Form::Unchanged(_));
                let status = if !is_line && bytes < it.whole_bytes() { status } else { status_of(it) };
                Received { status, bytes }
            };
            injections.iter().zip(batch.bytes).map(received).collect()
        }
        (ContextRoute::Reason, AgentVerdict::Deny { reason }) => {
            truncated(&injections, &batched.bytes, degraded);
            let sizes = injections.iter().zip(&batched.bytes);
            degraded.extend(
                sizes.map(|((by, _), bytes)| Degradation::ContextInReason {
                    by: (*by).clone(),
                    bytes: *bytes,
                }),
            );
            reason.push_str("\n\n");
            reason.push_str(&batched.text);
            batched
                .bytes
                .iter()
                .map(|bytes| Received { status: InjectionStatus::InReason, bytes: *bytes })
                .collect()
        }
        (ContextRoute::Later, _) => {
            name_all(degraded, |by, bytes| Degradation::Deferred { by, bytes });
            all(InjectionStatus::Deferred)
        }
        (ContextRoute::Nowhere | ContextRoute::Reason, _) => {
            name_all(degraded, |by, bytes| Degradation::NoContextChannel { by, bytes });
            all(InjectionStatus::Undelivered)
        }
    }
}

/// Names the texts above the limit of one text, with the delivered sizes.
#[inline(never)]
fn truncated(injections: &[(&Source, &Injection)], delivered: &[usize], degraded: &mut Vec<Degradation>) {
    let one = |((by, injection), kept): (&(&Source, &Injection), &usize)| {
        let Form::Beginning(it) = &injection.form else { return None };
        let path = it.all.path().map(str::to_owned);
        let (bytes, missing) = (injection.whole_bytes(), injection.missing());
        Some(Degradation::Truncated { by: (*by).clone(), bytes, kept: *kept, missing, path })
    };
    degraded.extend(injections.iter().zip(delivered).filter_map(one));
}

#[inline(never)]
fn one_channel(
    injections: &[(&Source, &Injection)],
    capabilities: &Capabilities,
    degraded: &mut Vec<Degradation>,
) {
    if capabilities.role.possible() {
        return;
    }
    for (by, injection) in injections {
        if let Some(wanted) = special_place(injection) {
            degraded.push(Degradation::OneChannel { by: (*by).clone(), wanted });
        }
    }
}

/// The status of a text that is delivered unchanged.
fn status_of(injection: &Injection) -> InjectionStatus {
    match &injection.form {
        Form::Whole => InjectionStatus::Delivered,
        Form::Unchanged(_) => InjectionStatus::Line,
        Form::Beginning(it) if it.all.path().is_some() => InjectionStatus::Spilled,
        Form::Beginning(_) => InjectionStatus::Truncated,
    }
}

/// The role and place that a text wanted, if not the defaults.
#[inline(never)]
fn special_place(injection: &Injection) -> Option<String> {
    let Injection { role, strategy, ephemeral, .. } = injection;
    let wanted = [
        (*role != Role::System).then(|| format!("role {}", role.as_str())),
        (*strategy != Strategy::Auto).then(|| format!("strategy {}", strategy.as_str())),
        ephemeral.then(|| "ephemeral".to_owned()),
    ];
    let wanted: Vec<String> = wanted.into_iter().flatten().collect();
    (!wanted.is_empty()).then(|| wanted.join(", "))
}

fn messages(
    outcome: &Outcome,
    capabilities: &Capabilities,
    parts: &mut AgentOutcomeParts,
    degraded: &mut Vec<Degradation>,
) {
    let messages = outcome.effects.iter().filter_map(|(by, effect)| match effect {
        Effect::Notify(message) => Some((by.clone(), message.clone())),
        Effect::Inject(_) | Effect::Rewrite(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => None,
    });
    let degraded_notices: Vec<(Source, Message)> = outcome
        .degraded
        .iter()
        .chain(degraded.iter())
        .filter(|degraded| degraded.is_for_user())
        .map(|degraded| {
            let (text, _) = as_message(&degraded.to_string());
            (Source::Tenter, Message { text, level: Level::Warning })
        })
        .collect();
    let all: Vec<(Source, Message)> = messages.chain(degraded_notices).collect();
    if !all.is_empty() {
        add_messages(all, capabilities, parts, degraded);
    }
}

#[inline(never)]
fn add_messages(
    all: Vec<(Source, Message)>,
    capabilities: &Capabilities,
    parts: &mut AgentOutcomeParts,
    degraded: &mut Vec<Degradation>,
) {
    let whole_answer = capabilities.context == ContextChannel::WholeAnswer && parts.context.is_some();
    if capabilities.message.possible() && !whole_answer {
        let lines: Vec<String> = all.iter().map(|(by, message)| line(by, message)).collect();
        parts.message = Some(lines.join("\n"));
    } else {
        degraded.extend(
            all.into_iter().map(|(by, message)| Degradation::NoMessageChannel { by, text: message.text }),
        );
    }
}

#[inline(never)]
fn line(by: &Source, message: &Message) -> String {
    match message.level {
        Level::Info => format!("{by}: {}", message.text),
        Level::Warning => format!("{by}: warning: {}", message.text),
        Level::Error => format!("{by}: error: {}", message.text),
    }
}
