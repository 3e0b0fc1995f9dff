//! An event of an agent's session.

use std::fmt;

use serde_json::{Map, Value};

use crate::event_names::{self, EventKind};
use crate::{AgentName, CanonicalPath, Facts, HookRun, PathBase, Rewrite, SessionId, Timestamp, ToolCall};

impl EventKind {
    /// Parses a canonical name or any alias. Any other `namespace:name` is an event of its own; other texts are
    /// `None`.
    pub fn parse(spelling: &str) -> Option<Self> {
        if let Some(row) = event_names::find(spelling) {
            return Some(row.kind.clone());
        }
        let (namespace, name) = spelling.split_once(':')?;
        let proper = |part: &str| {
            !part.is_empty()
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        (proper(namespace) && proper(name)).then(|| Self::Other(spelling.to_owned()))
    }

    /// The canonical name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => event_names::row(known).map_or("unknown:unknown", |row| row.canonical),
        }
    }

    /// Whether it is only recorded: hooks at such events would trigger themselves.
    pub fn is_only_recorded(&self) -> bool {
        matches!(self, Self::HookContextInjection | Self::HookFailed)
    }

    /// The name an unchanged Claude Code script expects as `hook_event_name`.
    pub fn claude_name(&self) -> &str {
        match self {
            Self::Other(name) => name.split_once(':').map_or(name.as_str(), |(_, own)| own),
            known => event_names::row(known).map_or("", |row| row.claude),
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What went wrong in the agent, in the tool or in the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct EventError {
    /// A short code, where the agent gives one.
    pub kind: Option<String>,
    /// The message.
    pub message: String,
}

/// An event of an agent's session. An adapter makes it from a payload; a program that embeds tenter makes it
/// directly.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The session; `None` if the agent names none.
    pub session: Option<SessionId>,
    /// The session that started this one.
    pub parent: Option<SessionId>,
    /// The orchestrator that runs it, for embedders that have several.
    pub orchestrator: Option<String>,
    /// Which agent program speaks.
    pub agent: AgentName,
    /// Which agent inside it, when it has several (a sub-agent's id).
    pub agent_id: Option<String>,
    /// What kind of sub-agent that is.
    pub agent_type: Option<String>,
    /// When it arrived.
    pub at: Timestamp,
    /// The directory the agent is in. It may follow the model's `cd`; see `project_root`.
    pub cwd: Option<String>,
    /// The project: the agent's own variable, or the git top level at session start. Never `cwd`.
    pub project_root: Option<String>,
    /// Whether a user is at the agent, if the agent says so.
    pub attended: Option<bool>,
    /// The agent's id of the turn.
    pub turn: Option<String>,
    /// How many turns there have been.
    pub turn_count: Option<u64>,
    /// Why a session starts, who sent a prompt, what triggers a compaction.
    pub source: Option<String>,
    /// How something ended.
    pub status: Option<String>,
    /// Why a session ends.
    pub reason: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The user's prompt.
    pub prompt: Option<String>,
    /// Files attached or changed.
    pub files: Vec<String>,
    /// A notification's text, or the agent's last message.
    pub message: Option<String>,
    /// What failed.
    pub error: Option<EventError>,
    /// The tool call, on tool and permission events.
    pub tool: Option<ToolCall>,
    /// Facts about the place that hooks asked for.
    pub facts: Facts,
    /// The runs of the hooks that the current hook waits for.
    pub previous: Vec<HookRun>,
    /// Further data of a program that embeds tenter.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    pub data: Map<String, Value>,
    /// The agent's own payload.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    pub raw: Value,
}

/// The tags with which agents begin prompts of their own.
const AGENTS_OWN_PROMPTS: [&str; 5] =
    ["task-notification>", "system-reminder>", "system-notification>", "background-task", "local-command-"];

impl Event {
    /// An event with nothing but its kind, agent, session and moment.
    pub fn new(
        kind: EventKind,
        agent: AgentName,
        session: impl Into<Option<SessionId>>,
        at: Timestamp,
    ) -> Self {
        Self {
            kind,
            session: session.into(),
            parent: None,
            orchestrator: None,
            agent,
            agent_id: None,
            agent_type: None,
            at,
            cwd: None,
            project_root: None,
            attended: None,
            turn: None,
            turn_count: None,
            source: None,
            status: None,
            reason: None,
            duration_ms: None,
            prompt: None,
            files: Vec::new(),
            message: None,
            error: None,
            tool: None,
            facts: Facts::default(),
            previous: Vec::new(),
            data: Map::new(),
            raw: Value::Null,
        }
    }

    /// Applies a rewrite; false if the event has nothing of that kind.
    pub fn rewrite(&mut self, rewrite: &Rewrite) -> bool {
        let before = matches!(self.kind, EventKind::ToolPre | EventKind::PermissionRequest);
        let after = self.kind == EventKind::ToolPost;
        match (rewrite, &mut self.tool) {
            (Rewrite::ToolInput(patch), Some(tool)) if before => {
                let new = patch.apply(&tool.input);
                if tool.original_input.is_none() {
                    tool.original_input = Some(tool.input.clone());
                }
                tool.set_input(new);
                // They belong to the old input.
                self.facts.paths.clear();
                true
            }
            (Rewrite::ToolOutput(patch), Some(tool)) if after => {
                tool.output = Some(patch.apply(tool.output.as_ref()));
                true
            }
            (Rewrite::Prompt(prompt), _) if self.kind == EventKind::PromptSubmit => {
                self.prompt = Some(prompt.clone());
                true
            }
            (Rewrite::Data(patch), _) => {
                self.data = patch.apply(&self.data);
                true
            }
            (Rewrite::ToolInput(_) | Rewrite::ToolOutput(_) | Rewrite::Prompt(_), _) => false,
        }
    }

    /// The paths of the call, as a hook gets them one by one. A hook works in the project root, so a relative path
    /// of an agent in another folder is made absolute. Before a tool runs, a hook also gets the targets of links.
    pub fn hook_paths(&self) -> Vec<String> {
        let Some(tool) = &self.tool else { return Vec::new() };
        let base = PathBase::new(self);
        let elsewhere =
            !base.folders.is_empty() || (base.cwd.is_some() && base.root.is_some() && base.cwd != base.root);
        let judges = matches!(self.kind, EventKind::ToolPre | EventKind::PermissionRequest);
        let mut found: Vec<String> = Vec::new();
        let mut add = |path: String| {
            if !found.contains(&path) {
                found.push(path);
            }
        };
        for path in &tool.paths {
            let by_text = CanonicalPath::by_text(path, &base).names;
            let relative = !path.starts_with(['/', '~']);
            match by_text.first().filter(|name| elsewhere && relative && name.starts_with('/')) {
                Some(absolute) => add(absolute.clone()),
                None => add(path.clone()),
            }
            let known = self.facts.paths.iter().find(|known| known.written == *path).filter(|_| judges);
            let linked = known.into_iter().flat_map(|known| &known.names);
            linked
                .filter(|name| name.starts_with('/') && !by_text.contains(name))
                .for_each(|it| add(it.clone()));
        }
        found
    }

    /// Whether it is a prompt that the user wrote. Agents also submit prompts of their own: the end of a background task,
    /// a reminder.
    pub fn is_users_prompt(&self) -> bool {
        let text = self.prompt.as_deref().unwrap_or_default().trim_start();
        self.kind == EventKind::PromptSubmit
            && !text.is_empty()
            && !AGENTS_OWN_PROMPTS
                .iter()
                .any(|tag| text.strip_prefix('<').is_some_and(|it| it.starts_with(tag)))
    }

    /// The session as a text, for formats of other systems that require one.
    pub fn session_text(&self) -> &str {
        self.session.as_ref().map_or("unknown", SessionId::as_str)
    }

    /// The session, or one that all events without a session share, for state that needs an id.
    pub fn session_or_shared(&self) -> SessionId {
        self.session.clone().unwrap_or_else(SessionId::shared)
    }

    /// The text that a matcher is compared with at events without a tool: the session's source, the notification's
    /// type, the reason of an end, the code of an error, the sub-agent's type.
    pub fn subject(&self) -> Option<&str> {
        let error = self.error.as_ref().and_then(|error| error.kind.as_deref());
        [
            self.source.as_deref(),
            self.status.as_deref(),
            self.reason.as_deref(),
            error,
            self.agent_type.as_deref(),
        ]
        .into_iter()
        .flatten()
        .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_prompt_is_not_a_user_prompt() {
        let agent = AgentName::from_static("claude");
        for (prompt, expected) in [
            ("Fix it.", true),
            ("what does <task-notification> mean?", true),
            ("<task-notification>\n<task-id>b1</task-id>", false),
            ("\n<system-reminder>x</system-reminder>", false),
            ("<task> is a tag", true),
            (" ", false),
        ] {
            let mut event = Event::new(EventKind::PromptSubmit, agent.clone(), None, Timestamp::default());
            event.prompt = Some(prompt.to_owned());
            assert_eq!(event.is_users_prompt(), expected, "{prompt}");
        }
    }

    #[test]
    fn hook_path_leads_to_the_same_file() {
        let input = serde_json::json!({"file_path": "a"}).as_object().cloned().unwrap_or_default();
        let agent = AgentName::from_static("codex");
        let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
        event.tool = Some(ToolCall::new("Write", crate::ToolKind::Write, input));
        (event.cwd, event.project_root) = (Some("/p".to_owned()), Some("/p".to_owned()));
        assert_eq!(event.hook_paths(), ["a"]);
        event.cwd = Some("/p/src".to_owned());
        assert_eq!(event.hook_paths(), ["/p/src/a"]);
        let mut path = CanonicalPath::by_text("a", &PathBase::new(&event));
        path.add_name("/p/production/a");
        event.facts.paths = vec![path];
        assert_eq!(event.hook_paths(), ["/p/src/a", "/p/production/a"]);
        event.kind = EventKind::ToolPost;
        assert_eq!(event.hook_paths(), ["/p/src/a"]);
    }
}
