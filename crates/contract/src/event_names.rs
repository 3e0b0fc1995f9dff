//! The one table of event names: canonical spelling, every agent's spelling, and what may be done there.
//!
//! Hook files accept every alias; records, API and documentation use the canonical name. Spellings are
//! compared without case and without `_`, `-`, `.` and `:`, so `PreToolUse`, `preToolUse`, `pre_tool_use`
//! and the constant `PRE_TOOL_USE` are one alias.

use crate::Support;

/// What hooks may do at an event, whatever the agent supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Powers {
    /// Whether a deny means something here.
    pub block: Support,
    /// Whether a rewrite means something here.
    pub modify: Support,
    /// Whether context can be injected here.
    pub inject: Support,
    /// Whether a person can be asked here.
    pub ask: Support,
}

/// One row of the table.
#[derive(Debug)]
pub struct EventName {
    /// The event.
    pub kind: EventKind,
    /// `namespace:name`.
    pub canonical: &'static str,
    /// Claude Code's name, which unchanged hook scripts read as `hook_event_name` under every agent.
    pub claude: &'static str,
    /// The other spellings, one per agent or specification that has its own.
    pub aliases: &'static [&'static str],
    /// One line for people.
    pub when: &'static str,
    /// What may be done there.
    pub powers: Powers,
}

macro_rules! power {
    (x) => {
        Support::Yes
    };
    (o) => {
        Support::No
    };
}

