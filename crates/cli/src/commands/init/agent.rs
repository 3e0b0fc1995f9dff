//! The entries of one agent: what changes in its settings, and what its user should know.

use std::path::PathBuf;

use serde_json::{Value, json};
use tenter_contract::ports::{IfGone, Proof, Wiring};
use tenter_host::Places;
use tenter_host::install::MadeFolders;

use super::limits;
use super::notes::{called_already, doubles, imported, notes, shared, twice_in_others};
use crate::arguments::InitArguments;
use crate::commands::consent::{Awaited, awaited};
use crate::commands::installed::overruled;
use crate::commands::servers::{self, Served};
use crate::commands::settings::Settings;
use crate::commands::several::Target;
use crate::commands::summary::Summary;
use crate::commands::switched_off::switched_off;
use crate::error::{CliError, exit};

/// What `init` does, or did, for one agent.
pub(super) struct AgentReport {
    pub(super) settings: Settings,
    /// None if another agent's file calls tenter for this one.
    pub(super) entries: Option<Entries>,
    pub(super) served: Served,
    pub(super) summary: Summary,
}

/// The entries in the agent's own settings.
pub(super) struct Entries {
    wiring: Wiring,
    pub(super) diff: String,
    /// Files of others that keep their name, and the file of tenter's in the same folder.
    pub(super) beside: Vec<(PathBuf, PathBuf)>,
    /// Why the agent will not call tenter in spite of them.
    pub(super) dead: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) limits: Vec<String>,
    /// What the user must agree to in the agent itself.
    awaited: Option<Awaited>,
    changed: bool,
    written: bool,
}

impl AgentReport {
    /// Plans the entries, and writes them unless this is only the plan.
    pub(super) fn prepare(
        target: &Target,
        (program, installation): (&str, &Option<String>),
        arguments: &InitArguments,
        write: bool,
    ) -> Result<Self, CliError> {
        let settings = Settings::open(target)?;
        if let Some(route) = called_already(&settings) {
            let summary = Summary::CalledBy(route.path.display().to_string());
            let served = serve(target, program, arguments, write);
            return Ok(Self { settings, entries: None, served, summary });
        }
        let entries = Entries::prepare(&settings, (program, installation), arguments, write)?;
        let summary = entries.summary(&settings.path(), write);
        Ok(Self {
            settings,
            entries: Some(entries),
            served: serve(target, program, arguments, write),
            summary,
        })
    }

    /// Whether a file changes.
    pub(super) fn changes(&self) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.changed) || !self.served.diff.is_empty()
    }

    /// Whether the agent calls tenter, and did not, or not like this.
    pub(super) fn calls_anew(&self) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.changed && entries.dead.is_empty())
    }

    /// The exit code it calls for.
    pub(super) fn code(&self) -> u8 {
        let in_force = self.entries.as_ref().is_none_or(|entries| entries.dead.is_empty());
        if in_force && self.served.error.is_none() { 0 } else { exit::FINDING }
    }

    /// What its user still has to do in the agent.
    pub(super) fn to_do(&self) -> Vec<&'static str> {
        let Some(entries) = &self.entries else { return Vec::new() };
        let consent = entries.awaited.as_ref().map(|awaited| awaited.how);
        consent.into_iter().chain(self.settings.installer.still_to_do()).collect()
    }

    /// For programs.
    pub(super) fn as_json(&self) -> Value {
        let settings = &self.settings;
        let mut all = json!({
            "agent": settings.agent.name().as_str(),
            "scope": settings.scope.as_str(),
            "file": settings.path(),
            "result": self.summary.as_str(),
            "proven": settings.agent.proof() == Proof::Measured,
            "memory": self.served.as_json,
        });
        let Some(entries) = &self.entries else {
            all["changed"] = json!(false);
            all["written"] = json!(false);
            if let Summary::CalledBy(path) = &self.summary {
                all["called_by"] = json!(path);
            }
            return all;
        };
        let backup = settings.file.backup_path();
        let consent = entries.awaited.as_ref();
        for (key, value) in [
            ("program", json!(entries.wiring.program)),
            ("strict", json!(entries.wiring.if_gone == IfGone::Deny)),
            ("events", settings.installer.events().iter().map(ToString::to_string).collect()),
            ("changed", json!(entries.changed)),
            ("written", json!(entries.written)),
            ("backup", json!(backup.exists().then(|| backup.display().to_string()))),
            ("diff", json!(entries.diff)),
            ("warnings", entries.dead.iter().chain(&entries.warnings).cloned().collect()),
            ("cannot", json!(entries.limits)),
            ("notes", json!(entries.notes)),
            ("still_to_do", json!(settings.installer.still_to_do())),
            ("consent", json!(consent.map(|it| json!({"events": it.events, "how": it.how})))),
        ] {
            all[key] = value;
        }
        all
    }
}

