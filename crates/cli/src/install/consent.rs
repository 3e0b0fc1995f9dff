//! Whether the user has agreed to tenter's entries, for agents that run no hook without consent. tenter never gives
//! consent; `uninstall` removes it.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentInstaller, Agreement};
use tenter_host::install::{SettingsFile, SettingsFileError, read_settings, settings_path};
use tenter_protocol::shorten::sha256_hex;
use toml::{Table, Value};

pub(crate) struct PendingConsent {
    /// The agent's names of the events at which no hook runs yet.
    pub(crate) events: Vec<String>,
    pub(crate) how: &'static str,
}

impl PendingConsent {
    pub(crate) fn message(&self, file: &Path) -> String {
        let events = self.events.join(", ");
        format!(
            "its user has not agreed yet to the entries for {events} in {}: no hook runs there",
            file.display()
        )
    }
}

/// The consent that is missing for the entries in this text of a settings file.
pub(crate) fn pending_consent(
    installer: &dyn AgentInstaller,
    file: &Path,
    text: &str,
) -> Option<PendingConsent> {
    let consent = installer.consent()?;
    let agreed =
        settings_path(consent.kept_in, Path::new("")).ok().and_then(|path| read_settings(&path).ok());
    let state = agreed.as_deref().map(state).unwrap_or_default();
    let forms = agreements(installer, file, text);
    let open = |at: usize| !forms.iter().any(|form| form.get(at).is_some_and(|it| is_agreed(&state, it)));
    let entries = forms.first()?.iter().enumerate();
    let events: Vec<String> = entries.filter(|(at, _)| open(*at)).map(|(_, it)| it.event.clone()).collect();
    (!events.is_empty()).then_some(PendingConsent { events, how: consent.how })
}

/// The agreements to the entries of a file. Agents may resolve links in its path or not, so there is one list for each.
fn agreements(installer: &dyn AgentInstaller, file: &Path, text: &str) -> Vec<Vec<Agreement>> {
    let files = [Some(file.to_path_buf()), fs::canonicalize(file).ok()].into_iter().flatten();
    files.map(|file| installer.agreements(&file.to_string_lossy(), text).unwrap_or_default()).collect()
}

/// The agent's state of each hook: `[hooks.state."<key>"]`.
fn state(text: &str) -> Table {
    let mut all = text.parse::<Table>().unwrap_or_default();
    let Some(Value::Table(mut hooks)) = all.remove("hooks") else { return Table::new() };
    match hooks.remove("state") {
        Some(Value::Table(state)) => state,
        _ => Table::new(),
    }
}

/// Removes the consent to the entries in this text from the agent's settings. Returns the changed file.
pub(crate) fn forget(
    installer: &dyn AgentInstaller,
    file: &Path,
    text: &str,
) -> Result<Option<PathBuf>, SettingsFileError> {
    let Some(consent) = installer.consent() else { return Ok(None) };
    let kept_in = SettingsFile::read(&settings_path(consent.kept_in, Path::new(""))?)?;
    let Some(before) = &kept_in.text else { return Ok(None) };
    let keys: Vec<String> =
        agreements(installer, file, text).into_iter().flatten().map(|agreement| agreement.key).collect();
    let Some(after) = without(before, &keys) else { return Ok(None) };
    kept_in.check_writable()?;
    kept_in.write(&after)?;
    Ok(Some(kept_in.path))
}

/// The text without the tables of these keys; `None` if they are not tables of their own.
fn without(text: &str, keys: &[String]) -> Option<String> {
    let path = |line: &str| {
        let table = line.trim().starts_with('[').then(|| line.parse::<Table>().ok()).flatten()?;
        let state = table.get("hooks")?.get("state")?.as_table()?.clone();
        Some(state.keys().next().cloned())
    };
    let (mut left, mut skipping) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            skipping = path(line).flatten().is_some_and(|key| keys.contains(&key));
        }
        if !skipping {
            left.push_str(line);
        }
    }
    // An empty heading goes too.
    if state(&left).is_empty() {
        left = left.split_inclusive('\n').filter(|line| path(line) != Some(None)).collect();
    }
    let blank = |text: &str| text.len() - text.trim_end().len();
    if blank(&left) > blank(text) {
        left.truncate(left.trim_end().len() + blank(text));
    }
    let mut expected = state(text);
    expected.retain(|key, _| !keys.iter().any(|gone| gone == key));
    // Nothing else may have changed.
    (left != text && state(&left) == expected && rest(&left) == rest(text)).then_some(left)
}

/// Everything except the state of hooks.
fn rest(text: &str) -> Option<Table> {
    let mut all = text.parse::<Table>().ok()?;
    if let Some(Value::Table(hooks)) = all.get_mut("hooks") {
        hooks.remove("state");
        if hooks.is_empty() {
            all.remove("hooks");
        }
    }
    Some(all)
}

fn is_agreed(state: &Table, agreement: &Agreement) -> bool {
    let known = state.get(&agreement.key);
    let hash = known.and_then(|known| known.get("trusted_hash")).and_then(Value::as_str);
    let enabled = known.and_then(|known| known.get("enabled")).and_then(Value::as_bool);
    hash == Some(trusted_hash(agreement).as_str()) && enabled != Some(false)
}

/// The hash that the agent stores once the user has agreed.
pub(crate) fn trusted_hash(agreement: &Agreement) -> String {
    format!("sha256:{}", sha256_hex(agreement.content.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forget_removes_consent_only() {
        let keys = ["/h/hooks.json:stop:0:0".to_owned(), "/h/hooks.json:pre_tool_use:0:0".to_owned()];
        let own = "model = \"o\" # mine\n\n[hooks.state]\n\n[hooks.state.\"/h/hooks.json:stop:0:0\"]\ntrusted_hash = \"a\"\n";
        let other = "[hooks.state.'/other:stop:0:0']\ntrusted_hash = \"b\"\n\n[projects.x]\ntrust_level = \"trusted\"\n";
        assert_eq!(without(own, &keys).as_deref(), Some("model = \"o\" # mine\n"));
        let both =
            format!("{own}\n[hooks.state.'/h/hooks.json:pre_tool_use:0:0']\nenabled = true\n\n{other}");
        let left = format!("model = \"o\" # mine\n\n[hooks.state]\n\n{other}");
        assert_eq!(without(&both, &keys), Some(left));
        for untouched in [
            other,
            "",
            "hooks = 1",
            "not toml [",
            "hooks.state.\"/h/hooks.json:stop:0:0\".trusted_hash = \"a\"\n",
        ] {
            assert_eq!(without(untouched, &keys), None, "{untouched}");
        }
    }

    /// As Codex CLI 0.166.0 stores it.
    #[test]
    fn hash_equals_that_of_codex() {
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
