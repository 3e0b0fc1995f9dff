//! One call of a Python function, from start to report.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tenter_contract::{
    Event, Handler, HookFailure, HookOutput, HookReport, HookSpec, Python, Transcript, Verdict,
};
use tenter_protocol::v1::event::EventV1;

use super::exchange::{Exchange, ExchangeEnd, OutputPipes, WorkerCall, WorkerProcess, exchange};
use super::interpret_answer::{self, Interpretation};
use super::request::Request;
use super::worker::{Worker, WorkerKey, sources};
use super::{PythonExecutor, interpreter};
use crate::command::interpret::{self, Interpreted};
use crate::command::per_path::shorten;
use crate::command::text;
use crate::hook_run::{HookRun, record, start_error};
use crate::known_secrets::KnownSecrets;
use crate::supervise::{Ended, FinishedProcess, Leftovers, TAG_VARIABLE};

/// How much of the function's output a notice shows.
const MOST_SHOWN: usize = 200;
/// A worker whose files have changed is replaced; a new one has read none yet.
const MOST_TRIES: usize = 3;

/// Calls the function of a hook.
pub(super) fn run(
    executor: &PythonExecutor,
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
) -> HookReport {
    let run = HookRun::new(hook, event, ours, executor.process_tree, executor.interrupt.flag());
    match PythonRun::prepare(executor, run) {
        Ok(call) => call.run(),
        Err(failure) => HookReport::new(HookOutput::Failure(failure)),
    }
}

struct PythonRun<'a> {
    executor: &'a PythonExecutor,
    run: HookRun<'a>,
    python: &'a Python,
    variables: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
    key: WorkerKey,
    stdin: Vec<u8>,
    notices: Vec<String>,
}

/// The end of a worker after a call. One that stays counts as exited with code 0.
#[derive(Clone, Copy)]
struct WorkerEnd {
    ended: Ended,
    leftovers: Leftovers,
}

