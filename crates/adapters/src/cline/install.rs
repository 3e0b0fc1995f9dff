//! Cline's hooks: one file per event, in a folder. There are no settings to edit, so that nothing of anybody else's is
//! ever touched: tenter has files of its own, and where a name is taken, one beside it that Cline runs as well.

use tenter_contract::EventKind;
use tenter_contract::ports::{
    AgentInstaller, Entry, IfGone, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
    hook_files,
};
use tenter_contract::template::shell_quote;

use super::wire::EVENTS;
use super::{Cline, NAME};
use crate::settings_text::called;

/// The events that it sends. Not here: `PreCompact`, which no version has sent, and `Notification`.
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

/// Where a deny prevents something.
const GUARDED: [&str; 2] = ["UserPromptSubmit", "PreToolUse"];

/// How long Cline waits around a tool, in seconds; it says so nowhere and has no other word for it.
const TIME: u32 = 120;

impl AgentInstaller for Cline {
    fn title(&self) -> &'static str {
        "Cline"
    }

    fn package(&self) -> Option<&'static str> {
        Some("cline")
    }

    /// There is no folder for one user in one project.
    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => {
                Some(SettingsPlace::Home { variable: "CLINE_DIR", folder: ".cline", file: "hooks" })
            }
            Scope::Project => Some(SettingsPlace::Project { file: ".cline/hooks" }),
            Scope::Local => None,
        }
    }

    fn files(&self) -> &'static [&'static str] {
        &FILES
    }

    fn events(&self) -> Vec<EventKind> {
        FILES.iter().map(|file| kind(file)).collect()
    }

    fn becomes_too(&self) -> &'static [EventKind] {
        &[EventKind::ToolError, EventKind::SubagentStart, EventKind::SubagentComplete]
    }

    fn install(&self, _settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        let texts: Vec<(&str, String)> = FILES.iter().map(|file| (*file, script(file, wiring))).collect();
        let text = hook_files::joined(texts.iter().map(|(file, text)| (*file, text.as_str())));
        Ok(Installed { text, warnings: Vec::new() })
    }

    /// Whatever is in the text is ours: the files of others are not even read into it.
    fn uninstall(&self, settings: &str, _before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        let installed = self.is_installed(settings)?;
        Ok(if installed { Uninstalled::NothingElse } else { Uninstalled::NotInstalled })
    }

    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        let entry = |(event, text): (&str, &str)| {
            let line = line(text);
            Some(Entry { event: event.to_owned(), program: called(&line, &NAME)?, line })
        };
        Ok(hook_files::split(settings, &FILES).into_iter().filter_map(entry).collect())
    }

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        Ok(!self.entries(settings)?.is_empty())
    }

    fn in_the_way(&self, _settings: &str) -> Result<Vec<String>, SettingsError> {
        Ok(Vec::new())
    }
}

fn kind(file: &str) -> EventKind {
    let known = EVENTS.iter().find(|(_, own, _)| *own == file);
    known.map_or_else(|| EventKind::Other(format!("{NAME}:{file}")), |(_, _, kind)| kind.clone())
}

/// A script, because Cline gives what is none to a shell.
fn script(file: &str, wiring: &Wiring) -> String {
    let program = shell_quote(&wiring.program);
    let here = format!("[ -x {program} ] ||");
    let gone = match wiring.if_gone {
        IfGone::Deny if GUARDED.contains(&file) => {
            let reason = format!(
                "tenter is gone from {}: install it again, or remove its files from the folder of Cline's hooks",
                wiring.program
            );
            let answer = serde_json::json!({ "cancel": true, "errorMessage": reason });
            format!("{here} printf '%s\\n' {}\n", shell_quote(&answer.to_string()))
        }
        IfGone::Deny | IfGone::GoOn => String::new(),
    };
    let verb = if wiring.program.ends_with("/tenter-hook") { "" } else { "hook " };
    format!(
        "#!/bin/sh\n# Calls tenter at {file}. Written by `tenter init {NAME}`; `tenter uninstall {NAME}` removes it.\n\
         {gone}{here} exit 0\nexec {program} {verb}{NAME} --within {TIME}s\n"
    )
}

/// What a script does, in one line.
fn line(script: &str) -> String {
    let steps = script.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    steps.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
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
    fn every_event_has_a_script_that_calls_us_and_is_known_again() {
        for if_gone in [IfGone::GoOn, IfGone::Deny] {
            let text = Cline.install(None, &wiring(if_gone)).unwrap().text;
            let entries = Cline.entries(&text).unwrap();
            assert_eq!(entries.iter().map(|entry| entry.event.as_str()).collect::<Vec<_>>(), FILES);
            assert!(entries.iter().all(|entry| entry.program == "/opt/o'neill/tenter-hook"), "{entries:?}");
            assert_eq!(Cline.install(Some(&text), &wiring(if_gone)).unwrap().text, text);
            assert_eq!(Cline.uninstall(&text, None), Ok(Uninstalled::NothingElse));
        }
        assert_eq!(Cline.uninstall("", None), Ok(Uninstalled::NotInstalled));
    }

    #[test]
    fn a_program_that_is_gone_stops_the_run_only_if_that_is_wanted_and_where_it_prevents_something() {
        let text = Cline.install(None, &wiring(IfGone::Deny)).unwrap().text;
        let denying =
            hook_files::split(&text, &FILES).into_iter().filter(|(_, text)| text.contains("cancel"));
        assert_eq!(denying.map(|(file, _)| file).collect::<Vec<_>>(), GUARDED);
        assert!(!Cline.install(None, &wiring(IfGone::GoOn)).unwrap().text.contains("cancel"));
    }

    /// What somebody built around us is theirs.
    #[test]
    fn a_script_that_does_more_than_to_call_us_is_not_ours() {
        for (script, ours) in [
            ("#!/bin/sh\nexec /opt/tenter-hook cline\n", true),
            ("#!/bin/bash\n# it's mine\n\ntenter hook cline --within 30s\n", true),
            ("#!/bin/sh\nnotify-send done\nexec /opt/tenter-hook cline\n", false),
            ("#!/bin/sh\ntee log | tenter hook cline\n", false),
            ("#!/usr/bin/env node\nconsole.log('{}')\n", false),
            ("", false),
        ] {
            let text = hook_files::joined([("PreToolUse", script)].into_iter());
            assert_eq!(Cline.is_installed(&text), Ok(ours), "{script}");
        }
    }
}
