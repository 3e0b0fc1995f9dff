//! One call of a Python function, from start to report.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenter_contract::{Event, Handler, HookFailure, HookReport, HookSpec, Python, Said, Transcript, Verdict};
use tenter_protocol::v1::event::EventV1;

use super::exchange::{Came, Heard, Prints, Question, exchange};
use super::request::Request;
use super::worker::{Kind, Worker, sources};
use super::{PythonExecutor, interpreter, said};
use crate::command::call::{left_behind, not_kept, not_started};
use crate::command::fold::shorten;
use crate::command::interpret::{self, Interpreted};
use crate::command::{environment, folder, home, text};
use crate::complaints::KnownSecrets;
use crate::stopping::is_asked;
use crate::supervise::{Ended, Finished, Swept, TAG_VARIABLE, Tag};

/// This much of what a function prints stands in the record.
const MOST_SHOWN: usize = 200;

/// A worker whose files have changed is replaced; one that is new has read none yet.
const MOST_TRIES: usize = 3;

/// Calls the function of a hook.
pub(super) fn run(
    executor: &PythonExecutor,
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
) -> HookReport {
    match Call::prepare(executor, hook, event, ours) {
        Ok(call) => call.run(),
        Err(failure) => HookReport::of(Said::Failure(failure)),
    }
}

/// What is known before anybody is asked.
struct Call<'a> {
    executor: &'a PythonExecutor,
    hook: &'a HookSpec,
    event: &'a Event,
    python: &'a Python,
    ours: &'a [(OsString, OsString)],
    variables: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
    kind: Kind,
    stdin: Vec<u8>,
    started: Instant,
    deadline: Instant,
    notices: Vec<String>,
}

/// How a worker went away.
#[derive(Clone, Copy)]
struct Gone {
    ended: Ended,
    swept: Swept,
}

