//! One run of a built-in, from start to report.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use tenter_contract::builtin_names::{CONTEXT_FILES, MEMORY_CHECK_IN, MEMORY_OUTCOME};
use tenter_contract::ports::SessionStore;
use tenter_contract::{
    Effect, Event, Handler, HookOutput, HookReply, HookReport, HookSpec, Injection, Level, Message, Repeat,
    Strategy, Transcript,
};
use tenter_store::StateFolder;

use super::options::Options;
use super::{
    BuiltinExecutor, context_files, date, env, feedback, git_status, memory_check_in, memory_outcome, notify,
    project_info, protect_config, todo_reminder,
};
use crate::command::home;
use crate::hook_run::HookRun;
pub(super) use crate::missing;

/// The reply of a built-in; the error is another hook output.
pub(super) type BuiltinResult = Result<HookReply, HookOutput>;

/// One built-in. Its options are in `contract::builtin_names`.
pub(super) struct BuiltinSpec {
    /// The name in hook files.
    pub(super) name: &'static str,
    run: fn(&mut BuiltinRun<'_>) -> BuiltinResult,
}

const fn row(name: &'static str, run: fn(&mut BuiltinRun<'_>) -> BuiltinResult) -> BuiltinSpec {
    BuiltinSpec { name, run }
}

pub(super) const ALL: [BuiltinSpec; 13] = [
    row("git.status", git_status::run),
    row("project.info", project_info::run),
    row(CONTEXT_FILES, context_files::run),
    row("env", env::run),
    row("date", date::run),
    row("notify", notify::run),
    row("todo.reminder", todo_reminder::run),
    row("lint.feedback", feedback::lint),
    row("types.feedback", feedback::types),
    row("tests.feedback", feedback::tests),
    row("protect.config", protect_config::run),
    row(MEMORY_CHECK_IN, memory_check_in::run),
    row(MEMORY_OUTCOME, memory_outcome::run),
];

/// Runs the built-in that the hook names.
pub(super) fn run(
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
    executor: &BuiltinExecutor,
) -> HookReport {
    let Handler::Builtin(builtin) = &hook.handler else {
        return HookReport::new(missing(format!("`{}` is no built-in", hook.handler.kind())));
    };
    let Some(spec) = ALL.iter().find(|spec| spec.name == builtin.name) else {
        return HookReport::new(missing(format!("this version has no built-in `{}`", builtin.name)));
    };
    let run = HookRun::new(hook, event, ours, executor.process_tree, executor.interrupt.flag());
    let mut transcript = Transcript::default();
    let mut call = BuiltinRun {
        run,
        options: Options::new(builtin),
        environment: run.environment(None, &mut transcript.notices),
        home: run.home().map(Path::to_owned),
        sessions: &*executor.hook_state.sessions,
        state: executor.hook_state.state.as_ref(),
        transcript,
    };
    let mut output = (spec.run)(&mut call).map_or_else(|output| output, HookOutput::Reply);
    if let HookOutput::Reply(reply) = &mut output
        && hook.defaults.suppress_output
    {
        reply.effects.push(Effect::SuppressOutput);
    }
    call.transcript.took = run.started.elapsed();
    HookReport { output, transcript: call.transcript }
}

/// The context of a built-in.
pub(super) struct BuiltinRun<'a> {
    run: HookRun<'a>,
    pub(super) options: Options<'a>,
    /// The environment of its programs.
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) home: Option<PathBuf>,
    pub(super) sessions: &'a dyn SessionStore,
    pub(super) state: Option<&'a StateFolder>,
    pub(super) transcript: Transcript,
}

impl<'a> Deref for BuiltinRun<'a> {
    type Target = HookRun<'a>;

    fn deref(&self) -> &HookRun<'a> {
        &self.run
    }
}

impl<'a> BuiltinRun<'a> {
    /// A variable of its programs.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The `cwd` of the hook, else the first existing folder of the project and the agent.
    pub(super) fn folder(&self) -> Result<PathBuf, HookOutput> {
        if let Some(own) = self.hook.cwd.as_deref() {
            let own = self.base().join(home::expand(own, self.home.as_deref()));
            let gone = || missing(format!("its folder `{}` does not exist", own.display()));
            return if own.is_dir() { Ok(own.clone()) } else { Err(gone()) };
        }
        let folders = [self.event.project_root.as_deref(), self.event.cwd.as_deref()];
        let found = folders.into_iter().flatten().map(Path::new).find(|folder| folder.is_dir());
        found.map(Path::to_owned).ok_or_else(|| skipped("the event names no folder that exists"))
    }

    /// The start of the agent's relative paths.
    pub(super) fn base(&self) -> &'a Path {
        let event = self.event;
        Path::new(event.cwd.as_deref().or(event.project_root.as_deref()).unwrap_or_default())
    }

    /// Adds a notice to the record once.
    pub(super) fn add_notice(&mut self, text: String) {
        if !self.transcript.notices.contains(&text) {
            self.transcript.notices.push(text);
        }
    }

    /// A reply that injects a text; empty for a blank one.
    pub(super) fn inject(&self, content: String) -> HookReply {
        self.inject_at(content, self.hook.strategy, Repeat::Auto)
    }

    /// Injects a state that changes: a repeated report is shortened to a line.
    pub(super) fn report(&self, content: String, strategy: Strategy) -> HookReply {
        self.inject_at(content, strategy, Repeat::Line)
    }

    /// Injects a text that is repeated in full.
    pub(super) fn remind(&self, content: String, strategy: Strategy) -> HookReply {
        self.inject_at(content, strategy, Repeat::Always)
    }

    /// `repeat` counts if the hook file does not set it.
    fn inject_at(&self, content: String, strategy: Strategy, repeat: Repeat) -> HookReply {
        let mut reply = HookReply::default();
        if !content.trim().is_empty() {
            let mut injection = Injection { strategy, ..Injection::from_hook(self.hook, content) };
            if injection.repeat == Repeat::Auto {
                injection.repeat = repeat;
            }
            reply.effects.push(Effect::Inject(injection));
        }
        reply
    }
}

/// A reply with a message for the user.
pub(super) fn message(text: String, level: Level) -> HookReply {
    let effects = vec![Effect::Notify(Message { text, level })];
    HookReply { effects, ..HookReply::default() }
}

pub(super) fn skipped(why: &str) -> HookOutput {
    HookOutput::Skipped { why: why.to_owned() }
}

pub(super) fn no_reply() -> BuiltinResult {
    Ok(HookReply::default())
}
