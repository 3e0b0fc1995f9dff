//! One call of a memory hook.

use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use tenter_contract::builtin_names::{
    MEMORY_OUTCOME, MEMORY_RECALL, MEMORY_SESSION_END, MEMORY_SESSION_START,
};
use tenter_contract::ports::{ClaimOutcome, SessionStore, StateError};
use tenter_contract::{
    Builtin, Cause, Effect, Event, EventKind, Handler, HookOutput, HookReply, HookReport, HookSpec,
    Injection, Level, Message, Repeat, SessionClaim, Transcript,
};
use tenter_ghap::quote::SOURCE;
use tenter_ghap::{Quoting, Who};

use super::{Services, outcome, recall, session_end, session_start};
use crate::{MemoryError, NewSession, Project, Scope};

type Run = fn(&mut HookCall<'_>) -> Result<(), MemoryError>;

pub(super) fn handler(name: &str) -> Option<Run> {
    match name {
        MEMORY_SESSION_START => Some(session_start::run),
        MEMORY_RECALL => Some(recall::run),
        MEMORY_OUTCOME => Some(outcome::run),
        MEMORY_SESSION_END => Some(session_end::run),
        _ => None,
    }
}

/// Runs a memory hook. Errors become notices and no hook failure, because they change no decision.
pub(super) fn run(hook: &HookSpec, event: &Event, services: &Services) -> HookReport {
    let started = Instant::now();
    let Handler::Builtin(builtin) = &hook.handler else {
        return HookReport::new(HookOutput::Skipped { why: "it is no memory hook".to_owned() });
    };
    let Some(run) = handler(&builtin.name) else {
        return HookReport::new(HookOutput::Skipped {
            why: format!("memory has no hook `{}`", builtin.name),
        });
    };
    let mut call = HookCall::new(hook, builtin, event, services);
    if let Err(error) = run(&mut call) {
        call.notify_once(&error.to_string());
    }
    for notice in services.memory.take_notices() {
        call.notify_once(&notice);
    }
    if hook.defaults.suppress_output {
        call.reply.effects.push(Effect::SuppressOutput);
    }
    call.transcript.took = started.elapsed();
    HookReport { output: HookOutput::Reply(call.reply), transcript: call.transcript }
}

pub(super) struct HookCall<'a> {
    hook: &'a HookSpec,
    builtin: &'a Builtin,
    pub(super) event: &'a Event,
    pub(super) services: &'a Services,
    pub(super) project: Option<Project>,
    reply: HookReply,
    transcript: Transcript,
}

impl<'a> HookCall<'a> {
    fn new(hook: &'a HookSpec, builtin: &'a Builtin, event: &'a Event, services: &'a Services) -> Self {
        let folder = event.project_root.as_deref().or(event.cwd.as_deref());
        let project = folder.map(|folder| Project::from_folder(Path::new(folder)));
        let (reply, transcript) = (HookReply::default(), Transcript::default());
        Self { hook, builtin, event, services, project, reply, transcript }
    }

    pub(super) fn who(&self) -> Who {
        Who::from_event(self.event)
    }

    pub(super) fn scope(&self) -> Scope {
        Scope::Project(self.project.clone().unwrap_or_else(|| Project::named("")))
    }

    /// Payloads without a session share one that never ends, in which nothing is noted.
    pub(super) fn has_session(&self) -> bool {
        self.event.session.is_some()
    }

    /// Notes that the session is active, and starts it if no hook did.
    pub(super) fn note_session(&mut self) -> Result<(), MemoryError> {
        if self.has_session() && self.is_first(&SessionClaim::MemoryNoted) {
            return self.begin_session();
        }
        // A sub-agent is no session.
        if self.has_session() && self.event.agent_id.is_none() {
            self.services.memory.note_live_session(&self.session());
        }
        Ok(())
    }

    pub(super) fn begin_session(&mut self) -> Result<(), MemoryError> {
        if !self.has_session() {
            return Ok(());
        }
        self.is_first(&SessionClaim::MemoryNoted);
        self.services.memory.start_session(&self.session())
    }

