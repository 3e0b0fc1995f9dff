//! Looks once more, just before a project's hook runs: what it runs must still be what was trusted, and is run from a
//! copy of what was compared.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookFailure, HookOutput, HookReport, HookSpec, Pin};

use super::copies::{Compared, Copies};

/// An executor that runs a hook only if its files are what they were.
pub(crate) struct PinnedExecutor {
    pub(crate) inner: Box<dyn HookExecutor>,
    pub(crate) copies: Option<PathBuf>,
}

impl HookExecutor for PinnedExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        self.inner.runs(hook)
    }

    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        self.inner.runs_at(hook, event)
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        if hook.pins.is_empty() {
            return self.inner.run(hook, event);
        }
        let outer = hook.outer_root(event).map(|root| of_project(event, root));
        let event = outer.as_ref().unwrap_or(event);
        match compare(&hook.pins) {
            Ok(compared) => self.run_compared(hook, event, &compared),
            Err(pin) => {
                let detail =
                    format!("`{}` was changed since you trusted this project; type `tenter trust`", pin.path);
                HookReport::new(HookOutput::Failure(HookFailure::Missing { detail }))
            }
        }
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.inner.set_stop_flag(stop);
    }

    fn end_event(&self) {
        self.inner.end_event();
    }
}

impl PinnedExecutor {
    fn run_compared(&self, hook: &HookSpec, event: &Event, compared: &[Compared]) -> HookReport {
        let root = hook.source.project_root().or(event.project_root.as_deref());
        let (Some(base), Some(root)) = (&self.copies, root) else { return self.inner.run(hook, event) };
        let is_module = |script: &String| Path::new(script).extension().is_some_and(|it| it == "py");
        let links_modules = match &hook.handler {
            Handler::Python(_) => false,
            Handler::Script(script) => !is_module(script),
            Handler::Command(_) | Handler::Mcp(_) => true,
            _ => return self.inner.run(hook, event),
        };
        match Copies::make(base, Path::new(root), compared, links_modules) {
            Ok(copies) if copies.can_run(compared) => {
                let mut report = self.inner.run(&copies.used_by(hook), event);
                let shown = report.transcript.command.as_deref().map(|command| copies.named_in(command));
                report.transcript.command = shown;
                report
            }
            made => {
                let mut report = self.inner.run(hook, event);
                let why =
                    made.err().map_or("programs may not be run there".to_owned(), |error| error.to_string());
                report.transcript.notices.push(format!("no copy of its files could be made: {why}"));
                report
            }
        }
    }
}

/// Compares every pin, and keeps what was read: the first that is not what it was is the error.
fn compare(pins: &[Pin]) -> Result<Vec<Compared>, &Pin> {
    let mut compared = Vec::new();
    for pin in pins {
        let bytes = super::compare(pin).map_err(|()| pin)?;
        let path = PathBuf::from(&pin.path);
        if let Some(bytes) = bytes {
            let mode = fs::metadata(&path).map_or(0o600, |found| found.mode());
            compared.push(Compared { path: fs::canonicalize(&path).unwrap_or(path), bytes, mode });
        }
    }
    Ok(compared)
}

/// The event as a project around its own sees it: commands run there, and paths are relative to it.
fn of_project(event: &Event, root: &str) -> Event {
    Event { project_root: Some(root.to_owned()), ..event.clone() }
}
