//! The line that an agent's shell runs to call tenter.

use serde_json::Value;
use tenter_contract::ports::{IfGone, Scope, Wiring};
use tenter_contract::template::shell_quote;

use super::Layout;
use crate::agent_spec::{AgentEvent, AgentSpec};

/// How an entry denies if the program is gone.
#[derive(Clone, Copy)]
pub(crate) enum DenyIfGone {
    /// By exit code 2, with the reason on standard error.
    ExitCode,
    /// By an answer, for agents that do not take an exit code at every event.
    Answer(DenyAnswer),
    /// By both, where other agents read the same settings.
    Both(DenyAnswer),
}

/// A deny in JSON, from the agent's name for the event and the reason.
pub(crate) type DenyAnswer = fn(&str, &str) -> Value;

/// One line that any shell takes: no braces, no functions.
pub(crate) fn hook_command(
    agent: &AgentSpec,
    layout: &Layout,
    event: &AgentEvent,
    wiring: &Wiring,
) -> String {
    let program = shell_quote(&wiring.program);
    let here = format!("[ -x {program} ] ||");
    let gone = match layout.if_gone {
        _ if event.guards && wiring.if_gone == IfGone::Deny => {
            let reason = format!(
                "tenter is gone from {}: install it again, or take its entries out of the settings",
                wiring.program
            );
            // Not by `echo`, which in some shells interprets a backslash in the text.
            let answered = |answer: DenyAnswer| {
                format!("{here} printf '%s\\n' {}", shell_quote(&answer(event.name, &reason).to_string()))
            };
            let by_code = format!("{here} echo {} >&2; {here} exit 2", shell_quote(&reason));
            match layout.deny_if_gone {
                DenyIfGone::ExitCode => by_code,
                DenyIfGone::Answer(answer) => format!("{}; {here} exit 0", answered(answer)),
                DenyIfGone::Both(answer) => format!("{}; {by_code}", answered(answer)),
            }
        }
        "" => format!("{here} exit 0"),
        answer => format!("{here} echo {}; {here} exit 0", shell_quote(answer)),
    };
    let verb = if wiring.program.ends_with("/tenter-hook") { "" } else { "hook " };
    let variable =
        layout.event_variable.map(|variable| format!("env {variable}={} ", event.name)).unwrap_or_default();
    let scope = match wiring.scope {
        Scope::Project | Scope::Local if layout.names_scope => format!(" --scope {}", wiring.scope),
        Scope::User | Scope::Project | Scope::Local => String::new(),
    };
    let installation = match &wiring.installation {
        // Settings of a project are shared.
        Some(id) if wiring.scope == Scope::User => format!(" --installation {id}"),
        Some(_) | None => String::new(),
    };
    format!(
        "{gone}; exec {variable}{program} {verb}{} --within {}s{scope}{installation}",
        agent.name,
        event.seconds()
    )
}
