//! The only place that names concrete parts.

use tenter_contract::ports::{AuditTrail, SessionShelf};
use tenter_kernel::Registry;
use tenter_runtime::Runtime;
use tenter_runtime::kit::NoDesk;
use tenter_store::{SessionFolders, StateFolder, TrailFile};

use crate::clock::SystemClock;
use crate::hook_files::{self, HookFile};
use crate::places::Places;
use crate::stateless::Stateless;

/// A runtime, and what it was made from.
pub struct Host {
    /// The runtime.
    pub runtime: Runtime,
    /// The hook files it has read.
    pub files: Vec<HookFile>,
}

/// Reads the hook files and puts a runtime together.
pub fn assemble(places: &Places) -> Host {
    let files = hook_files::read_all(places);
    let loaded = files.iter().filter_map(|file| file.content.as_ref().ok());
    let registry = Registry::of(loaded.flat_map(|loaded| loaded.hooks.iter().cloned()));
    let problems = files.iter().flat_map(HookFile::problems).collect();
    let (trail, sessions): (Box<dyn AuditTrail>, Box<dyn SessionShelf>) = match &places.state_folder {
        Some(folder) => {
            let state = StateFolder::new(folder.clone());
            (Box::new(TrailFile::new(&state)), Box::new(SessionFolders::new(&state)))
        }
        None => (Box::new(Stateless), Box::new(Stateless)),
    };
    let runtime = Runtime {
        registry,
        executors: tenter_executors::all(),
        desk: Box::new(NoDesk { why: "this version has no desk of its own yet".to_owned() }),
        trail,
        sessions,
        clock: Box::new(SystemClock),
        problems,
    };
    Host { runtime, files }
}
