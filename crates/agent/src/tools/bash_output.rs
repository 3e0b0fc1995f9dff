//! `BashOutput`: the new output of a background command.

use regex::Regex;
use tenter_contract::ToolKind;

use super::bash::{self, how_it_ended};
use super::bounded_text::BoundedText;
use super::builtin_tool::BuiltinTool;
use super::params::{Param, ParamType, ToolInput};
use super::tool_output::{ToolDisplay, ToolOutput};
use super::workspace::{Workspace, lock};

const PARAMS: &[Param] = &[
    Param::required("bash_id", ParamType::Name, "The command, by the name that `Bash` gave it: `shell_1`."),
    Param::optional(
        "filter",
        ParamType::Name,
        "A regular expression: only matching lines are returned; the others are discarded.",
    ),
];

pub(super) const BASH_OUTPUT: BuiltinTool = BuiltinTool {
    name: "BashOutput",
    kind: ToolKind::Other,
    description: "Returns the new output of a background command, and whether it has ended.",
    params: PARAMS,
    alone: false,
    run: look,
};

fn look(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let filter = input.text("filter").map(Regex::new).transpose();
    let filter = filter.map_err(|error| format!("`filter` is no regular expression: {error}."))?;
    let news = lock(&at.background).read_new(input.required("bash_id"))?;
    let wanted = |text: String| match &filter {
        None => text,
        Some(filter) => text.lines().filter(|line| filter.is_match(line)).collect::<Vec<_>>().join("\n"),
    };
    let bounded = |name, text: String| BoundedText::whole(name, &at.spills, &wanted(text));
    let (stdout, stderr) = (bounded("stdout", news.stdout), bounded("stderr", news.stderr));
    let state = match news.end {
        None => "It is still running.".to_owned(),
        Some(end) => how_it_ended(end, None).unwrap_or_else(|| "It has ended with exit code 0.".to_owned()),
    };
    let output = bash::joined(&stdout, &stderr, &[state]);
    Ok(ToolOutput {
        display: ToolDisplay::Text(output.clone()),
        output,
        stdout: Some(stdout),
        stderr: Some(stderr),
        ..ToolOutput::default()
    })
}
