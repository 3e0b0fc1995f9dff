//! Finds what hooks may do at an event and an agent does not support there.

use tenter_contract::event_names::EventName;
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{
    AskUser, Capabilities, ContextChannel, Event, Handler, HookSpec, RewriteInput, RewriteOutput, Support,
    Timestamp, builtin_names,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingCapability {
    Deny,
    Ask,
    AskInVain,
    Rewrite,
    RewriteInVain,
    ContextWaits,
    Context,
    /// The model may see a denied result.
    Withhold,
}

impl MissingCapability {
    pub(crate) const ALL: [Self; 8] = [
        Self::Deny,
        Self::Ask,
        Self::AskInVain,
        Self::Rewrite,
        Self::RewriteInVain,
        Self::ContextWaits,
        Self::Context,
        Self::Withhold,
    ];

    /// What the agent does not support, and what happens instead.
    pub(crate) fn words(self, shown: bool) -> (&'static str, &'static str) {
        let reported = if shown { "the user is notified" } else { "it is recorded" };
        match self {
            Self::Deny => ("deny", reported),
            Self::Ask => ("ask", "it is denied instead"),
            Self::AskInVain => ("ask", reported),
            Self::Rewrite => ("rewrite", "it is denied instead"),
            Self::RewriteInVain if shown => ("rewrite", "the original stays, and the user is notified"),
            Self::RewriteInVain => ("rewrite", "the original stays, and this is recorded"),
            Self::ContextWaits => ("inject context", "it waits for the next event that takes it"),
            Self::Context => ("inject context", reported),
            Self::Withhold => {
                ("withhold every denied result", "for some tools the model sees the result and the reason")
            }
        }
    }

    /// Whether a hook can have this effect at all.
    pub(crate) fn matters_to(self, hook: &HookSpec) -> bool {
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
                Some(builtin_names::Does::SideEffect) | None => false,
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

/// Whether an agent shows its user messages at this event, or at any event of this kind.
pub(crate) fn shows(agent: &dyn AgentAdapter, row: &EventName, event: Option<&Event>) -> bool {
    capabilities(agent, row, event).message.possible()
}

fn capabilities(agent: &dyn AgentAdapter, row: &EventName, event: Option<&Event>) -> Capabilities {
    let any = || Event::new(row.kind.clone(), agent.name(), None, Timestamp::default());
    event.map_or_else(|| agent.capabilities(&any()), |event| agent.capabilities(event))
}

/// The capabilities that an agent lacks at this event, or at any event of this kind.
pub(crate) fn missing_capabilities(
    agent: &dyn AgentAdapter,
    row: &EventName,
    event: Option<&Event>,
) -> Vec<MissingCapability> {
    let can = capabilities(agent, row, event);
    let lacks = |power: Support, supported: bool| power.possible() && !supported;
    let rewrites = can.rewrite_input != RewriteInput::Never
        || can.rewrite_output != RewriteOutput::Never
        || can.rewrite_prompt == Support::Yes
        || can.rewrite_data == Support::Yes;
    let (denies, defers) = (can.block.possible(), can.later.possible());
    let no_ask = lacks(row.powers.ask, can.ask != AskUser::Never);
    let no_rewrite = lacks(row.powers.modify, rewrites);
    let no_context = lacks(row.powers.inject, can.context != ContextChannel::None);
    let is_missing = |capability: &MissingCapability| match capability {
        MissingCapability::Deny => lacks(row.powers.block, denies),
        MissingCapability::Ask => no_ask && denies,
        MissingCapability::AskInVain => no_ask && !denies,
        MissingCapability::Rewrite => no_rewrite && denies,
        MissingCapability::RewriteInVain => no_rewrite && !denies,
        MissingCapability::ContextWaits => no_context && defers,
        MissingCapability::Context => no_context && !defers,
        MissingCapability::Withhold => row.canonical == "tool:post" && denies && !can.withhold.possible(),
    };
    MissingCapability::ALL.into_iter().filter(is_missing).collect()
}
