//! The tools of our own agent: what its model may call, one file each.
//!
//! ```text
//! read, write, edit   files    what a path leads to, and how it is replaced
//!                     lines, passage, change    which lines; which place; what people see of it
//! bash                shell, caught             one process and all it starts; how much of its words is input
//! bash_output, kill_shell   background          commands that run while the agent goes on
//! glob, grep          walk, wanted_names, matching
//! todo_write
//! reach, auto_run     where a call leads, and what runs by itself there, for whoever asks before it runs
//! toolbox             the tools of all agents of a program; those of servers come later
//! mcp                 tools of servers, by the client of `executors`
//!
//! All of ours: own (a tool as data), keys (what is read of an input), output (what comes of it), workplace (where, and
//! what is remembered).
//! ```
//!
//! Names and keys are Claude Code's, because hooks see them: a guard of `Write` and its `file_path` guards this
//! agent like any other. A tool never panics and never asks anybody: whatever goes wrong is a result that says what
//! the model can do next. Who may touch which file is no concern of a tool; hooks are asked before it runs.

mod tool_output;
mod workspace;
mod params;
mod builtin_tool;
mod files;
mod line_range;
mod text_matches;
mod change;
mod read;
mod write;
mod edit;
mod bounded_text;
mod shell;
mod background;
mod bash;
mod bash_output;
mod kill_shell;
mod walk;
mod file_glob;
mod glob;
mod text_pattern;
mod grep;
pub(crate) mod todo_write;
mod call_paths;
mod auto_run;
mod toolbox;
pub mod mcp;

use serde_json::{Map, Value};
use tenter_contract::ToolKind;
use tenter_models::client::ToolUse;

pub(crate) use call_paths::call_paths;
pub use tool_output::{Change, Todo, TodoState, ToolDisplay, ToolOutput};
pub use toolbox::Toolbox;
pub use workspace::Workspace;

/// A tool of the agent. `tests/tools/conformance.rs` checks every implementation: the schema is an object and names
/// every key that is read; every input gives a result, and an invalid one is not run; `run` ends soon after `stop`
/// returns true and leaves no process behind.
pub trait Tool: Send + Sync {
    /// The name for hooks and the model: `Bash`, `mcp__docs__search`.
    fn name(&self) -> &str;

    /// The kind, for matchers.
    fn kind(&self) -> ToolKind;

    /// The description for the model.
    fn description(&self) -> &str;

    /// The JSON schema of its input.
    fn schema(&self) -> Value;

    /// Whether no other tool may run at the same time, because it changes their data.
    fn alone(&self) -> bool;

    /// The error of an input that can never run, so that no approval is asked for.
    fn check_input(&self, _input: &Map<String, Value>) -> Option<String> {
        None
    }

    /// Whether it needs no question, because it reaches nothing of the user's but notes of the agent.
    fn is_harmless(&self) -> bool {
        false
    }

    /// Runs a call. Only a tool that needs its caller overrides it.
    fn run_call(
        &self,
        call: &ToolUse,
        _by: &Caller<'_>,
        at: &Workspace,
        stop: &dyn Fn() -> bool,
    ) -> ToolOutput {
        self.run(&call.input, at, stop)
    }

    /// Runs with an input. `stop` is polled.
    fn run(&self, input: &Map<String, Value>, at: &Workspace, stop: &dyn Fn() -> bool) -> ToolOutput;
}

/// The caller of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The session.
    pub session: &'a str,
    /// The sub-agent, if it is one.
    pub agent_id: Option<&'a str>,
}

/// The built-in tools. [`mcp::connect`] adds those of MCP servers.
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
