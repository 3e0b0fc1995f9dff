//! The runtime of a replay: temporary trail, sessions and caches, and today's hooks of the folder of each event.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tenter_contract::ports::SessionStore;
use tenter_contract::{
    Capabilities, Decision, Diagnostics, Effect, Event, EventRecord, HookSet, HookSpec, Once, Outcome,
    RecordBody, SessionClaim, Source,
};
use tenter_host::trust::project::here;
use tenter_host::{HookFile, Layers, Places, assemble};
use tenter_kernel::{Registry, active_hooks};
use tenter_protocol::v1::record::RecordV1;
use tenter_runtime::{ActiveHooks, Approvers, Runtime};
use tenter_store::{SessionFolders, StateFolder};

use crate::arguments::ConfigArgument;
use crate::commands::replay::Chosen;
use crate::commands::replay::compare::{Compared, Today};
use crate::commands::replay::replay_executor::{ReplayExecutor, Script, SilentApprover};
use crate::error::CliError;
use crate::hooks;

pub(crate) struct ReplayRuntime {
    runtime: Runtime,
    script: Arc<Mutex<Script>>,
    config: ConfigArgument,
    layers: Vec<(Option<PathBuf>, Layers)>,
    limits: Limits,
    /// The real sessions, which may have disabled hooks.
    sessions: Option<SessionFolders>,
    _state: TempDir,
}

impl ReplayRuntime {
    pub(crate) fn new(config: &ConfigArgument, run: bool, chosen: &Chosen) -> Result<Self, CliError> {
        let state = TempDir::with_prefix("tenter-replay-")
            .map_err(|cause| CliError::not_written("a temporary folder", cause))?;
        let places = config.places();
        let sessions =
            places.state_folder.clone().map(|folder| SessionFolders::new(&StateFolder::new(folder)));
        let places = Places { state_folder: Some(state.path().to_path_buf()), ..places };
        let script = Arc::new(Mutex::new(Script::default()));
        let mut runtime = assemble(&places, None).runtime;
        let real = std::mem::take(&mut runtime.runner.executors);
        runtime.runner.executors = vec![Box::new(ReplayExecutor { real, run, script: Arc::clone(&script) })];
        // Hooks at approval events do not run, because no question is asked.
        runtime.catalog.source = Box::new(HookSet::default());
        runtime.approvals.approvers =
            Approvers { before_host: vec![Box::new(SilentApprover)], after_host: Vec::new() };
        let limits = Limits::new(chosen);
        let config = config.clone();
        Ok(Self { runtime, script, config, layers: Vec::new(), limits, sessions, _state: state })
    }

    /// Replays an event; `None` for a second delivery, whose hooks were asked at the first.
    pub(crate) fn play(
        &mut self,
        record: &RecordV1,
        related: &[RecordV1],
    ) -> Result<Option<Compared>, CliError> {
        let Some(recalled) = record.recalled().filter(|_| record.delivered_first.is_none()) else {
            return Ok(None);
        };
        let mut event = recalled.event;
        let place = self.place(&event)?;
        let Some((_, layers)) = self.layers.get(place) else { return Ok(None) };
        let hooks = active_hooks(layers.set.clone(), &event);
        self.runtime.catalog.gather_facts(hooks.iter().map(AsRef::as_ref), &mut event);
        self.copy_disabled_hooks(&hooks, &event);
        let hooks = hooks.into_iter().map(|hook| self.limits.as_then(hook, record));
        let active_hooks = ActiveHooks { registry: Registry::new(hooks), ..ActiveHooks::default() };
        let capabilities = tenter_adapters::by_name(&record.agent)
            .map_or(Capabilities::EVERYTHING, |agent| agent.capabilities(&event));
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) = Script::new(record, related);
        let outcome = self.runtime.decide(
            Arc::new(event.clone()),
            &active_hooks,
            &capabilities,
            &mut Diagnostics::default(),
        );
        let not_run = {
            let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut script.not_run)
        };
        let question = outcome.approval.as_ref().map(|approval| approval.question.clone());
        let (texts, record_today) = (texts(&outcome), recorded(outcome));
        let today = Today { texts, record: record_today, question, not_run, layers, event };
        Ok(Some(Compared::new(record, related, &today, recalled.missing)))
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        let files = self.layers.iter().flat_map(|(_, layers)| &layers.files);
        let all = files.flat_map(HookFile::problems);
        let mut problems: Vec<String> = all.map(|problem| problem.text).collect();
        problems.dedup();
        problems
    }

    /// Where in `layers` the hooks of an event's project are.
    fn place(&mut self, event: &Event) -> Result<usize, CliError> {
        let root = event.project_root.clone().map(PathBuf::from).or_else(here);
        if let Some(place) = self.layers.iter().position(|(known, _)| *known == root) {
            return Ok(place);
        }
        let layers = hooks::layers_at(&self.config, root.as_deref())?;
        self.layers.push((root, layers));
        Ok(self.layers.len() - 1)
    }

    /// Disables the hooks that are disabled in the session today. A switch that cannot be copied leaves the hook on, as in
    /// a session whose state cannot be read.
    fn copy_disabled_hooks(&self, hooks: &[Arc<HookSpec>], event: &Event) {
        let Some(sessions) = &self.sessions else { return };
        for hook in hooks.iter().filter(|hook| hook.event == event.kind) {
            let claim = SessionClaim::SwitchedOff(hook.id.clone());
            if sessions.claimed(event.session.as_ref(), &claim).unwrap_or(false) {
                let _ = self.runtime.sessions.store.claim(event.session.as_ref(), &claim);
            }
        }
    }
}

/// Decides how `once` and `every` apply. The counts of a session before an event are known only if the whole session is
/// replayed; a recorded limit is better evidence even then.
struct Limits {
    whole_session: bool,
    /// Hooks that were skipped because of such a limit.
    limited: Vec<String>,
}

impl Limits {
    fn new(chosen: &Chosen) -> Self {
        let runs = chosen.events.iter().flat_map(|event| &event.record.hooks);
        let skipped = runs.filter(|run| run.skipped.is_some()).map(|run| run.hook.clone());
        Self { whole_session: chosen.session.is_some(), limited: skipped.collect() }
    }

    /// A hook that ran then runs now, unless its limit is a new one.
    fn as_then(&self, mut hook: Arc<HookSpec>, record: &RecordV1) -> Arc<HookSpec> {
        let address = hook.id.address();
        let ran = record.hooks.iter().any(|run| run.hook == address && run.skipped.is_none());
        let countable = hook.once != Once::Turn || record.turn.is_some();
        if ran && !(self.whole_session && countable && !self.limited.contains(&address)) {
            let hook = Arc::make_mut(&mut hook);
            (hook.once, hook.every) = (Once::Unlimited, None);
        }
        hook
    }
}

fn texts(outcome: &Outcome) -> Vec<(String, String)> {
    let text = |(by, effect): &(Source, Effect)| match effect {
        Effect::Inject(injection) => Some((by.to_string(), injection.content.clone())),
        _ => None,
    };
    outcome.effects.iter().filter_map(text).collect()
}

/// The record that would be written, without an answer to the question.
fn recorded(mut outcome: Outcome) -> RecordV1 {
    if let Some(approval) = outcome.approval.take() {
        outcome.decision = Decision::Ask(approval.question);
    }
    let record = EventRecord { outcome, problems: Vec::new(), took: Duration::ZERO };
    RecordV1::from_body(0, "", &RecordBody::Event(Box::new(record)))
}
