//! What a session is made of.

use std::hash::{BuildHasher, Hasher, RandomState};

use tenter_contract::limits::quarter_of_bytes;
use tenter_contract::ports::{
    ApprovalDesk, ApprovalRegister, AuditTrail, Clock, HookExecutor, HookSource, SessionShelf,
};
use tenter_contract::{AgentName, Event, HookSet, Limits, SessionId, TokenEstimate};
use tenter_runtime::ask::Desks;
use tenter_runtime::kit::{KnownFacts, MemoryReplies, MemorySessions, MemoryTrail};
use tenter_runtime::{MemoryRegister, Runtime};

use crate::careful::CarefulDesk;
use crate::clock::SystemClock;
use crate::context::{ContextStore, MemoryContext};
use crate::desk::Nobody;
use crate::display::{MemoryDisplay, UserDisplay};
use crate::functions::Functions;
use crate::session::{SessionCoordinator, Troubles};

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

    /// Where questions are put. Without a desk, what would be asked is denied.
    #[must_use]
    pub fn desk(mut self, desk: impl ApprovalDesk + 'static) -> Self {
        self.runtime.desks = Desks { before_host: vec![Box::new(desk)], after_host: Vec::new() };
        self
    }

    /// What is kept of questions: which are open, and which answers stand.
    #[must_use]
    pub fn approvals(mut self, register: impl ApprovalRegister + 'static) -> Self {
        self.runtime.approvals = Box::new(register);
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
        self.runtime.trail = Box::new(trail);
        self
    }

    /// Where it is remembered what a session has counted, claimed and carried.
    #[must_use]
    pub fn sessions(mut self, shelf: impl SessionShelf + 'static) -> Self {
        self.runtime.sessions = Box::new(shelf);
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
        self.runtime.tokens = estimate;
        self
    }

    /// The time.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.runtime.clock = Box::new(clock);
        self
    }

    /// A further way to run hooks, for a program whose hooks are not all functions.
    #[must_use]
    pub fn executor(mut self, executor: impl HookExecutor + 'static) -> Self {
        self.runtime.executors.push(Box::new(executor));
        self
    }

    /// Hooks beside the functions that are registered: a `HookSet`, or whatever reads files.
    #[must_use]
    pub fn hooks(mut self, hooks: impl HookSource + 'static) -> Self {
        self.runtime.hooks = Box::new(hooks);
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
        let others = runtime.hooks;
        runtime.hooks = Box::new(WithFunctions { others, functions: functions.clone(), limits });
        runtime.executors.insert(0, Box::new(functions.clone()));
        for desks in [&mut runtime.desks.before_host, &mut runtime.desks.after_host] {
            *desks = std::mem::take(desks).into_iter().map(careful).collect();
        }
        let session = session.unwrap_or_else(|| new_session(&agent));
        let troubles = Troubles::default();
        SessionCoordinator { runtime, functions, context, display, agent, session, troubles }
    }
}

fn careful(desk: Box<dyn ApprovalDesk>) -> Box<dyn ApprovalDesk> {
    Box::new(CarefulDesk(desk))
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
    Runtime {
        hooks: Box::new(HookSet::default()),
        executors: Vec::new(),
        fuller: None,
        facts: Box::new(KnownFacts::default()),
        replies: Box::new(MemoryReplies::default()),
        desks: Desks { before_host: vec![Box::new(Nobody)], after_host: Vec::new() },
        approvals: Box::new(MemoryRegister::default()),
        still_wanted: || true,
        is_home: |_| false,
        working_folder: || None,
        trail: Box::new(MemoryTrail::default()),
        sessions: Box::new(MemorySessions::default()),
        clock: Box::new(SystemClock),
        background: None,
        onlooker: None,
        until: None,
        tokens: quarter_of_bytes,
        inside: None,
    }
}

/// An id that no other session has, for a program that names none.
fn new_session(agent: &AgentName) -> SessionId {
    let random = RandomState::new().build_hasher().finish();
    SessionId::parse(&format!("{agent}-{random:016x}")).unwrap_or_else(SessionId::unknown)
}
