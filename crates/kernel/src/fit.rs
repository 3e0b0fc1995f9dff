//! Stop 5: what this agent cannot carry is made safe and named. Two things are settled before anyone is
//! asked, in `dispatch`: a rewrite that cannot be carried denies, and a question goes to a desk.

use std::sync::Arc;

use tenter_contract::{
    Abilities, AskUser, ContextChannel, Decision, Effect, EventKind, Fate, Fitted, FittedParts,
    FittedVerdict, Form, Injection, Level, Limits, Message, Outcome, OverLimit, RewriteInput, RewriteOutput,
    Role, Source, Strategy, Unfit,
};

use crate::batch::{Batched, batch, in_all, shortened, units, whole};
use crate::safe_text::as_message;

/// The outcome as this agent can carry it, and what had to be left out or moved for that, beside what the
/// outcome already names.
pub fn fit(outcome: &Outcome, abilities: &Abilities) -> (Fitted, Vec<Unfit>) {
    let Fits { fitted, unfit, received: _ } = fit_spilled(outcome, abilities, None);
    (fitted, unfit)
}

/// What came of fitting an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Fits {
    /// The outcome as this agent can carry it.
    pub fitted: Fitted,
    /// What it cannot carry, and what was done instead.
    pub unfit: Vec<Unfit>,
    /// What the agent receives of each injection, in their order.
    pub received: Vec<Received>,
}

/// What an agent receives of an injection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// What became of it.
    pub fate: Fate,
    /// How many bytes of it the agent gets.
    pub bytes: usize,
}

/// How far injected text gets at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// To the model, in the agent's channel for it.
    Channel,
    /// To the model, in the reason of a deny.
    Reason,
    /// To a later event of the session.
    Later,
    /// To nobody.
    Nobody,
}

/// How far text gets that is injected beside this decision.
pub fn reach(outcome: &Outcome, abilities: &Abilities) -> Reach {
    reach_beside(&verdict(outcome, abilities, &mut Vec::new()), abilities)
}

/// Whether a model reads what is injected beside this decision. A prompt that is denied never gets to one.
pub fn is_read(outcome: &Outcome, abilities: &Abilities) -> bool {
    let verdict = verdict(outcome, abilities, &mut Vec::new());
    let arrives = matches!(reach_beside(&verdict, abilities), Reach::Channel | Reach::Reason);
    arrives && !is_denied_prompt(outcome, &verdict)
}

fn is_denied_prompt(outcome: &Outcome, verdict: &FittedVerdict) -> bool {
    outcome.event.kind == EventKind::PromptSubmit && matches!(verdict, FittedVerdict::Deny { .. })
}

fn reach_beside(verdict: &FittedVerdict, abilities: &Abilities) -> Reach {
    let denied = matches!(verdict, FittedVerdict::Deny { .. });
    let channel = match abilities.context {
        ContextChannel::Beside => true,
        ContextChannel::UnlessDenied | ContextChannel::WholeAnswer => !denied,
        ContextChannel::None => false,
    };
    match (channel, denied, abilities.later.possible()) {
        (true, _, _) => Reach::Channel,
        (false, true, _) => Reach::Reason,
        (false, false, true) => Reach::Later,
        (false, false, false) => Reach::Nobody,
    }
}

/// All of the context, if what may be given of it is more than this agent takes at once. Whoever keeps it somewhere
/// tells [`fit_spilled`] where.
pub fn spills(outcome: &Outcome, abilities: &Abilities, limits: &Limits) -> Option<String> {
    let limit = abilities.context_limit?;
    let (injections, Batched { text, .. }) = texts(outcome)?;
    // Where each long text gets a file of its own, the lines that say so must have room as well.
    let pointer = |(_, it): &(&Source, &Injection)| {
        if is_long(it) && limits.over_limit == OverLimit::Spill {
            LONGEST_POINTER + it.content.len() - units(&it.content)
        } else {
            0
        }
    };
    let pointers: usize = injections.iter().map(pointer).sum();
    let too_much = units(&text) + pointers > limit && reach(outcome, abilities) == Reach::Channel;
    too_much.then(|| whole(&injections))
}

/// A line that says where a text is, with a long path.
const LONGEST_POINTER: usize = 400;

/// Whether there is more of a text here than may be given. A line in place of one is never long.
pub fn is_long(injection: &Injection) -> bool {
    let is_beginning = matches!(injection.form, Form::Beginning(_));
    is_beginning && injection.content.len() < injection.whole_content().len()
}