impl Entries {
    fn prepare(
        settings: &Settings,
        (program, installation): (&str, &Option<String>),
        arguments: &InitArguments,
        write: bool,
    ) -> Result<Self, CliError> {
        let before = settings.file.text.as_deref();
        // What was asked for once holds until the user says otherwise.
        let kept = before.map_or(IfGone::GoOn, |text| settings.installer.if_gone(text));
        let if_gone = match (arguments.strictness.strict, arguments.strictness.no_strict) {
            (true, _) => IfGone::Deny,
            (false, true) => IfGone::GoOn,
            (false, false) => kept,
        };
        let (program, installation) = (program.to_owned(), installation.clone());
        let wiring = Wiring { program, if_gone, scope: settings.scope, installation };
        let installed =
            settings.installer.install(before, &wiring).map_err(|error| settings.unusable(&error))?;
        let changed = before != Some(installed.text.as_str());
        let written = changed && write;
        let beside = if changed { settings.file.beside() } else { Vec::new() };
        if changed {
            // A plan that could not be carried out would be no plan.
            settings.file.check_writable().map_err(CliError::Settings)?;
        }
        if written {
            let with_us = before.is_some_and(|text| settings.installer.is_installed(text).unwrap_or(true));
            settings.file.back_up(with_us).map_err(CliError::Settings)?;
            let made = MadeFolders::of(&Places::of_process());
            made.write_file(&settings.file, &installed.text).map_err(CliError::Settings)?;
        }
        let mut dead = installed.warnings;
        dead.extend(overruled(settings.installer, settings.scope));
        let mut dead_here = Vec::new();
        if let Some(off) = switched_off(settings.installer) {
            if off.only_here(settings.scope) { &mut dead_here } else { &mut dead }.push(off.why);
        }
        let stays_strict = (if_gone == IfGone::Deny && !arguments.strictness.strict).then(|| {
            format!(
                "its entries stay strict: tool calls are denied if the tenter program is missing; `tenter init {}{} --no-strict` changes that",
                settings.agent.name(),
                settings.option(settings.scope)
            )
        });
        let warnings = dead_here.into_iter().chain(doubles(settings, &installed.text));
        let notes = notes(settings).into_iter().chain(shared(settings, &installed.text));
        Ok(Self {
            diff: settings.diff(before.unwrap_or_default(), &installed.text, &beside),
            beside,
            dead,
            warnings: warnings.chain(twice_in_others(settings)).chain(imported(settings)).collect(),
            notes: notes.chain(stays_strict).collect(),
            limits: limits::cannot(settings.agent, settings.installer),
            awaited: awaited(settings.installer, &settings.file.path, &installed.text),
            changed,
            written,
            wiring,
        })
    }

    fn summary(&self, path: &str, write: bool) -> Summary {
        match (self.changed, self.dead.first()) {
            (_, Some(why)) => Summary::NotCalled(why.replace("this file", path)),
            (true, None) if !write => Summary::WouldInstall,
            (_, None) if self.awaited.is_some() => Summary::Awaited,
            (true, None) => Summary::Installed,
            (false, None) => Summary::Unchanged,
        }
    }
}

/// Gives the agent the memory's tools, unless that is not wanted.
fn serve(target: &Target, program: &str, arguments: &InitArguments, write: bool) -> Served {
    if arguments.without.no_memory {
        return Served::declined();
    }
    servers::register(target, &servers::program(program), !write)
}
