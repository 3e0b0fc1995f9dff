//! What hooks may say at an event and an agent cannot carry there, from its table of abilities.

use tenter_contract::event_names::{EventName, Power};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{
    Abilities, AskUser, Carry, ContextChannel, Event, Handler, HookSpec, RewriteInput, RewriteOutput,
    SessionId, Timestamp, builtin_names,
};

/// Something that is not carried, and what happens in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// A deny: it is told.
    Deny,
    /// A question: it is denied.
    Ask,
    /// A question where nothing can be denied either: it is told.
    AskInVain,
    /// A rewrite: it is denied.
    Rewrite,
    /// A rewrite where nothing can be denied either: the original stays.
    RewriteInVain,
    /// Context that waits for a later event.
    ContextWaits,
    /// Context: it is told.
    Context,
    /// The model may see a denied result.
    Withhold,
}

impl Lack {
    /// All of them, in the order in which they are told.
    pub(super) const ALL: [Self; 8] = [
        Self::Deny,
        Self::Ask,
        Self::AskInVain,
        Self::Rewrite,
        Self::RewriteInVain,
        Self::ContextWaits,
        Self::Context,
        Self::Withhold,
    ];

    /// What cannot be done, and what is done instead. Where the agent shows its user nothing, that is in the record.
    pub(super) fn words(self, shown: bool) -> (&'static str, &'static str) {
        let told = if shown { "the user is told" } else { "it stands in the record" };
        match self {
            Self::Deny => ("deny", told),
            Self::Ask => ("ask", "it is denied instead"),
            Self::AskInVain => ("ask", told),
            Self::Rewrite => ("rewrite", "it is denied instead"),
            Self::RewriteInVain if shown => ("rewrite", "the original stays, and the user is told"),
            Self::RewriteInVain => ("rewrite", "the original stays, which stands in the record"),
            Self::ContextWaits => ("inject context", "it waits for the next event that takes it"),
            Self::Context => ("inject context", told),
            Self::Withhold => {
                ("withhold every denied result", "of some tools the model sees it beside the reason")
            }
        }
    }

    /// Whether a hook may say such a thing at all: a fixed text says one thing, a program anything.
    pub(super) fn matters_to(self, hook: &HookSpec) -> bool {
        let judges = matches!(self, Self::Deny | Self::Withhold);
        let injects = matches!(self, Self::ContextWaits | Self::Context);
        match &hook.handler {
            Handler::Deny(_) => judges,
            Handler::Ask(_) => judges || matches!(self, Self::Ask | Self::AskInVain),
            Handler::Inject(_) => injects,
            Handler::Message { .. } => false,
            Handler::Builtin(builtin) => match builtin_names::find(&builtin.name).map(|row| row.does) {
                Some(builtin_names::Does::Guard) => judges,
                Some(builtin_names::Does::Inject) => injects,
                Some(builtin_names::Does::Tell) | None => false,
            },
            Handler::Command(_)
            | Handler::Script(_)
            | Handler::Http(_)
            | Handler::Mcp(_)
            | Handler::Python(_)
            | Handler::InProcess => true,
        }
    }
}

/// Whether an agent shows its user a message at an event of its own, or at any of that kind.
pub(super) fn shows(agent: &dyn AgentAdapter, row: &EventName, event: Option<&Event>) -> bool {
    abilities(agent, row, event).message.possible()
}

fn abilities(agent: &dyn AgentAdapter, row: &EventName, event: Option<&Event>) -> Abilities {
    let any = || Event::new(row.kind.clone(), agent.name(), SessionId::unknown(), Timestamp::default());
    event.map_or_else(|| agent.abilities(&any()), |event| agent.abilities(event))
}

/// What an agent lacks at an event of its own, or at any of that kind.
pub(super) fn lacks(agent: &dyn AgentAdapter, row: &EventName, event: Option<&Event>) -> Vec<Lack> {
    let can = abilities(agent, row, event);
    let lacks = |power: Power, carried: bool| power.granted() && !carried;
    let rewrites = can.rewrite_input != RewriteInput::Never
        || can.rewrite_output != RewriteOutput::Never
        || can.rewrite_prompt == Carry::Yes
        || can.rewrite_data == Carry::Yes;
    let no_context = lacks(row.powers.inject, can.context != ContextChannel::None);
    let lacking = |lack: &Lack| match lack {
        Lack::Deny => lacks(row.powers.block, can.block.possible()),
        Lack::Ask => lacks(row.powers.ask, can.ask != AskUser::Never) && can.block.possible(),
        Lack::AskInVain => lacks(row.powers.ask, can.ask != AskUser::Never) && !can.block.possible(),
        Lack::Rewrite => lacks(row.powers.modify, rewrites) && can.block.possible(),
        Lack::RewriteInVain => lacks(row.powers.modify, rewrites) && !can.block.possible(),
        Lack::ContextWaits => no_context && can.later.possible(),
        Lack::Context => no_context && !can.later.possible(),
        Lack::Withhold => row.canonical == "tool:post" && can.block.possible() && !can.withhold.possible(),
    };
    Lack::ALL.into_iter().filter(lacking).collect()
}
