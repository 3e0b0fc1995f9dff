//! Assembles a runtime: the only place that names concrete parts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tenter_contract::ports::{AuditTrail, FullBinary, HookExecutor, HookSource, SessionStore};
use tenter_contract::{Event, HookSet, Level, Message};
use tenter_executors::{Caller, HookState};
use tenter_runtime::{
    ApprovalService, AuditLog, HookCatalog, HookRunner, OuterHook, Runtime, SessionService,
};
use tenter_store::audit::redact;
use tenter_store::{ApprovalFolder, ReplyFolder, SessionFolders, StateFolder, TrailFile};

use crate::approvers;
use crate::clock::SystemClock;
use crate::facts::PlaceFacts;
use crate::fallback_state;
use crate::full_binary::{ExecFullBinary, Handover, OtherBuild};
use crate::hook_cache::CachedHooks;
use crate::layers;
use crate::no_state::NoState;
use crate::places::{self, Places, ResolvedPaths};
use crate::trust::{PinnedExecutor, copies_folder};

/// A runtime, and what it was made from.
pub struct Host {
    /// The runtime.
    pub runtime: Runtime,
    /// When the agent's call began.
    pub started: Instant,
}

/// Assembles a full runtime. It continues a call that `tenter-hook` handed over. It waits for hooks with `background`
/// too, because a program that embeds tenter cannot start workers.
pub fn assemble(places: &Places, project: Option<&Path>) -> Host {
    assemble_for(places, project, None)
}

/// The same in `tenter` itself.
pub fn assemble_program(places: &Places, project: Option<&Path>) -> Host {
    #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "nothing is kept there"))]
    let mut host = assemble(places, project);
    #[cfg(target_os = "linux")]
    {
        host.runtime.runner.background = Some(Box::new(crate::background::WorkerLauncher::full()));
    }
    host
}

/// Lets a user stop hooks of every kind: as long as the flag is set, they end at once and fail.
pub fn set_stop_flag(runtime: &mut Runtime, stop: Arc<AtomicBool>) {
    for (executor, stop) in runtime.runner.executors.iter_mut().zip(std::iter::repeat(stop)) {
        executor.set_stop_flag(stop);
    }
}

/// The same in a process that runs on behalf of this one.
pub fn assemble_for(places: &Places, project: Option<&Path>, caller: Option<Caller>) -> Host {
    let handed_over = Handover::from_environment();
    let started = handed_over.as_ref().map_or_else(Instant::now, |call| call.started);
    let resolved_paths = ResolvedPaths::new(places, project);
    let places = resolved_paths.used.clone();
    let hooks = CachedHooks { resolved_paths, reader: Some(layers::read) };
    let runtime = match handed_over.filter(Handover::is_foreign) {
        None => {
            let kept = hook_state(&places);
            // The first executor that accepts a hook runs it.
            let mut executors = vec![crate::memory::executor(&kept)];
            executors.extend(tenter_executors::all(&kept, caller));
            runtime(&places, Box::new(hooks), executors)
        }
        Some(Handover { build, .. }) => {
            let other = OtherBuild { build };
            let hooks = WithProblem { hooks, problem: other.unavailable_reason() };
            let executors = tenter_executors::small(&hook_state(&places), caller);
            let mut runtime = runtime(&places, Box::new(hooks), executors);
            runtime.catalog.full_binary = Some(Box::new(other));
            runtime
        }
    };
    Host { runtime, started }
}

/// The same in `tenter-hook`: only the parts that nearly every call needs, so that the program starts fast. Other calls
/// are handed to the full binary.
pub fn assemble_small(places: &Places, project: Option<&Path>) -> Host {
    #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "nothing is kept there"))]
    let mut host = assemble_small_for(places, project, None);
    #[cfg(target_os = "linux")]
    {
        host.runtime.runner.background = Some(Box::new(crate::background::WorkerLauncher::small()));
    }
    host
}

/// The same in a process that runs on behalf of this one.
pub fn assemble_small_for(places: &Places, project: Option<&Path>, caller: Option<Caller>) -> Host {
    let started = Instant::now();
    let resolved_paths = ResolvedPaths::new(places, project);
    let places = resolved_paths.used.clone();
    let hooks = CachedHooks { resolved_paths, reader: None };
    let executors = tenter_executors::small(&hook_state(&places), caller);
    let mut runtime = runtime(&places, Box::new(hooks), executors);
    runtime.catalog.full_binary = Some(Box::new(ExecFullBinary::new(started)));
    Host { runtime, started }
}

fn runtime(places: &Places, hooks: Box<dyn HookSource>, executors: Vec<Box<dyn HookExecutor>>) -> Runtime {
    let (trail, sessions): (Box<dyn AuditTrail>, Box<dyn SessionStore>) = match places.state() {
        Some(state) => {
            let trail = TrailFile::new(&state).hiding(redact::secret_values(std::env::vars_os()));
            (Box::new(trail), Box::new(sessions_in(&state)))
        }
        None => (Box::new(NoState), Box::new(NoState)),
    };
    let copies = places.state_folder.as_deref().map(copies_folder);
    let pinned = |inner| Box::new(PinnedExecutor { inner, copies: copies.clone() }) as Box<dyn HookExecutor>;
    let variable = |name| std::env::var(name).ok();
    let outer_hook =
        variable("TENTER_RUN").map(|run| OuterHook { run, session: variable("TENTER_SESSION_ID") });
    let state = places.state_folder.clone().map(StateFolder::new);
    Runtime {
        catalog: HookCatalog {
            source: hooks,
            facts: Arc::new(PlaceFacts),
            full_binary: None,
            is_home: places::is_home,
            working_folder: || std::env::current_dir().ok()?.into_os_string().into_string().ok(),
        },
        runner: HookRunner {
            executors: executors.into_iter().map(pinned).collect(),
            replies: match &state {
                Some(state) => Box::new(ReplyFolder::new(state)),
                None => Box::new(NoState),
            },
            background: None,
            progress: None,
        },
        sessions: SessionService {
            store: sessions,
            tokens: tenter_contract::limits::quarter_of_bytes,
            outer_hook,
        },
        approvals: ApprovalService {
            approvers: approvers::for_state(places.state_folder.as_deref()),
            register: match &state {
                Some(state) => Box::new(ApprovalFolder::new(state)),
                None => Box::new(NoState),
            },
            still_wanted: approvers::is_stdout_read,
        },
        audit: AuditLog { trail },
        clock: Arc::new(SystemClock),
        deadline: None,
    }
}

/// Hooks, and a problem of the installation.
struct WithProblem {
    hooks: CachedHooks,
    problem: String,
}

impl HookSource for WithProblem {
    fn at(&self, event: Option<&Event>) -> Option<HookSet> {
        let problem = Message { text: format!("warning: {}", self.problem), level: Level::Warning };
        self.hooks.at(event).map(|set| set.with_problem(problem))
    }
}

fn sessions_in(state: &StateFolder) -> SessionFolders {
    SessionFolders::new(state).with_fallback(fallback_state::folder)
}

/// The state of hooks, in the same folders as that of the runtime.
fn hook_state(places: &Places) -> HookState {
    let state = places.state_folder.clone().map(StateFolder::new);
    let sessions: Arc<dyn SessionStore> = match &state {
        Some(state) => Arc::new(sessions_in(state)),
        None => Arc::new(NoState),
    };
    HookState { sessions, state }
}
