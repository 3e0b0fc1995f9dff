//! The plugin's file: text in, text out. The agent loads every file of a folder, so tenter has one of its own there, and
//! nothing else stands in it.

use serde_json::{Map, Value, json};
use tenter_contract::EventKind;
use tenter_contract::ports::{
    AgentInstaller, Entry, IfGone, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};
use tenter_contract::template::shell_quote;

use super::PluginHost;
use super::wire::EVENTS;

const PLUGIN: &str = include_str!("plugin.js");
/// The line of the plugin in which the wiring stands.
const WIRING: &str = "const WIRING = ";
/// How every plugin of ours begins, of today or older.
const MARK: &str = "// tenter's plugin for ";
/// What the head says; it changes with what the plugin does.
const VERSION: u32 = 1;

/// How long tenter may take at an event, in seconds. The agent itself would wait for ever.
fn within(event: &str) -> u32 {
    match event {
        "chat.message" => 60,
        "session.deleted" => 5,
        _ => 600,
    }
}

impl AgentInstaller for PluginHost {
    fn title(&self) -> &'static str {
        self.title
    }

    fn package(&self) -> Option<&'static str> {
        Some(self.package)
    }

    /// There is no folder for one user in one project.
    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => Some(SettingsPlace::Home {
                variable: "XDG_CONFIG_HOME",
                folder: ".config",
                file: self.user_file,
            }),
            Scope::Project => Some(SettingsPlace::Project { file: self.project_file }),
            Scope::Local => None,
        }
    }

    fn events(&self) -> Vec<EventKind> {
        EVENTS.iter().map(|(_, kind)| kind.clone()).collect()
    }

    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        match settings {
            Some(text) if !text.trim().is_empty() && !is_ours(text) => Err(SettingsError::Foreign),
            Some(_) | None => Ok(Installed { text: self.plugin(wiring), warnings: Vec::new() }),
        }
    }

    /// Nobody else's words stand in it, so that there is nothing to keep.
    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        Ok(match before {
            _ if !is_ours(settings) => Uninstalled::NotInstalled,
            Some(before) if before.trim().is_empty() => Uninstalled::Restored,
            Some(_) | None => Uninstalled::NothingElse,
        })
    }

    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
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

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        Ok(is_ours(settings))
    }

    fn if_gone(&self, settings: &str) -> IfGone {
        let strict = wired(settings).is_some_and(|wired| wired.get("strict") == Some(&Value::Bool(true)));
        if strict { IfGone::Deny } else { IfGone::GoOn }
    }

    /// A plugin that somebody has changed may do anything, and one of another version does what that one did.
    fn in_the_way(&self, settings: &str) -> Result<Vec<String>, SettingsError> {
        if !is_ours(settings) {
            return Ok(Vec::new());
        }
        let expected = wired(settings).map(|wired| {
            let program = text(&wired, "program");
            let (if_gone, installation) = (self.if_gone(settings), installation(&wired));
            self.plugin(&Wiring { program, if_gone, scope: Scope::User, installation })
        });
        let same = expected.as_deref() == Some(settings);
        let told = format!(
            "it is not the plugin that this version of tenter writes: somebody changed it, or it is older; `tenter init {}` writes it anew",
            self.name
        );
        Ok((!same).then_some(told).into_iter().collect())
    }

    /// The second of two plugins with the same wiring finds the first, and does nothing.
    fn runs_twins_once(&self) -> bool {
        true
    }
}

impl PluginHost {
    /// The whole file.
    fn plugin(&self, wiring: &Wiring) -> String {
        let Self { name, title, .. } = self;
        let within: Map<String, Value> =
            EVENTS.iter().map(|(event, _)| ((*event).to_owned(), json!(within(event)))).collect();
        let installation = wiring.installation.as_deref().filter(|_| wiring.scope == Scope::User);
        let wired = json!({
            "agent": name.as_str(),
            "program": wiring.program,
            "words": words(&wiring.program, name.as_str(), installation),
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
}

/// What comes after the program.
fn words(program: &str, agent: &str, installation: Option<&str>) -> Vec<String> {
    let verb = (!program.ends_with("/tenter-hook")).then_some("hook");
    let told = installation.into_iter().flat_map(|id| ["--installation", id]);
    verb.into_iter().chain([agent]).chain(told).map(str::to_owned).collect()
}

/// The id of the installation that the plugin tells.
fn installation(wired: &Map<String, Value>) -> Option<String> {
    let words = wired.get("words")?.as_array()?.iter().filter_map(Value::as_str);
    words.skip_while(|word| *word != "--installation").nth(1).map(str::to_owned)
}

fn is_ours(text: &str) -> bool {
    text.starts_with(MARK)
}

/// What the plugin was given.
fn wired(text: &str) -> Option<Map<String, Value>> {
    let line = text.lines().filter(|_| is_ours(text)).find_map(|line| line.strip_prefix(WIRING))?;
    serde_json::from_str(line).ok()
}

fn text(wired: &Map<String, Value>, key: &str) -> String {
    wired.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