/// [`fit`], with the path of a file that has all of the context.
pub fn fit_spilled(outcome: &Outcome, abilities: &Abilities, spilled: Option<&str>) -> Fits {
    let mut unfit = Vec::new();
    let mut parts =
        FittedParts { verdict: verdict(outcome, abilities, &mut unfit), ..FittedParts::default() };
    rewrites(outcome, abilities, &mut parts);
    let mut received = context(outcome, abilities, spilled, &mut parts, &mut unfit);
    if is_denied_prompt(outcome, &parts.verdict) {
        received.iter_mut().filter(|it| it.fate.reached_the_agent()).for_each(|it| it.fate = Fate::Shown);
    }
    stop(outcome, abilities, &mut parts, &mut unfit);
    messages(outcome, abilities, &mut parts, &mut unfit);
    // Where the answer is the text itself, there is no field to say it in; nothing else is shown either.
    parts.suppress = abilities.context != ContextChannel::WholeAnswer
        && outcome.effects.iter().any(|(_, effect)| *effect == Effect::SuppressOutput);
    let event = Arc::clone(&outcome.event);
    let denial = denial(&parts.verdict);
    let fitted = Fitted::new(Arc::clone(&event), parts, abilities).unwrap_or_else(|_| {
        // A bug above; the verdict alone always fits, and a deny must never get lost with the rest.
        let parts = FittedParts { verdict: denial, ..FittedParts::default() };
        Fitted::new(Arc::clone(&event), parts, abilities).unwrap_or_else(|_| Fitted::silent(event))
    });
    Fits { fitted, unfit, received }
}

/// An outcome that keeps an agent from stopping, after that has happened too often in a row: nobody is denied anything,
/// and who wanted otherwise is named.
#[inline(never)]
pub fn let_go(mut outcome: Outcome) -> Outcome {
    match std::mem::replace(&mut outcome.decision, Decision::Abstain) {
        Decision::Deny { by, reason } => outcome.unfit.push(Unfit::LetGo { by, reason }),
        other @ (Decision::Abstain | Decision::Allow { .. } | Decision::Ask(_)) => outcome.decision = other,
    }
    outcome
}

fn denial(verdict: &FittedVerdict) -> FittedVerdict {
    match verdict {
        FittedVerdict::Deny { .. } | FittedVerdict::Ask { .. } => verdict.clone(),
        FittedVerdict::Silent | FittedVerdict::Allow { .. } => FittedVerdict::Silent,
    }
}

fn verdict(outcome: &Outcome, abilities: &Abilities, unfit: &mut Vec<Unfit>) -> FittedVerdict {
    match &outcome.decision {
        Decision::Abstain => FittedVerdict::Silent,
        Decision::Allow { reason, .. } if abilities.allow.possible() => {
            FittedVerdict::Allow { reason: reason.clone() }
        }
        Decision::Allow { by, .. } => {
            unfit.push(Unfit::CannotAllow { by: by.clone() });
            FittedVerdict::Silent
        }
        Decision::Ask(question) if abilities.ask != AskUser::Never => {
            FittedVerdict::Ask { prompt: question.prompt() }
        }
        Decision::Ask(question) if abilities.block.possible() => {
            let reason = format!("nobody can be asked here: {}", question.prompt());
            FittedVerdict::Deny { reason: Decision::denied_call(&Source::Tenter, &reason) }
        }
        Decision::Ask(question) => {
            unfit.push(Unfit::CannotAsk { prompt: question.prompt() });
            FittedVerdict::Silent
        }
        Decision::Deny { by, reason } if abilities.block.possible() => {
            if outcome.event.kind == EventKind::ToolPost && !abilities.withhold.possible() {
                unfit.push(Unfit::CannotWithhold { by: by.clone() });
            }
            FittedVerdict::Deny { reason: reason_for(&outcome.event.kind, by, reason) }
        }
        Decision::Deny { by, reason } => {
            unfit.push(Unfit::CannotDeny { by: by.clone(), reason: reason.clone() });
            FittedVerdict::Silent
        }
    }
}

/// Ends the agent's run where that is possible. A denied prompt gets to no model, and an agent that is let go ends anyway.
fn stop(outcome: &Outcome, abilities: &Abilities, parts: &mut FittedParts, unfit: &mut Vec<Unfit>) {
    let Some((by, reason)) = outcome.stop() else { return };
    let denied = matches!(parts.verdict, FittedVerdict::Deny { .. });
    if denied && abilities.stop.possible() {
        parts.stop = Some(reason.to_owned());
    } else if !is_denied_prompt(outcome, &parts.verdict) {
        unfit.push(Unfit::CannotStop { by: by.clone(), reason: reason.to_owned() });
    }
}

/// An agent that is kept going reads the reason as its next task; everything else was denied.
fn reason_for(kind: &EventKind, by: &Source, reason: &str) -> String {
    if matches!(kind, EventKind::OrchestratorComplete | EventKind::SubagentComplete) {
        reason.to_owned()
    } else {
        Decision::denied_call(by, reason)
    }
}

