//! A session: hooks are registered in it, and its events are emitted through it.

use std::sync::Arc;

use tenter_contract::ports::StateError;
use tenter_contract::{
    AgentName, AskUser, Capabilities, Degradation, Effect, Event, EventKind, HookReply, HookSpec, Level,
    Message, Outcome, Role, SessionId, Source, Spent, StopLoop,
};
use tenter_runtime::{Handled, Runtime};

use crate::builder::Builder;
use crate::context::{ContextMessage, ContextStore, StoreError};
use crate::denied::Denied;
use crate::display::{Shown, UserDisplay};
use crate::emitted::{Emitted, Rejected};
use crate::functions::{Call, Functions, NotRegistered, Registration, in_process};
use crate::panic_safe::caught;
use crate::place::place;

/// What the program that embeds us can carry: everything, except that questions go to the approver.
const CAPABILITIES: Capabilities = Capabilities { ask: AskUser::Never, ..Capabilities::EVERYTHING };

/// One session of an agent. Several threads may use it at once.
pub struct SessionCoordinator {
    pub(crate) runtime: Runtime,
    pub(crate) functions: Functions,
    pub(crate) context: Box<dyn ContextStore>,
    pub(crate) display: Box<dyn UserDisplay>,
    pub(crate) agent: AgentName,
    pub(crate) session: SessionId,
}

impl SessionCoordinator {
    /// A session of an agent of that name, in memory until something else is plugged in.
    pub fn builder(agent: &str) -> Builder {
        Builder::new(agent)
    }

    /// Registers a function for an event. Lower priorities are asked first; equal ones in the order of
    /// registration. It is waited for until it returns.
    pub fn register(
        &self,
        event: EventKind,
        name: &str,
        priority: i32,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Result<Registration, NotRegistered> {
        self.register_hook(HookSpec { priority, ..in_process(event, name) }, function)
    }

    /// Registers a function with everything a hook can have: matcher, conditions, `once`, failure policy. Begin
    /// with [`in_process`].
    pub fn register_hook(
        &self,
        hook: HookSpec,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Result<Registration, NotRegistered> {
        self.functions.register(hook, Call::Here, Arc::new(function))
    }

    /// The same for a function that might not return: it runs on a thread of its own, and when the hook's
    /// `timeout` is up, it has failed and the session goes on. The thread cannot be ended; it is left alone.
    pub fn register_timed(
        &self,
        hook: HookSpec,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Result<Registration, NotRegistered> {
        self.functions.register(hook, Call::Timed, Arc::new(function))
    }

    /// Takes exactly that registration away.
    pub fn unregister(&self, registration: &Registration) -> Option<HookSpec> {
        self.functions.unregister(registration)
    }

    /// An event of this session, now. Its other fields are the program's to fill in.
    pub fn event(&self, kind: EventKind) -> Event {
        Event::new(kind, self.agent.clone(), self.session.clone(), self.runtime.clock.now())
    }

    /// Asks the hooks about an event, takes what they say where it belongs, and records it. A deny is the error.
    pub fn emit(&self, event: Event) -> Result<Emitted, Denied> {
        Denied::of(self.emitted(event, CAPABILITIES))
    }

    /// The same for an agent that wants to stop, and was kept from it so often that it now may, whatever hooks say.
    /// Who would have kept it is in the record, and in [`Emitted::overruled`], where the program finds what to show.
    pub fn emit_and_allow_stop(&self, event: Event) -> Emitted {
        self.emitted(event, Capabilities { stop_loop: StopLoop::Spent, ..CAPABILITIES })
    }

    fn emitted(&self, event: Event, capabilities: Capabilities) -> Emitted {
        let mut placed = Vec::new();
        let route = |mut outcome: Outcome| {
            placed = place(&mut outcome, &*self.context);
            outcome
        };
        let Handled { outcome, seq } = self.runtime.emit_with(event, capabilities, route);
        let shown = self.show(&outcome);
        Emitted { rejected: Rejected::of(&outcome), outcome, seq, placed, shown }
    }

    /// Adds what the program itself, its user or its model said to the conversation.
    pub fn say(&self, role: Role, content: impl Into<String>) -> Result<(), StoreError> {
        self.context.add(ContextMessage::new(role, content, self.runtime.clock.now()))
    }

    /// The conversation.
    pub fn messages(&self) -> Vec<ContextMessage> {
        self.context.messages()
    }

    /// The conversation without what hooks put into it.
    pub fn messages_without_hooks(&self) -> Vec<ContextMessage> {
        self.context.messages().into_iter().filter(|message| !message.is_from_hook()).collect()
    }

    /// What hooks have spent of their budgets, in this turn and in the session. A turn begins with a
    /// `prompt:submit` that has a prompt, or with an event of another `turn`.
    pub fn spent(&self) -> Result<Spent, StateError> {
        self.runtime.sessions.spent(&self.event(EventKind::PromptSubmit))
    }

    /// The id of the session, as records have it.
    pub fn id(&self) -> &SessionId {
        &self.session
    }

    /// Shows what is for the user: what hooks tell, and what could not be done.
    fn show(&self, outcome: &Outcome) -> Vec<Shown> {
        let messages = outcome.effects.iter().filter_map(|(by, effect)| match effect {
            Effect::Notify(message) => Some(Shown::new(by, message)),
            _ => None,
        });
        let is_shown = |degraded: &&Degradation| {
            degraded.is_for_user() && !matches!(degraded, Degradation::StopAllowed { .. })
        };
        let degraded = outcome.degraded.iter().filter(is_shown).map(|degraded| {
            Shown::new(&Source::Tenter, &Message { text: degraded.to_string(), level: Level::Warning })
        });
        let shown: Vec<Shown> = messages.chain(degraded).collect();
        for message in &shown {
            // The record has it; a display that fails takes nothing else with it.
            let _ = caught(|| self.display.show(message));
        }
        shown
    }
}
