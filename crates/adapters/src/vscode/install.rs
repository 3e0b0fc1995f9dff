//! VS Code reads the hook files of Copilot CLI and of Claude Code, and has none of its own: it is called by the entries
//! of Copilot CLI, and known by what it sends.

use tenter_contract::AgentName;
use tenter_contract::ports::{Reading, ReadsToo, Scope};

use super::EVENTS;
use crate::copilot::install::{GROUPS, PROJECT, USER};
use crate::documented::Installer;

pub(super) static INSTALLER: Installer = Installer {
    title: "VS Code",
    program: "code",
    user: Some(USER),
    project: Some(PROJECT),
    local: None,
    groups: &GROUPS,
    still_to_do: None,
    reads_too: &[ReadsToo {
        agent: AgentName::from_static("claude"),
        scopes: &Scope::ALL,
        reading: Reading::Always,
    }],
    entries_name: Some("copilot"),
    home_folder: Some(".vscode"),
    sends: Some(EVENTS),
    becomes_too: &[],
};
