//! The agent, the state folder and the project that commands work with.

use tenter_contract::ports::AgentAdapter;
use tenter_contract::similar;
use tenter_host::trust::project::home_here;

use crate::error::CliError;
pub(crate) use tenter_console::places::state;

pub(crate) fn agent(name: &str) -> Result<&'static dyn AgentAdapter, CliError> {
    agent_or(name, None)
}

/// The same; an unknown name may be a command that was meant.
pub(crate) fn agent_or(name: &str, command: Option<String>) -> Result<&'static dyn AgentAdapter, CliError> {
    tenter_adapters::by_name(name).ok_or_else(|| {
        let known: Vec<String> = tenter_adapters::names().map(|name| name.to_string()).collect();
        let nearest = similar::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        CliError::unknown_agent(name, command.or(nearest), &known)
    })
}

pub(crate) fn no_project() -> CliError {
    home_here()
        .map_or(CliError::no_project(), |home| CliError::home_is_no_project(home.display().to_string()))
}
