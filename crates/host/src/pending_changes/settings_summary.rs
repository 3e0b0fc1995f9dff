//! A summary of an agent's settings for hooks, a line each: tenter's entries with their options, settings that keep the
//! agent from running them, and the hooks of others.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Map, Value};
use tenter_contract::ports::AgentInstaller;

/// An entry of tenter.
pub(super) const ENTRY: &str = "calls tenter";
/// A setting that keeps entries from working.
pub(super) const IN_THE_WAY: &str = "in the way";
/// A setting that decides whether hooks run, or where tenter looks for its files.
pub(super) const SETTING: &str = "setting";

const COMMANDS: [&str; 3] = ["command", "url", "bash"];

/// Of settings that have hooks.
pub(super) fn summary(installer: &dyn AgentInstaller, path: &Path, text: Option<&str>) -> String {
    let Some(text) = text else { return String::new() };
    let entries = installer.entries(text).unwrap_or_default();
    let mut lines: Vec<String> =
        entries.iter().map(|entry| format!("{ENTRY} at {}: {}", entry.event, entry.line)).collect();
    let in_the_way = installer.in_the_way(text).unwrap_or_else(|error| vec![error.to_string()]);
    lines.extend(in_the_way.into_iter().map(|why| format!("{IN_THE_WAY}: {why}")));
    lines.extend(not_executable(path).map(|name| format!("{IN_THE_WAY}: {name} is not executable")));
    if let Some(value) = tenter_adapters::settings_value(text) {
        let is_ours = |command: &str| entries.iter().any(|entry| entry.line == command);
        for (event, groups) in value.get("hooks").unwrap_or(&value).as_object().into_iter().flatten() {
            add_hooks(groups, &format!("at {event}"), &is_ours, &mut lines);
        }
        add_settings(&value, "", &mut lines);
    }
    joined(lines)
}

/// Of settings that have a switch for hooks, in TOML.
pub(super) fn switches_of(text: Option<&str>) -> String {
    let table: Option<toml::Table> = text.and_then(|text| text.parse().ok());
    let value = table.and_then(|table| serde_json::to_value(table).ok()).unwrap_or_default();
    let mut lines = Vec::new();
    add_settings(&value, "", &mut lines);
    joined(lines)
}

fn joined(mut lines: Vec<String>) -> String {
    for line in &mut lines {
        line.push('\n');
    }
    lines.concat()
}

/// The scripts of an agent whose settings are a folder of scripts, as far as the agent cannot run them.
fn not_executable(folder: &Path) -> impl Iterator<Item = String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let not_executable = |file: &fs::DirEntry| {
        file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 == 0)
    };
    files.filter(not_executable).map(|file| file.file_name().to_string_lossy().into_owned())
}

/// Adds each hook: of tenter's own the other keys, such as a matcher or a timeout, here or in its group.
fn add_hooks(value: &Value, around: &str, is_ours: &dyn Fn(&str) -> bool, lines: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            let around = format!("{around} {}", other_keys(object));
            for (key, value) in object {
                match value.as_str().filter(|_| COMMANDS.contains(&key.as_str())) {
                    Some(command) if is_ours(command) => lines.push(format!("{ENTRY} {around}")),
                    Some(command) => lines.push(format!("other hook: {command}")),
                    None => add_hooks(value, &around, is_ours, lines),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| add_hooks(value, around, is_ours, lines)),
        _ => {}
    }
}

/// The keys of a hook or a group, without commands and further groups.
fn other_keys(object: &Map<String, Value>) -> String {
    let is_command = |key: &str, value: &Value| COMMANDS.contains(&key) && value.is_string();
    let own = object.iter().filter(|(key, value)| !is_command(key, value) && !is_list_of_hooks(value));
    let mut own: Vec<String> = own.map(|(key, value)| format!("{key}={value}")).collect();
    own.sort();
    own.join(" ")
}

fn is_list_of_hooks(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_object))
}

/// Adds settings about hooks at any depth, and variables that lead tenter or its shell elsewhere.
fn add_settings(value: &Value, path: &str, lines: &mut Vec<String>) {
    let Some(object) = value.as_object() else { return };
    for (key, value) in object {
        let name = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let is_variable = path.split('.').next_back() == Some("env") && leads_elsewhere(key);
        let is_of_hooks = path == "hooks" || (key.to_lowercase().contains("hook") && key != "hooks");
        let is_switch = key == "hooks" && !value.is_object();
        if (is_of_hooks && !is_list_of_hooks(value)) || is_switch || is_variable {
            lines.push(format!("{SETTING} {name} = {value}"));
        } else {
            add_settings(value, &name, lines);
        }
    }
}

/// Variables by which tenter finds its files, or that make a shell or a program run something else first.
fn leads_elsewhere(name: &str) -> bool {
    matches!(
        name,
        "HOME" | "BASH_ENV" | "ENV" | "SHELLOPTS" | "BASHOPTS" | "CLAUDE_CONFIG_DIR" | "CODEX_HOME"
    ) || ["XDG_", "TENTER_", "LD_", "DYLD_", "BASH_FUNC_"].iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hook_settings_are_found_at_any_depth() {
        for (text, expected) in [
            ("[features]\nhooks = false\n", "setting features.hooks = false\n"),
            ("features = { codex_hooks = false }\n", "setting features.codex_hooks = false\n"),
            (
                "[hooks.state.\"a:b\"]\nenabled = false\n",
                "setting hooks.state = {\"a:b\":{\"enabled\":false}}\n",
            ),
            ("[env]\nHOME = \"/x\"\nEDITOR = \"vi\"\n", "setting env.HOME = \"/x\"\n"),
            ("model = \"x\"\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n", ""),
        ] {
            assert_eq!(switches_of(Some(text)), expected, "{text}");
        }
        assert_eq!(switches_of(None), "");
    }
}