    fn session(&self) -> NewSession {
        NewSession {
            session: self.event.session_or_shared(),
            project: self.project.clone(),
            agent: Some(self.event.agent.as_str().to_owned()),
        }
    }

    /// Whether this claim is the first in the session. If that is unknown, only at its start and end.
    pub(super) fn is_first(&mut self, what: &SessionClaim) -> bool {
        let session = self.event.session.as_ref();
        let claimed = self.services.sessions.claim(session, what);
        let fallback = self.services.fallback.as_ref().filter(|_| claimed.is_err());
        let fallback = fallback.and_then(|session_store| session_store.claim(session, what).ok());
        match self.noted(claimed).or(fallback) {
            Some(claimed) => claimed == ClaimOutcome::Granted,
            None => matches!(self.event.kind, EventKind::SessionStart | EventKind::SessionEnd),
        }
    }

    pub(super) fn noted<T>(&mut self, result: Result<T, StateError>) -> Option<T> {
        result.map_err(|error| self.note(error.to_string())).ok()
    }

    pub(super) fn count(&self, key: &str, default: usize) -> usize {
        let count = self.builtin.options.get(key).and_then(Value::as_u64);
        count.and_then(|count| usize::try_from(count).ok()).unwrap_or(default)
    }

    pub(super) fn switch(&self, key: &str, default: bool) -> bool {
        self.builtin.options.get(key).and_then(Value::as_bool).unwrap_or(default)
    }

    pub(super) fn word(&self, key: &str) -> Option<&'a str> {
        self.builtin.options.get(key).and_then(Value::as_str)
    }

    pub(super) fn texts(&self, key: &str) -> Vec<&'a str> {
        let list = self.builtin.options.get(key).and_then(Value::as_array);
        list.map(|items| items.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    pub(super) fn report(&mut self, text: String) {
        let mut injection = Injection::from_hook(self.hook, text);
        if injection.repeat == Repeat::Auto {
            injection.repeat = Repeat::Always;
        }
        self.reply.effects.push(Effect::Inject(injection));
    }

    pub(super) fn report_quoting(&mut self, words: Quoting) {
        if let Some(quoted) = words.quoted {
            let (foreign, repeat) = (Some(SOURCE.to_owned()), Repeat::Always);
            let injection = Injection { foreign, repeat, ..Injection::from_hook(self.hook, quoted) };
            self.reply.effects.push(Effect::Inject(injection));
        }
        self.report(words.content);
    }

    pub(super) fn inject(&mut self, text: String) {
        if !text.trim().is_empty() {
            self.reply.effects.push(Effect::Inject(Injection::from_hook(self.hook, text)));
        }
    }

    /// Injects text of another session, framed as data.
    pub(super) fn inject_recalled(&mut self, text: String) {
        if !text.trim().is_empty() {
            let foreign = Some(SOURCE.to_owned());
            let injection = Injection { foreign, ..Injection::from_hook(self.hook, text) };
            self.reply.effects.push(Effect::Inject(injection));
        }
    }

    /// The budget without the frame of recalled text.
    pub(super) fn within(&self, budget: usize) -> usize {
        let (before, after) = Injection { foreign: Some(SOURCE.to_owned()), ..Injection::text("") }.frame();
        budget.saturating_sub((before.len() + after.len()).div_ceil(4))
    }

    pub(super) fn notify_once(&mut self, text: &str) {
        let is_same =
            |effect: &Effect| matches!(effect, Effect::Notify(message) if message.text.contains(text));
        if self.reply.effects.iter().any(is_same) {
            return;
        }
        let text = format!("memory: {text}");
        if self.has_session() && !self.is_first(&SessionClaim::Notified(Cause::Builtin(text.clone()))) {
            self.note(text);
            return;
        }
        self.reply.effects.push(Effect::Notify(Message { text, level: Level::Warning }));
    }

    pub(super) fn note(&mut self, text: String) {
        if !self.transcript.notices.contains(&text) {
            self.transcript.notices.push(text);
        }
    }
}
