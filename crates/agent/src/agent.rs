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
use crate::subagent::Task;
use crate::tools::{Tool, Toolbox, Workspace};
use crate::{SharedConversation, instructions};

/// Opens a session with the hooks that are in force: of this id, with this conversation.
pub type OpenSession = dyn Fn(&str, Arc<SharedConversation>) -> Arc<SessionCoordinator> + Send + Sync;

/// The name of this agent's loop in events.
const ORCHESTRATOR: &str = "tenter-chat";

/// The parts that all agents of one program share, sub-agents included.
#[derive(Clone)]
pub struct AgentParts {
    /// How a session is opened.
    pub sessions: Arc<OpenSession>,
    /// The model to ask.
    pub model: Arc<dyn Model>,
    /// The tools that the model may call, besides sub-agents.
    pub tools: Arc<Toolbox>,
    /// Where they work.
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
    /// Those of the program, and the one for sub-agents.
    pub(crate) tools: Vec<AgentTool>,
    /// How many of the program's tools are among them.
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

/// A tool, of the program or of this agent.
pub(crate) enum AgentTool {
    Shared(Arc<dyn Tool>),
    BuiltinTool(Box<dyn Tool>),
}

impl AgentTool {
    pub(crate) fn tool(&self) -> &dyn Tool {
        match self {
            Self::Shared(tool) => &**tool,
            Self::BuiltinTool(tool) => &**tool,
        }
    }
}

impl Agent {
    /// A session that starts, or continues from the journal. Hooks run when it is started with [`Agent::start`].
    pub fn new(parts: AgentParts, id: &str, journal: Journal) -> Self {
        let mut agent = Self::bare(parts, id, journal, None);
        agent.offer_subagents();
        agent
    }

    pub(crate) fn bare(parts: AgentParts, id: &str, journal: Journal, subagent: Option<Subagent>) -> Self {
        let talk = Arc::new(SharedConversation::new(
            instructions::of(&parts.place),
            parts.instructions.clone(),
            journal,
        ));
        let session = (parts.sessions)(id, Arc::clone(&talk));
        permission::register(&session);
        let (tools, definitions) = (Vec::new(), Vec::new());
        let usage = Usage::default();
        let shared = 0;
        let mut agent = Self { parts, session, talk, tools, shared, definitions, subagent, turns: 0, usage };
        agent.offer_shared();
        agent
    }

    /// Offers the tools of the program that are new since the last time.
    fn offer_shared(&mut self) {
        for tool in self.parts.tools.since(self.shared) {
            self.shared += 1;
            self.offer(AgentTool::Shared(tool));
        }
    }

    /// Takes in the tools of servers that have become ready.
    pub(crate) fn refresh_tools(&mut self, stop: &StopFlag) {
        for text in self.parts.tools.refresh(&|| stop.is_set()) {
            self.parts.observer.on_event(AgentEvent::Notice { text: &text });
        }
        self.offer_shared();
    }

    fn offer_subagents(&mut self) {
        let task = Task::new(self.parts.clone(), Arc::clone(&self.session));
        self.offer(AgentTool::BuiltinTool(Box::new(task)));
    }

    fn offer(&mut self, offered: AgentTool) {
        let tool = offered.tool();
        self.definitions.push(ToolDefinition {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.schema(),
        });
        self.tools.push(offered);
    }

    /// Reports the start of the session: `startup`, `resume` or `clear`. The first request contains the context that
    /// hooks add.
    pub fn start(&self, source: &str) {
        // A start cannot be denied.
        let _ = self.emit(EventKind::SessionStart, |event| event.source = Some(source.to_owned()));
    }

    /// The session ends.
    pub fn end(&self, reason: &str) {
        let _ = self.emit(EventKind::SessionEnd, |event| event.reason = Some(reason.to_owned()));
    }

    /// The session, with its hooks.
    pub fn session(&self) -> &SessionCoordinator {
        &self.session
    }

    /// The same, for a caller that reports events of its own to the hooks.
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

