//! The form of the head: what must be known before any hook is decoded.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenter_contract::event_names::EVENTS;
use tenter_contract::{
    Event, EventKind, HookSet, HookSpec, Level, Limits, Message, NamedDesk, Once, OverBudget, OverLimit,
    Override, Pattern, Selector,
};
use tenter_kernel::matching::may_concern;

use super::Compiled;
use super::wire::{self, LAYERS, place, word};

/// Everything but the hooks themselves. It borrows from the bytes: what nobody asks for is not copied.
#[derive(Serialize, Deserialize)]
pub(super) struct Head<'b> {
    #[serde(borrow)]
    pub(super) stamp: &'b [u8],
    pub(super) watched: Vec<&'b str>,
    overrides: Vec<(u8, &'b str, EventWire<'b>)>,
    limits: LimitsWire,
    desk: Option<DeskWire<'b>>,
    problems: Vec<(&'b str, u8)>,
    stale_files: Vec<(&'b str, u8)>,
    lost_guards: Vec<(&'b str, u8)>,
    index: Vec<IndexWire<'b>>,
}

/// Bytes of an injection; tokens of a turn, of memory, of a session; what is done above the limit and the budget.
type LimitsWire = ([u64; 4], u8, u8);

/// What must be known of a hook to know that it is not needed.
#[derive(Serialize, Deserialize)]
struct IndexWire<'b> {
    #[serde(borrow)]
    event: EventWire<'b>,
    /// The tools that its matcher names, each on a line; empty if it could be any.
    tools: &'b str,
    /// What the commands begin with that its matcher names, each on a line; empty if it could be any.
    commands: &'b str,
    /// The patterns one of which the whole command must match, each on a line; empty if it could be any.
    lines: &'b str,
    /// The agents it is meant for, each on a line; empty if it could be any.
    agents: &'b str,
    /// Whether it counts turns, which begin and end at other events than its own.
    counts_turns: bool,
    /// Where its bytes end.
    end: u32,
}

/// A known event by its place in the table, which is part of the program, or another by its name.
#[derive(Serialize, Deserialize)]
enum EventWire<'b> {
    Known(u8),
    Other(&'b str),
}

/// The desk that is named.
#[derive(Serialize, Deserialize)]
enum DeskWire<'b> {
    Watch,
    File(Option<&'b str>),
    Deny,
    Allow,
}

impl<'b> DeskWire<'b> {
    fn of(desk: &'b NamedDesk) -> Self {
        match desk {
            NamedDesk::Watch => Self::Watch,
            NamedDesk::File { folder } => Self::File(folder.as_deref()),
            NamedDesk::Deny => Self::Deny,
            NamedDesk::Allow => Self::Allow,
        }
    }

    fn desk(&self) -> NamedDesk {
        match self {
            Self::Watch => NamedDesk::Watch,
            Self::File(folder) => NamedDesk::File { folder: folder.map(str::to_owned) },
            Self::Deny => NamedDesk::Deny,
            Self::Allow => NamedDesk::Allow,
        }
    }
}

/// The bytes of the head.
pub(super) fn bytes(compiled: &Compiled, bodies: &[Vec<u8>]) -> Option<Vec<u8>> {
    let HookSet { hooks, overrides, desk, limits, problems, stale_files, lost_guards } = &compiled.set;
    let names: Vec<[String; 4]> =
        hooks.iter().map(|hook| [tools(hook), commands(hook), lines(hook), agents(hook)]).collect();
    let mut end = 0;
    let index =
        hooks.iter().zip(&names).zip(bodies).map(|((hook, [tools, commands, lines, agents]), body)| {
            end += u32::try_from(body.len()).ok()?;
            let counts_turns = hook.once == Once::Turn;
            Some(IndexWire {
                event: event_wire(&hook.event),
                tools,
                commands,
                lines,
                agents,
                counts_turns,
                end,
            })
        });
    let head = Head {
        stamp: &compiled.stamp,
        watched: compiled.watched.iter().map(String::as_str).collect(),
        overrides: overrides.iter().map(override_wire).collect(),
        limits: limits_wire(limits),
        desk: desk.as_ref().map(DeskWire::of),
        problems: problems.iter().map(message_wire).collect(),
        stale_files: stale_files.iter().map(message_wire).collect(),
        lost_guards: lost_guards.iter().map(message_wire).collect(),
        index: index.collect::<Option<_>>()?,
    };
    postcard::to_allocvec(&head).ok()
}

fn message_wire(message: &Message) -> (&str, u8) {
    (message.text.as_str(), place(&Level::ALL, &message.level))
}

fn message((text, level): &(&str, u8)) -> Option<Message> {
    Some(Message { text: (*text).to_owned(), level: word(&Level::ALL, *level)? })
}

fn tools(hook: &HookSpec) -> String {
    let names: Vec<&str> = hook
        .matcher
        .selectors
        .iter()
        .map(|selector| match selector {
            Selector::Name(pattern) | Selector::Call { tool: pattern, .. } => pattern.as_str(),
        })
        .collect();
    on_lines(&names)
}

/// The first word of each command, if the matcher names nothing but calls with commands.
fn commands(hook: &HookSpec) -> String {
    let of_selector = |selector: &'_ Selector| match selector {
        Selector::Name(_) => None,
        Selector::Call { commands, .. } => {
            commands.iter().map(|words| Some(words.first()?.as_str().to_owned())).collect::<Option<Vec<_>>>()
        }
    };
    let words: Option<Vec<Vec<String>>> = hook.matcher.selectors.iter().map(of_selector).collect();
    let words = words.unwrap_or_default().concat();
    on_lines(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What `when.command` asks for.
fn lines(hook: &HookSpec) -> String {
    on_lines(&hook.when.command.iter().map(Pattern::as_str).collect::<Vec<_>>())
}

/// The agents, unless some are left out.
fn agents(hook: &HookSpec) -> String {
    let names: Vec<&str> = hook.agents.iter().map(Pattern::as_str).collect();
    if names.iter().any(|name| name.starts_with('!')) { String::new() } else { on_lines(&names) }
}

/// A name that cannot be told from two is none that can be looked up.
fn on_lines(names: &[&str]) -> String {
    if names.iter().any(|name| name.is_empty() || name.contains('\n')) {
        String::new()
    } else {
        names.join("\n")
    }
}

impl<'b> Head<'b> {
    pub(super) fn from_bytes(bytes: &'b [u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    pub(super) fn set(&self, bodies: &[u8], about: Option<&Event>) -> Option<HookSet> {
        let mut entries = Vec::with_capacity(self.index.len());
        let mut start = 0;
        for entry in &self.index {
            let end = usize::try_from(entry.end).ok()?;
            entries.push((entry, bodies.get(start..end)?));
            start = end;
        }
        let hooks = match about {
            Some(event) => concerned(&entries, event)?,
            None => entries.iter().map(|(_, body)| wire::hook(body)).collect::<Option<_>>()?,
        };
        Some(HookSet {
            hooks: hooks.into_iter().map(Arc::new).collect(),
            overrides: self.overrides.iter().map(an_override).collect::<Option<_>>()?,
            limits: limits(&self.limits)?,
            desk: self.desk.as_ref().map(DeskWire::desk),
            problems: self.problems.iter().map(message).collect::<Option<_>>()?,
            stale_files: self.stale_files.iter().map(message).collect::<Option<_>>()?,
            lost_guards: self.lost_guards.iter().map(message).collect::<Option<_>>()?,
        })
    }
}

/// The hooks that an event could concern, whatever becomes of its input: a hook that is concerned by it as it is
/// may rewrite it. If none is, nobody rewrites anything, and the others are not needed.
fn concerned(entries: &[(&IndexWire<'_>, &[u8])], event: &Event) -> Option<Vec<HookSpec>> {
    let turn = matches!(event.kind, EventKind::PromptSubmit | EventKind::OrchestratorComplete);
    let mut counting: Vec<HookSpec> = Vec::new();
    let mut possible: Vec<(&[u8], Option<HookSpec>)> = Vec::new();
    let mut someone = false;
    for (entry, body) in entries {
        if !entry.could_concern(event) {
            if turn && entry.counts_turns {
                counting.push(wire::hook(body)?);
            }
        } else if someone || !entry.could_be_called(event) {
            possible.push((body, None));
        } else {
            let hook = wire::hook(body)?;
            // Links, branches and variables are looked up only for the hooks that are left here, so a condition
            // about them counts as met.
            someone = (turn && entry.counts_turns) || may_concern(&hook, event);
            possible.push((body, Some(hook)));
        }
    }
    if someone {
        let possible = possible.into_iter().map(|(body, hook)| hook.map_or_else(|| wire::hook(body), Some));
        counting.extend(possible.collect::<Option<Vec<_>>>()?);
    }
    Some(counting)
}

impl IndexWire<'_> {
    /// Tool and agent of an event stay the same whatever hooks rewrite, so what is left out here is never needed.
    fn could_concern(&self, event: &Event) -> bool {
        self.could_concern_tool(event) && self.could_concern_agent(event)
    }

    fn could_concern_agent(&self, event: &Event) -> bool {
        let names = [event.agent_id.as_deref(), event.agent_type.as_deref(), Some(event.agent.as_str())];
        self.agents.is_empty()
            || self.agents.split('\n').any(|pattern| {
                let mut names = names.into_iter().flatten();
                names.any(|name| pattern.eq_ignore_ascii_case(name) || Pattern::might_match(pattern, name))
            })
    }

    fn could_concern_tool(&self, event: &Event) -> bool {
        let same = match self.event {
            EventWire::Known(place) => {
                EVENTS.get(usize::from(place)).is_some_and(|row| row.kind == event.kind)
            }
            EventWire::Other(name) => event.kind.as_str() == name,
        };
        let Some(tool) = event.tool.as_ref().filter(|_| same && !self.tools.is_empty()) else { return same };
        self.tools.split('\n').any(|pattern| tool.names().any(|name| Pattern::might_match(pattern, name)))
    }

    /// Whether the command of the call, as it is, could be one that the hook is about.
    fn could_be_called(&self, event: &Event) -> bool {
        let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref()).unwrap_or_default();
        let holds = |pattern: &str| Pattern::might_match(pattern, command);
        (self.lines.is_empty() || self.lines.split('\n').any(holds)) && self.could_have_words(event)
    }

    /// Whether it has one of the words in it that the matcher names. Where the words stand is asked of the hook
    /// itself.
    fn could_have_words(&self, event: &Event) -> bool {
        let Some(tool) = event.tool.as_ref().filter(|_| !self.commands.is_empty()) else { return true };
        let words = |c: char| c.is_whitespace() || "&|;(){}`".contains(c);
        let spoken = tool.command.as_deref().unwrap_or_default().split(words);
        let mut spoken = spoken.map(|word| word.trim_matches(['"', '\'', '\\']));
        spoken.any(|word| self.commands.split('\n').any(|pattern| Pattern::might_match(pattern, word)))
    }
}

fn event_wire(event: &EventKind) -> EventWire<'_> {
    match EVENTS.iter().position(|row| row.kind == *event).map(u8::try_from) {
        Some(Ok(place)) => EventWire::Known(place),
        _ => EventWire::Other(event.as_str()),
    }
}

fn limits_wire(limits: &Limits) -> LimitsWire {
    let Limits { injection_bytes, turn_tokens, memory_tokens, session_tokens, over_limit, over_budget } =
        limits;
    let numbers = [*injection_bytes as u64, *turn_tokens, *memory_tokens, *session_tokens];
    (numbers, place(&OverLimit::ALL, over_limit), place(&OverBudget::ALL, over_budget))
}

fn limits((numbers, over_limit, over_budget): &LimitsWire) -> Option<Limits> {
    let [injection_bytes, turn_tokens, memory_tokens, session_tokens] = *numbers;
    Some(Limits {
        injection_bytes: usize::try_from(injection_bytes).ok()?,
        turn_tokens,
        memory_tokens,
        session_tokens,
        over_limit: word(&OverLimit::ALL, *over_limit)?,
        over_budget: word(&OverBudget::ALL, *over_budget)?,
    })
}

fn override_wire(it: &Override) -> (u8, &str, EventWire<'_>) {
    (place(&LAYERS, &it.layer), &it.section, event_wire(&it.event))
}

fn an_override((layer, section, wire): &(u8, &str, EventWire<'_>)) -> Option<Override> {
    let event = match wire {
        EventWire::Known(place) => EVENTS.get(usize::from(*place))?.kind.clone(),
        EventWire::Other(name) => EventKind::Other((*name).to_owned()),
    };
    Some(Override { layer: word(&LAYERS, *layer)?, section: (*section).to_owned(), event })
}
