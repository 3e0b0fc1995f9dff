//! The tools of our own agent: what its model may call, one file each.
//!
//! ```text
//! read, write, edit   files    what a path leads to, and how it is replaced
//!                     lines, passage, change    which lines; which place; what people see of it
//! bash                shell, caught             one process and all it starts; how much of its words is given
//! bash_output, kill_shell   background          commands that run while the agent goes on
//! glob, grep          walk, wanted_names, matching
//! todo_write
//! reach, auto_run     where a call leads, and what runs by itself there, for whoever asks before it runs
//! toolbox             the tools of all agents of a program; those of servers come later
//! mcp                 tools of servers, by the client of `executors`
//!
//! All of ours: own (a tool as data), keys (what is read of an input), ran (what comes of it), workplace (where, and
//! what is remembered).
//! ```
//!
//! Names and keys are Claude Code's, because hooks see them: a guard of `Write` and its `file_path` guards this
//! agent like any other. A tool never panics and never asks anybody: whatever goes wrong is a result that says what
//! the model can do next. Who may touch which file is no concern of a tool; hooks are asked before it runs.

mod ran;
mod workplace;
mod keys;
mod own;
mod files;
mod lines;
mod passage;
mod change;
mod read;
mod write;
mod edit;
mod caught;
mod shell;
mod background;
mod bash;
mod bash_output;
mod kill_shell;
mod walk;
mod wanted_names;
mod glob;
mod matching;
mod grep;
pub(crate) mod todo_write;
mod reach;
mod auto_run;
mod toolbox;
pub mod mcp;

use serde_json::{Map, Value};
use tenter_contract::ToolKind;
use tenter_models::talk::Call;

pub use ran::{Change, Ran, Shown, Todo, TodoState};
pub(crate) use reach::reached;
pub use toolbox::Toolbox;
pub use workplace::Workplace;

/// Something the model may call.
///
/// Duties of an implementation, which `tests/tools/conformance.rs` looks at: the schema is an object and names every key
/// that is read; an input of any shape gives a result, and one that has an objection is not run; `run` ends soon after `stop` says so and leaves no process
/// behind.
pub trait Tool: Send + Sync {
    /// What hooks and the model call it: `Bash`, `mcp__docs__search`.
    fn name(&self) -> &str;

    /// What it does, for matchers.
    fn kind(&self) -> ToolKind;

    /// What the model is told about it.
    fn description(&self) -> &str;

    /// The JSON schema of its input.
    fn schema(&self) -> Value;

    /// Whether nothing else may run beside it, because it changes what others look at.
    fn alone(&self) -> bool;

    /// What is wrong with an input that can never be run, so that nobody is asked about it.
    fn objection(&self, _input: &Map<String, Value>) -> Option<String> {
        None
    }

    /// Whether it needs no question, because it reaches nothing of the user's but notes of the agent.
    fn is_harmless(&self) -> bool {
        false
    }

    /// Does what a call says. Only a tool that needs to know who calls does more than [`Tool::run`].
    fn run_call(&self, call: &Call, _by: &Caller<'_>, at: &Workplace, stop: &dyn Fn() -> bool) -> Ran {
        self.run(&call.input, at, stop)
    }

    /// Does it. `stop` says whether somebody wants it to end, and is asked every now and then.
    fn run(&self, input: &Map<String, Value>, at: &Workplace, stop: &dyn Fn() -> bool) -> Ran;
}

/// Who calls a tool.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The session.
    pub session: &'a str,
    /// The sub-agent, if it is one.
    pub agent_id: Option<&'a str>,
}

/// Every tool of ours. Those of MCP servers come beside them, from [`mcp::connect`].
pub fn own() -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(read::READ),
        Box::new(write::WRITE),
        Box::new(edit::EDIT),
        Box::new(bash::BASH),
        Box::new(bash_output::BASH_OUTPUT),
        Box::new(kill_shell::KILL_SHELL),
        Box::new(glob::GLOB),
        Box::new(grep::GREP),
        Box::new(todo_write::TASKS),
    ]
}
