//! The entries of one agent: what changes in its settings, and what its user should know.

use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Value, json};
use tenter_contract::ports::{IfGone, Proof, Wiring};

use crate::arguments::InitArguments;
use crate::commands::init::limits;
use crate::commands::init::notes::{called_already, doubles, imported, notes, shared, twice_in_others};
use crate::error::{CliError, exit};
use crate::install::agent_switch::switched_off;
use crate::install::consent::{PendingConsent, pending_consent};
use crate::install::installed::overruled;
use crate::install::mcp_server;
use crate::install::mcp_server::ServerReport;
use crate::install::plan::{Backup, FileChange};
use crate::install::settings::Settings;
use crate::install::summary::Summary;
use crate::install::targets::Target;

pub(crate) struct AgentReport {
    pub(crate) settings: Settings,
    /// None if another agent's file calls tenter for this one.
    pub(crate) entries: Option<Entries>,
    pub(crate) served: ServerReport,
    pub(crate) summary: Summary,
}

pub(crate) struct Entries {
    wiring: Wiring,
    pub(crate) diff: String,
    /// Files of others that keep their name, and the file of tenter's in the same folder.
    pub(crate) beside: Vec<(PathBuf, PathBuf)>,
    /// Why the agent will not call tenter in spite of them.
    pub(crate) dead: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) limits: Vec<String>,
    /// What the user must agree to in the agent itself.
    pending_consent: Option<PendingConsent>,
    change: FileChange,
    written: bool,
}

impl AgentReport {
    /// Plans the entries, and writes them unless this is only the plan.
    pub(crate) fn prepare(
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

    pub(crate) fn changes(&self) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.change.is_some()) || !self.served.diff.is_empty()
    }

    /// Whether the agent calls tenter, and did not, or not like this.
    pub(crate) fn calls_anew(&self) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.change.is_some() && entries.dead.is_empty())
    }

    pub(crate) fn code(&self) -> u8 {
        let active_hooks = self.entries.as_ref().is_none_or(|entries| entries.dead.is_empty());
        if active_hooks && self.served.error.is_none() { 0 } else { exit::FINDING }
    }

    pub(crate) fn to_do(&self) -> Vec<&'static str> {
        let Some(entries) = &self.entries else { return Vec::new() };
        let consent = entries.pending_consent.as_ref().map(|pending_consent| pending_consent.how);
        consent.into_iter().chain(self.settings.installer.still_to_do()).collect()
    }

    pub(crate) fn as_json(&self) -> Value {
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
        let consent = entries.pending_consent.as_ref();
        for (key, value) in [
            ("program", json!(entries.wiring.program)),
            ("strict", json!(entries.wiring.if_gone == IfGone::Deny)),
            ("events", settings.installer.events().iter().map(ToString::to_string).collect()),
            ("changed", json!(entries.change.is_some())),
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
        let is_installed = before.is_some_and(|text| settings.installer.is_installed(text).unwrap_or(true));
        let backup = Backup::Make { installed: is_installed };
        let change = FileChange::new(Rc::clone(&settings.file), Some(installed.text.clone()), backup);
        let beside = if change.is_some() { settings.file.renamed_scripts() } else { Vec::new() };
        change.check()?;
        let written = change.is_some() && write;
        if written {
            change.apply()?;
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
            pending_consent: pending_consent(settings.installer, &settings.file.path, &installed.text),
            change,
            written,
            wiring,
        })
    }

    fn summary(&self, path: &str, write: bool) -> Summary {
        match (self.change.is_some(), self.dead.first()) {
            (_, Some(why)) => Summary::NotCalled(why.replace("this file", path)),
            (true, None) if !write => Summary::WouldInstall,
            (_, None) if self.pending_consent.is_some() => Summary::Awaited,
            (true, None) => Summary::Installed,
            (false, None) => Summary::Unchanged,
        }
    }
}

/// Gives the agent the memory's tools, unless that is not wanted.
fn serve(target: &Target, program: &str, arguments: &InitArguments, write: bool) -> ServerReport {
    if arguments.without.no_memory {
        return ServerReport::declined();
    }
    mcp_server::register(target, &mcp_server::program(program), !write)
}
