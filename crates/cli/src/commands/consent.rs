//! Whether an agent's user has agreed to our entries, for agents that run no hook without that. Nothing is changed:
//! agreeing is the user's own affair.

use std::fs;
use std::path::Path;

use tenter_contract::ports::{AgentInstaller, Agreement};
use tenter_host::install::settings_path;
use tenter_protocol::shorten::sha256_hex;
use toml::{Table, Value};

/// What the user has still to do.
pub(super) struct Awaited {
    /// The agent's names of the events at which it runs nothing until then.
    pub(super) events: Vec<String>,
    /// What to do, as people are told it.
    pub(super) how: &'static str,
}

impl Awaited {
    /// As a finding about a file.
    pub(super) fn told(&self, file: &Path) -> String {
        let events = self.events.join(", ");
        format!(
            "its user has not agreed yet to the entries for {events} in {}: no hook runs there",
            file.display()
        )
    }
}

/// What is still awaited for the entries in this text of a settings file.
pub(super) fn awaited(installer: &dyn AgentInstaller, file: &Path, text: &str) -> Option<Awaited> {
    let consent = installer.consent()?;
    let agreed =
        settings_path(consent.kept_in, Path::new("")).ok().and_then(|path| fs::read_to_string(path).ok());
    let state = agreed.as_deref().map(state).unwrap_or_default();
    // A link on the way to the file may be followed or not.
    let files = [Some(file.to_path_buf()), fs::canonicalize(file).ok()];
    let forms: Vec<Vec<Agreement>> = files
        .into_iter()
        .flatten()
        .map(|file| installer.agreements(&file.to_string_lossy(), text).unwrap_or_default())
        .collect();
    let open = |at: usize| !forms.iter().any(|form| form.get(at).is_some_and(|it| is_agreed(&state, it)));
    let entries = forms.first()?.iter().enumerate();
    let events: Vec<String> = entries.filter(|(at, _)| open(*at)).map(|(_, it)| it.event.clone()).collect();
    (!events.is_empty()).then_some(Awaited { events, how: consent.how })
}

/// What the agent remembers of each hook: `[hooks.state."<key>"]`.
fn state(text: &str) -> Table {
    let mut all = text.parse::<Table>().unwrap_or_default();
    let Some(Value::Table(mut hooks)) = all.remove("hooks") else { return Table::new() };
    match hooks.remove("state") {
        Some(Value::Table(state)) => state,
        _ => Table::new(),
    }
}

fn is_agreed(state: &Table, agreement: &Agreement) -> bool {
    let known = state.get(&agreement.key);
    let hash = known.and_then(|known| known.get("trusted_hash")).and_then(Value::as_str);
    let enabled = known.and_then(|known| known.get("enabled")).and_then(Value::as_bool);
    hash == Some(trusted_hash(agreement).as_str()) && enabled != Some(false)
}

/// What stands there once the user has agreed.
pub(super) fn trusted_hash(agreement: &Agreement) -> String {
    format!("sha256:{}", sha256_hex(agreement.content.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Codex CLI 0.166.0 tells it of a hook of its own.
    #[test]
    fn the_hash_is_the_agents() {
        let agreement = Agreement {
            event: "PreToolUse".to_owned(),
            key: "/home/u/.codex/hooks.json:pre_tool_use:0:0".to_owned(),
            content: r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"cat >> /tmp/cx/pre.txt","timeout":600,"type":"command"}]}"#.to_owned(),
        };
        let hash = "sha256:e378e1a32642ffd602286052b56d59c1b1776eadd55e2b7bf6766a75fe2c3200";
        assert_eq!(trusted_hash(&agreement), hash);
        for (text, expected) in [
            (format!("[hooks.state.\"{}\"]\ntrusted_hash = \"{hash}\"\n", agreement.key), true),
            (
                format!("[hooks.state.\"{}\"]\ntrusted_hash = \"{hash}\"\nenabled = false\n", agreement.key),
                false,
            ),
            (format!("[hooks.state.\"{}\"]\ntrusted_hash = \"sha256:00\"\n", agreement.key), false),
            (format!("[hooks.state.\"other\"]\ntrusted_hash = \"{hash}\"\n"), false),
            ("hooks = 1".to_owned(), false),
            ("not toml at all".to_owned(), false),
        ] {
            assert_eq!(is_agreed(&state(&text), &agreement), expected, "{text}");
        }
    }
}