macro_rules! events {
    ($( $kind:ident $constant:ident $canonical:literal $claude:literal
        [$($alias:literal)*] $block:ident $modify:ident $inject:ident $ask:ident $when:literal )*) => {
        /// What happened.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
        pub enum EventKind {
            $( #[doc = $when] $kind, )*
            /// An agent's event without counterpart (`claude:FileChanged`), or an embedder's own.
            Other(String),
        }

        /// Every event tenter knows, in the order of a session.
        pub static EVENTS: &[EventName] = &[$( EventName {
            kind: EventKind::$kind,
            canonical: $canonical,
            claude: $claude,
            aliases: &[$($alias),*],
            when: $when,
            powers: Powers {
                block: power!($block), modify: power!($modify), inject: power!($inject), ask: power!($ask),
            },
        } ),*];

        /// Canonical names as constants, for programs that emit events.
        pub mod constants {
            $( #[doc = $when] pub const $constant: &str = $canonical; )*
        }
    };
}

events! {
// kind                   constant                  canonical                  Claude Code's name   aliases                                   block modify inject ask
    SessionStart           SESSION_START             "session:start"            "SessionStart"       ["agentSpawn" "conversation_start" "TaskStart" "TaskResume" "agent_start" "agent_resume" "session.created" "experimental.chat.system.transform"] o o x o "a session begins, resumes, or restarts after compaction"
    SessionEnd             SESSION_END               "session:end"              "SessionEnd"         ["SessionShutdown" "session.deleted"] o o o o "a session ends"
    PromptSubmit           PROMPT_SUBMIT             "prompt:submit"            "UserPromptSubmit"   ["per_prompt" "BeforeAgent" "beforeSubmitPrompt" "userPromptSubmitted" "chat.message" "pre_user_prompt"] x x x x "the user sent a prompt"
    DecisionToolResolution DECISION_TOOL_RESOLUTION  "decision:tool_resolution" "BeforeToolSelection" [] o o o o "the model chose its tools"
    ToolPre                TOOL_PRE                  "tool:pre"                 "PreToolUse"         ["PreToolCall" "BeforeTool" "beforeShellExecution" "beforeMCPExecution" "beforeReadFile" "preMcpToolCall" "tool.execute.before" "tool_call" "pre_call" "pre_run_command" "pre_write_code" "pre_read_code" "pre_mcp_tool_use" "ghap_checkin"] x x x x "before a tool runs"
    ToolPost               TOOL_POST                 "tool:post"                "PostToolUse"        ["PostToolCall" "AfterTool" "afterShellExecution" "afterMCPExecution" "afterFileEdit" "tool.execute.after" "tool_result" "post_call" "post_run_command" "post_write_code" "post_read_code" "post_mcp_tool_use" "outcome_capture"] x x x o "after a tool ran"
    ToolError              TOOL_ERROR                "tool:error"               "PostToolUseFailure" ["ERROR_TOOL" "tool.execute.failed"] o o x o "a tool failed"
    PermissionRequest      PERMISSION_REQUEST        "permission:request"       "PermissionRequest"  ["permission.ask" "permission.asked"] x x o x "before the agent asks its user"
    ProviderRequest        PROVIDER_REQUEST          "provider:request"         "BeforeModel"        ["PreModelRequest" "experimental.chat.messages.transform" "before_provider_request" "PreInvocation"] x x x o "before a model call"
    ProviderResponse       PROVIDER_RESPONSE         "provider:response"        "AfterModel"         ["PostModelRequest" "afterAgentResponse" "experimental.text.complete" "PostInvocation"] o x o o "after a model call"
    ProviderError          PROVIDER_ERROR            "provider:error"           "ProviderError"      ["ERROR_PROVIDER"] o o x o "a model call failed"
    ContextPreCompact      CONTEXT_PRE_COMPACT       "context:pre_compact"      "PreCompact"         ["PreCompress" "experimental.session.compacting" "session_before_compact"] x o x o "before the conversation is compacted"
    ContextPostCompact     CONTEXT_POST_COMPACT      "context:post_compact"     "PostCompact"        ["PostCompaction" "session.compacted" "session_compact" "experimental.compaction.autocontinue"] o o x o "after the conversation was compacted"
    OrchestratorComplete   ORCHESTRATOR_COMPLETE     "orchestrator:complete"    "Stop"               ["AfterAgent" "agentStop" "TaskComplete" "agent_end" "session.idle" "post_cascade_response" "post_cascade_response_with_transcript"] x o x o "the agent wants to stop"
    SubagentStart          SUBAGENT_START            "subagent:start"           "SubagentStart"      ["subagent.created"] o o x o "a sub-agent begins"
    SubagentComplete       SUBAGENT_COMPLETE         "subagent:complete"        "SubagentStop"       ["subagent.idle"] x o x o "a sub-agent wants to stop"
    UserNotification       USER_NOTIFICATION         "user:notification"        "Notification"       [] o o o o "the agent needs the user"
    ErrorOrchestrator      ERROR_ORCHESTRATOR        "error:orchestrator"       "StopFailure"        ["errorOccurred" "TaskError" "agent_error" "session.error"] o o x o "the agent itself failed"
    ApprovalRequired       APPROVAL_REQUIRED         "approval:required"        "ApprovalRequired"   [] o o o o "before tenter asks a question"
    ApprovalGranted        APPROVAL_GRANTED          "approval:granted"         "ApprovalGranted"    [] o o o o "a question was allowed"
    ApprovalDenied         APPROVAL_DENIED           "approval:denied"          "ApprovalDenied"     [] o o o o "a question was denied"
    ApprovalTimeout        APPROVAL_TIMEOUT          "approval:timeout"         "ApprovalTimeout"    [] o o o o "a question timed out"
    HookContextInjection   HOOK_CONTEXT_INJECTION    "hook:context_injection"   "HookContextInjection" [] o o o o "tenter injected the text of a hook"
    HookFailed             HOOK_FAILED               "hook:failed"              "HookFailed"         [] o o o o "a hook failed"
}

/// Events of agents that have no counterpart here. They arrive as `<agent>:<TheirName>` and can be observed, not
/// answered. The list is closed, because a guard at an event that no agent sends would never run.
pub static OBSERVED: &[(&str, &[&str])] = &[
    (
        "claude",
        &[
            "ConfigChange",
            "CwdChanged",
            "DirectoryAdded",
            "Elicitation",
            "ElicitationResult",
            "FileChanged",
            "InstructionsLoaded",
            "MessageDisplay",
            "PermissionDenied",
            "PostModelSwitch",
            "PostToolBatch",
            "PreModelSwitch",
            "Setup",
            "TaskCompleted",
            "TaskCreated",
            "TeammateIdle",
            "UserPromptExpansion",
            "WorktreeCreate",
            "WorktreeRemove",
        ],
    ),
    ("codex", &["Interrupt"]),
    ("copilot", &["PreMcpToolCall", "SubagentTurnEnd", "UserPromptTransformed"]),
    ("cursor", &["afterAgentThought", "afterTabFileEdit", "beforeTabFileRead", "workspaceOpen"]),
    ("goose", &["AfterFileEdit", "AfterShellExecution", "BeforeReadFile", "BeforeShellExecution"]),
    (
        "kimi",
        &[
            "Interrupt",
            "PermissionResult",
            "SessionHeartbeat",
            "TaskStarted",
            "TurnStarted",
            "UserPromptQueued",
        ],
    ),
    ("kiro", &["Manual", "PostFileCreate", "PostFileDelete", "PostFileSave", "PostTaskExec", "PreTaskExec"]),
    ("windsurf", &["post_setup_worktree"]),
];

/// The row of a known event; none for [`EventKind::Other`].
pub fn row(kind: &EventKind) -> Option<&'static EventName> {
    EVENTS.iter().find(|row| row.kind == *kind)
}

/// An agent's own event, in its agent's spelling whatever the letters' case.
pub fn observed(spelling: &str) -> Option<EventKind> {
    let (agent, name) = spelling.split_once(':')?;
    let (agent, names) = OBSERVED.iter().find(|(known, _)| known.eq_ignore_ascii_case(agent))?;
    let name = names.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    Some(EventKind::Other(format!("{agent}:{name}")))
}

/// Finds a known event by its canonical name or any alias.
pub fn find(spelling: &str) -> Option<&'static EventName> {
    EVENTS.iter().find(|row| row.spellings().any(|known| same(known, spelling)))
}

