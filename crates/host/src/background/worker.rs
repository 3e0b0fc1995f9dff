//! The worker process: from the request on stdin to the end of its hooks.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tenter_contract::ports::BackgroundJob;
use tenter_contract::{HookFailure, Outcome};
use tenter_executors::{Caller, end_children};
use tenter_runtime::Runtime;
use tenter_runtime::runner::background::Recipient;

use super::ARGUMENT;
use super::request::JobRequest;
use crate::assemble::Host;
use crate::places::Places;
use crate::signals;
use crate::trust::project;

/// More than ending a hook takes beyond its time. Executors keep to that; this limits one that does not.
const RESERVE: Duration = Duration::from_secs(10);

enum WorkerEvent {
    HooksDone(Box<Outcome>),
    AgentExited,
}

/// Runs the job on stdin with the executors of this program. Returns the exit code.
pub fn run_worker(assemble: fn(&Places, Option<&Path>, Option<Caller>) -> Host) -> u8 {
    let request = if io::stdin().is_terminal() { None } else { read_request() };
    let Some(JobRequest { job, caller }) = request else {
        let _ = writeln!(
            io::stderr(),
            "error: `{ARGUMENT}` is internal: tenter calls itself with it to run background hooks\nhint: write `background: true` in a hook file"
        );
        return 1;
    };
    let project = job.event.project_root.clone().map(PathBuf::from).or_else(project::here);
    let host = assemble(&Places::from_environment(None), project.as_deref(), caller.clone());
    let last_words = host.runtime.keep_crash_notice(&job);
    // From here on the process that started us may end. Standard output stays open until we end, which is what a
    // waiting process observes.
    let mut stdout = io::stdout();
    let _ = stdout.write_all(b"!").and_then(|()| stdout.flush());
    run_job(job, caller, host.runtime);
    if let Some(last_words) = last_words {
        last_words.withdraw();
    }
    0
}

fn read_request() -> Option<JobRequest> {
    signals::detach_from_agent();
    // Started by way of `/proc`, it would be called `exe` in a list of processes.
    let _ = fs::write("/proc/self/comm", "tenter-worker");
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).ok()?;
    JobRequest::from_bytes(&bytes)
}

/// Runs the hooks and defers their texts, unless the time or the agent ends before.
fn run_job(job: BackgroundJob, caller: Option<Caller>, runtime: Runtime) {
    let (job, runtime) = (Arc::new(job), Arc::new(runtime));
    let (sender, events) = mpsc::channel();
    let (runner, pending, done) = (Arc::clone(&runtime), Arc::clone(&job), sender.clone());
    thread::spawn(move || done.send(WorkerEvent::HooksDone(Box::new(runner.run_job(&pending)))));
    let watched = caller.filter(|_| !job.outlives_agent());
    if let Some(agent) = watched {
        thread::spawn(move || {
            agent.wait();
            sender.send(WorkerEvent::AgentExited)
        });
    }
    let longest = job.hooks().iter().map(|hook| hook.timeout.saturating_add(RESERVE));
    let longest = longest.fold(RESERVE, Duration::saturating_add);
    let recipient = if job.outlives_agent() { Recipient::TrailOnly } else { Recipient::NextEvent };
    let (outcome, recipient) = match events.recv_timeout(longest) {
        Ok(WorkerEvent::HooksDone(outcome)) => (*outcome, recipient),
        Ok(WorkerEvent::AgentExited) => {
            end_children();
            let detail = "it was ended, because the agent is gone".to_owned();
            (Runtime::fail_job(&job, &HookFailure::Failed { detail }), Recipient::TrailOnly)
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            end_children();
            (Runtime::fail_job(&job, &HookFailure::TimedOut { after: longest }), recipient)
        }
    };
    runtime.finish_job(&job, &outcome, recipient);
    // Threads that still wait for something end with the process.
}
