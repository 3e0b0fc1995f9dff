//! The only place that names concrete parts.

use tenter_contract::ports::{AuditTrail, SessionShelf};
use tenter_contract::{HookSpec, Message};
use tenter_kernel::Registry;
use tenter_runtime::Runtime;
use tenter_runtime::kit::NoDesk;
use tenter_store::audit::redact;
use tenter_store::{SessionFolders, StateFolder, TrailFile};

use crate::clock::SystemClock;
use crate::hook_files::{self, HookFile};
use crate::places::Places;
use crate::recall;
use crate::stateless::Stateless;

/// A runtime, and what it was made from.
pub struct Host {
    /// The runtime.
    pub runtime: Runtime,
    /// The hook files it has read, if it has.
    pub files: Vec<HookFile>,
}

/// Reads the hook files and puts a runtime together.
pub fn assemble(places: &Places) -> Host {
    let files = hook_files::read_all(places);
    let loaded = files.iter().filter_map(|file| file.content.as_ref().ok());
    let hooks = loaded.flat_map(|loaded| loaded.hooks.iter().cloned()).collect();
    let problems = files.iter().flat_map(HookFile::problems).collect();
    Host { runtime: runtime(places, hooks, problems), files }
}

/// The same runtime for the hot path: hook files that have not changed are not read again, so `files` is
/// empty.
pub fn assemble_from_memory(places: &Places) -> Host {
    let (hooks, problems) = recall::hooks(places);
    Host { runtime: runtime(places, hooks, problems), files: Vec::new() }
}

fn runtime(places: &Places, hooks: Vec<HookSpec>, problems: Vec<Message>) -> Runtime {
    let (trail, sessions): (Box<dyn AuditTrail>, Box<dyn SessionShelf>) = match &places.state_folder {
        Some(folder) => {
            let state = StateFolder::new(folder.clone());
            let trail = TrailFile::new(&state).hiding(redact::secret_values(std::env::vars_os()));
            (Box::new(trail), Box::new(SessionFolders::new(&state)))
        }
        None => (Box::new(Stateless), Box::new(Stateless)),
    };
    Runtime {
        registry: Registry::of(hooks),
        executors: tenter_executors::all(),
        desk: Box::new(NoDesk { why: "this version has no desk of its own yet".to_owned() }),
        trail,
        sessions,
        clock: Box::new(SystemClock),
        problems,
        until: None,
        inside: std::env::var("TENTER_RUN").ok(),
    }
}
