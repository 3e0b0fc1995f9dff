//! What hooks may say at an event and an agent cannot support there, from its table of capabilities.

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

    /// What cannot be done, and what is done instead. Where the agent shows its user nothing, that is in the record.
    pub(crate) fn words(self, shown: bool) -> (&'static str, &'static str) {
        let told = if shown { "the user is notified" } else { "it is recorded" };
        match self {
            Self::Deny => ("deny", told),
            Self::Ask => ("ask", "it is denied instead"),
            Self::AskInVain => ("ask", told),
            Self::Rewrite => ("rewrite", "it is denied instead"),
            Self::RewriteInVain if shown => ("rewrite", "the original stays, and the user is notified"),
            Self::RewriteInVain => ("rewrite", "the original stays, and this is recorded"),
            Self::ContextWaits => ("inject context", "it waits for the next event that takes it"),
            Self::Context => ("inject context", told),
            Self::Withhold => {
                ("withhold every denied result", "for some tools the model sees the result and the reason")
            }
        }
    }

    /// Whether a hook may say such a thing at all: a fixed text says one thing, a program anything.
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

/// Whether an agent shows its user a message at an event of its own, or at any of that kind.
pub(crate) fn shows(agent: &dyn AgentAdapter, row: &EventName, event: Option<&Event>) -> bool {
    capabilities(agent, row, event).message.possible()
}

fn capabilities(agent: &dyn AgentAdapter, row: &EventName, event: Option<&Event>) -> Capabilities {
    let any = || Event::new(row.kind.clone(), agent.name(), None, Timestamp::default());
    event.map_or_else(|| agent.capabilities(&any()), |event| agent.capabilities(event))
}

/// What an agent lacks at an event of its own, or at any of that kind.
pub(crate) fn missing_capabilities(
    agent: &dyn AgentAdapter,
    row: &EventName,
    event: Option<&Event>,
) -> Vec<MissingCapability> {
    let can = capabilities(agent, row, event);
    let missing_capabilities = |power: Support, carried: bool| power.possible() && !carried;
    let rewrites = can.rewrite_input != RewriteInput::Never
        || can.rewrite_output != RewriteOutput::Never
        || can.rewrite_prompt == Support::Yes
        || can.rewrite_data == Support::Yes;
    let no_context = missing_capabilities(row.powers.inject, can.context != ContextChannel::None);
    let lacking = |lack: &MissingCapability| match lack {
        MissingCapability::Deny => missing_capabilities(row.powers.block, can.block.possible()),
        MissingCapability::Ask => {
            missing_capabilities(row.powers.ask, can.ask != AskUser::Never) && can.block.possible()
        }
        MissingCapability::AskInVain => {
            missing_capabilities(row.powers.ask, can.ask != AskUser::Never) && !can.block.possible()
        }
        MissingCapability::Rewrite => {
            missing_capabilities(row.powers.modify, rewrites) && can.block.possible()
        }
        MissingCapability::RewriteInVain => {
            missing_capabilities(row.powers.modify, rewrites) && !can.block.possible()
        }
        MissingCapability::ContextWaits => no_context && can.later.possible(),
        MissingCapability::Context => no_context && !can.later.possible(),
        MissingCapability::Withhold => {
            row.canonical == "tool:post" && can.block.possible() && !can.withhold.possible()
        }
    };
    MissingCapability::ALL.into_iter().filter(lacking).collect()
}
