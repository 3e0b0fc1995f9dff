//! Hooks of a session whose user can change the profile and add context files. Hook files are read at every event as
//! usual.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value};
use tenter_contract::builtin_names::CONTEXT_FILES;
use tenter_contract::handler::Builtin;
use tenter_contract::ports::HookSource;
use tenter_contract::{Event, EventKind, Handler, HookId, HookSet, HookSpec, Layer};
use tenter_host::{Layers, Places, assemble_program};

/// The changes that the user made in this session.
#[derive(Clone)]
pub(crate) struct LiveHooks {
    inner: Arc<RwLock<Inner>>,
    project: Option<PathBuf>,
}

struct Inner {
    places: Places,
    source: Arc<dyn HookSource>,
    files: Vec<String>,
    only: Option<Layer>,
}

impl LiveHooks {
    pub(crate) fn new(places: Places, project: Option<PathBuf>) -> Self {
        let source = source(&places, project.as_deref());
        Self {
            inner: Arc::new(RwLock::new(Inner { places, source, files: Vec::new(), only: None })),
            project,
        }
    }

    pub(crate) fn places(&self) -> Places {
        self.read(|inner| inner.places.clone())
    }

    pub(crate) fn use_profile(&self, profile: &str) {
        self.change(|inner| {
            inner.places.profile = Some(profile.to_owned());
            inner.source = source(&inner.places, self.project.as_deref());
        });
    }

    /// Restricts hooks to one layer during a call.
    pub(crate) fn only<T>(&self, layer: Layer, work: impl FnOnce() -> T) -> T {
        self.change(|inner| inner.only = Some(layer));
        let done = work();
        self.change(|inner| inner.only = None);
        done
    }

    pub(crate) fn layers(&self) -> Layers {
        Layers::read(&self.places(), self.project.as_deref())
    }

    /// The hook that injects the files added in this session, if there are any.
    pub(crate) fn added_files_hook(&self) -> Option<HookSpec> {
        self.read(|inner| giver(&inner.files))
    }

    pub(crate) fn files(&self) -> Vec<String> {
        self.read(|inner| inner.files.clone())
    }

    /// Adds a file; false if it is there already.
    pub(crate) fn add_file(&self, file: &str) -> bool {
        let mut added = false;
        self.change(|inner| {
            added = !inner.files.iter().any(|it| it == file);
            if added {
                inner.files.push(file.to_owned());
            }
        });
        added
    }

    /// Removes a file; false if it is not there.
    pub(crate) fn remove_file(&self, file: &str) -> bool {
        let mut removed = false;
        self.change(|inner| {
            let before = inner.files.len();
            inner.files.retain(|it| it != file);
            removed = inner.files.len() < before;
        });
        removed
    }

    fn read<T>(&self, of: impl FnOnce(&Inner) -> T) -> T {
        of(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, how: impl FnOnce(&mut Inner)) {
        how(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn with_files(&self, mut set: HookSet) -> HookSet {
        if let Some(layer) = self.read(|inner| inner.only) {
            set.hooks.retain(|hook| hook.id.layer == layer);
            return set;
        }
        set.hooks.extend(self.added_files_hook().map(Arc::new));
        set
    }
}

impl HookSource for LiveHooks {
    fn at(&self, event: Option<&Event>) -> Option<HookSet> {
        let source = self.read(|inner| Arc::clone(&inner.source));
        source.at(event).map(|set| self.with_files(set))
    }

    fn last_known(&self, event: Option<&Event>) -> HookSet {
        let source = self.read(|inner| Arc::clone(&inner.source));
        self.with_files(source.last_known(event))
    }
}

fn source(places: &Places, project: Option<&Path>) -> Arc<dyn HookSource> {
    Arc::from(assemble_program(places, project).runtime.catalog.source)
}

/// Runs at each prompt, because a file may change or a compaction may remove its text. The ledger leaves out text that
/// is still in the context.
pub(crate) fn giver(files: &[String]) -> Option<HookSpec> {
    if files.is_empty() {
        return None;
    }
    let options = Map::from_iter([("files".to_owned(), Value::from(files))]);
    let handler = Handler::Builtin(Builtin { name: CONTEXT_FILES.to_owned(), options });
    Some(HookSpec::new(HookId::new(Layer::Embedded, "added-files"), EventKind::PromptSubmit, handler))
}
