//! One call of a built-in, from start to report.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tenter_contract::builtin_names::{CONTEXT_FILES, MEMORY_CHECK_IN, MEMORY_OUTCOME};
use tenter_contract::ports::SessionShelf;
use tenter_contract::{
    Builtin, Effect, Event, Handler, HookFailure, HookReply, HookReport, HookSpec, Injection, Level, Message,
    Repeat, Said, Strategy, Transcript,
};

use tenter_store::StateFolder;

use super::options::Options;
use super::{
    BuiltinExecutor, context_files, date, env, feedback, git_status, memory_check_in, memory_outcome, notify,
    project_info, protect_config, todo_reminder,
};
use crate::command::{environment, home};
use crate::supervise::Household;

/// What a built-in answers; on the other side what is said instead.
pub(super) type Answer = Result<HookReply, Said>;

/// One built-in.
type Run = fn(&mut Call<'_>) -> Answer;

/// Every built-in, by the name in hook files.
pub(super) const ALL: [(&str, Run); 13] = [
    ("git.status", git_status::run),
    ("project.info", project_info::run),
    (CONTEXT_FILES, context_files::run),
    ("env", env::run),
    ("date", date::run),
    ("notify", notify::run),
    ("todo.reminder", todo_reminder::run),
    ("lint.feedback", feedback::lint),
    ("types.feedback", feedback::types),
    ("tests.feedback", feedback::tests),
    ("protect.config", protect_config::run),
    (MEMORY_CHECK_IN, memory_check_in::run),
    (MEMORY_OUTCOME, memory_outcome::run),
];

/// Runs the built-in that the hook names.
pub(super) fn run(
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
    executor: &BuiltinExecutor,
) -> HookReport {
    let started = Instant::now();
    let Handler::Builtin(builtin) = &hook.handler else {
        return HookReport::of(missing(format!("`{}` is no built-in", hook.handler.kind())));
    };
    let Some((_, run)) = ALL.iter().find(|(name, _)| *name == builtin.name) else {
        return HookReport::of(missing(format!("this version has no built-in `{}`", builtin.name)));
    };
    let mut call = Call::new(hook, builtin, event, ours, executor);
    let mut said = run(&mut call).map_or_else(|said| said, Said::Reply);
    if let Said::Reply(reply) = &mut said
        && hook.defaults.suppress_output
    {
        reply.effects.push(Effect::SuppressOutput);
    }
    call.transcript.took = started.elapsed();
    HookReport { said, transcript: call.transcript }
}

/// What a built-in has at hand.
pub(super) struct Call<'a> {
    pub(super) hook: &'a HookSpec,
    pub(super) event: &'a Event,
    pub(super) options: Options<'a>,
    /// What its programs see.
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) home: Option<PathBuf>,
    pub(super) deadline: Instant,
    pub(super) household: Household,
    /// Says that it is to end before its time, if somebody can say so.
    pub(super) stop: Option<&'a AtomicBool>,
    /// The environment of our own process, whatever the hook inherits of it.
    pub(super) ours: &'a [(OsString, OsString)],
    pub(super) sessions: &'a dyn SessionShelf,
    /// Where state lies.
    pub(super) state: Option<&'a StateFolder>,
    pub(super) transcript: Transcript,
}

impl<'a> Call<'a> {
    fn new(
        hook: &'a HookSpec,
        builtin: &'a Builtin,
        event: &'a Event,
        ours: &'a [(OsString, OsString)],
        executor: &'a BuiltinExecutor,
    ) -> Self {
        let mut transcript = Transcript::default();
        let environment = environment::of(hook, event, None, ours, &mut transcript.notices);
        Self {
            hook,
            event,
            options: Options::of(builtin),
            environment,
            home: home::of(ours).map(Path::to_owned),
            deadline: crate::deadline_of(hook),
            household: executor.household,
            stop: executor.stopping.flag(),
            ours,
            sessions: &*executor.kept.sessions,
            state: executor.kept.state.as_ref(),
            transcript,
        }
    }

    /// A variable, as programs see it.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// A variable of our own process.
    pub(super) fn our_variable(&self, name: &str) -> Option<&OsStr> {
        self.ours.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_os_str())
    }

    /// The folder it is about: the hook's own, else the first that exists of the project's and the agent's.
    pub(super) fn folder(&self) -> Result<PathBuf, Said> {
        if let Some(own) = self.hook.cwd.as_deref() {
            let own = self.base().join(home::expand(own, self.home.as_deref()));
            let gone = || missing(format!("its folder `{}` does not exist", own.display()));
            return if own.is_dir() { Ok(own.clone()) } else { Err(gone()) };
        }
        let of_event = [self.event.project_root.as_deref(), self.event.cwd.as_deref()];
        let found = of_event.into_iter().flatten().map(Path::new).find(|folder| folder.is_dir());
        match found {
            Some(folder) => Ok(folder.to_owned()),
            None => Err(Said::Skipped { why: "the event names no folder that exists".to_owned() }),
        }
    }

    /// Where relative paths of the agent begin.
    pub(super) fn base(&self) -> &'a Path {
        let event = self.event;
        Path::new(event.cwd.as_deref().or(event.project_root.as_deref()).unwrap_or_default())
    }

    /// Something for the record that changes nothing.
    pub(super) fn note(&mut self, text: String) {
        if !self.transcript.notices.contains(&text) {
            self.transcript.notices.push(text);
        }
    }

    /// A text for the context; nothing if there is none.
    pub(super) fn inject(&self, content: String) -> HookReply {
        self.inject_at(content, self.hook.strategy)
    }

    /// The same for a state that comes and goes: what it was before the last report says nothing about now.
    pub(super) fn report(&self, content: String, strategy: Strategy) -> HookReply {
        self.repeat(content, strategy, Repeat::Line)
    }

    /// The same for what has to be said again because it was said long ago.
    pub(super) fn remind(&self, content: String, strategy: Strategy) -> HookReply {
        self.repeat(content, strategy, Repeat::Always)
    }

    /// With this if its hook says nothing about repeating it.
    fn repeat(&self, content: String, strategy: Strategy, repeat: Repeat) -> HookReply {
        let mut reply = self.inject_at(content, strategy);
        for effect in &mut reply.effects {
            if let Effect::Inject(injection) = effect
                && injection.repeat == Repeat::Auto
            {
                injection.repeat = repeat;
            }
        }
        reply
    }

    pub(super) fn inject_at(&self, content: String, strategy: Strategy) -> HookReply {
        let mut reply = HookReply::default();
        if !content.trim().is_empty() {
            let injection = Injection { strategy, ..Injection::of_hook(self.hook, content) };
            reply.effects.push(Effect::Inject(injection));
        }
        reply
    }
}

/// A text for the user.
pub(super) fn tell(text: String, level: Level) -> HookReply {
    let effects = vec![Effect::Tell(Message { text, level })];
    HookReply { effects, ..HookReply::default() }
}

pub(super) fn missing(detail: String) -> Said {
    Said::Failure(HookFailure::Missing { detail })
}

/// Nothing to say.
pub(super) fn silence() -> Answer {
    Ok(HookReply::default())
}