    /// The model that is asked.
    pub fn model(&self) -> &dyn Model {
        &*self.parts.model
    }

    /// Asks another model from now on, and its sub-agents too.
    pub fn change_model(&mut self, model: Arc<dyn Model>) {
        self.parts.model = model;
        let own = |offered: &AgentTool| matches!(offered, AgentTool::BuiltinTool(_));
        let mut is_own = self.tools.iter().map(own).collect::<Vec<_>>().into_iter();
        self.definitions.retain(|_| !is_own.next().unwrap_or(false));
        self.tools.retain(|offered| !own(offered));
        if self.subagent.is_none() {
            self.offer_subagents();
        }
    }

    /// Runs the hooks of an event, with all facts of the session.
    pub(crate) fn emit(&self, kind: EventKind, fill: impl FnOnce(&mut Event)) -> Result<Emitted, Denied> {
        emit(&self.session, &self.parts, kind, |event| self.fill(event, fill))
    }

    /// The same, for a stop that hooks cannot prevent.
    pub(crate) fn emit_final(&self, kind: EventKind, fill: impl FnOnce(&mut Event)) -> Emitted {
        emit_final(&self.session, &self.parts, kind, |event| self.fill(event, fill))
    }

    fn fill(&self, event: &mut Event, fill: impl FnOnce(&mut Event)) {
        if let Some(subagent) = &self.subagent {
            subagent.name_in(event);
        }
        event.turn = (self.turns > 0).then(|| self.turns.to_string());
        event.turn_count = Some(self.turns);
        fill(event);
    }

    pub(crate) fn agent_id(&self) -> Option<&str> {
        self.subagent.as_ref().map(|subagent| subagent.agent_id.as_str())
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.session.event(EventKind::SessionStart).at
    }
}

/// Runs the hooks of a session and reports the context they added.
pub(crate) fn emit(
    session: &SessionCoordinator,
    parts: &AgentParts,
    kind: EventKind,
    fill: impl FnOnce(&mut Event),
) -> Result<Emitted, Denied> {
    let emitted = session.emit(event(session, parts, kind, fill));
    show_added(emitted.as_ref().unwrap_or_else(|denied| &denied.emitted), parts);
    emitted
}

/// The same, for a stop that hooks cannot prevent.
pub(crate) fn emit_final(
    session: &SessionCoordinator,
    parts: &AgentParts,
    kind: EventKind,
    fill: impl FnOnce(&mut Event),
) -> Emitted {
    let emitted = session.emit_and_allow_stop(event(session, parts, kind, fill));
    show_added(&emitted, parts);
    emitted
}

fn event(
    session: &SessionCoordinator,
    parts: &AgentParts,
    kind: EventKind,
    fill: impl FnOnce(&mut Event),
) -> Event {
    let mut event = session.event(kind);
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    event.cwd = Some(text(&parts.place.folder()));
    event.project_root = Some(text(&parts.place.root));
    event.attended = Some(parts.attended);
    event.orchestrator = Some(ORCHESTRATOR.to_owned());
    fill(&mut event);
    event
}

fn show_added(emitted: &Emitted, parts: &AgentParts) {
    for message in &emitted.placed {
        let mut message = message.clone();
        parts.place.keys.hide(&mut message.content);
        parts.observer.on_event(AgentEvent::Added { message: &message });
    }
}

pub(crate) fn failure(kind: &str, message: String) -> Option<EventError> {
    Some(EventError { kind: Some(kind.to_owned()), message })
}

/// Model and usage, as events contain them.
pub(crate) fn figures(model: &str, usage: &Usage) -> Map<String, Value> {
    let usage = json!({
        "input_tokens": usage.input, "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read, "cache_written_tokens": usage.cache_written,
    });
    Map::from_iter([("model".to_owned(), json!(model)), ("usage".to_owned(), usage)])
}

pub(crate) fn milliseconds(time: Duration) -> Option<u64> {
    u64::try_from(time.as_millis()).ok()
}
