//! The only place that names concrete parts.

use std::sync::Arc;
use std::time::Instant;

use tenter_contract::ports::{AuditTrail, FullerBuild, HookExecutor, SessionShelf};
use tenter_kernel::Registry;
use tenter_runtime::Runtime;
use tenter_runtime::kit::NoDesk;
use tenter_store::audit::redact;
use tenter_store::{SessionFolders, StateFolder, TrailFile};

use crate::beside::{self, Beside, HandedOver, OtherBuild};
use crate::clock::SystemClock;
use crate::hook_files::{self, HookFile, Hooks};
use crate::places::Places;
use crate::recall;
use crate::stateless::Stateless;

/// A runtime, and what it was made from.
pub struct Host {
    /// The runtime.
    pub runtime: Runtime,
    /// The hook files it has read, if it has.
    pub files: Vec<HookFile>,
    /// When the agent's patience began.
    pub started: Instant,
}

/// Reads the hook files and puts a runtime together.
pub fn assemble(places: &Places) -> Host {
    let files = hook_files::read_all(places);
    let hooks = Hooks::of(&files);
    Host {
        runtime: runtime(places, hooks, tenter_executors::all(&shelf(places))),
        files,
        started: Instant::now(),
    }
}

/// The same for one call by an agent: hook files that have not changed are not read again, so `files` is
/// empty. A call that `tenter-hook` left to us is gone on with.
pub fn assemble_whole(places: &Places) -> Host {
    let handed_over = HandedOver::from_environment();
    let started = handed_over.as_ref().map_or_else(Instant::now, |call| call.started);
    let hooks = recall::hooks(places).unwrap_or_else(|| recall::read(places));
    let runtime = match handed_over.filter(HandedOver::is_foreign) {
        None => runtime(places, hooks, tenter_executors::all(&shelf(places))),
        Some(HandedOver { build, .. }) => {
            let hooks = hooks.with_problem(format!("warning: {}", beside::two_builds(&build)));
            let fuller: Box<dyn FullerBuild> = Box::new(OtherBuild { build });
            Runtime {
                fuller: Some(fuller),
                ..runtime(places, hooks, tenter_executors::small(&shelf(places)))
            }
        }
    };
    Host { runtime, files: Vec::new(), started }
}

/// The same in `tenter-hook`: what nearly every call needs, and so little of it that it starts like nothing.
/// What is not named here is not in that program; whoever needs it is left to the `tenter` beside it.
pub fn assemble_small(places: &Places) -> Host {
    let started = Instant::now();
    let beside = Beside::of_process(started);
    let hooks = recall::hooks(places).unwrap_or_else(|| {
        let failure = beside.become_whole(None);
        recall::last_known(places).with_problem(format!(
            "error: your hook files were changed, and what they say now is not known: {failure}\nhint: install `tenter` and `tenter-hook` into one folder"
        ))
    });
    let runtime = runtime(places, hooks, tenter_executors::small(&shelf(places)));
    let runtime = Runtime { fuller: Some(Box::new(beside)), ..runtime };
    Host { runtime, files: Vec::new(), started }
}

fn runtime(places: &Places, hooks: Hooks, executors: Vec<Box<dyn HookExecutor>>) -> Runtime {
    let (trail, sessions): (Box<dyn AuditTrail>, Box<dyn SessionShelf>) = match &places.state_folder {
        Some(folder) => {
            let state = StateFolder::new(folder.clone());
            let trail = TrailFile::new(&state).hiding(redact::secret_values(std::env::vars_os()));
            (Box::new(trail), Box::new(SessionFolders::new(&state)))
        }
        None => (Box::new(Stateless), Box::new(Stateless)),
    };
    Runtime {
        registry: Registry::of(hooks.hooks),
        executors,
        fuller: None,
        desk: Box::new(NoDesk { why: "this version has no desk of its own yet".to_owned() }),
        trail,
        sessions,
        clock: Box::new(SystemClock),
        problems: hooks.problems,
    }
}

/// What hooks remember of sessions themselves, over the same folders as the runtime's shelf.
fn shelf(places: &Places) -> Arc<dyn SessionShelf> {
    match &places.state_folder {
        Some(folder) => Arc::new(SessionFolders::new(&StateFolder::new(folder.clone()))),
        None => Arc::new(Stateless),
    }
}
