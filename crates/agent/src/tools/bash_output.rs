//! `BashOutput`: what a command in the background has written since the last look.

use regex::Regex;
use tenter_contract::ToolKind;

use super::bash::{self, how_it_ended};
use super::caught::Caught;
use super::keys::{Form, Given, Key};
use super::own::Own;
use super::ran::{Ran, Shown};
use super::workplace::{Workplace, held};

const KEYS: &[Key] = &[
    Key::needed("bash_id", Form::Name, "The command, by the name that `Bash` gave it: `shell_1`."),
    Key::optional(
        "filter",
        Form::Name,
        "A regular expression: only lines that fit are given, the others never.",
    ),
];

/// The tool.
pub(super) const BASH_OUTPUT: Own = Own {
    name: "BashOutput",
    kind: ToolKind::Other,
    description: "Gives what a command that runs in the background has written since the last look, and whether it has \
                  ended.",
    keys: KEYS,
    alone: false,
    run: look,
};

fn look(given: &Given<'_>, at: &Workplace, _: &dyn Fn() -> bool) -> Result<Ran, String> {
    let filter = given.text("filter").map(Regex::new).transpose();
    let filter = filter.map_err(|error| format!("`filter` is no regular expression: {error}."))?;
    let news = held(&at.background).look(given.needed("bash_id"))?;
    let wanted = |text: String| match &filter {
        None => text,
        Some(filter) => text.lines().filter(|line| filter.is_match(line)).collect::<Vec<_>>().join("\n"),
    };
    let bounded = |name, text: String| Caught::whole(name, &at.spills, &wanted(text));
    let (stdout, stderr) = (bounded("stdout", news.stdout), bounded("stderr", news.stderr));
    let state = match news.end {
        None => "It is still running.".to_owned(),
        Some(end) => how_it_ended(end, None).unwrap_or_else(|| "It has ended with exit code 0.".to_owned()),
    };
    let output = bash::joined(&stdout, &stderr, &[state]);
    Ok(Ran {
        display: Shown::Text(output.clone()),
        output,
        stdout: Some(stdout),
        stderr: Some(stderr),
        ..Ran::default()
    })
}
