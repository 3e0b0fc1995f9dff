//! The user's own settings: a proof in a throwaway home says nothing about them. They are read, never touched.

use std::path::PathBuf;

use serde::Serialize;
use tenter_contract::ports::{AgentInstaller, Entry, IfGone, Wiring};

use crate::commands::prove::provable_agent::ProvableAgent;
use crate::install::agent_switch::switched_off;
use crate::install::installed::{InstalledFile, missing_events, program_of};
use crate::listing::visible;
use crate::printer::{Printer, Tone};

#[derive(Debug, Serialize)]
pub(crate) struct OwnSettings {
    result: InstallState,
    files: Vec<PathBuf>,
    findings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Finding {
    result: InstallState,
    text: String,
}

/// How the user's own settings are to what was proven; what comes later is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum InstallState {
    NotInstalled,
    Installed,
    Differs,
    /// They have entries, and no hook runs.
    NotEffective,
}

impl OwnSettings {
    pub(crate) fn look(target: &ProvableAgent, proven: &Wiring) -> Self {
        let (mut files, mut findings, mut in_the_way) = (Vec::new(), Vec::new(), Vec::new());
        let all =
            |installer| InstalledFile::all(installer).into_iter().map(move |settings| (installer, settings));
        for (installer, settings) in target.installer().into_iter().flat_map(all) {
            let path = settings.path.display();
            in_the_way.extend(
                settings
                    .in_the_way(installer)
                    .into_iter()
                    .map(|why| Finding::new(InstallState::NotEffective, &format!("{path}: {why}"))),
            );
            match settings.entries(installer) {
                Err(why) => findings
                    .push(Finding::new(InstallState::NotEffective, &format!("{path} cannot be read: {why}"))),
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => {
                    if let Some(pending_consent) = settings.pending_consent(installer) {
                        let text =
                            format!("{}; {}", pending_consent.message(&settings.path), pending_consent.how);
                        findings.push(Finding::new(InstallState::NotEffective, &text));
                    }
                    findings.push(of_entries(target, installer, &settings, &entries, proven));
                    files.push(settings.path);
                }
            }
        }
        in_the_way.extend(
            target
                .installer()
                .and_then(switched_off)
                .map(|off| Finding::new(InstallState::NotEffective, &off.why)),
        );
        if !files.is_empty() {
            findings.append(&mut in_the_way);
        }
        // What does not work is reported alone: that the program is the right one is no comfort then.
        let result =
            findings.iter().map(|finding| finding.result).max().unwrap_or(InstallState::NotInstalled);
        findings.retain(|finding| finding.result == result);
        if findings.is_empty() {
            let text = format!("tenter is not installed there; `tenter init {}` does it", target.agent);
            findings.push(Finding::new(result, &text));
        }
        Self { result, files, findings }
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.result == InstallState::NotEffective
    }

    pub(crate) fn show(&self, printer: &Printer) {
        for Finding { result, text } in &self.findings {
            let line = match result {
                InstallState::NotInstalled => format!("your own settings: {text}"),
                InstallState::Installed => {
                    format!("your own settings: {}, {text}", printer.tone(Tone::Good, "installed"))
                }
                InstallState::Differs => {
                    format!(
                        "your own settings: {}: {text}",
                        printer.tone(Tone::Caution, "not what was proven")
                    )
                }
                InstallState::NotEffective => {
                    format!("your own settings: {}: {text}", printer.tone(Tone::Bad, "NOT EFFECTIVE"))
                }
            };
            printer.line(line);
        }
    }
}

impl Finding {
    fn new(result: InstallState, text: &str) -> Self {
        Self { result, text: visible(text).replace('\n', " ") }
    }
}

/// Whether the entries of a file are those that were proven.
fn of_entries(
    target: &ProvableAgent,
    installer: &dyn AgentInstaller,
    settings: &InstalledFile,
    entries: &[Entry],
    proven: &Wiring,
) -> Finding {
    let (path, again) = (settings.path.display(), settings.again(target.agent));
    if let Some(gone) = entries.iter().find(|entry| program_of(entry).is_none()) {
        let text = format!("{path} calls {}, which is not there; type `{again}`", gone.program);
        return Finding::new(InstallState::NotEffective, &text);
    }
    let is_other = |entry: &&Entry| program_of(entry) != Some(PathBuf::from(&proven.program));
    if let Some(other) = entries.iter().find(is_other) {
        let text = format!("{path} calls {}; `{again}` makes it {}", other.program, proven.program);
        return Finding::new(InstallState::Differs, &text);
    }
    let missing = missing_events(entries, installer);
    if !missing.is_empty() {
        let text = format!("{path} does not call tenter at {}; `{again}` adds them", missing.join(", "));
        return Finding::new(InstallState::Differs, &text);
    }
    let written = [IfGone::GoOn, IfGone::Deny].map(|if_gone| {
        let installation = entries.first().and_then(Entry::installation).map(str::to_owned);
        let wiring = Wiring { if_gone, scope: settings.scope, installation, ..proven.clone() };
        let installed = installer.install(None, &wiring).map(|installed| installed.text);
        installed.and_then(|text| installer.entries(&text)).unwrap_or_default()
    });
    if let Some(own) = entries.iter().find(|entry| !written.iter().any(|all| all.contains(entry))) {
        let text = format!(
            "{path} calls the same program with a line of its own at {} (`{}`); `{again}` writes the one that was proven",
            own.event, own.line
        );
        return Finding::new(InstallState::Differs, &text);
    }
    Finding::new(InstallState::Installed, &format!("and it is the program that was proven ({path})"))
}
