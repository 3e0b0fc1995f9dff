//! Cline's hooks: one script per event, in a folder. Files of others are never touched: if a name is taken, tenter's
//! script gets another name that Cline runs as well.

use serde_json::json;
use tenter_contract::ports::{Entry, IfGone, Installed, SettingsError, Uninstalled, Wiring, hook_files};
use tenter_contract::template::shell_quote;

use super::CLINE;
use crate::agent_spec::{AgentEvent, AgentSpec};
use crate::installer::{EntryFormat, tenter_program};

const FILES: [&str; 9] = [
    "TaskStart",
    "TaskResume",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "TaskComplete",
    "TaskError",
    "TaskCancel",
    "SessionShutdown",
];

pub(super) struct HookScripts;

impl EntryFormat for HookScripts {
    fn files(&self) -> &'static [&'static str] {
        &FILES
    }

    fn install(
        &self,
        agent: &AgentSpec,
        _settings: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError> {
        let scripts: Vec<(&str, String)> =
            agent.installed_events().map(|event| (event.name, script(event, wiring))).collect();
        let text = hook_files::joined(scripts.iter().map(|(file, text)| (*file, text.as_str())));
        Ok(Installed { text, warnings: Vec::new() })
    }

    /// The text has our files only.
    fn uninstall(
        &self,
        agent: &AgentSpec,
        settings: &str,
        _before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError> {
        let installed = self.is_installed(agent, settings)?;
        Ok(if installed { Uninstalled::NothingElse } else { Uninstalled::NotInstalled })
    }

    fn entries(&self, agent: &AgentSpec, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        let entry = |(event, text): (&str, &str)| {
            let line = line(text);
            Some(Entry { event: event.to_owned(), program: tenter_program(&line, agent.name)?, line })
        };
        Ok(hook_files::split(settings, &FILES).into_iter().filter_map(entry).collect())
    }
}

fn script(event: &AgentEvent, wiring: &Wiring) -> String {
    let program = shell_quote(&wiring.program);
    let here = format!("[ -x {program} ] ||");
    let gone = match wiring.if_gone {
        IfGone::Deny if event.guards => {
            let reason = format!(
                "tenter is gone from {}: install it again, or remove its files from the folder of Cline's hooks",
                wiring.program
            );
            let answer = json!({ "cancel": true, "errorMessage": reason });
            format!("{here} printf '%s\\n' {}\n", shell_quote(&answer.to_string()))
        }
        IfGone::Deny | IfGone::GoOn => String::new(),
    };
    let verb = if wiring.program.ends_with("/tenter-hook") { "" } else { "hook " };
    let (name, file, seconds) = (CLINE.name, event.name, event.seconds());
    format!(
        "#!/bin/sh\n# Calls tenter at {file}. Written by `tenter init {name}`; `tenter uninstall {name}` removes it.\n\
         {gone}{here} exit 0\nexec {program} {verb}{name} --within {seconds}s\n"
    )
}

/// The commands of a script in one line.
fn line(script: &str) -> String {
    let steps = script.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    steps.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use tenter_contract::ports::{AgentInstaller, Scope};

    use super::*;

    fn wiring(if_gone: IfGone) -> Wiring {
        Wiring {
            program: "/opt/o'neill/tenter-hook".to_owned(),
            if_gone,
            scope: Scope::User,
            installation: None,
        }
    }

    #[test]
    fn every_event_has_a_recognised_script() {
        for if_gone in [IfGone::GoOn, IfGone::Deny] {
            let text = CLINE.install(None, &wiring(if_gone)).unwrap().text;
            let entries = CLINE.entries(&text).unwrap();
            assert_eq!(entries.iter().map(|entry| entry.event.as_str()).collect::<Vec<_>>(), FILES);
            assert!(entries.iter().all(|entry| entry.program == "/opt/o'neill/tenter-hook"), "{entries:?}");
            assert_eq!(CLINE.install(Some(&text), &wiring(if_gone)).unwrap().text, text);
            assert_eq!(CLINE.uninstall(&text, None), Ok(Uninstalled::NothingElse));
        }
        assert_eq!(CLINE.uninstall("", None), Ok(Uninstalled::NotInstalled));
    }

    #[test]
    fn strict_scripts_deny_at_guarded_events() {
        let text = CLINE.install(None, &wiring(IfGone::Deny)).unwrap().text;
        let denying =
            hook_files::split(&text, &FILES).into_iter().filter(|(_, text)| text.contains("cancel"));
        assert_eq!(denying.map(|(file, _)| file).collect::<Vec<_>>(), ["UserPromptSubmit", "PreToolUse"]);
        assert!(!CLINE.install(None, &wiring(IfGone::GoOn)).unwrap().text.contains("cancel"));
    }

    #[test]
    fn script_with_other_commands_is_the_users() {
        for (script, ours) in [
            ("#!/bin/sh\nexec /opt/tenter-hook cline\n", true),
            ("#!/bin/bash\n# it's mine\n\ntenter hook cline --within 30s\n", true),
            ("#!/bin/sh\nnotify-send done\nexec /opt/tenter-hook cline\n", false),
            ("#!/bin/sh\ntee log | tenter hook cline\n", false),
            ("#!/usr/bin/env node\nconsole.log('{}')\n", false),
            ("", false),
        ] {
            let text = hook_files::joined([("PreToolUse", script)].into_iter());
            assert_eq!(CLINE.is_installed(&text), Ok(ours), "{script}");
        }
    }
}
