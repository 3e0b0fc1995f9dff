//! `KillShell`: ends a command in the background.

use tenter_contract::ToolKind;

use super::bash;
use super::bounded_text::BoundedText;
use super::builtin_tool::BuiltinTool;
use super::params::{Param, ParamType, ToolInput};
use super::shell::ShellEnd;
use super::tool_output::{ToolDisplay, ToolOutput};
use super::workspace::{Workspace, lock};

const PARAMS: &[Param] = &[Param::required(
    "shell_id",
    ParamType::Name,
    "The command, by the name that `Bash` gave it: `shell_1`.",
)];

/// The tool ends only processes of the agent, so it needs no approval and does not run alone.
pub(super) const KILL_SHELL: BuiltinTool = BuiltinTool {
    name: "KillShell",
    kind: ToolKind::Other,
    description: "Ends a background command and every process it started, and returns its new output.",
    params: PARAMS,
    alone: false,
    run: end,
};

fn end(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let id = input.required("shell_id");
    let news = lock(&at.background).end(id)?;
    let state = match news.end {
        Some(ShellEnd::ByItself(_)) => format!("`{id}` had ended before."),
        _ => format!("`{id}` is ended, with everything it had started."),
    };
    let bounded = |name, text: &str| BoundedText::whole(name, &at.spills, text);
    let output = bash::joined(
        &bounded("stdout", &news.stdout),
        &bounded("stderr", &news.stderr),
        std::slice::from_ref(&state),
    );
    Ok(ToolOutput::done(output, ToolDisplay::Line(state)))
}
