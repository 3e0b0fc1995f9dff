//! The approvals that the agent requests itself, where hooks have not decided.

use std::path::PathBuf;

use tenter_contract::{EventKind, HookReply, ToolKind};
use tenter_coordinator::SessionCoordinator;
use tenter_models::client::ToolUse;

use crate::tools::{Tool, Workspace, call_paths, todo_write};

/// The calls that need no approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// Reading the project.
    #[default]
    Look,
    /// And changing files of the project.
    Edits,
    /// Everything; hooks are the only guard.
    All,
}

impl Permission {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 3] = [Self::Look, Self::Edits, Self::All];

    /// The value on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Edits => "edits",
            Self::All => "all",
        }
    }

    pub(crate) fn covers(self, tool: &dyn Tool, call: &ToolUse, place: &Workspace) -> bool {
        if self == Self::All {
            return true;
        }
        let paths = call_paths(tool, &call.input, place);
        match tool.kind() {
            _ if tool.is_harmless() => true,
            ToolKind::Mcp => false,
            // The list of tasks belongs to the agent.
            ToolKind::Other if tool.name() == todo_write::NAME => true,
            _ if !tool.alone() => paths.iter().all(|path| place.is_open(path)),
            ToolKind::Write | ToolKind::Edit if self == Self::Edits => {
                let is_plain = |path: &PathBuf| place.is_in_project(path) && place.auto_run(path).is_none();
                !paths.is_empty() && paths.iter().all(is_plain)
            }
            _ => false,
        }
    }

    /// Why a change needs approval although files of the project may be changed.
    pub(crate) fn reason(self, tool: &dyn Tool, call: &ToolUse, place: &Workspace) -> Option<String> {
        if !matches!(tool.kind(), ToolKind::Write | ToolKind::Edit) {
            return None;
        }
        let who = call_paths(tool, &call.input, place).iter().find_map(|path| place.auto_run(path))?;
        Some(format!("{who} runs this file automatically"))
    }
}

/// The key of the reason in that event.
pub(crate) const REASON: &str = "reason";

/// The event at which the user is asked.
pub(crate) fn event() -> EventKind {
    EventKind::Other("tenter:permission".to_owned())
}

/// Registers a hook that asks for the approval, so that it goes to the first approver that accepts it, with a time limit,
/// a record and a saved answer.
pub(crate) fn register(session: &SessionCoordinator) {
    let registered = session.register(event(), "permission", 0, |event| {
        let Some(tool) = &event.tool else { return HookReply::default() };
        let what = match (&tool.command, tool.path()) {
            (Some(command), _) => format!("run `{command}`"),
            (None, Some(path)) => format!("use {} on {path}", tool.name),
            (None, None) => format!("use {}", tool.name),
        };
        let why = event.data.get(REASON).and_then(|why| why.as_str());
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        HookReply::ask_or_always(format!("May I {what}{why}?"))
    });
    // The name is free in a new session.
    debug_assert!(registered.is_ok());
}
