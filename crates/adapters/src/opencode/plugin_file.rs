//! The plugin's file. The agent loads every file of a folder, so tenter has one of its own there.

use serde_json::{Map, Value, json};
use tenter_contract::ports::{Entry, IfGone, Installed, Scope, SettingsError, Uninstalled, Wiring};
use tenter_contract::template::shell_quote;

use crate::agent_spec::AgentSpec;
use crate::installer::EntryFormat;

const PLUGIN: &str = include_str!("plugin.js");
/// The line of the plugin that has the wiring.
const WIRING: &str = "const WIRING = ";
/// The beginning of every plugin of ours, of any version.
const MARK: &str = "// tenter's plugin for ";
/// The version in the head; it changes with the plugin.
const VERSION: u32 = 1;

pub(super) struct PluginFile;

impl EntryFormat for PluginFile {
    fn install(
        &self,
        agent: &AgentSpec,
        settings: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError> {
        match settings {
            Some(text) if !text.trim().is_empty() && !is_ours(text) => Err(SettingsError::Foreign),
            Some(_) | None => Ok(Installed { text: plugin(agent, wiring), warnings: Vec::new() }),
        }
    }

    fn uninstall(
        &self,
        _agent: &AgentSpec,
        settings: &str,
        before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError> {
        Ok(match before {
            _ if !is_ours(settings) => Uninstalled::NotInstalled,
            Some(before) if before.trim().is_empty() => Uninstalled::Restored,
            Some(_) | None => Uninstalled::NothingElse,
        })
    }

    fn entries(&self, _agent: &AgentSpec, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        let Some(wired) = wired(settings) else { return Ok(Vec::new()) };
        let program = text(&wired, "program");
        let installation = installation(&wired);
        let words = words(&program, &text(&wired, "agent"), installation.as_deref());
        let words: Vec<String> = words.iter().map(|word| shell_quote(word)).collect();
        let within = wired.get("within").and_then(Value::as_object).into_iter().flatten();
        let entries = within.map(|(event, seconds)| Entry {
            event: event.clone(),
            program: program.clone(),
            line: format!("{} {} --within {seconds}s", shell_quote(&program), words.join(" ")),
        });
        Ok(entries.collect())
    }

    fn is_installed(&self, _agent: &AgentSpec, settings: &str) -> Result<bool, SettingsError> {
        Ok(is_ours(settings))
    }

    fn if_gone(&self, _agent: &AgentSpec, settings: &str) -> IfGone {
        let strict = wired(settings).is_some_and(|wired| wired.get("strict") == Some(&Value::Bool(true)));
        if strict { IfGone::Deny } else { IfGone::GoOn }
    }

    /// A plugin that was changed may do anything, and one of another version does less.
    fn warnings(&self, agent: &AgentSpec, settings: &str) -> Result<Vec<String>, SettingsError> {
        if !is_ours(settings) {
            return Ok(Vec::new());
        }
        let expected = wired(settings).map(|wired| {
            let program = text(&wired, "program");
            let (if_gone, installation) = (self.if_gone(agent, settings), installation(&wired));
            plugin(agent, &Wiring { program, if_gone, scope: Scope::User, installation })
        });
        let warning = format!(
            "it is not the plugin that this version of tenter writes: it was changed, or it is older; `tenter init {}` writes it anew",
            agent.name
        );
        Ok((expected.as_deref() != Some(settings)).then_some(warning).into_iter().collect())
    }
}

fn plugin(agent: &AgentSpec, wiring: &Wiring) -> String {
    let (name, title) = (agent.name, agent.installer.title);
    let within: Map<String, Value> =
        agent.installed_events().map(|event| (event.name.to_owned(), json!(event.seconds()))).collect();
    let installation = wiring.installation.as_deref().filter(|_| wiring.scope == Scope::User);
    let wired = json!({
        "agent": name,
        "program": wiring.program,
        "words": words(&wiring.program, name, installation),
        "strict": wiring.if_gone == IfGone::Deny,
        "within": within,
    });
    let head = format!(
        "{MARK}{title}, version {VERSION}: it tells tenter what the agent does, and carries out what hooks answer.\n\
         // `tenter init {name}` writes this file and brings it up to date; changes made here are lost.\n\
         // To remove it: `tenter uninstall {name}`, or delete the file. It takes effect when {title} starts again.\n\n"
    );
    let lines = PLUGIN.lines().map(|line| match line.strip_prefix(WIRING) {
        Some(_) => format!("{WIRING}{wired}\n"),
        None => format!("{line}\n"),
    });
    head + &lines.collect::<String>()
}

fn words(program: &str, agent: &str, installation: Option<&str>) -> Vec<String> {
    let verb = (!program.ends_with("/tenter-hook")).then_some("hook");
    let options = installation.into_iter().flat_map(|id| ["--installation", id]);
    verb.into_iter().chain([agent]).chain(options).map(str::to_owned).collect()
}

/// The id of the installation in the arguments.
fn installation(wired: &Map<String, Value>) -> Option<String> {
    let words = wired.get("words")?.as_array()?.iter().filter_map(Value::as_str);
    words.skip_while(|word| *word != "--installation").nth(1).map(str::to_owned)
}

fn is_ours(text: &str) -> bool {
    text.starts_with(MARK)
}

fn wired(text: &str) -> Option<Map<String, Value>> {
    let line = text.lines().filter(|_| is_ours(text)).find_map(|line| line.strip_prefix(WIRING))?;
    serde_json::from_str(line).ok()
}

fn text(wired: &Map<String, Value>, key: &str) -> String {
    wired.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
