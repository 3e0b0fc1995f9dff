//! The life of a keeper.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tenter_contract::ports::Errand;
use tenter_contract::{HookFailure, Outcome};
use tenter_executors::{Caller, end_children};
use tenter_runtime::Runtime;
use tenter_runtime::background::Audience;

use super::ARGUMENT;
use super::order::Order;
use crate::assemble::Host;
use crate::places::Places;
use crate::signals;
use crate::trust::project;

/// What ending a hook may take beyond its time, and then some: executors keep to it, this is for the day one does not.
const RESERVE: Duration = Duration::from_secs(10);

/// What a keeper hears of.
enum News {
    /// The hooks are through.
    Done(Box<Outcome>),
    /// The agent is gone.
    AgentGone,
}

/// Does what the order on stdin says, with the executors of this program, and ends.
pub fn keep(assemble: fn(&Places, Option<&Path>, Option<Caller>) -> Host) -> u8 {
    let read = if io::stdin().is_terminal() { None } else { handed_over() };
    let Some(Order { errand, caller }) = read else {
        let _ = writeln!(
            io::stderr(),
            "error: `{ARGUMENT}` is how tenter calls itself for hooks in the background\nhint: write `background: true` in a hook file"
        );
        return 1;
    };
    let project = errand.event.project_root.clone().map(PathBuf::from).or_else(project::here);
    let host = assemble(&Places::from_environment(None), project.as_deref(), caller.clone());
    let last_words = host.runtime.leave_last_words(&errand);
    // From here on whoever started us may go. Standard output stays open as long as we are there, which is
    // how those know who wait for the end.
    let mut stdout = io::stdout();
    let _ = stdout.write_all(b"!").and_then(|()| stdout.flush());
    see_to(errand, caller, host.runtime);
    if let Some(last_words) = last_words {
        last_words.withdraw();
    }
    0
}

fn handed_over() -> Option<Order> {
    signals::leave_the_agent();
    // Started by way of `/proc`, it would be called `exe` in a list of processes.
    let _ = fs::write("/proc/self/comm", "tenter-keeper");
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).ok()?;
    Order::from_bytes(&bytes)
}

/// Runs the hooks and leaves what they say, unless time or agent end before.
fn see_to(errand: Errand, caller: Option<Caller>, runtime: Runtime) {
    let (errand, runtime) = (Arc::new(errand), Arc::new(runtime));
    let (tell, news) = mpsc::channel();
    let (hooks, asked, done) = (Arc::clone(&runtime), Arc::clone(&errand), tell.clone());
    thread::spawn(move || done.send(News::Done(Box::new(hooks.run_errand(&asked)))));
    let watched = caller.filter(|_| !errand.outlives_agent());
    if let Some(agent) = watched {
        thread::spawn(move || {
            agent.wait();
            tell.send(News::AgentGone)
        });
    }
    let longest = errand.hooks().iter().map(|hook| hook.timeout.saturating_add(RESERVE));
    let longest = longest.fold(RESERVE, Duration::saturating_add);
    let audience = if errand.outlives_agent() { Audience::Nobody } else { Audience::NextEvent };
    let (outcome, audience) = match news.recv_timeout(longest) {
        Ok(News::Done(outcome)) => (*outcome, audience),
        Ok(News::AgentGone) => {
            end_children();
            let detail = "it was ended, because the agent is gone".to_owned();
            (Runtime::cut_short(&errand, &HookFailure::Failed { detail }), Audience::Nobody)
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            end_children();
            (Runtime::cut_short(&errand, &HookFailure::TimedOut { after: longest }), audience)
        }
    };
    runtime.settle_errand(&errand, &outcome, audience);
    // Threads that still wait for something end with the process.
}
