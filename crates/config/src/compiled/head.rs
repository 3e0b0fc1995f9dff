//! The form of the head: what must be known before any hook is decoded.

use serde::{Deserialize, Serialize};
use tenter_contract::event_names::EVENTS;
use tenter_contract::{Event, EventKind, HookSet, HookSpec, Level, Message, Override, Pattern, Selector};

use super::Compiled;
use super::wire::{self, LAYERS, place, word};

/// Everything but the hooks themselves. It borrows from the bytes: what nobody asks for is not copied.
#[derive(Serialize, Deserialize)]
pub(super) struct Head<'b> {
    #[serde(borrow)]
    pub(super) stamp: &'b [u8],
    pub(super) watched: Vec<&'b str>,
    overrides: Vec<(u8, &'b str, EventWire<'b>)>,
    problems: Vec<(&'b str, u8)>,
    index: Vec<IndexWire<'b>>,
}

/// What must be known of a hook to know that it is not needed.
#[derive(Serialize, Deserialize)]
struct IndexWire<'b> {
    #[serde(borrow)]
    event: EventWire<'b>,
    /// The tools that its matcher names, each on a line; empty if it could be any.
    tools: &'b str,
    /// Where its bytes end.
    end: u32,
}

/// A known event by its place in the table, which is part of the program, or another by its name.
#[derive(Serialize, Deserialize)]
enum EventWire<'b> {
    Known(u8),
    Other(&'b str),
}

/// The bytes of the head.
pub(super) fn bytes(compiled: &Compiled, bodies: &[Vec<u8>]) -> Option<Vec<u8>> {
    let HookSet { hooks, overrides, problems } = &compiled.set;
    let tools: Vec<String> = hooks.iter().map(tools).collect();
    let mut end = 0;
    let index = hooks.iter().zip(&tools).zip(bodies).map(|((hook, tools), body)| {
        end += u32::try_from(body.len()).ok()?;
        Some(IndexWire { event: event_wire(&hook.event), tools, end })
    });
    let head = Head {
        stamp: &compiled.stamp,
        watched: compiled.watched.iter().map(String::as_str).collect(),
        overrides: overrides.iter().map(override_wire).collect(),
        problems: problems.iter().map(|it| (it.text.as_str(), place(&Level::ALL, &it.level))).collect(),
        index: index.collect::<Option<_>>()?,
    };
    postcard::to_allocvec(&head).ok()
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
    // A name that cannot be told from two is none that can be looked up.
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
        let mut hooks = Vec::new();
        let mut start = 0;
        for entry in &self.index {
            let end = usize::try_from(entry.end).ok()?;
            let body = bodies.get(start..end)?;
            start = end;
            if about.is_none_or(|event| entry.could_concern(event)) {
                hooks.push(wire::hook(body)?);
            }
        }
        let problem = |(text, level): &(&str, u8)| {
            Some(Message { text: (*text).to_owned(), level: word(&Level::ALL, *level)? })
        };
        Some(HookSet {
            hooks,
            overrides: self.overrides.iter().map(an_override).collect::<Option<_>>()?,
            problems: self.problems.iter().map(problem).collect::<Option<_>>()?,
        })
    }
}

impl IndexWire<'_> {
    /// The tool of an event stays the same whatever hooks rewrite, so what is left out here is never needed.
    fn could_concern(&self, event: &Event) -> bool {
        let same = match self.event {
            EventWire::Known(place) => {
                EVENTS.get(usize::from(place)).is_some_and(|row| row.kind == event.kind)
            }
            EventWire::Other(name) => event.kind.as_str() == name,
        };
        let Some(tool) = event.tool.as_ref().filter(|_| same && !self.tools.is_empty()) else { return same };
        let names = [tool.name.as_str(), tool.native_name.as_str(), tool.kind.as_str()];
        self.tools.split('\n').any(|pattern| names.iter().any(|name| Pattern::might_match(pattern, name)))
    }
}

fn event_wire(event: &EventKind) -> EventWire<'_> {
    match EVENTS.iter().position(|row| row.kind == *event).map(u8::try_from) {
        Some(Ok(place)) => EventWire::Known(place),
        _ => EventWire::Other(event.as_str()),
    }
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
