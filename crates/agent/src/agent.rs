//! One session of the agent: what it is made of, how it begins and ends.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenter_contract::{Event, EventError, EventKind, SessionId, Timestamp};
use tenter_coordinator::{Denied, Emitted, SessionCoordinator};
use tenter_models::talk::{Definition, Model, Stop, Usage};

use crate::journal::Journal;
use crate::listener::{Heard, Listener};
use crate::permission::{self, Permission};
use crate::subagent::Task;
use crate::tools::{Tool, Toolbox, Workplace};
use crate::{Talk, instructions};

/// Opens a session with the hooks that are in force: of this id, with this conversation.
pub type OpenSession = dyn Fn(&str, Arc<Talk>) -> Arc<SessionCoordinator> + Send + Sync;

/// What events call the loop of this agent.
const ORCHESTRATOR: &str = "tenter-chat";

/// What agents of one program have in common, and their sub-agents with them.
#[derive(Clone)]
pub struct Parts {
    /// How a session is opened.
    pub sessions: Arc<OpenSession>,
    /// Whom to ask.
    pub model: Arc<dyn Model>,
    /// What the model may call, besides sub-agents.
    pub tools: Arc<Toolbox>,
    /// Where they work.
    pub place: Arc<Workplace>,
    /// Who watches.
    pub listener: Arc<dyn Listener>,
    /// What the user's and the project's files want of every agent, framed; may be empty.
    pub instructions: String,
    /// What needs no question.
    pub permission: Permission,
    /// Whether somebody sits in front of it.
    pub attended: bool,
    /// How many tokens the conversation may have before it is put into fewer words, where nobody knows how many the
    /// model reads.
    pub window: u64,
}

/// One session.
pub struct Agent {
    pub(crate) parts: Parts,
    pub(crate) session: Arc<SessionCoordinator>,
    pub(crate) talk: Arc<Talk>,
    /// Those of the program, and the one for sub-agents.
    pub(crate) tools: Vec<Offered>,
    /// How many of the program's tools are among them.
    shared: usize,
    pub(crate) definitions: Vec<Definition>,
    /// Who it is, if another agent has started it.
    pub(crate) subagent: Option<Subagent>,
    pub(crate) turns: u64,
    /// What the last request cost; how long the conversation is.
    pub(crate) usage: Usage,
}

/// Who a sub-agent is, in all its events.
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
pub(crate) enum Offered {
    Shared(Arc<dyn Tool>),
    Own(Box<dyn Tool>),
}

impl Offered {
    pub(crate) fn tool(&self) -> &dyn Tool {
        match self {
            Self::Shared(tool) => &**tool,
            Self::Own(tool) => &**tool,
        }
    }
}

impl Agent {
    /// A session that begins, or goes on with what the journal has. Hooks hear of it when it is [`started`].
    ///
    /// [`started`]: Agent::start
    pub fn new(parts: Parts, id: &str, journal: Journal) -> Self {
        let mut agent = Self::bare(parts, id, journal, None);
        agent.offer_subagents();
        agent
    }

    /// One that cannot start others.
    pub(crate) fn bare(parts: Parts, id: &str, journal: Journal, subagent: Option<Subagent>) -> Self {
        let talk = Arc::new(Talk::new(instructions::of(&parts.place), parts.instructions.clone(), journal));
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
            self.offer(Offered::Shared(tool));
        }
    }

    /// Takes in the tools of servers that have become ready.
    pub(crate) fn refresh_tools(&mut self, stop: &Stop) {
        for text in self.parts.tools.refresh(&|| stop.is_asked()) {
            self.parts.listener.hear(Heard::Notice { text: &text });
        }
        self.offer_shared();
    }

    fn offer_subagents(&mut self) {
        let task = Task::new(self.parts.clone(), Arc::clone(&self.session));
        self.offer(Offered::Own(Box::new(task)));
    }

    fn offer(&mut self, offered: Offered) {
        let tool = offered.tool();
        self.definitions.push(Definition {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.schema(),
        });
        self.tools.push(offered);
    }

    /// The session begins: `startup`, `resume` or `clear`. What hooks have to say about that is in the first request.
    pub fn start(&self, source: &str) {
        // Nobody can deny that a session has begun.
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

    /// What was said so far.
    pub fn talk(&self) -> &Talk {
        &self.talk
    }

    /// What the last request cost.
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
        let own = |offered: &Offered| matches!(offered, Offered::Own(_));
        let mut is_own = self.tools.iter().map(own).collect::<Vec<_>>().into_iter();
        self.definitions.retain(|_| !is_own.next().unwrap_or(false));
        self.tools.retain(|offered| !own(offered));
        if self.subagent.is_none() {
            self.offer_subagents();
        }
    }

    /// Tells the hooks what happens, with all that is known of the session.
    pub(crate) fn emit(&self, kind: EventKind, fill: impl FnOnce(&mut Event)) -> Result<Emitted, Denied> {
        emit(&self.session, &self.parts, kind, |event| self.fill(event, fill))
    }

    /// The same where the agent may stop whatever they say.
    pub(crate) fn emit_letting_go(&self, kind: EventKind, fill: impl FnOnce(&mut Event)) -> Emitted {
        emit_letting_go(&self.session, &self.parts, kind, |event| self.fill(event, fill))
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

/// Tells the hooks of a session what happens, and whoever watches what they added.
pub(crate) fn emit(
    session: &SessionCoordinator,
    parts: &Parts,
    kind: EventKind,
    fill: impl FnOnce(&mut Event),
) -> Result<Emitted, Denied> {
    let emitted = session.emit(event(session, parts, kind, fill));
    tell_of(emitted.as_ref().unwrap_or_else(|denied| &denied.emitted), parts);
    emitted
}

/// The same where an agent may stop whatever they say.
pub(crate) fn emit_letting_go(
    session: &SessionCoordinator,
    parts: &Parts,
    kind: EventKind,
    fill: impl FnOnce(&mut Event),
) -> Emitted {
    let emitted = session.emit_letting_go(event(session, parts, kind, fill));
    tell_of(&emitted, parts);
    emitted
}

fn event(
    session: &SessionCoordinator,
    parts: &Parts,
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

fn tell_of(emitted: &Emitted, parts: &Parts) {
    for message in &emitted.placed {
        let mut message = message.clone();
        parts.place.keys.hide(&mut message.content);
        parts.listener.hear(Heard::Added { message: &message });
    }
}

/// What failed, as events have it.
pub(crate) fn failure(kind: &str, message: String) -> Option<EventError> {
    Some(EventError { kind: Some(kind.to_owned()), message })
}

/// What a request was and cost, as events have it.
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
