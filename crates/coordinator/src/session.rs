//! A session: registers hooks and emits events.

use std::sync::Arc;

use tenter_contract::ports::StateError;
use tenter_contract::{
    AgentName, AskUser, Capabilities, Degradation, Effect, Event, EventKind, HookId, HookOutput, HookReply,
    HookSpec, Level, Message, Outcome, Role, SessionId, Source, Spent, StopLoop,
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

/// A program that embeds tenter supports everything, except that questions go to the approver.
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
    /// Builds a session of an agent of that name. Everything stays in memory by default.
    pub fn builder(agent: &str) -> Builder {
        Builder::new(agent)
    }

    /// Registers a function for an event. Lower priorities run first; equal ones in the order of registration. The
    /// session waits until it returns.
    pub fn register(
        &self,
        event: EventKind,
        name: &str,
        priority: i32,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Result<Registration, NotRegistered> {
        self.register_hook(HookSpec { priority, ..in_process(event, name) }, function)
    }

    /// Registers a function with everything a hook can have: matcher, conditions, `once`, failure policy. Start with
    /// [`in_process`].
    pub fn register_hook(
        &self,
        hook: HookSpec,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Result<Registration, NotRegistered> {
        self.functions.register(hook, Call::Here, Arc::new(function))
    }

    /// The same for a function that might not return: it runs on a thread of its own, and when the hook's `timeout`
    /// is up, it has failed and the session goes on. The thread cannot be ended and is abandoned.
    pub fn register_timed(
        &self,
        hook: HookSpec,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Result<Registration, NotRegistered> {
        self.functions.register(hook, Call::Timed, Arc::new(function))
    }

    /// Removes exactly that registration.
    pub fn unregister(&self, registration: &Registration) -> Option<HookSpec> {
        self.functions.unregister(registration)
    }

    /// An event of this session, now. Its other fields are the program's to fill in.
    pub fn event(&self, kind: EventKind) -> Event {
        Event::new(kind, self.agent.clone(), self.session.clone(), self.runtime.clock.now())
    }

    /// Runs the hooks at an event, applies their effects and records them. A deny is the error.
    pub fn emit(&self, event: Event) -> Result<Emitted, Denied> {
        Denied::check(self.emitted(event, CAPABILITIES))
    }

    /// The same for a stop that was denied too often in a row: the agent may stop now, whatever hooks reply. The
    /// record and [`Emitted::overruled`] name the hook that denied it.
    pub fn emit_and_allow_stop(&self, event: Event) -> Emitted {
        self.emitted(event, Capabilities { stop_loop: StopLoop::Spent, ..CAPABILITIES })
    }

    /// Runs every hook at an event and returns each output in order. No reply stops another hook or changes its input.
    /// Nothing is applied or recorded.
    pub fn emit_and_collect(&self, event: Event) -> Vec<(HookId, HookOutput)> {
        self.runtime.collect(event)
    }

    fn emitted(&self, event: Event, capabilities: Capabilities) -> Emitted {
        let mut placed = Vec::new();
        let route = |mut outcome: Outcome| {
            placed = place(&mut outcome, &*self.context);
            outcome
        };
        let Handled { outcome, seq } = self.runtime.emit_with(event, capabilities, route);
        let shown = self.show(&outcome);
        Emitted { rejected: Rejected::from_outcome(&outcome), outcome, seq, placed, shown }
    }

    /// Adds a message of the program, its user or its model to the conversation.
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

    /// The tokens that hooks have spent, in this turn and in the session. A turn begins with a `prompt:submit` that
    /// has a prompt, or with an event of another `turn`.
    pub fn spent(&self) -> Result<Spent, StateError> {
        self.runtime.sessions.spent(&self.event(EventKind::PromptSubmit))
    }

    /// The id of the session, as records have it.
    pub fn id(&self) -> &SessionId {
        &self.session
    }

    /// Shows messages of hooks, and degradations that the user must know.
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
            // The record has it; a display that fails has no other effect.
            let _ = caught(|| self.display.show(message));
        }
        shown
    }
}
