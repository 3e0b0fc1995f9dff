//! A session whose parts are visible to tests.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenter_contract::{ApproverName, Event, EventKind, Timestamp, ToolCall, ToolKind};
use tenter_coordinator::{
    Acceptance, ApprovalAnswer, ApprovalRequest, Approver, Builder, Choice, HookReply, MemoryContext,
    MemoryDisplay, MemoryTrail, SessionCoordinator, Waiting,
};
use tenter_runtime::kit::StoppedClock;

/// 2025-11-07T12:34:56Z.
pub(crate) const NOON: Timestamp = Timestamp { unix_ms: 1_762_518_896_000 };

/// A session, and its parts.
pub(crate) struct TestSession {
    pub(crate) session: SessionCoordinator,
    pub(crate) context: Arc<MemoryContext>,
    pub(crate) display: Arc<MemoryDisplay>,
    pub(crate) trail: Arc<MemoryTrail>,
}

pub(crate) fn test_session() -> TestSession {
    test_session_with(|builder| builder)
}

/// A session with other parts.
pub(crate) fn test_session_with(plug: impl FnOnce(Builder) -> Builder) -> TestSession {
    let context = Arc::new(MemoryContext::default());
    let display = Arc::new(MemoryDisplay::default());
    let trail = Arc::new(MemoryTrail::default());
    let builder = SessionCoordinator::builder("my-agent")
        .session("abc-123")
        .context(Arc::clone(&context))
        .display(Arc::clone(&display))
        .trail(Arc::clone(&trail))
        .clock(StoppedClock(NOON));
    TestSession { session: plug(builder).build(), context, display, trail }
}

impl TestSession {
    /// A write to a file, before or after the call.
    pub(crate) fn write(&self, kind: EventKind, path: &str) -> Event {
        let input = json!({ "file_path": path, "content": "x" });
        self.tool(kind, "Write", ToolKind::Write, &input)
    }

    pub(crate) fn tool(&self, kind: EventKind, name: &str, tool: ToolKind, input: &Value) -> Event {
        let call = ToolCall::new(name, tool, input.as_object().cloned().unwrap());
        Event { tool: Some(call), ..self.session.event(kind) }
    }

    /// Registers a hook that returns this reply at every such event.
    pub(crate) fn register_reply(&self, kind: EventKind, name: &str, reply: HookReply) {
        self.session.register(kind, name, 0, move |_| reply.clone()).unwrap();
    }

    /// `[source] level: text` of everything the user was shown.
    pub(crate) fn shown(&self) -> Vec<String> {
        let line = |shown: tenter_coordinator::Shown| {
            format!("[{}] {}: {}", shown.source, shown.level.as_str(), shown.text)
        };
        self.display.shown().into_iter().map(line).collect()
    }

    /// Role and content of the conversation.
    pub(crate) fn conversation(&self) -> Vec<(&'static str, String)> {
        self.session.messages().into_iter().map(|message| (message.role.as_str(), message.content)).collect()
    }
}

/// An approver that gives the same answer to every question and records the questions.
#[derive(Clone)]
pub(crate) struct TestApprover {
    /// The chosen option; `None` never answers.
    option: Option<String>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl TestApprover {
    /// An approver that chooses this option.
    pub(crate) fn answering(option: &str) -> Self {
        Self { option: Some(option.to_owned()), asked: Arc::default() }
    }

    /// An approver that never answers.
    pub(crate) fn silent() -> Self {
        Self { option: None, asked: Arc::default() }
    }

    /// The texts of the questions.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Approver for TestApprover {
    fn name(&self) -> &'static str {
        "test-approver"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        _: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        self.asked.lock().unwrap().push(request.question.prompt());
        let choice = self.option.as_ref().map(|option| request.question.choice(option).unwrap());
        choice.map_or_else(|| waiting.timed_out(), Choice::answer)
    }
}
