//! The events of an agent: its names, ours, and at which of them tenter is installed.

use tenter_contract::EventKind;

use super::{AgentSpec, has_word};

pub(crate) struct AgentEvent {
    pub(crate) name: &'static str,
    /// Its other names, which tenter also understands.
    aliases: &'static str,
    /// Our event; none if it can only be observed.
    pub(crate) kind: Option<EventKind>,
    /// How long the agent waits for tenter, in seconds; none if tenter is not installed there.
    pub(crate) timeout: Option<u32>,
    /// Whether a deny prevents something there. Elsewhere it comes too late, means something else (at the end of a turn:
    /// continue), or gets in the way of the agent itself (before compaction).
    pub(crate) guards: bool,
}

impl AgentEvent {
    const fn new(name: &'static str, kind: Option<EventKind>, timeout: Option<u32>, guards: bool) -> Self {
        Self { name, aliases: "", kind, timeout, guards }
    }

    pub(crate) const fn also(mut self, aliases: &'static str) -> Self {
        self.aliases = aliases;
        self
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || has_word(self.aliases, name)
    }

    pub(crate) fn event_kind(&self, agent: &AgentSpec) -> EventKind {
        match &self.kind {
            Some(kind) => kind.clone(),
            None => EventKind::Other(format!("{}:{}", agent.name, self.name)),
        }
    }

    /// The time of an entry, in seconds.
    pub(crate) fn seconds(&self) -> u32 {
        self.timeout.unwrap_or_default()
    }
}

/// An event at which tenter is installed and a deny prevents something.
pub(crate) const fn guarded(name: &'static str, kind: EventKind, timeout: u32) -> AgentEvent {
    AgentEvent::new(name, Some(kind), Some(timeout), true)
}

/// An event at which tenter is installed and a deny prevents nothing.
pub(crate) const fn watched(name: &'static str, kind: EventKind, timeout: u32) -> AgentEvent {
    AgentEvent::new(name, Some(kind), Some(timeout), false)
}

/// An event that is understood, and at which tenter is not installed.
pub(crate) const fn received(name: &'static str, kind: EventKind) -> AgentEvent {
    AgentEvent::new(name, Some(kind), None, false)
}

/// An event of this agent alone, at which tenter is installed if there is a timeout.
pub(crate) const fn observed(name: &'static str, timeout: Option<u32>) -> AgentEvent {
    AgentEvent::new(name, None, timeout, false)
}

/// The events of Claude Code, which Qwen Code has too.
pub(crate) const CLAUDE_EVENTS: &[AgentEvent] = &[
    watched("SessionStart", EventKind::SessionStart, 600),
    guarded("UserPromptSubmit", EventKind::PromptSubmit, 60),
    guarded("PreToolUse", EventKind::ToolPre, 600),
    guarded("PermissionRequest", EventKind::PermissionRequest, 600),
    watched("PostToolUse", EventKind::ToolPost, 600),
    watched("PostToolUseFailure", EventKind::ToolError, 600),
    watched("SubagentStart", EventKind::SubagentStart, 600),
    watched("SubagentStop", EventKind::SubagentComplete, 600),
    watched("PreCompact", EventKind::ContextPreCompact, 600),
    watched("PostCompact", EventKind::ContextPostCompact, 600),
    watched("Notification", EventKind::UserNotification, 600),
    watched("Stop", EventKind::OrchestratorComplete, 600),
    watched("StopFailure", EventKind::ErrorOrchestrator, 600),
    watched("SessionEnd", EventKind::SessionEnd, 5),
];
