//! The turns of agents: when they begin and end, and which agent is in one.

use tenter_contract::{Event, EventKind, SessionId};
use tenter_store::{RunningAgents, StateFolder};

use crate::person;
use crate::places::Places;

/// Notes where the turn of the event's session begins and ends. Most events cost nothing, a tool call one system call.
pub(crate) fn note_turn(places: &Places, event: &Event) {
    let session = &event.session_or_shared();
    let agents = || Some(RunningAgents::new(&StateFolder::new(places.state_folder.clone()?)));
    match event.kind {
        EventKind::ToolPre | EventKind::PromptSubmit => {
            let Some(agents) = agents() else { return };
            if !(event.kind == EventKind::ToolPre && agents.is_in_turn(session)) {
                begin_turn(&agents, event);
            }
        }
        EventKind::SessionStart => {
            let _ = agents().map(|agents| agents.register(session, event.agent.as_str(), false));
        }
        EventKind::OrchestratorComplete => {
            let _ = agents().filter(|it| is_agents_own(it, session)).map(|agents| agents.end_turn(session));
        }
        EventKind::SessionEnd => {
            let _ = agents().filter(|it| is_agents_own(it, session)).map(|agents| agents.end(session));
        }
        _ => {}
    }
}

/// If it cannot be noted, the state folder is unusable, and the user is notified of that elsewhere.
#[inline(never)]
fn begin_turn(agents: &RunningAgents, event: &Event) {
    let is_prompt = event.kind == EventKind::PromptSubmit;
    let session = event.session_or_shared();
    if agents.register(&session, event.agent.as_str(), is_prompt).unwrap_or(false) {
        let _ = agents.begin_turn(&session);
    }
}

/// Whether the agent of a session sent this event, and not a command that it runs: that one could end the turn, change
/// a hook file and begin the turn anew.
#[inline(never)]
fn is_agents_own(agents: &RunningAgents, session: &SessionId) -> bool {
    agents.process(session).is_none_or(|agent| person::is_sent_by(&agent))
}

pub(super) struct Worker {
    pub(super) agent: String,
    /// When the first agent that runs began, in milliseconds since the Unix epoch; none if that is unknown.
    pub(super) began: Option<u64>,
}

/// The agent that is in a turn now, if one is.
pub(super) fn worker(agents: &RunningAgents, places: &Places, event: Option<&Event>) -> Option<Worker> {
    let lacks_turn =
        |event: &&Event| event.kind == EventKind::ToolPre && agents.lacks_turn(&event.session_or_shared());
    let own =
        event.filter(|event| is_in_turn(event) || lacks_turn(event)).map(|event| event.agent.to_string());
    let running = agents.all();
    // Programs that emit events themselves are known by the register alone: a person may try an event by hand.
    let own = own.filter(|agent| agent != "tenter");
    let registered = || running.iter().find(|it| it.in_turn).map(|it| it.agent.clone());
    let relaying = || event.and_then(|_| person::relaying_agent(places));
    let agent = own.or_else(registered).or_else(relaying)?;
    let began = running.iter().filter_map(|it| it.process.began_ms()).min();
    Some(Worker { agent, began })
}

/// Whether such an event comes only within a turn.
fn is_in_turn(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::ToolPost
            | EventKind::ToolError
            | EventKind::PermissionRequest
            | EventKind::OrchestratorComplete
            | EventKind::SubagentStart
            | EventKind::SubagentComplete
            | EventKind::ProviderRequest
            | EventKind::ProviderResponse
    )
}
