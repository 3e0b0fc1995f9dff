//! Builds a session.

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

/// Builds a session. Parts that you do not set stay in memory.
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

    /// Sets the id of the session. An empty id is ignored.
    #[must_use]
    pub fn session(mut self, id: &str) -> Self {
        self.session = SessionId::parse(id);
        self
    }

    /// Sets the store of the conversation. Keep an `Arc` of it to read it yourself.
    #[must_use]
    pub fn context(mut self, store: impl ContextStore + 'static) -> Self {
        self.context = Box::new(store);
        self
    }

    /// Sets the approver. Without one, questions are denied.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.runtime.approvals.approvers =
            Approvers { before_host: vec![Box::new(approver)], after_host: Vec::new() };
        self
    }

    /// Sets the register of open questions and saved answers.
    #[must_use]
    pub fn approvals(mut self, register: impl ApprovalRegister + 'static) -> Self {
        self.runtime.approvals.register = Box::new(register);
        self
    }

    /// Sets the display for messages to the user.
    #[must_use]
    pub fn display(mut self, display: impl UserDisplay + 'static) -> Self {
        self.display = Box::new(display);
        self
    }

    /// Sets the audit trail. In memory, it grows with the session; use a file for long sessions.
    #[must_use]
    pub fn trail(mut self, trail: impl AuditTrail + 'static) -> Self {
        self.runtime.audit.trail = Box::new(trail);
        self
    }

    /// Sets the store for counters, claims and deferred texts of sessions.
    #[must_use]
    pub fn sessions(mut self, session_store: impl SessionStore + 'static) -> Self {
        self.runtime.sessions.store = Box::new(session_store);
        self
    }

    /// Sets how much hooks may inject. The default is 10 KiB per text and 1,000 tokens per turn, or the limits in
    /// the hook files of the runtime.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Sets the estimate of tokens. The default is a quarter of the bytes.
    #[must_use]
    pub fn tokens(mut self, estimate: TokenEstimate) -> Self {
        self.runtime.sessions.tokens = estimate;
        self
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.runtime.clock = Arc::new(clock);
        self
    }

    /// Adds an executor, for hooks that are not functions.
    #[must_use]
    pub fn executor(mut self, executor: impl HookExecutor + 'static) -> Self {
        self.runtime.runner.executors.push(Box::new(executor));
        self
    }

    /// Sets further hooks besides the registered functions: a `HookSet`, or a source that reads files.
    #[must_use]
    pub fn hooks(mut self, hooks: impl HookSource + 'static) -> Self {
        self.runtime.catalog.source = Box::new(hooks);
        self
    }

    /// Sets a whole runtime with its hooks, executors and trail: `tenter_host::assemble` makes one with the user's
    /// hook files. It replaces all parts set before, except context and display.
    #[must_use]
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.runtime = runtime;
        self
    }

    /// Builds the session.
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
    /// The order in the set does not matter, because the registry sorts hooks by layer.
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

/// A unique id, for a program that sets none.
fn new_session(agent: &AgentName) -> SessionId {
    let random = RandomState::new().build_hasher().finish();
    SessionId::generate(agent.as_str(), random)
}
