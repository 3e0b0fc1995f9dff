//! Where events are replayed: a runtime whose trail, sessions and caches are thrown away afterwards, with today's
//! hooks of the place where each event happened.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tenter_contract::Diagnostics;
use tenter_contract::SessionClaim;
use tenter_contract::ports::SessionStore;
use tenter_contract::{
    Capabilities, Decision, Event, EventRecord, HookSet, HookSpec, Once, Outcome, RecordBody,
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
use crate::commands::replay::replay_executor::{ReplayExecutor, Script, Unasked};
use crate::error::CliError;
use crate::hooks;

pub(crate) struct ReplayRuntime {
    runtime: Runtime,
    script: Arc<Mutex<Script>>,
    config: ConfigArgument,
    layers: Vec<(Option<PathBuf>, Layers)>,
    limits: Limits,
    /// The sessions as they are, in which hooks may be switched off.
    sessions: Option<SessionFolders>,
    /// Removed when the runtime is.
    _state: TempDir,
}

impl ReplayRuntime {
    pub(crate) fn set(config: &ConfigArgument, run: bool, chosen: &Chosen) -> Result<Self, CliError> {
        let state = TempDir::with_prefix("tenter-replay-")
            .map_err(|cause| CliError::not_written("a folder for what is thrown away", cause))?;
        let places = config.places();
        let sessions =
            places.state_folder.clone().map(|folder| SessionFolders::new(&StateFolder::new(folder)));
        let places = Places { state_folder: Some(state.path().to_path_buf()), ..places };
        let script = Arc::new(Mutex::new(Script::default()));
        let mut runtime = assemble(&places, None).runtime;
        let real = std::mem::take(&mut runtime.runner.executors);
        runtime.runner.executors = vec![Box::new(ReplayExecutor { real, run, script: Arc::clone(&script) })];
        // What observes approvals has nothing to observe: no one is asked.
        runtime.catalog.source = Box::new(HookSet::default());
        runtime.approvals.approvers =
            Approvers { before_host: vec![Box::new(Unasked)], after_host: Vec::new() };
        let limits = Limits::of(chosen);
        let config = config.clone();
        Ok(Self { runtime, script, config, layers: Vec::new(), limits, sessions, _state: state })
    }

    /// Replays an event and says what is different. Nothing is said of a call that had come by another route: its
    /// hooks were asked there.
    pub(crate) fn play(
        &mut self,
        record: &RecordV1,
        beside: &[RecordV1],
    ) -> Result<Option<Compared>, CliError> {
        let Some(recalled) = record.recalled().filter(|_| record.delivered_first.is_none()) else {
            return Ok(None);
        };
        let mut event = recalled.event;
        let place = self.place(&event)?;
        let Some((_, layers)) = self.layers.get(place) else { return Ok(None) };
        let hooks = active_hooks(layers.set.clone(), &event);
        self.runtime.catalog.gather_facts(hooks.iter().map(AsRef::as_ref), &mut event);
        self.switch_off_as_it_is(&hooks, &event);
        let hooks = hooks.into_iter().map(|hook| self.limits.as_then(hook, record));
        let active_hooks = ActiveHooks { registry: Registry::new(hooks), ..ActiveHooks::default() };
        let capabilities = tenter_adapters::by_name(&record.agent)
            .map_or(Capabilities::EVERYTHING, |agent| agent.capabilities(&event));
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) = Script::of(record, beside);
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
        Ok(Some(Compared::of(record, beside, &today, recalled.missing)))
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

    /// What is switched off in the session today is off here as well. A switch that cannot be copied leaves the hook
    /// on, as it would be if the session state could not be read.
    fn switch_off_as_it_is(&self, hooks: &[Arc<HookSpec>], event: &Event) {
        let Some(sessions) = &self.sessions else { return };
        for hook in hooks.iter().filter(|hook| hook.event == event.kind) {
            let claim = SessionClaim::SwitchedOff(hook.id.clone());
            if sessions.claimed(event.session.as_ref(), &claim).unwrap_or(false) {
                let _ = self.runtime.sessions.store.claim(event.session.as_ref(), &claim);
            }
        }
    }
}

/// How `once` and `every` are followed. What a session had counted and claimed before an event is known only if all of
/// the session is replayed; and even then the record is the better witness of a limit that was active.
struct Limits {
    whole_session: bool,
    /// Hooks that were skipped for such a limit.
    limited: Vec<String>,
}

impl Limits {
    fn of(chosen: &Chosen) -> Self {
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
    let text = |(by, effect): &(tenter_contract::Source, tenter_contract::Effect)| match effect {
        tenter_contract::Effect::Inject(injection) => Some((by.to_string(), injection.content.clone())),
        _ => None,
    };
    outcome.effects.iter().filter_map(text).collect()
}

/// The record that would be written, but for the answer to a question that is not put.
fn recorded(mut outcome: Outcome) -> RecordV1 {
    if let Some(approval) = outcome.approval.take() {
        outcome.decision = Decision::Ask(approval.question);
    }
    let record = EventRecord { outcome, problems: Vec::new(), took: Duration::ZERO };
    RecordV1::from_body(0, "", &RecordBody::Event(Box::new(record)))
}
