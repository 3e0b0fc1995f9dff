//! The tools of the agent, one file each.
//!
//! ```text
//! read, write, edit   files               opens, checks and replaces a file
//!                     line_range, text_matches, change
//! bash                shell, bounded_text  one process tree, and how much of its output the model reads
//! background_tools    background           commands that run while the agent continues
//! glob, grep          walk, file_glob, text_pattern
//! todo_write
//! call_paths, auto_run                     the paths of a call, for approvals
//! toolbox, mcp                             the tools of all agents of a program, and those of MCP servers
//! ```
//!
//! `builtin_tool` is a tool as data, `params` its parameters, `tool_output` its result, and `workspace` its place and
//! memory. Names and keys are those of Claude Code, because hooks see them: a guard of `Write` and its `file_path` also
//! guards this agent. A tool never panics and never asks the user: every failure is a result with the next step for the
//! model. Tools do not check permissions; hooks run before them.

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
mod background_tools;
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

use builtin_tool::BuiltinTool;
pub(crate) use call_paths::call_paths;
use params::{Param, ParamType, ToolInput};
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

    /// The error of an invalid input, so that no approval is requested for it.
    fn check_input(&self, _input: &Map<String, Value>) -> Option<String> {
        None
    }

    /// Whether it needs no approval, because it changes only notes of the agent.
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
        Box::new(background_tools::BASH_OUTPUT),
        Box::new(background_tools::KILL_SHELL),
        Box::new(glob::GLOB),
        Box::new(grep::GREP),
        Box::new(todo_write::TASKS),
    ]
}
