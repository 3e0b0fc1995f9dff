//! The user's own settings: a proof in a throwaway home says nothing about them. They are read, never touched.

use std::path::PathBuf;

use serde::Serialize;
use tenter_contract::ports::{AgentInstaller, Entry, IfGone, Wiring};

use super::subject::Subject;
use crate::commands::installed::{InPlace, missing_events, program_of};
use crate::commands::switched_off::switched_off;
use crate::listing::visible;
use crate::printer::{Printer, Tone};

/// What was found in them.
#[derive(Debug, Serialize)]
pub(super) struct OwnSettings {
    /// The worst of all.
    result: Standing,
    /// The files that call tenter.
    files: Vec<PathBuf>,
    /// What is to be told.
    findings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Finding {
    result: Standing,
    text: String,
}

/// How the user's own settings stand to what was proven; what comes later is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Standing {
    /// Nothing in them calls tenter.
    NotInstalled,
    /// They call what was proven.
    Installed,
    /// They call something else, or not at every event.
    Differs,
    /// They have entries, and no hook runs.
    NotEffective,
}

impl OwnSettings {
    /// Looks at every settings file that this agent would read here.
    pub(super) fn look(subject: &Subject, proven: &Wiring) -> Self {
        let (mut files, mut findings, mut in_the_way) = (Vec::new(), Vec::new(), Vec::new());
        let all = |installer| InPlace::of(installer).into_iter().map(move |settings| (installer, settings));
        for (installer, settings) in subject.installer().into_iter().flat_map(all) {
            let path = settings.path.display();
            in_the_way.extend(
                settings
                    .in_the_way(installer)
                    .into_iter()
                    .map(|why| Finding::new(Standing::NotEffective, &format!("{path}: {why}"))),
            );
            match settings.entries(installer) {
                Err(why) => findings
                    .push(Finding::new(Standing::NotEffective, &format!("{path} cannot be read: {why}"))),
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => {
                    if let Some(awaited) = settings.awaited(installer) {
                        let text = format!("{}; {}", awaited.told(&settings.path), awaited.how);
                        findings.push(Finding::new(Standing::NotEffective, &text));
                    }
                    findings.push(of_entries(subject, installer, &settings, &entries, proven));
                    files.push(settings.path);
                }
            }
        }
        in_the_way.extend(
            subject
                .installer()
                .and_then(switched_off)
                .map(|off| Finding::new(Standing::NotEffective, &off.why)),
        );
        if !files.is_empty() {
            findings.append(&mut in_the_way);
        }
        // What does not work is told alone: that the program is the right one is no comfort then.
        let result = findings.iter().map(|finding| finding.result).max().unwrap_or(Standing::NotInstalled);
        findings.retain(|finding| finding.result == result);
        if findings.is_empty() {
            let text = format!("tenter is not installed there; `tenter init {}` does it", subject.agent);
            findings.push(Finding::new(result, &text));
        }
        Self { result, files, findings }
    }

    /// Whether tenter is installed and no hook runs.
    pub(super) fn is_dead(&self) -> bool {
        self.result == Standing::NotEffective
    }

    /// Says it, one line for each finding.
    pub(super) fn show(&self, printer: &Printer) {
        for Finding { result, text } in &self.findings {
            let line = match result {
                Standing::NotInstalled => format!("your own settings: {text}"),
                Standing::Installed => {
                    format!("your own settings: {}, {text}", printer.tone(Tone::Good, "installed"))
                }
                Standing::Differs => {
                    format!(
                        "your own settings: {}: {text}",
                        printer.tone(Tone::Caution, "not what was proven")
                    )
                }
                Standing::NotEffective => {
                    format!("your own settings: {}: {text}", printer.tone(Tone::Bad, "NOT EFFECTIVE"))
                }
            };
            printer.line(line);
        }
    }
}

impl Finding {
    fn new(result: Standing, text: &str) -> Self {
        Self { result, text: visible(text).replace('\n', " ") }
    }
}

/// Whether the entries of a file are those that were proven.
fn of_entries(
    subject: &Subject,
    installer: &dyn AgentInstaller,
    settings: &InPlace,
    entries: &[Entry],
    proven: &Wiring,
) -> Finding {
    let (path, again) = (settings.path.display(), settings.again(subject.agent));
    if let Some(gone) = entries.iter().find(|entry| program_of(entry).is_none()) {
        let text = format!("{path} calls {}, which is not there; type `{again}`", gone.program);
        return Finding::new(Standing::NotEffective, &text);
    }
    let is_other = |entry: &&Entry| program_of(entry) != Some(PathBuf::from(&proven.program));
    if let Some(other) = entries.iter().find(is_other) {
        let text = format!("{path} calls {}; `{again}` makes it {}", other.program, proven.program);
        return Finding::new(Standing::Differs, &text);
    }
    let missing = missing_events(entries, installer);
    if !missing.is_empty() {
        let text = format!("{path} does not call tenter at {}; `{again}` adds them", missing.join(", "));
        return Finding::new(Standing::Differs, &text);
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
        return Finding::new(Standing::Differs, &text);
    }
    Finding::new(Standing::Installed, &format!("and it is the program that was proven ({path})"))
}