impl<'a> PythonRun<'a> {
    fn prepare(executor: &'a PythonExecutor, run: HookRun<'a>) -> Result<Self, HookFailure> {
        let Handler::Python(python) = &run.hook.handler else {
            let detail = format!("`{}` is no Python function", run.hook.handler.kind());
            return Err(HookFailure::Missing { detail });
        };
        let mut notices = Vec::new();
        let variables = run.environment(None, &mut notices);
        let cwd = run.folder(&mut notices)?;
        let cwd = cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| "/".into());
        let folder = Path::new(&run.hook.source.folder);
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let interpreter = interpreter::find(python, &folder, &variables, run.home())?;
        let key = WorkerKey::new(run.hook, &interpreter, &folder, &variables);
        let stdin = EventV1::stdin(run.event);
        Ok(Self { executor, run, python, variables, cwd, key, stdin, notices })
    }

    fn run(mut self) -> HookReport {
        for _ in 0..MOST_TRIES {
            let asked = match self.ask_warm_worker() {
                Ok(None) => self.ask_event_worker(),
                asked => asked,
            };
            match asked {
                Ok(Some((exchange, end))) => return self.report(exchange, end),
                Ok(None) => {}
                Err(error) => {
                    let detail = start_error(self.key.interpreter.as_os_str(), &error);
                    return self.failed(HookFailure::Missing { detail });
                }
            }
        }
        let detail = "its files change faster than they can be read".to_owned();
        self.failed(HookFailure::Missing { detail })
    }

    /// Asks a worker of this event; `None` if its files have changed.
    fn ask_event_worker(&self) -> io::Result<Option<(Exchange, WorkerEnd)>> {
        let pipes = OutputPipes::new()?;
        let idle = self.executor.take_idle(&self.key);
        let is_new = idle.is_none();
        let start =
            || Worker::start(&self.key, &self.variables, self.run.tag(), &pipes, self.run.process_tree);
        let mut worker = idle.map_or_else(start, Ok)?;
        let (tag, link) = (worker.tag.clone(), worker.link.try_clone()?);
        let exchange = self.exchange(&link, &tag, is_new, pipes, &mut worker)?;
        drop(link);
        let (ended, leftovers) = match &exchange.end {
            ExchangeEnd::Answer(answer) if answer.stays && !self.key.detached => {
                self.executor.idle().push((self.key.clone(), worker));
                (Ended::Exited(0), Leftovers::default())
            }
            ExchangeEnd::Answer(_) | ExchangeEnd::Lost { .. } => worker.finish(),
            ExchangeEnd::TimedOut => (Ended::TimedOut, worker.stop().1),
        };
        Ok(unless_changed(exchange, WorkerEnd { ended, leftovers }))
    }

    /// Asks a warm worker, or starts one. `None` if there is none to ask.
    #[cfg(target_os = "linux")]
    fn ask_warm_worker(&mut self) -> io::Result<Option<(Exchange, WorkerEnd)>> {
        use super::warm_worker::{Lookup, SocketAddress};

        let Some(keep) = self.python.keep.filter(|_| !self.key.detached) else { return Ok(None) };
        let warm_workers = &self.executor.warm_workers;
        let (project, caller) = (self.run.event.project_root.as_deref(), self.executor.caller.as_ref());
        let address = SocketAddress::new(&self.key, project, self.run.ours, caller);
        let found = address.and_then(|address| Ok((warm_workers.find(&address)?, address)));
        let (found, address) = match found {
            Ok(found) => found,
            Err(refusal) => {
                self.notices.push(format!("its process was not kept: {refusal}"));
                return Ok(None);
            }
        };
        let tag = self.run.tag();
        let pipes = OutputPipes::new()?;
        let worker = match found {
            Lookup::Waiting(worker) => Some(worker),
            Lookup::Busy => None,
            Lookup::None => warm_workers.start(&address, &self.key, &self.variables, (&tag, keep), &pipes)?,
        };
        let Some(mut worker) = worker else { return Ok(None) };
        let (is_new, link) = (worker.is_new, worker.link.try_clone()?);
        let exchange = self.exchange(&link, &tag.value(), is_new, pipes, &mut worker)?;
        drop(link);
        let ended = match &exchange.end {
            ExchangeEnd::TimedOut => {
                worker.stop();
                Ended::TimedOut
            }
            ExchangeEnd::Answer(_) => {
                drop(worker);
                Ended::Exited(0)
            }
            ExchangeEnd::Lost { .. } => {
                drop(worker);
                Ended::Unknown
            }
        };
        match unless_changed(exchange, WorkerEnd { ended, leftovers: Leftovers::default() }) {
            Some(answer) => Ok(Some(answer)),
            // The next one is new: the old one has removed its socket.
            None => self.ask_warm_worker(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn ask_warm_worker(&mut self) -> io::Result<Option<(Exchange, WorkerEnd)>> {
        if self.python.keep.is_some() {
            self.notices.push("its process was not kept: that works on Linux alone".to_owned());
        }
        Ok(None)
    }

    fn exchange(
        &self,
        link: &std::os::unix::net::UnixStream,
        tag: &str,
        is_new: bool,
        pipes: OutputPipes,
        worker: &mut dyn WorkerProcess,
    ) -> io::Result<Exchange> {
        let mut variables = self.variables.clone();
        variables.insert(TAG_VARIABLE.into(), tag.into());
        let request = Request {
            function: &self.python.function,
            folder: &self.key.folder,
            cwd: &self.cwd,
            variables: &variables,
            left: self.run.deadline.saturating_duration_since(Instant::now()),
            detached: self.key.detached,
            from_source: self.key.reads_source_only(),
            event: &self.stdin,
        };
        let request = request
            .to_bytes()
            .ok_or_else(|| io::Error::other("the event is too large, or a path has a NUL byte"))?;
        let sources = if is_new { sources() } else { Vec::new() };
        let call = WorkerCall {
            sources: &sources,
            request: &request,
            max_answer: self.run.hook.max_output,
            deadline: self.run.deadline,
            stop: self.run.stop,
        };
        Ok(exchange(link, &call, pipes, worker))
    }

    /// The command, as a person would read it.
    fn shown(&self) -> String {
        format!("{}: {}", self.key.interpreter.display(), self.python.function)
    }

    fn failed(self, failure: HookFailure) -> HookReport {
        let transcript =
            Transcript { command: Some(self.shown()), notices: self.notices, ..Transcript::default() };
        HookReport { output: HookOutput::Failure(failure), transcript }
    }

    fn report(self, exchange: Exchange, worker: WorkerEnd) -> HookReport {
        let HookRun { hook, event, .. } = self.run;
        let stop = interpret::find_stop_in_text(&exchange.stdout.rest, &event.kind).map(redact_stop);
        // The function's stdout is shown as if it were stderr.
        let (printed, printed_cut) = exchange.stdout_tail.into_bytes();
        let (stderr_tail, stderr_cut) = exchange.stderr_tail.into_bytes();
        let printed = KnownSecrets::default().redact_tail(printed, printed_cut);
        let finished = FinishedProcess {
            ended: worker.ended,
            stderr_tail: KnownSecrets::default().redact_tail(stderr_tail, stderr_cut),
            stderr_cut: printed_cut + stderr_cut,
            leftovers: worker.leftovers,
            took: self.run.started.elapsed(),
            ..FinishedProcess::exited(0)
        };
        let Interpretation { output, finished, notices } = match exchange.end {
            ExchangeEnd::Answer(answer) => {
                let ended = worker.leftovers.ended + answer.ended;
                let leftovers = Leftovers { ended, ..worker.leftovers };
                let finished = FinishedProcess { stdout: printed.clone(), leftovers, ..finished };
                interpret_answer::interpret(answer, stop, finished, hook, &event.kind)
            }
            ExchangeEnd::TimedOut => {
                interpret_answer::stop_or_failure(self.run.timeout_failure(), stop, finished)
            }
            ExchangeEnd::Lost { greeted } => {
                let failure = lost_worker(greeted, &finished, &self.shown());
                interpret_answer::stop_or_failure(failure, stop, finished)
            }
        };
        let command = Some(self.shown());
        let mut transcript =
            Transcript { command, sent: self.stdin, notices: self.notices, ..Transcript::default() };
        transcript.notices.extend(notices);
        transcript.notices.extend(printed_notice(&printed, printed_cut));
        record(&finished, &mut transcript);
        transcript.stderr.insert_str(0, &text::lossy(&printed));
        shorten(&mut transcript);
        HookReport { output, transcript }
    }
}

/// Redacts the text of a printed deny or question.
fn redact_stop(mut stop: Interpreted) -> Interpreted {
    let redact = |text: &mut String| {
        let redacted = KnownSecrets::default().redact_tail(std::mem::take(text).into_bytes(), 0);
        *text = text::lossy(&redacted);
    };
    if let HookOutput::Reply(reply) = &mut stop.output {
        match &mut reply.verdict {
            Verdict::Deny { reason } => redact(reason),
            Verdict::Ask(prompt) => redact(&mut prompt.prompt),
            Verdict::Allow { .. } | Verdict::Abstain => {}
        }
    }
    stop
}

/// A notice with the beginning of the function's output: it is no context, and people search for it.
fn printed_notice(printed: &[u8], cut: u64) -> Option<String> {
    let text = text::clean(&text::lossy(printed));
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let bytes = printed.len() as u64 + cut;
    let end = line.floor_char_boundary(MOST_SHOWN);
    let more = if end < line.len() { "…" } else { "" };
    (!line.is_empty()).then(|| format!("it printed {bytes} bytes: {}{more}", &line[..end]))
}

/// `None` if the worker reports that its files have changed.
fn unless_changed(exchange: Exchange, end: WorkerEnd) -> Option<(Exchange, WorkerEnd)> {
    let changed = matches!(&exchange.end, ExchangeEnd::Answer(answer) if answer.kind == b's');
    (!changed).then_some((exchange, end))
}

/// The failure of a worker that ended without an answer.
fn lost_worker(greeted: bool, finished: &FinishedProcess, shown: &str) -> HookFailure {
    if !greeted {
        let stderr = text::clean(&text::lossy(&finished.stderr_tail));
        let why = stderr.trim().lines().next_back().unwrap_or("it ended at once").to_owned();
        return HookFailure::Missing { detail: format!("`{shown}` did not start: {why}") };
    }
    let signal = if let Ended::Signalled(signal) = finished.ended { Some(signal) } else { None };
    HookFailure::Crashed { exit_code: finished.ended.code(), signal }
}
