//! `BashOutput` and `KillShell`: the new output and the end of background commands.

use regex::Regex;
use tenter_contract::ToolKind;

use super::background::ShellOutput;
use super::bash::{describe_end, join_output};
use super::bounded_text::BoundedText;
use super::shell::ShellEnd;
use super::workspace::lock;
use super::{BuiltinTool, Param, ParamType, ToolDisplay, ToolInput, ToolOutput, Workspace};

const ID: &str = "The id that `Bash` returned: `shell_1`.";

pub(super) const BASH_OUTPUT: BuiltinTool = BuiltinTool {
    name: "BashOutput",
    kind: ToolKind::Other,
    description: "Returns the new output of a background command, and whether it has ended.",
    params: &[
        Param::required("bash_id", ParamType::Name, ID),
        Param::optional(
            "filter",
            ParamType::Name,
            "A regular expression: only matching lines are returned; the others are discarded.",
        ),
    ],
    alone: false,
    run: read_output,
};

/// The tool ends only processes of the agent, so it needs no approval and does not run alone.
pub(super) const KILL_SHELL: BuiltinTool = BuiltinTool {
    name: "KillShell",
    kind: ToolKind::Other,
    description: "Ends a background command and every process it started, and returns its new output.",
    params: &[Param::required("shell_id", ParamType::Name, ID)],
    alone: false,
    run: kill,
};

fn read_output(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let filter = input.text("filter").map(Regex::new).transpose();
    let filter = filter.map_err(|error| format!("`filter` is not a regular expression: {error}."))?;
    let wanted = |text: String| match &filter {
        None => text,
        Some(filter) => text.lines().filter(|line| filter.is_match(line)).collect::<Vec<_>>().join("\n"),
    };
    let output = lock(&at.background).read_new(input.required("bash_id"))?;
    let state = match output.end {
        None => "It is still running.".to_owned(),
        Some(end) => describe_end(end, None).unwrap_or_else(|| "It has ended with exit code 0.".to_owned()),
    };
    let output = ShellOutput { stdout: wanted(output.stdout), stderr: wanted(output.stderr), ..output };
    let (stdout, stderr, text) = bounded(&output, state, at);
    let display = ToolDisplay::Text(text.clone());
    let (stdout, stderr) = (Some(stdout), Some(stderr));
    Ok(ToolOutput { stdout, stderr, ..ToolOutput::done(text, display) })
}

fn kill(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let id = input.required("shell_id");
    let output = lock(&at.background).end(id)?;
    let state = match output.end {
        Some(ShellEnd::ByItself(_)) => format!("`{id}` had ended before."),
        _ => format!("`{id}` was ended, with every process it started."),
    };
    let (_, _, text) = bounded(&output, state.clone(), at);
    Ok(ToolOutput::done(text, ToolDisplay::Line(state)))
}

/// Both streams and all of the output, bounded.
fn bounded(output: &ShellOutput, state: String, at: &Workspace) -> (String, String, String) {
    let stdout = BoundedText::shorten("stdout", &at.spills, &output.stdout);
    let stderr = BoundedText::shorten("stderr", &at.spills, &output.stderr);
    let text = join_output(&stdout, &stderr, &[state]);
    (stdout, stderr, text)
}
