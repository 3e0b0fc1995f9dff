//! One session of the agent: its parts, its start and its end.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenter_contract::{Event, EventError, EventKind, SessionId, Timestamp};
use tenter_coordinator::{Denied, Emitted, SessionCoordinator};
use tenter_models::client::{Model, StopFlag, ToolDefinition, Usage};

use crate::journal::Journal;
use crate::observer::{AgentEvent, Observer};
use crate::permission::{self, Permission};
use crate::subagent::{self, SubagentTool};
use crate::tools::{Tool, Toolbox, Workspace};
use crate::{SharedConversation, instructions};

/// Opens a session with this id and this conversation, with the active hooks.
pub type OpenSession = dyn Fn(&str, Arc<SharedConversation>) -> Arc<SessionCoordinator> + Send + Sync;

/// The name of this agent's loop in events.
const ORCHESTRATOR: &str = "tenter-chat";

/// The parts that all agents of one program share, sub-agents included.
#[derive(Clone)]
pub struct AgentParts {
    /// Opens a session.
    pub sessions: Arc<OpenSession>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// The tools that the model may call, besides sub-agents.
    pub tools: Arc<Toolbox>,
    /// The workspace of the tools.
    pub place: Arc<Workspace>,
    /// The observer of the session.
    pub observer: Arc<dyn Observer>,
    /// The instructions of the user's and the project's files, framed; may be empty.
    pub instructions: String,
    /// The calls that need no approval.
    pub permission: Permission,
    /// Whether a user is present.
    pub attended: bool,
    /// Tokens of a conversation before it is compacted, for models whose context window is unknown.
    pub window: u64,
}

/// One session.
pub struct Agent {
    pub(crate) parts: AgentParts,
    pub(crate) session: Arc<SessionCoordinator>,
    pub(crate) talk: Arc<SharedConversation>,
    /// The tools of the program, and the one for sub-agents.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// How many tools are from the program.
    shared: usize,
    pub(crate) definitions: Vec<ToolDefinition>,
    pub(crate) subagent: Option<Subagent>,
    pub(crate) turns: u64,
    /// Usage of the last request, which shows the length of the conversation.
    pub(crate) usage: Usage,
}

/// The identity of a sub-agent in all its events.
#[derive(Clone, Debug)]
pub(crate) struct Subagent {
    /// The session of the agent that started it.
    pub(crate) parent: SessionId,
    pub(crate) agent_id: String,
    pub(crate) agent_type: String,
}

impl Subagent {
    /// Names it in an event, so that hooks and sections for sub-agents find it.
    pub(crate) fn name_in(&self, event: &mut Event) {
        event.parent = Some(self.parent.clone());
        event.agent_id = Some(self.agent_id.clone());
        event.agent_type = Some(self.agent_type.clone());
    }
}

impl Agent {
    /// A session that starts, or continues from the journal. Hooks run when it is started with [`Agent::start`].
    pub fn new(parts: AgentParts, id: &str, journal: Journal) -> Self {
        let mut agent = Self::with_identity(parts, id, journal, None);
        agent.offer(agent.subagent_tool());
        agent
    }

    /// An agent without the tool for sub-agents.
    pub(crate) fn with_identity(
        parts: AgentParts,
        id: &str,
        journal: Journal,
        subagent: Option<Subagent>,
    ) -> Self {
        let talk = Arc::new(SharedConversation::new(
            instructions::system_prompt(&parts.place),
            parts.instructions.clone(),
            journal,
        ));
        let session = (parts.sessions)(id, Arc::clone(&talk));
        permission::register(&session);
        let (tools, definitions, usage) = (Vec::new(), Vec::new(), Usage::default());
        let mut agent =
            Self { parts, session, talk, tools, shared: 0, definitions, subagent, turns: 0, usage };
        agent.offer_shared();
        agent
    }

    /// Offers the tools of the program that are new since the last time.
    fn offer_shared(&mut self) {
        for tool in self.parts.tools.since(self.shared) {
            self.shared += 1;
            self.offer(tool);
        }
    }

    /// Adds the tools of servers that have become ready.
    pub(crate) fn refresh_tools(&mut self, stop: &StopFlag) {
        for text in self.parts.tools.refresh(&|| stop.is_set()) {
            self.parts.observer.on_event(AgentEvent::Notice { text: &text });
        }
        self.offer_shared();
    }

