//! The plan for one agent: what changes in its settings, and what its user should know.

use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Value, json};
use tenter_contract::ports::{IfGone, Proof, Wiring};

use crate::arguments::InitArguments;
use crate::commands::init::limits;
use crate::commands::init::notes::{doubles, imported, notes, reader_of_other, shared, twice_in_others};
use crate::error::{CliError, exit};
use crate::install::agent_switch::switched_off;
use crate::install::consent::{PendingConsent, pending_consent};
use crate::install::installed::overruled;
use crate::install::mcp_server::{self, ServerPlan};
use crate::install::plan::{Backup, FileChange};
use crate::install::settings::{Settings, scope_option};
use crate::install::summary::Summary;
use crate::install::targets::Target;

/// The program that agents call, and the id of the installation.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) program: &'a str,
    pub(crate) installation: Option<&'a str>,
}

pub(crate) struct AgentPlan {
    pub(crate) settings: Settings,
    /// `None` if another agent's file calls tenter for this one.
    pub(crate) entries: Option<EntriesPlan>,
    pub(crate) server: ServerPlan,
    pub(crate) summary: Summary,
}

pub(crate) struct EntriesPlan {
    wiring: Wiring,
    pub(crate) diff: String,
    /// Hook files of the user, each with tenter's file in the same folder.
    pub(crate) neighbours: Vec<(PathBuf, PathBuf)>,
    /// Why the agent will not call tenter in spite of the entries.
    pub(crate) ineffective: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) limits: Vec<String>,
    pending_consent: Option<PendingConsent>,
    change: FileChange,
    written: bool,
}

impl AgentPlan {
    pub(crate) fn new(
        target: &Target,
        caller: Caller<'_>,
        arguments: &InitArguments,
    ) -> Result<Self, CliError> {
        let settings = Settings::open(target)?;
        let (entries, summary) = if let Some(other) = reader_of_other(&settings) {
            (None, Summary::CalledBy(other.path.display().to_string()))
        } else {
            let entries = EntriesPlan::new(&settings, caller, arguments)?;
            let summary = entries.summary(&settings.path());
            (Some(entries), summary)
        };
        let server = plan_server(target, caller, arguments);
        Ok(Self { settings, entries, server, summary })
    }

    pub(crate) fn apply(
        &mut self,
        target: &Target,
        caller: Caller<'_>,
        arguments: &InitArguments,
    ) -> Result<(), CliError> {
        if let Some(entries) = self.entries.as_mut().filter(|entries| entries.change.is_some()) {
            entries.change.apply()?;
            entries.written = true;
            // A link on the way to a new file can be followed only now.
            let path = &self.settings.file.path;
            entries.pending_consent = pending_consent(self.settings.installer, path, entries.change.after());
            self.summary = entries.summary(&self.settings.path());
            // The server may be in the file that was just written.
            self.server = plan_server(target, caller, arguments);
        }
        self.server.apply();
        Ok(())
    }

    pub(crate) fn changes(&self) -> bool {
        self.entries.as_ref().is_some_and(|entries| entries.change.is_some()) || self.server.changes()
    }

    /// Whether the agent starts to call tenter, or calls it in another way than before.
    pub(crate) fn calls_anew(&self) -> bool {
        self.entries
            .as_ref()
            .is_some_and(|entries| entries.change.is_some() && entries.ineffective.is_empty())
    }

    pub(crate) fn code(&self) -> u8 {
        let is_effective = self.entries.as_ref().is_none_or(|entries| entries.ineffective.is_empty());
        if is_effective && self.server.error.is_none() { 0 } else { exit::FINDING }
    }

    pub(crate) fn to_do(&self) -> Vec<&'static str> {
        let Some(entries) = &self.entries else { return Vec::new() };
        let consent = entries.pending_consent.as_ref().map(|consent| consent.how);
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
            "memory": self.server.as_json,
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
            ("warnings", entries.ineffective.iter().chain(&entries.warnings).cloned().collect()),
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

impl EntriesPlan {
    fn new(settings: &Settings, caller: Caller<'_>, arguments: &InitArguments) -> Result<Self, CliError> {
        let before = settings.file.text.as_deref();
        // A strictness that was once asked for stays until the user changes it.
        let if_gone = match (arguments.strictness.strict, arguments.strictness.no_strict) {
            (true, _) => IfGone::Deny,
            (false, true) => IfGone::GoOn,
            (false, false) => before.map_or(IfGone::GoOn, |text| settings.installer.if_gone(text)),
        };
        let (program, installation) = (caller.program.to_owned(), caller.installation.map(str::to_owned));
        let wiring = Wiring { program, if_gone, scope: settings.scope, installation };
        let installed =
            settings.installer.install(before, &wiring).map_err(|error| settings.unusable(&error))?;
        let is_installed = before.is_some_and(|text| settings.installer.is_installed(text).unwrap_or(true));
        let backup = Backup::Make { installed: is_installed };
        let change = FileChange::new(Rc::clone(&settings.file), Some(installed.text.clone()), backup);
        change.check()?;
        let neighbours = if change.is_some() { settings.file.renamed_scripts() } else { Vec::new() };
        let mut ineffective = installed.warnings;
        ineffective.extend(overruled(settings.installer, settings.scope));
        let mut off_here = None;
        if let Some(off) = switched_off(settings.installer) {
            if off.only_here(settings.scope) {
                off_here = Some(off.why);
            } else {
                ineffective.push(off.why);
            }
        }
        let stays_strict = (if_gone == IfGone::Deny && !arguments.strictness.strict).then(|| {
            format!(
                "its entries stay strict: tool calls are denied if the tenter program is missing; `tenter init {}{} --no-strict` changes that",
                settings.agent.name(),
                scope_option(settings.scope)
            )
        });
        let warnings = off_here.into_iter().chain(doubles(settings, &installed.text));
        let notes = notes(settings).into_iter().chain(shared(settings, &installed.text));
        Ok(Self {
            diff: settings.diff(before.unwrap_or_default(), &installed.text, &neighbours),
            neighbours,
            ineffective,
            warnings: warnings.chain(twice_in_others(settings)).chain(imported(settings)).collect(),
            notes: notes.chain(stays_strict).collect(),
            limits: limits::cannot(settings.agent, settings.installer),
            pending_consent: pending_consent(settings.installer, &settings.file.path, &installed.text),
            change,
            written: false,
            wiring,
        })
    }

    fn summary(&self, path: &str) -> Summary {
        match (self.change.is_some(), self.ineffective.first()) {
            (_, Some(why)) => Summary::NotCalled(why.replace("this file", path)),
            (true, None) if !self.written => Summary::WouldInstall,
            (_, None) if self.pending_consent.is_some() => Summary::Awaited,
            (true, None) => Summary::Installed,
            (false, None) => Summary::Unchanged,
        }
    }
}

fn plan_server(target: &Target, caller: Caller<'_>, arguments: &InitArguments) -> ServerPlan {
    if arguments.without.no_memory {
        return ServerPlan::declined();
    }
    ServerPlan::register(target, &mcp_server::program(caller.program))
}