impl EventName {
    /// Every spelling: the canonical one first, then Claude Code's, then the aliases.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> {
        [self.canonical, self.claude].into_iter().chain(self.aliases.iter().copied())
    }
}

/// Compares letters and digits without case, without building strings: this runs for every payload.
fn same(a: &str, b: &str) -> bool {
    let mut a = a.bytes().filter(|byte| !is_separator(*byte));
    let mut b = b.bytes().filter(|byte| !is_separator(*byte));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x.eq_ignore_ascii_case(&y) => {}
            (Some(_) | None, _) => return false,
        }
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_unique() {
        for row in EVENTS {
            for spelling in row.spellings() {
                assert_eq!(find(spelling).map(|found| found.canonical), Some(row.canonical), "{spelling}");
            }
        }
    }

    #[test]
    fn spellings_differ_only_in_letters() {
        for (spelling, canonical) in [
            ("PreToolUse", "tool:pre"),
            ("preToolUse", "tool:pre"),
            ("pre_tool_use", "tool:pre"),
            ("TOOL_PRE", "tool:pre"),
            ("stop", "orchestrator:complete"),
            ("session_start", "session:start"),
            ("sessionStart", "session:start"),
            ("user_prompt_submit", "prompt:submit"),
            ("ERROR_TOOL", "tool:error"),
            ("preCompact", "context:pre_compact"),
        ] {
            assert_eq!(find(spelling).map(|found| found.canonical), Some(canonical), "{spelling}");
        }
    }

    #[test]
    fn unknown_event_is_not_found() {
        for spelling in ["", ":", "tool:", "pre", "ToolFinshed", "PreToolUses"] {
            assert!(find(spelling).is_none(), "{spelling}");
        }
    }

    #[test]
    fn every_kind_has_a_row() {
        assert_eq!(constants::TOOL_PRE, "tool:pre");
        for row in EVENTS {
            assert_eq!(row.kind.as_str(), row.canonical);
        }
    }
}