    fn subagent_tool(&self) -> Arc<dyn Tool> {
        Arc::new(SubagentTool::new(self.parts.clone(), Arc::clone(&self.session)))
    }

    fn offer(&mut self, tool: Arc<dyn Tool>) {
        self.definitions.push(ToolDefinition {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.schema(),
        });
        self.tools.push(tool);
    }

    /// Reports the start of the session: `startup`, `resume` or `clear`. The first request contains the context that
    /// hooks add.
    pub fn start(&self, source: &str) {
        // A start cannot be denied.
        let _ = self.emit(EventKind::SessionStart, |event| event.source = Some(source.to_owned()));
    }

    /// Reports the end of the session.
    pub fn end(&self, reason: &str) {
        let _ = self.emit(EventKind::SessionEnd, |event| event.reason = Some(reason.to_owned()));
    }

    /// The session, with its hooks.
    pub fn session(&self) -> &SessionCoordinator {
        &self.session
    }

    /// The same for a caller that emits its own events.
    pub fn shared_session(&self) -> Arc<SessionCoordinator> {
        Arc::clone(&self.session)
    }

    /// The conversation.
    pub fn talk(&self) -> &SharedConversation {
        &self.talk
    }

    /// Usage of the last request.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The model.
    pub fn model(&self) -> &dyn Model {
        &*self.parts.model
    }

    /// Replaces the model, for sub-agents too.
    pub fn change_model(&mut self, model: Arc<dyn Model>) {
        self.parts.model = model;
        let tool = self.subagent_tool();
        if let Some(old) = self.tools.iter_mut().find(|tool| tool.name() == subagent::NAME) {
            *old = tool;
        }
    }

    /// Runs the hooks of an event, with all facts of the session.
    pub(crate) fn emit(&self, kind: EventKind, fill: impl FnOnce(&mut Event)) -> Result<Emitted, Denied> {
        self.emit_stop(kind, false, fill)
    }

    /// The same for a stop. Hooks cannot prevent a final one.
    pub(crate) fn emit_stop(
        &self,
        kind: EventKind,
        is_final: bool,
        fill: impl FnOnce(&mut Event),
    ) -> Result<Emitted, Denied> {
        emit(&self.session, &self.parts, kind, is_final, |event| {
            if let Some(subagent) = &self.subagent {
                subagent.name_in(event);
            }
            event.turn = (self.turns > 0).then(|| self.turns.to_string());
            event.turn_count = Some(self.turns);
            fill(event);
        })
    }

    pub(crate) fn agent_id(&self) -> Option<&str> {
        self.subagent.as_ref().map(|subagent| subagent.agent_id.as_str())
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.session.event(EventKind::SessionStart).at
    }
}

/// Runs the hooks of a session and reports the context they added. Hooks cannot prevent a final stop.
pub(crate) fn emit(
    session: &SessionCoordinator,
    parts: &AgentParts,
    kind: EventKind,
    is_final: bool,
    fill: impl FnOnce(&mut Event),
) -> Result<Emitted, Denied> {
    let mut event = session.event(kind);
    event.cwd = Some(parts.place.folder().to_string_lossy().into_owned());
    event.project_root = Some(parts.place.root.to_string_lossy().into_owned());
    event.attended = Some(parts.attended);
    event.orchestrator = Some(ORCHESTRATOR.to_owned());
    fill(&mut event);
    let emitted = if is_final { Ok(session.emit_and_allow_stop(event)) } else { session.emit(event) };
    for message in &emitted.as_ref().unwrap_or_else(|denied| &denied.emitted).placed {
        let mut message = message.clone();
        parts.place.keys.hide(&mut message.content);
        parts.observer.on_event(AgentEvent::Added { message: &message });
    }
    emitted
}

pub(crate) fn failure(kind: &str, message: String) -> Option<EventError> {
    Some(EventError { kind: Some(kind.to_owned()), message })
}

/// Model and usage, as events contain them.
pub(crate) fn usage_data(model: &str, usage: &Usage) -> Map<String, Value> {
    let usage = json!({
        "input_tokens": usage.input, "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read, "cache_written_tokens": usage.cache_written,
    });
    Map::from_iter([("model".to_owned(), json!(model)), ("usage".to_owned(), usage)])
}

pub(crate) fn milliseconds(time: Duration) -> Option<u64> {
    u64::try_from(time.as_millis()).ok()
}
