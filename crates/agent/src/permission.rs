//! What the agent asks its user about by itself, where hooks have left it open.

use tenter_contract::{EventKind, HookReply, ToolKind};
use tenter_coordinator::SessionCoordinator;
use tenter_models::talk::Call;

use crate::tools::{Tool, Workplace};

/// What needs no question. Looking never does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// Looking.
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

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Edits => "edits",
            Self::All => "all",
        }
    }

    /// Whether a call is covered.
    pub(crate) fn covers(self, tool: &dyn Tool, call: &Call, place: &Workplace) -> bool {
        match self {
            Self::All => true,
            _ if !tool.alone() && tool.kind() != ToolKind::Mcp => true,
            Self::Look => false,
            Self::Edits => {
                let path = call.input.get("file_path").and_then(serde_json::Value::as_str);
                matches!(tool.kind(), ToolKind::Write | ToolKind::Edit)
                    && path.is_some_and(|path| is_inside(&place.path(path), place))
            }
        }
    }
}

/// Whether a path leads into the project, links followed as far as the path exists.
fn is_inside(path: &std::path::Path, place: &Workplace) -> bool {
    let Ok(root) = place.root.canonicalize() else { return false };
    let existing = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    existing.is_some_and(|(part, real)| {
        let rest = path.strip_prefix(part).unwrap_or(std::path::Path::new(""));
        let plain = rest.components().all(|it| matches!(it, std::path::Component::Normal(_)));
        plain && real.starts_with(root)
    })
}

/// The event at which the user is asked.
pub(crate) fn event() -> EventKind {
    EventKind::Other("tenter:permission".to_owned())
}

/// The question goes the way of every question of a hook: to whichever desk takes it, with a time, recorded, and
/// remembered if the user says so.
pub(crate) fn register(session: &SessionCoordinator) {
    let registered = session.register(event(), "permission", 0, |event| {
        let Some(tool) = &event.tool else { return HookReply::default() };
        let what = match (&tool.command, tool.path()) {
            (Some(command), _) => format!("run `{command}`"),
            (None, Some(path)) => format!("use {} on {path}", tool.name),
            (None, None) => format!("use {}", tool.name),
        };
        HookReply::ask_or_always(format!("May I {what}?"))
    });
    // There is no other of that name in a session that was just opened.
    debug_assert!(registered.is_ok());
}
