//! `KillShell`: ends a command in the background.

use tenter_contract::ToolKind;

use super::bash;
use super::caught::Caught;
use super::keys::{Form, Given, Key};
use super::own::Own;
use super::ran::{Ran, Shown};
use super::shell::End;
use super::workplace::{Workplace, held};

const KEYS: &[Key] =
    &[Key::needed("shell_id", Form::Name, "The command, by the name that `Bash` gave it: `shell_1`.")];

/// The tool. It ends nothing but what the agent itself has started, so it need not run alone, and nobody is asked.
pub(super) const KILL_SHELL: Own = Own {
    name: "KillShell",
    kind: ToolKind::Other,
    description: "Ends a command that runs in the background, with everything it has started, and gives what it wrote \
                  since the last look.",
    keys: KEYS,
    alone: false,
    run: end,
};

fn end(given: &Given<'_>, at: &Workplace, _: &dyn Fn() -> bool) -> Result<Ran, String> {
    let id = given.needed("shell_id");
    let news = held(&at.background).end(id)?;
    let state = match news.end {
        Some(End::ByItself(_)) => format!("`{id}` had ended before."),
        _ => format!("`{id}` is ended, with everything it had started."),
    };
    let bounded = |name, text: &str| Caught::whole(name, &at.spills, text);
    let output = bash::joined(
        &bounded("stdout", &news.stdout),
        &bounded("stderr", &news.stderr),
        std::slice::from_ref(&state),
    );
    Ok(Ran::done(output, Shown::Line(state)))
}