/// What could not be carried was refused in `dispatch`; here the rest is taken over.
fn rewrites(outcome: &Outcome, abilities: &Abilities, parts: &mut FittedParts) {
    let denied = matches!(parts.verdict, FittedVerdict::Deny { .. });
    let allowed = matches!(parts.verdict, FittedVerdict::Allow { .. });
    let takes_input = match abilities.rewrite_input {
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
        .filter(|tool| abilities.rewrite_input.kept(tool.asked_input(), &tool.input).is_empty())
        .map(|tool| tool.input.clone());
    // A result that is withheld has no other form besides.
    let withheld = denied && abilities.withhold.possible();
    parts.output = tool
        .filter(|_| !withheld && !output_refused(outcome, abilities) && outcome.rewrote("tool_output"))
        .and_then(|tool| tool.output.clone());
    if abilities.rewrite_prompt.possible() && !denied && outcome.rewrote("prompt") {
        parts.prompt.clone_from(&outcome.event.prompt);
    }
    if abilities.rewrite_data.possible() && outcome.rewrote("data") {
        parts.data = Some(outcome.event.data.clone());
    }
}

fn output_refused(outcome: &Outcome, abilities: &Abilities) -> bool {
    let refused =
        |unfit: &Unfit| matches!(unfit, Unfit::CannotRewrite { target, .. } if *target == "tool_output");
    abilities.rewrite_output == RewriteOutput::Never || outcome.unfit.iter().any(refused)
}

/// What was injected, one by one and as one text.
fn texts(outcome: &Outcome) -> Option<(Vec<(&Source, &Injection)>, Batched)> {
    let injections: Vec<(&Source, &Injection)> = outcome
        .effects
        .iter()
        .filter_map(|(by, effect)| match effect {
            Effect::Inject(injection) => Some((by, injection)),
            Effect::Rewrite(_) | Effect::Tell(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => None,
        })
        .collect();
    let batched = batch(&injections)?;
    Some((injections, batched))
}

fn context(
    outcome: &Outcome,
    abilities: &Abilities,
    spilled: Option<&str>,
    parts: &mut FittedParts,
    unfit: &mut Vec<Unfit>,
) -> Vec<Received> {
    match texts(outcome) {
        Some(texts) => given(texts, abilities, spilled, parts, unfit),
        None => Vec::new(),
    }
}

#[inline(never)]
fn given(
    (injections, batched): (Vec<(&Source, &Injection)>, Batched),
    abilities: &Abilities,
    spilled: Option<&str>,
    parts: &mut FittedParts,
    unfit: &mut Vec<Unfit>,
) -> Vec<Received> {
    let named = |unfit: &mut Vec<Unfit>, what: fn(Source, usize) -> Unfit| {
        unfit.extend(injections.iter().map(|(by, it)| what((*by).clone(), it.whole_bytes())));
    };
    let all = |fate: Fate| vec![Received { fate, bytes: 0 }; injections.len()];
    match (reach_beside(&parts.verdict, abilities), &mut parts.verdict) {
        (Reach::Channel, _) => {
            one_channel(&injections, abilities, unfit);
            let limit = abilities.context_limit.filter(|it| spilled.is_some() || units(&batched.text) > *it);
            let Some(limit) = limit else {
                truncated(&injections, &batched.bytes, unfit);
                let received = injections.iter().zip(batched.bytes);
                parts.context = Some(batched.text);
                return received.map(|((_, it), bytes)| Received { fate: fate_of(it), bytes }).collect();
            };
            let (bytes, _) = in_all(&injections);
            let (more_than_taken, fate) = match spilled {
                Some(path) => (Unfit::Spilled { bytes, path: path.to_owned() }, Fate::Spilled),
                None => (Unfit::ContextCut { bytes }, Fate::Cut),
            };
            unfit.push(more_than_taken);
            let given = shortened(&injections, limit, spilled);
            parts.context = Some(given.text);
            let received = |((_, it), bytes): (&(&Source, &Injection), usize)| {
                let is_line = matches!(it.form, Form::Unchanged(_));
                let fate = if !is_line && bytes < it.whole_bytes() { fate } else { fate_of(it) };
                Received { fate, bytes }
            };
            injections.iter().zip(given.bytes).map(received).collect()
        }
        (Reach::Reason, FittedVerdict::Deny { reason }) => {
            truncated(&injections, &batched.bytes, unfit);
            let sizes = injections.iter().zip(&batched.bytes);
            unfit.extend(
                sizes.map(|((by, _), bytes)| Unfit::ContextInReason { by: (*by).clone(), bytes: *bytes }),
            );
            reason.push_str("\n\n");
            reason.push_str(&batched.text);
            batched.bytes.iter().map(|bytes| Received { fate: Fate::InReason, bytes: *bytes }).collect()
        }
        (Reach::Later, _) => {
            named(unfit, |by, bytes| Unfit::Carried { by, bytes });
            all(Fate::Carried)
        }
        (Reach::Nobody | Reach::Reason, _) => {
            named(unfit, |by, bytes| Unfit::NoContextChannel { by, bytes });
            all(Fate::Unheard)
        }
    }
}

/// Names the texts that are above the limit of one, with what the agent gets of each.
#[inline(never)]
fn truncated(injections: &[(&Source, &Injection)], given: &[usize], unfit: &mut Vec<Unfit>) {
    let one = |((by, injection), kept): (&(&Source, &Injection), &usize)| {
        let Form::Beginning(it) = &injection.form else { return None };
        let path = it.all.path().map(str::to_owned);
        let (bytes, missing) = (injection.whole_bytes(), injection.missing());
        Some(Unfit::Truncated { by: (*by).clone(), bytes, kept: *kept, missing, path })
    };
    unfit.extend(injections.iter().zip(given).filter_map(one));
}

#[inline(never)]
fn one_channel(injections: &[(&Source, &Injection)], abilities: &Abilities, unfit: &mut Vec<Unfit>) {
    if abilities.role.possible() {
        return;
    }
    for (by, injection) in injections {
        if let Some(wanted) = special_place(injection) {
            unfit.push(Unfit::OneChannel { by: (*by).clone(), wanted });
        }
    }
}

/// What becomes of a text that is given as it stands.
fn fate_of(injection: &Injection) -> Fate {
    match &injection.form {
        Form::Whole => Fate::Given,
        Form::Unchanged(_) => Fate::Line,
        Form::Beginning(it) if it.all.path().is_some() => Fate::Spilled,
        Form::Beginning(_) => Fate::Truncated,
    }
}

/// Where a text was wanted, if not simply in the context.
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

fn messages(outcome: &Outcome, abilities: &Abilities, parts: &mut FittedParts, unfit: &mut Vec<Unfit>) {
    let told = outcome.effects.iter().filter_map(|(by, effect)| match effect {
        Effect::Tell(message) => Some((by.clone(), message.clone())),
        Effect::Inject(_) | Effect::Rewrite(_) | Effect::SuppressOutput | Effect::StopAgent { .. } => None,
    });
    let unfit_told: Vec<(Source, Message)> = outcome
        .unfit
        .iter()
        .chain(unfit.iter())
        .filter(|unfit| concerns_the_user(unfit))
        .map(|unfit| {
            let (text, _) = as_message(&unfit.to_string());
            (Source::Tenter, Message { text, level: Level::Warning })
        })
        .collect();
    let all: Vec<(Source, Message)> = told.chain(unfit_told).collect();
    if !all.is_empty() {
        say(all, abilities, parts, unfit);
    }
}

#[inline(never)]
fn say(all: Vec<(Source, Message)>, abilities: &Abilities, parts: &mut FittedParts, unfit: &mut Vec<Unfit>) {
    let whole_answer = abilities.context == ContextChannel::WholeAnswer && parts.context.is_some();
    if abilities.message.possible() && !whole_answer {
        let lines: Vec<String> = all.iter().map(|(by, message)| line(by, message)).collect();
        parts.message = Some(lines.join("\n"));
    } else {
        unfit.extend(all.into_iter().map(|(by, message)| Unfit::NoMessageChannel { by, text: message.text }));
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

/// Whether the user must know at once; the rest is in the record.
pub fn concerns_the_user(unfit: &Unfit) -> bool {
    match unfit {
        Unfit::CannotDeny { .. }
        | Unfit::LetGo { .. }
        | Unfit::CannotWithhold { .. }
        | Unfit::CannotStop { .. }
        | Unfit::CannotAsk { .. }
        | Unfit::CannotRewrite { .. }
        | Unfit::NoContextChannel { .. }
        | Unfit::ContextCut { .. }
        | Unfit::OverBudget { .. }
        | Unfit::InjectionTooLarge { .. }
        | Unfit::NotKept { .. } => true,
        Unfit::CannotAllow { .. }
        | Unfit::Carried { .. }
        | Unfit::Spilled { .. }
        | Unfit::ContextInReason { .. }
        | Unfit::OneChannel { .. }
        | Unfit::Truncated { .. }
        | Unfit::Blank { .. }
        | Unfit::MadeSafe { .. }
        | Unfit::Repeated { .. }
        | Unfit::NoMessageChannel { .. } => false,
    }
}