impl<'a> Call<'a> {
    fn prepare(
        executor: &'a PythonExecutor,
        hook: &'a HookSpec,
        event: &'a Event,
        ours: &'a [(OsString, OsString)],
    ) -> Result<Self, HookFailure> {
        let Handler::Python(python) = &hook.handler else {
            let detail = format!("`{}` is no Python function", hook.handler.kind());
            return Err(HookFailure::Missing { detail });
        };
        let started = Instant::now();
        let mut notices = Vec::new();
        let home = home::of(ours);
        let variables = environment::of(hook, event, None, ours, &mut notices);
        let cwd = folder::choose(hook, event, home, &mut notices)?;
        let cwd = cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| "/".into());
        let folder = Path::new(&hook.source.folder);
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let interpreter = interpreter::find(python, &folder, &variables, home)?;
        let kind = Kind::of(hook, &interpreter, &folder, &variables);
        let deadline = crate::deadline_of(hook);
        let stdin = EventV1::stdin(event);
        Ok(Self {
            executor,
            hook,
            event,
            python,
            ours,
            variables,
            cwd,
            kind,
            stdin,
            started,
            deadline,
            notices,
        })
    }

    fn run(mut self) -> HookReport {
        for _ in 0..MOST_TRIES {
            let asked = match self.ask_kept() {
                Ok(None) => self.ask_own(),
                Ok(Some(heard)) => Ok(Some(heard)),
                Err(error) => Err(error),
            };
            match asked {
                Ok(Some((heard, gone))) => return self.report(heard, gone),
                Ok(None) => {}
                Err(error) => {
                    let detail = not_started(self.kind.interpreter.as_os_str(), &error);
                    return self.failed(HookFailure::Missing { detail });
                }
            }
        }
        let detail = "its files change faster than they can be read".to_owned();
        self.failed(HookFailure::Missing { detail })
    }

    /// Asks a worker of this event; `None` if it was one whose files have changed.
    fn ask_own(&self) -> io::Result<Option<(Heard, Gone)>> {
        let prints = Prints::new()?;
        let (mut worker, before) = if let Some(worker) = self.executor.take_idle(&self.kind) {
            (worker, Vec::new())
        } else {
            let household = self.executor.household;
            (Worker::start(&self.kind, &self.variables, self.tag(), &prints, household)?, sources())
        };
        let request = self.request(&worker.mark)?;
        let link = worker.link.try_clone()?;
        let heard = exchange(&link, &self.question(&before, &request), prints, &mut worker);
        drop(link);
        let (ended, swept) = match &heard.came {
            Came::Answer(answer) if answer.stays && !self.kind.detached => {
                self.executor.idle().push((self.kind.clone(), worker));
                (Ended::Exited(0), Swept::default())
            }
            Came::Answer(_) | Came::Lost { .. } => worker.part(),
            Came::Late => (Ended::TimedOut, worker.stop().1),
        };
        Ok(unless_changed(heard, Gone { ended, swept }))
    }

    /// Asks a worker that was kept, or one that will be. `None` if there is none to be asked.
    #[cfg(target_os = "linux")]
    fn ask_kept(&mut self) -> io::Result<Option<(Heard, Gone)>> {
        use super::keeper::{Address, Found};

        let Some(keep) = self.python.keep.filter(|_| !self.kind.detached) else { return Ok(None) };
        let keepers = &self.executor.keepers;
        let (project, caller) = (self.event.project_root.as_deref(), self.executor.caller.as_ref());
        let address = Address::of(&self.kind, project, self.ours, caller);
        let found = address.and_then(|address| Ok((keepers.find(&address)?, address)));
        let (found, address) = match found {
            Ok(found) => found,
            Err(refusal) => {
                self.notices.push(format!("its process was not kept: {refusal}"));
                return Ok(None);
            }
        };
        let tag = self.tag();
        let prints = Prints::new()?;
        let kept = match found {
            Found::Waiting(kept) => Some(kept),
            Found::Busy => None,
            Found::Nobody => keepers.start(&address, &self.kind, &self.variables, (&tag, keep), &prints)?,
        };
        let Some(mut kept) = kept else { return Ok(None) };
        let before = if kept.is_new { sources() } else { Vec::new() };
        let request = self.request(&tag.value())?;
        let link = kept.link.try_clone()?;
        let heard = exchange(&link, &self.question(&before, &request), prints, &mut kept);
        drop(link);
        let ended = match &heard.came {
            Came::Late => {
                kept.stop();
                Ended::TimedOut
            }
            Came::Answer(_) => {
                drop(kept);
                Ended::Exited(0)
            }
            Came::Lost { .. } => {
                drop(kept);
                Ended::Unknown
            }
        };
        match unless_changed(heard, Gone { ended, swept: Swept::default() }) {
            Some(heard) => Ok(Some(heard)),
            // The next one is new: the one that was asked has taken its name back.
            None => self.ask_kept(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn ask_kept(&mut self) -> io::Result<Option<(Heard, Gone)>> {
        if self.python.keep.is_some() {
            self.notices.push("its process was not kept: that works on Linux alone".to_owned());
        }
        Ok(None)
    }

    fn tag(&self) -> Tag {
        let outer = self.ours.iter().find(|(name, _)| name == TAG_VARIABLE);
        Tag::below(outer.map(|(_, value)| value.as_os_str()))
    }

    fn request(&self, mark: &str) -> io::Result<Vec<u8>> {
        let mut variables = self.variables.clone();
        variables.insert(TAG_VARIABLE.into(), mark.into());
        let request = Request {
            function: &self.python.function,
            folder: &self.kind.folder,
            cwd: &self.cwd,
            variables: &variables,
            left: self.left(),
            detached: self.kind.detached,
            from_source: self.kind.counts_source_alone(),
            event: &self.stdin,
        };
        request.to_bytes().ok_or_else(|| io::Error::other("the event is too large, or a path has a NUL byte"))
    }

    fn question<'q>(&'q self, before: &'q [u8], request: &'q [u8]) -> Question<'q> {
        let stop = self.executor.stopping.flag();
        Question { before, request, most: self.hook.max_output, deadline: self.deadline, stop }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The command, as a person would read it.
    fn shown(&self) -> String {
        format!("{}: {}", self.kind.interpreter.display(), self.python.function)
    }

    fn failed(self, failure: HookFailure) -> HookReport {
        let transcript =
            Transcript { command: Some(self.shown()), notices: self.notices, ..Transcript::default() };
        HookReport { said: Said::Failure(failure), transcript }
    }

    fn report(self, heard: Heard, gone: Gone) -> HookReport {
        let shown = self.shown();
        let Heard { came, printed, all_printed, complained } = heard;
        let stop = interpret::stop_in_error(&all_printed.rest, &self.event.kind).map(hide_secrets);
        // What a function prints is shown as if it had complained.
        let (printed, printed_cut) = printed.into_bytes();
        let (stderr_tail, complained_cut) = complained.into_bytes();
        let printed = KnownSecrets::default().hide_in(printed, printed_cut);
        let stderr_tail = KnownSecrets::default().hide_in(stderr_tail, complained_cut);
        let finished = Finished {
            ended: gone.ended,
            stdout: printed.clone(),
            stdout_cut: 0,
            stdout_rest: Vec::new(),
            stderr_tail,
            stderr_cut: printed_cut + complained_cut,
            swept: gone.swept,
            took: self.started.elapsed(),
        };
        let (said, finished, more) = match came {
            Came::Answer(answer) => {
                let swept = Swept { ended: gone.swept.ended + answer.ended, ..gone.swept };
                said::of(answer, stop, Finished { swept, ..finished }, self.hook, &self.event.kind)
            }
            Came::Late => {
                let failure = if is_asked(self.executor.stopping.flag()) {
                    HookFailure::stopped()
                } else {
                    HookFailure::TimedOut { after: self.hook.timeout }
                };
                said::unless_stopped(failure, stop, Finished { stdout: Vec::new(), ..finished })
            }
            Came::Lost { greeted } => {
                let failure = lost(greeted, &finished, &shown);
                said::unless_stopped(failure, stop, Finished { stdout: Vec::new(), ..finished })
            }
        };
        let mut notices = self.notices;
        notices.extend(more);
        notices.extend(printed_notice(&printed, printed_cut));
        notices.extend(not_kept(&finished));
        notices.extend(left_behind(&finished));
        let mut transcript = Transcript {
            took: finished.took,
            command: Some(shown),
            sent: self.stdin,
            exit_code: match finished.ended {
                Ended::Exited(code) => Some(code),
                Ended::Signalled(_) | Ended::TimedOut | Ended::GoesOn | Ended::Unknown => None,
            },
            stdout: text::lossy(&finished.stdout),
            stderr: text::lossy(&printed) + &text::lossy(&finished.stderr_tail),
            cut: finished.stdout_cut,
            notices,
            ..Transcript::default()
        };
        shorten(&mut transcript);
        HookReport { said, transcript }
    }
}

/// Takes secrets out of the words of a deny or a question that was printed.
fn hide_secrets(mut stop: Interpreted) -> Interpreted {
    let hide = |words: &mut String| {
        let hidden = KnownSecrets::default().hide_in(std::mem::take(words).into_bytes(), 0);
        *words = text::lossy(&hidden);
    };
    if let Said::Reply(reply) = &mut stop.said {
        match &mut reply.verdict {
            Verdict::Deny { reason } => hide(reason),
            Verdict::Ask(query) => hide(&mut query.prompt),
            Verdict::Allow { .. } | Verdict::Abstain => {}
        }
    }
    stop
}

/// That a function printed, and the beginning of it: prints are no context, and people look for them.
fn printed_notice(printed: &[u8], cut: u64) -> Option<String> {
    let text = text::clean(&text::lossy(printed));
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let bytes = printed.len() as u64 + cut;
    let end = line.floor_char_boundary(MOST_SHOWN);
    let more = if end < line.len() { "…" } else { "" };
    (!line.is_empty()).then(|| format!("it printed {bytes} bytes: {}{more}", &line[..end]))
}

/// Nothing, if the worker has said that its files are not what they were.
fn unless_changed(heard: Heard, gone: Gone) -> Option<(Heard, Gone)> {
    let changed = matches!(&heard.came, Came::Answer(answer) if answer.kind == b's');
    (!changed).then_some((heard, gone))
}

/// Why a worker that went away without an answer did so.
fn lost(greeted: bool, finished: &Finished, shown: &str) -> HookFailure {
    if !greeted {
        let complaint = text::clean(&text::lossy(&finished.stderr_tail));
        let why = complaint.trim().lines().next_back().unwrap_or("it ended at once").to_owned();
        return HookFailure::Missing { detail: format!("`{shown}` did not start: {why}") };
    }
    match finished.ended {
        Ended::Exited(code) => HookFailure::Crashed { exit_code: Some(code), signal: None },
        Ended::Signalled(signal) => HookFailure::Crashed { exit_code: None, signal: Some(signal) },
        Ended::TimedOut | Ended::GoesOn | Ended::Unknown => {
            HookFailure::Crashed { exit_code: None, signal: None }
        }
    }
}
