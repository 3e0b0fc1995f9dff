//! An agent with a scripted model that records its requests, and hooks that are functions.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use tenter_agent::tools::{Tool, ToolDisplay, ToolOutput, Toolbox, Workspace};
use tenter_agent::{
    Agent, AgentEvent, AgentParts, Journal, Observer, Permission, SharedConversation, TurnEnd, TurnError,
};
use tenter_contract::{Event, EventKind, HookReply, Outcome, RecordBody, ToolKind, event_names};
use tenter_coordinator::{HookSpec, MemoryTrail, SessionCoordinator, in_process};
use tenter_models::client::{
    Block, Conversation, Item, Model, ModelError, Note, Reply, ReplyPiece, Request, StopFlag, StopReason,
    ToolResult, ToolUse, Usage,
};

/// A reply of the scripted model.
pub(crate) enum ModelReply {
    Text(&'static str),
    Calls(Vec<(&'static str, Value)>),
    Failure(ModelError),
    /// Replies while the user stops it.
    Stopped(&'static str),
}

/// A model that returns scripted replies.
pub(crate) struct ScriptedModel {
    replies: Mutex<VecDeque<ModelReply>>,
    /// The reply after the last scripted reply.
    pub(crate) last: &'static str,
    pub(crate) asked: Mutex<Vec<Conversation>>,
}

impl Model for ScriptedModel {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn ask(
        &self,
        request: &Request<'_>,
        on_piece: &mut dyn FnMut(ReplyPiece<'_>),
        stop: &StopFlag,
    ) -> Result<Reply, ModelError> {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.conversation.clone());
            asked.len()
        };
        let reply = self.replies.lock().unwrap().pop_front();
        let text = |text: &str| vec![Block::Text(text.to_owned())];
        let usage = Usage { input: 10, output: 5, ..Usage::default() };
        match reply {
            Some(ModelReply::Failure(error)) => Err(error),
            Some(ModelReply::Stopped(reply)) => {
                on_piece(ReplyPiece::Text(reply));
                stop.set();
                Err(ModelError::stopped(Reply { blocks: text(reply), ..Reply::default() }))
            }
            Some(ModelReply::Calls(calls)) => {
                let call = |(at, (name, input)): (usize, (&str, Value))| {
                    let input = input.as_object().cloned().unwrap_or_default();
                    Block::Call(ToolUse::new(format!("call-{number}-{at}"), name, input))
                };
                let blocks = calls.into_iter().enumerate().map(call).collect();
                Ok(Reply { blocks, stop: StopReason::Calls, usage })
            }
            Some(ModelReply::Text(reply)) => {
                on_piece(ReplyPiece::Text(reply));
                Ok(Reply { blocks: text(reply), stop: StopReason::End, usage })
            }
            None => Ok(Reply { blocks: text(self.last), stop: StopReason::End, usage }),
        }
    }
}

pub(crate) type Hook = (EventKind, String, Arc<dyn Fn(&Event) -> HookReply + Send + Sync>);

/// An agent in a temporary folder.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) model: Arc<ScriptedModel>,
    pub(crate) received: Arc<RecordingObserver>,
    pub(crate) events: Arc<Mutex<Vec<Event>>>,
    pub(crate) trail: Arc<MemoryTrail>,
    pub(crate) hooks: Arc<Mutex<Vec<Hook>>>,
    pub(crate) permission: Permission,
    pub(crate) window: u64,
}

impl World {
    pub(crate) fn new(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect());
        Self {
            folder: tempfile::tempdir().unwrap(),
            model: Arc::new(ScriptedModel { replies, last: "Done.", asked: Mutex::default() }),
            received: Arc::default(),
            events: Arc::default(),
            trail: Arc::default(),
            hooks: Arc::default(),
            permission: Permission::All,
            window: 1_000_000,
        }
    }

    /// Adds a hook, also for sub-agents.
    #[must_use]
    pub(crate) fn hook(
        self,
        event: EventKind,
        name: &str,
        function: impl Fn(&Event) -> HookReply + Send + Sync + 'static,
    ) -> Self {
        self.hooks.lock().unwrap().push((event, name.to_owned(), Arc::new(function)));
        self
    }

    pub(crate) fn agent(&self) -> Agent {
        self.agent_with(Journal::none())
    }

    pub(crate) fn agent_with(&self, journal: Journal) -> Agent {
        Agent::new(self.parts(), "s1", journal)
    }

    pub(crate) fn parts(&self) -> AgentParts {
        let (hooks, events) = (Arc::clone(&self.hooks), Arc::clone(&self.events));
        let trail = Arc::clone(&self.trail);
        let sessions = move |id: &str, talk: Arc<SharedConversation>| {
            let session = SessionCoordinator::builder("tenter")
                .session(id)
                .context(talk)
                .trail(Arc::clone(&trail))
                .build();
            for kind in event_names::EVENTS.iter().map(|row| row.kind.clone()) {
                let events = Arc::clone(&events);
                let watch = move |event: &Event| {
                    events.lock().unwrap().push(event.clone());
                    HookReply::default()
                };
                session.register(kind, "watch", 1000, watch).unwrap();
            }
            for (kind, name, function) in hooks.lock().unwrap().iter() {
                let function = Arc::clone(function);
                let hook = HookSpec { may_allow: true, ..in_process(kind.clone(), name) };
                session.register_hook(hook, move |event| function(event)).unwrap();
            }
            Arc::new(session)
        };
        let place =
            Workspace::new(self.folder.path().to_owned(), Vec::new(), self.folder.path().join("spills"));
        AgentParts {
            sessions: Arc::new(sessions),
            model: Arc::clone(&self.model) as Arc<dyn Model>,
            tools: Arc::new(Toolbox::new(vec![Box::new(Look), Box::new(Change), Box::new(Break)])),
            place: Arc::new(place),
            observer: Arc::clone(&self.received) as Arc<dyn Observer>,
            instructions: String::new(),
            permission: self.permission,
            attended: true,
            window: self.window,
        }
    }

    /// The items of a request, without the instructions.
    pub(crate) fn asked(&self, number: usize) -> Vec<Item> {
        self.model.asked.lock().unwrap()[number].items.clone()
    }

    pub(crate) fn requests(&self) -> usize {
        self.model.asked.lock().unwrap().len()
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        self.events.lock().unwrap().iter().map(|event| event.kind.to_string()).collect()
    }

    /// The recorded outcomes of a kind of event.
    pub(crate) fn recorded(&self, kind: &EventKind) -> Vec<Outcome> {
        let outcomes = self.trail.records().into_iter().filter_map(|record| match record {
            RecordBody::Event(record) => Some(record.outcome),
            _ => None,
        });
        outcomes.filter(|outcome| outcome.event.kind == *kind).collect()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

pub(crate) fn prompt(agent: &mut Agent, text: &str) -> Result<TurnEnd, TurnError> {
    agent.prompt(text, &StopFlag::new())
}

/// The received events, a word each.
#[derive(Default)]
pub(crate) struct RecordingObserver(pub(crate) Mutex<Vec<String>>);

impl Observer for RecordingObserver {
    fn on_event(&self, event: AgentEvent<'_>) {
        let word = match event {
            AgentEvent::Text(text) => format!("text {text}"),
            AgentEvent::ToolStarted { call } => format!("runs {}", call.name),
            AgentEvent::ToolFinished { call, output } => format!("ran {} {}", call.name, output.output),
            AgentEvent::Denied { denied, .. } => format!("denied {denied}"),
            AgentEvent::Continues { task } => format!("continues {task}"),
            other => format!("{other:?}").split([' ', '{']).next().unwrap_or_default().to_lowercase(),
        };
        self.0.lock().unwrap().push(word);
    }
}

/// A tool that returns its input.
struct Look;

impl Tool for Look {
    fn name(&self) -> &'static str {
        "Look"
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }
    fn description(&self) -> &'static str {
        "Returns its input."
    }
    fn schema(&self) -> Value {
        json!({"type": "object"})
    }
    fn alone(&self) -> bool {
        false
    }
    fn run(&self, input: &Map<String, Value>, _: &Workspace, _: &dyn Fn() -> bool) -> ToolOutput {
        ToolOutput::done(Value::Object(input.clone()).to_string(), ToolDisplay::Nothing)
    }
}

/// A tool that writes a file.
struct Change;

impl Tool for Change {
    fn name(&self) -> &'static str {
        "Write"
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Write
    }
    fn description(&self) -> &'static str {
        "Writes a file."
    }
    fn schema(&self) -> Value {
        json!({"type": "object"})
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, input: &Map<String, Value>, at: &Workspace, _: &dyn Fn() -> bool) -> ToolOutput {
        let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
        match std::fs::write(at.folder().join(text("file_path")), text("content")) {
            Ok(()) => ToolOutput::done("written", ToolDisplay::Nothing),
            Err(error) => ToolOutput::failed(error.to_string()),
        }
    }
}

/// A tool that panics.
struct Break;

impl Tool for Break {
    fn name(&self) -> &'static str {
        "Break"
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }
    fn description(&self) -> &'static str {
        "Breaks."
    }
    fn schema(&self) -> Value {
        json!({"type": "object"})
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, _: &Map<String, Value>, _: &Workspace, _: &dyn Fn() -> bool) -> ToolOutput {
        panic!("broken")
    }
}

/// An item on one line.
pub(crate) fn brief(item: &Item) -> String {
    match item {
        Item::Prompt(text) => format!("prompt: {text}"),
        Item::Reply(reply) => {
            let calls: Vec<&str> = reply.calls().map(|call| call.name.as_str()).collect();
            format!("reply: {}{}", reply.text(), calls.join("+"))
        }
        Item::Result(ToolResult { output, failed, .. }) => {
            format!("{}: {output}", if *failed { "failure" } else { "result" })
        }
        Item::Note(Note { role, text, .. }) => format!("{}: {text}", role.as_str()),
    }
}

pub(crate) fn briefly(items: &[Item]) -> Vec<String> {
    items.iter().map(brief).collect()
}
