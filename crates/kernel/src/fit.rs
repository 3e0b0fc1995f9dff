//! Stop 5: what this agent cannot carry is made safe and named. Two things are settled before anyone is
//! asked, in `dispatch`: a rewrite that cannot be carried denies, and a question goes to a desk.

use std::sync::Arc;

use tenter_contract::{
    Abilities, AskUser, ContextChannel, Decision, Effect, EventKind, Fitted, FittedParts, FittedVerdict,
    Injection, Level, Message, Outcome, RewriteInput, RewriteOutput, Role, Source, StopLoop, Strategy, Unfit,
};

use crate::batch::{batch, shortened, units};

/// The outcome as this agent can carry it, and what had to be left out or moved for that, beside what the
/// outcome already names.
pub fn fit(outcome: &Outcome, abilities: &Abilities) -> (Fitted, Vec<Unfit>) {
    fit_spilled(outcome, abilities, None)
}

/// All of the context, if it is more than this agent takes at once. Whoever keeps it somewhere tells
/// [`fit_spilled`] where.
pub fn spills(outcome: &Outcome, abilities: &Abilities) -> Option<String> {
    let limit = abilities.context_limit?;
    let (_, text) = texts(outcome)?;
    let denied = matches!(outcome.decision, Decision::Deny { .. });
    let channel = match abilities.context {
        ContextChannel::Beside => true,
        ContextChannel::UnlessDenied | ContextChannel::WholeAnswer => !denied,
        ContextChannel::None => false,
    };
    (channel && units(&text) > limit).then_some(text)
}

/// [`fit`], with the path of a file that has all of the context.
pub fn fit_spilled(outcome: &Outcome, abilities: &Abilities, spilled: Option<&str>) -> (Fitted, Vec<Unfit>) {
    let mut unfit = Vec::new();
    let mut parts =
        FittedParts { verdict: verdict(outcome, abilities, &mut unfit), ..FittedParts::default() };
    rewrites(outcome, abilities, &mut parts);
    context(outcome, abilities, spilled, &mut parts, &mut unfit);
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
    (fitted, unfit)
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
        Decision::Deny { by, reason } if abilities.stop_loop == StopLoop::Spent => {
            unfit.push(Unfit::LetGo { by: by.clone(), reason: reason.clone() });
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
        RewriteInput::Freely | RewriteInput::MergedOver | RewriteInput::SamePatch(_) => !denied,
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
fn texts(outcome: &Outcome) -> Option<(Vec<(&Source, &Injection)>, String)> {
    let injections: Vec<(&Source, &Injection)> = outcome
        .effects
        .iter()
        .filter_map(|(by, effect)| match effect {
            Effect::Inject(injection) => Some((by, injection)),
            Effect::Rewrite(_) | Effect::Tell(_) | Effect::SuppressOutput => None,
        })
        .collect();
    let text = batch(&injections)?;
    Some((injections, text))
}

fn context(
    outcome: &Outcome,
    abilities: &Abilities,
    spilled: Option<&str>,
    parts: &mut FittedParts,
    unfit: &mut Vec<Unfit>,
) {
    let Some((injections, text)) = texts(outcome) else { return };
    let size = |unfit: &mut Vec<Unfit>, what: fn(Source, usize) -> Unfit| {
        unfit.extend(injections.iter().map(|(by, injection)| what((*by).clone(), injection.content.len())));
    };
    let carried = match abilities.context {
        ContextChannel::Beside => true,
        ContextChannel::UnlessDenied | ContextChannel::WholeAnswer => {
            !matches!(parts.verdict, FittedVerdict::Deny { .. })
        }
        ContextChannel::None => false,
    };
    if carried {
        parts.context = Some(match abilities.context_limit {
            Some(limit) if units(&text) > limit => {
                let bytes = text.len();
                unfit.push(match spilled {
                    Some(path) => Unfit::Spilled { bytes, path: path.to_owned() },
                    None => Unfit::ContextCut { bytes },
                });
                shortened(&injections, limit, spilled)
            }
            Some(_) | None => text,
        });
        if !abilities.role.possible() {
            for (by, injection) in &injections {
                if let Some(wanted) = special_place(injection) {
                    unfit.push(Unfit::OneChannel { by: (*by).clone(), wanted });
                }
            }
        }
    } else if let FittedVerdict::Deny { reason } = &mut parts.verdict {
        reason.push_str("\n\n");
        reason.push_str(&text);
        size(unfit, |by, bytes| Unfit::ContextInReason { by, bytes });
    } else if abilities.later.possible() {
        size(unfit, |by, bytes| Unfit::Carried { by, bytes });
    } else {
        size(unfit, |by, bytes| Unfit::NoContextChannel { by, bytes });
    }
}

/// Where a text was wanted, if not simply in the context.
fn special_place(injection: &Injection) -> Option<String> {
    let Injection { content: _, role, strategy, ephemeral } = injection;
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
        Effect::Inject(_) | Effect::Rewrite(_) | Effect::SuppressOutput => None,
    });
    let unfit_told: Vec<(Source, Message)> = outcome
        .unfit
        .iter()
        .chain(unfit.iter())
        .filter(|unfit| concerns_the_user(unfit))
        .map(|unfit| (Source::Tenter, Message { text: unfit.to_string(), level: Level::Warning }))
        .collect();
    let all: Vec<(Source, Message)> = told.chain(unfit_told).collect();
    if all.is_empty() {
        return;
    }
    let whole_answer = abilities.context == ContextChannel::WholeAnswer && parts.context.is_some();
    if abilities.message.possible() && !whole_answer {
        let lines: Vec<String> = all.iter().map(|(by, message)| line(by, message)).collect();
        parts.message = Some(lines.join("\n"));
    } else {
        unfit.extend(all.into_iter().map(|(by, message)| Unfit::NoMessageChannel { by, text: message.text }));
    }
}

fn line(by: &Source, message: &Message) -> String {
    match message.level {
        Level::Info => format!("{by}: {}", message.text),
        Level::Warning => format!("{by}: warning: {}", message.text),
        Level::Error => format!("{by}: error: {}", message.text),
    }
}

/// Whether the user must know at once; the rest is in the record.
fn concerns_the_user(unfit: &Unfit) -> bool {
    match unfit {
        Unfit::CannotDeny { .. }
        | Unfit::LetGo { .. }
        | Unfit::CannotWithhold { .. }
        | Unfit::CannotAsk { .. }
        | Unfit::CannotRewrite { .. }
        | Unfit::NoContextChannel { .. }
        | Unfit::ContextCut { .. }
        | Unfit::InjectionTooLarge { .. } => true,
        Unfit::CannotAllow { .. }
        | Unfit::Carried { .. }
        | Unfit::Spilled { .. }
        | Unfit::ContextInReason { .. }
        | Unfit::OneChannel { .. }
        | Unfit::NoMessageChannel { .. } => false,
    }
}
