//! The settings of agents: finding, reading and changing them for `init`, `uninstall` and `doctor`.

pub(crate) mod agent_switch;
pub(crate) mod consent;
pub(crate) mod detect;
pub(crate) mod installed;
pub(crate) mod mcp_server;
pub(crate) mod moved_folders;
pub(crate) mod settings;
pub(crate) mod shared_settings;
pub(crate) mod summary;
pub(crate) mod targets;
pub(crate) mod plan;
pub(crate) mod user_hooks;
