//! Compares the user's own settings with those that were proven. tenter only reads them.

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

/// How the user's own settings compare with those that were proven, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum InstallState {
    NotInstalled,
    Installed,
    Differs,
    /// The settings have entries, and no hook runs.
    NotEffective,
}

impl OwnSettings {
    pub(crate) fn read(target: &ProvableAgent, proven: &Wiring) -> Self {
        let ineffective = |text: String| Finding::new(InstallState::NotEffective, &text);
        let (mut files, mut findings, mut obstacles) = (Vec::new(), Vec::new(), Vec::new());
        let installer = target.installer();
        for (installer, settings) in installer
            .into_iter()
            .flat_map(|it| InstalledFile::all(it).into_iter().map(move |file| (it, file)))
        {
            let path = settings.path.display();
            let found = settings.obstacles(installer).into_iter();
            obstacles.extend(found.map(|why| ineffective(format!("{path}: {why}"))));
            match settings.entries(installer) {
                Err(why) => findings.push(ineffective(format!("{path} cannot be read: {why}"))),
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => {
                    if let Some(consent) = settings.pending_consent(installer) {
                        findings.push(ineffective(format!(
                            "{}; {}",
                            consent.message(&settings.path),
                            consent.how
                        )));
                    }
                    findings.push(compare_entries(target, installer, &settings, &entries, proven));
                    files.push(settings.path);
                }
            }
        }
        obstacles.extend(installer.and_then(switched_off).map(|off| ineffective(off.why)));
        if !files.is_empty() {
            findings.append(&mut obstacles);
        }
        // Only the worst findings are reported.
        let result =
            findings.iter().map(|finding| finding.result).max().unwrap_or(InstallState::NotInstalled);
        findings.retain(|finding| finding.result == result);
        if findings.is_empty() {
            let text =
                format!("tenter is not installed there; run `tenter init {}` to install it", target.agent);
            findings.push(Finding::new(result, &text));
        }
        Self { result, files, findings }
    }

    pub(crate) fn is_ineffective(&self) -> bool {
        self.result == InstallState::NotEffective
    }

    pub(crate) fn print(&self, printer: &Printer) {
        for Finding { result, text } in &self.findings {
            let text = match result {
                InstallState::NotInstalled => text.clone(),
                InstallState::Installed => format!("{}, {text}", printer.tone(Tone::Good, "installed")),
                InstallState::Differs => {
                    format!("{}: {text}", printer.tone(Tone::Caution, "not what was proven"))
                }
                InstallState::NotEffective => format!("{}: {text}", printer.tone(Tone::Bad, "NOT EFFECTIVE")),
            };
            printer.line(format!("your own settings: {text}"));
        }
    }
}

impl Finding {
    fn new(result: InstallState, text: &str) -> Self {
        Self { result, text: visible(text).replace('\n', " ") }
    }
}

/// Whether the entries of a file are those that were proven.
fn compare_entries(
    target: &ProvableAgent,
    installer: &dyn AgentInstaller,
    settings: &InstalledFile,
    entries: &[Entry],
    proven: &Wiring,
) -> Finding {
    let (path, again) = (settings.path.display(), settings.again(target.agent));
    if let Some(gone) = entries.iter().find(|entry| program_of(entry).is_none()) {
        let text = format!("{path} calls {}, which does not exist; run `{again}`", gone.program);
        return Finding::new(InstallState::NotEffective, &text);
    }
    let is_other = |entry: &&Entry| program_of(entry) != Some(PathBuf::from(&proven.program));
    if let Some(other) = entries.iter().find(is_other) {
        let text = format!("{path} calls {}; run `{again}` to call {}", other.program, proven.program);
        return Finding::new(InstallState::Differs, &text);
    }
    let missing = missing_events(entries, installer);
    if !missing.is_empty() {
        let text =
            format!("{path} does not call tenter at {}; run `{again}` to add them", missing.join(", "));
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
            "{path} calls the same program with another line at {} (`{}`); run `{again}` to write the proven line",
            own.event, own.line
        );
        return Finding::new(InstallState::Differs, &text);
    }
    Finding::new(InstallState::Installed, &format!("and it is the program that was proven ({path})"))
}
