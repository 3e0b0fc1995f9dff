//! Whether a person runs this command. An agent that runs one that needs a person gets a yes through an approver, or a
//! refusal.

use std::sync::Arc;
use std::time::Duration;

use tenter_contract::{
    AgentName, ApproverName, Ask, Decision, Event, EventKind, Handler, HookId, HookSet, HookSpec, Layer,
    Policy, Template,
};
use tenter_host::person::{self, NoPerson};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places, assemble_program};

use crate::change_log;
use crate::error::CliError;

/// How long an approver has.
const PATIENCE: Duration = Duration::from_mins(5);

/// Whether a person runs this command.
pub fn is_here() -> bool {
    person::check(&Places::of_process()).is_ok()
}

/// Refuses what only a person may do, unless an approver says yes. For commands that need a person in some cases only.
pub fn require() -> Result<(), CliError> {
    require_in(Places::of_process()).map(drop)
}

/// The same in these places, which it returns.
pub fn require_in(places: Places) -> Result<Places, CliError> {
    if let Err(why) = person::check(&places) {
        ask_approver(&places, &why)?;
    }
    Ok(places)
}

/// Asks an approver other than a policy. Without one, the command is refused.
fn ask_approver(places: &Places, why: &NoPerson) -> Result<(), CliError> {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
    let command = format!("tenter {}", words.join(" "));
    let refused = || CliError::needs_person(&command, why);
    // A hook never grants, not even through an approver that it could run itself.
    if *why == NoPerson::Hook {
        return Err(refused());
    }
    let root = here();
    let approver = Layers::read(places, root.as_deref()).set.approver;
    let approver =
        approver.filter(|approver| matches!(approver, ApproverName::Watch | ApproverName::File { .. }));
    let prompt = format!("`{command}` changes the permissions or the context of agents, and {why}. Run it?");
    // Braces would be placeholders.
    let prompt = Template::parse(&prompt.replace(['{', '}'], "")).map_err(|_| refused())?;
    let kind = EventKind::parse("tenter:command").ok_or_else(refused)?;
    let ask = Ask { prompt, options: Vec::new(), timeout: Some(PATIENCE), default: Policy::Deny };
    let id = HookId::new(Layer::Managed, "needs-a-person");
    let hook = Arc::new(HookSpec::new(id, kind.clone(), Handler::Ask(ask)));
    let mut host = assemble_program(places, root.as_deref());
    host.runtime.catalog.source = Box::new(HookSet { hooks: vec![hook], approver, ..HookSet::default() });
    let mut event = Event::new(kind, AgentName::from_static("tenter"), None, change_log::now());
    event.cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    let outcome = host.runtime.emit(event).outcome;
    let granted = matches!(outcome.decision, Decision::Abstain | Decision::Allow { .. });
    if granted && outcome.approval.is_some() { Ok(()) } else { Err(refused()) }
}
