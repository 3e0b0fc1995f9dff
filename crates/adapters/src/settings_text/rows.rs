//! The events we are called at, and the line that an agent's shell is given there.

use serde_json::Value;
use tenter_contract::AgentName;
use tenter_contract::ports::{IfGone, Scope, Wiring};
use tenter_contract::template::shell_quote;

/// An event we are called at.
pub(crate) struct Row {
    /// The agent's name for it.
    pub(crate) event: &'static str,
    /// How long the agent waits for us, in seconds.
    pub(crate) timeout: u32,
    /// What a deny would do there.
    pub(super) duty: Duty,
    /// What stands in our handler besides `type`, `command` and `timeout`.
    pub(super) more: &'static [(&'static str, u32)],
}

impl Row {
    /// The same, with more in the handler.
    pub(crate) const fn with(self, more: &'static [(&'static str, u32)]) -> Self {
        Self { more, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    /// It prevents something.
    Guard,
    /// It comes too late, means something else (at the end of a turn: go on working), or gets in the way of
    /// the agent itself (before compaction).
    Watch,
}

pub(crate) const fn row(event: &'static str, timeout: u32, duty: Duty) -> Row {
    Row { event, timeout, duty, more: &[] }
}

/// The line for an agent that asks nothing special of it.
pub(crate) fn command(agent: &AgentName, row: &Row, wiring: &Wiring) -> String {
    let denies = Denies::ByExitCode;
    Call { agent, if_gone: "", denies, tells_event: None, tells_scope: false }.command(row, wiring)
}

/// What denies if the program is gone.
#[derive(Clone, Copy)]
pub(crate) enum Denies {
    /// Exit code 2, with the reason on standard error.
    ByExitCode,
    /// An answer, for agents to whom an exit code does not say it everywhere.
    InWords(Words),
    /// Both, where whoever reads the same settings may need either.
    Both(Words),
}

/// A deny in JSON, from the agent's name for the event and the reason.
pub(crate) type Words = fn(&str, &str) -> Value;

/// How an agent calls us.
pub(super) struct Call<'a> {
    pub(super) agent: &'a AgentName,
    /// What is printed if the program is gone.
    pub(super) if_gone: &'static str,
    pub(super) denies: Denies,
    /// The variable in which the event is told.
    pub(super) tells_event: Option<&'static str>,
    /// Whether the scope is told, unless it is the first.
    pub(super) tells_scope: bool,
}

impl Call<'_> {
    /// One line that any shell a user may have takes: no braces, no functions.
    pub(super) fn command(&self, row: &Row, wiring: &Wiring) -> String {
        let program = shell_quote(&wiring.program);
        let here = format!("[ -x {program} ] ||");
        let gone = match (wiring.if_gone, row.duty) {
            (IfGone::Deny, Duty::Guard) => {
                let reason = format!(
                    "tenter is gone from {}: install it again, or take its entries out of the settings",
                    wiring.program
                );
                // Not by `echo`, which in some shells takes a backslash in the text for its own.
                let answered = |words: Words| {
                    format!("{here} printf '%s\\n' {}", shell_quote(&words(row.event, &reason).to_string()))
                };
                let by_code = format!("{here} echo {} >&2; {here} exit 2", shell_quote(&reason));
                match self.denies {
                    Denies::ByExitCode => by_code,
                    Denies::InWords(words) => format!("{}; {here} exit 0", answered(words)),
                    Denies::Both(words) => format!("{}; {by_code}", answered(words)),
                }
            }
            (IfGone::GoOn, Duty::Guard) | (IfGone::GoOn | IfGone::Deny, Duty::Watch) => match self.if_gone {
                "" => format!("{here} exit 0"),
                said => format!("{here} echo {}; {here} exit 0", shell_quote(said)),
            },
        };
        let verb = if wiring.program.ends_with("/tenter-hook") { "" } else { "hook " };
        let told =
            self.tells_event.map(|variable| format!("env {variable}={} ", row.event)).unwrap_or_default();
        let scope = match wiring.scope {
            Scope::Project | Scope::Local if self.tells_scope => format!(" --scope {}", wiring.scope),
            Scope::User | Scope::Project | Scope::Local => String::new(),
        };
        let installation = match &wiring.installation {
            // Settings of a project are everybody's.
            Some(id) if wiring.scope == Scope::User => format!(" --installation {id}"),
            Some(_) | None => String::new(),
        };
        format!(
            "{gone}; exec {told}{program} {verb}{} --within {}s{scope}{installation}",
            self.agent, row.timeout
        )
    }
}
