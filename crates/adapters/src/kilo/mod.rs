//! Kilo, which runs OpenCode's plugins: everything but its name and its folders is OpenCode's. What is written here was
//! measured on version 7.7.7.

use tenter_contract::AgentName;

use crate::opencode::PluginHost;

/// Kilo.
pub(crate) static KILO: PluginHost = PluginHost {
    name: AgentName::from_static("kilo"),
    title: "Kilo",
    package: "@kilocode/cli",
    user_file: "kilo/plugin/tenter.js",
    project_file: ".kilo/plugin/tenter.js",
};
