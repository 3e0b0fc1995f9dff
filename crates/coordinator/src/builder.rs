//! What a session is made of.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use tenter_contract::ports::{
    ApprovalRegister, Approver, AuditTrail, Clock, HookExecutor, HookSource, SessionStore,
};
use tenter_contract::{AgentName, Event, HookSet, Limits, SessionId, TokenEstimate};
use tenter_runtime::{Approvers, Runtime};

use crate::approver::NoApprover;
use crate::clock::SystemClock;
use crate::context::{ContextStore, MemoryContext};
use crate::display::{MemoryDisplay, UserDisplay};
use crate::functions::Functions;
use crate::panic_safe::PanicSafeApprover;
use crate::session::SessionCoordinator;

/// Puts a session together. What is not said stays in memory.
pub struct Builder {
    runtime: Runtime,
    context: Box<dyn ContextStore>,
    display: Box<dyn UserDisplay>,
    agent: AgentName,
    session: Option<SessionId>,
    limits: Option<Limits>,
}

impl Builder {
    pub(crate) fn new(agent: &str) -> Self {
        Self {
            runtime: in_memory(),
            context: Box::new(MemoryContext::default()),
            display: Box::new(MemoryDisplay::default()),
            agent: AgentName::new(agent),
            session: None,
            limits: None,
        }
    }

    /// The id of the session, if the program has one; an empty one is none.
    #[must_use]
    pub fn session(mut self, id: &str) -> Self {
        self.session = SessionId::parse(id);
        self
    }

    /// Where the conversation is kept. Keep an `Arc` of it to read it yourself.
    #[must_use]
    pub fn context(mut self, store: impl ContextStore + 'static) -> Self {
        self.context = Box::new(store);
        self
    }

    /// Where questions are put. Without an approver, what would be asked is denied.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.runtime.approvals.approvers =
            Approvers { before_host: vec![Box::new(approver)], after_host: Vec::new() };
        self
    }

    /// What is kept of questions: which are open, and which answers stand.
    #[must_use]
    pub fn approvals(mut self, register: impl ApprovalRegister + 'static) -> Self {
        self.runtime.approvals.register = Box::new(register);
        self
    }

    /// Where messages for the user are shown.
    #[must_use]
    pub fn display(mut self, display: impl UserDisplay + 'static) -> Self {
        self.display = Box::new(display);
        self
    }

    /// Where records go. In memory they grow with the session; one that lasts wants a file.
    #[must_use]
    pub fn trail(mut self, trail: impl AuditTrail + 'static) -> Self {
        self.runtime.audit.trail = Box::new(trail);
        self
    }

    /// Where it is remembered what a session has counted, claimed and deferred.
    #[must_use]
    pub fn sessions(mut self, session_store: impl SessionStore + 'static) -> Self {
        self.runtime.sessions.store = Box::new(session_store);
        self
    }

    /// How much hooks may inject, and what becomes of more; unless it is said, 10 KiB at a time and 1,000 tokens
    /// in a turn, or what the hook files of the runtime say.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// What a text costs, in tokens; a quarter of its bytes unless it is said.
    #[must_use]
    pub fn tokens(mut self, estimate: TokenEstimate) -> Self {
        self.runtime.sessions.tokens = estimate;
        self
    }

    /// The time.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.runtime.clock = Arc::new(clock);
        self
    }

    /// A further way to run hooks, for a program whose hooks are not all functions.
    #[must_use]
    pub fn executor(mut self, executor: impl HookExecutor + 'static) -> Self {
        self.runtime.runner.executors.push(Box::new(executor));
        self
    }

    /// Hooks beside the functions that are registered: a `HookSet`, or whatever reads files.
    #[must_use]
    pub fn hooks(mut self, hooks: impl HookSource + 'static) -> Self {
        self.runtime.catalog.source = Box::new(hooks);
        self
    }

    /// A whole runtime, with its hooks, executors, trail and all else: `tenter_host::assemble` makes one that has
    /// the user's hook files. What was plugged in before is gone, except context and display.
    #[must_use]
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.runtime = runtime;
        self
    }

    /// The session.
    pub fn build(self) -> SessionCoordinator {
        let Self { mut runtime, context, display, agent, session, limits } = self;
        let functions = Functions::default();
        let others = runtime.catalog.source;
        runtime.catalog.source = Box::new(WithFunctions { others, functions: functions.clone(), limits });
        runtime.runner.executors.insert(0, Box::new(functions.clone()));
        let approvers = &mut runtime.approvals.approvers;
        for approvers in [&mut approvers.before_host, &mut approvers.after_host] {
            *approvers = std::mem::take(approvers).into_iter().map(panic_safe).collect();
        }
        let session = session.unwrap_or_else(|| new_session(&agent));
        SessionCoordinator { runtime, functions, context, display, agent, session }
    }
}

fn panic_safe(approver: Box<dyn Approver>) -> Box<dyn Approver> {
    Box::new(PanicSafeApprover(approver))
}

/// The hooks of the files, and after them the functions.
struct WithFunctions {
    others: Box<dyn HookSource>,
    functions: Functions,
    limits: Option<Limits>,
}

impl WithFunctions {
    /// Where they stand in the set does not matter, because layers are asked in their order.
    fn joined(&self, others: HookSet, event: Option<&Event>) -> HookSet {
        let mut hooks = self.functions.at(event).unwrap_or_default();
        hooks.limits = self.limits.unwrap_or(others.limits);
        hooks.extend(others);
        hooks
    }
}

impl HookSource for WithFunctions {
    fn at(&self, event: Option<&Event>) -> Option<HookSet> {
        Some(self.joined(self.others.at(event)?, event))
    }

    fn last_known(&self, event: Option<&Event>) -> HookSet {
        self.joined(self.others.last_known(event), event)
    }
}

fn in_memory() -> Runtime {
    let mut runtime = Runtime::in_memory();
    runtime.clock = Arc::new(SystemClock);
    runtime.approvals.approvers.before_host.push(Box::new(NoApprover));
    runtime
}

/// An id that no other session has, for a program that names none.
fn new_session(agent: &AgentName) -> SessionId {
    let random = RandomState::new().build_hasher().finish();
    SessionId::generate(agent.as_str(), random)
}
