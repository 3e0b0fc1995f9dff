//! `tenter uninstall [AGENT]…`: plan, apply, report for each agent. A dry run does not apply the plan.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Value, json};
use tenter_adapters::by_name;
use tenter_contract::ports::Uninstalled;
use tenter_host::{Places, installation};

use crate::arguments::SettingsArguments;
use crate::error::{CliError, CommandResult, exit};
use crate::install::mcp_server::ServerPlan;
use crate::install::plan::{Backup, FileChange};
use crate::install::settings::{Settings, nothing_written, show_change};
use crate::install::summary::Summary;
use crate::install::targets::{Target, TargetReport};
use crate::install::user_hooks::{HookGroup, UserHooks};
use crate::install::{consent, targets};
use crate::printer::{self, Printer, Tone};

pub(crate) fn run(arguments: &SettingsArguments, printer: &Printer) -> CommandResult {
    let targets = targets::to_uninstall(arguments)?;
    if targets.is_empty() && !arguments.json {
        printer.line("nothing to do: no agent calls tenter, as seen from this folder");
    }
    // A dry run leaves these files as they are, but has to know which agent is the last one.
    let gone = RefCell::new(Vec::new());
    targets::each(&targets, arguments, printer, |target| {
        // Before the entries: both may be in the same file, and the last change restores it.
        let mut server = ServerPlan::unregister(target);
        if let Some(server) = &mut server {
            if !arguments.dry_run {
                server.apply();
            }
            if !arguments.json {
                show_server(server, arguments, printer);
            }
        }
        let mut report = if server.is_some() && !target.calls_us() {
            server_alone(target, arguments.dry_run)
        } else {
            let mut plan = Plan::new(target, &gone.borrow())?;
            if !arguments.dry_run {
                plan.apply()?;
            }
            gone.borrow_mut().extend(plan.changes().then(|| plan.settings.file.path.clone()));
            if !arguments.json {
                plan.print(arguments, printer);
            }
            plan.report()
        };
        if server.as_ref().is_some_and(|server| server.error.is_some()) {
            report.code = report.code.max(exit::FINDING);
        }
        report.as_json["memory"] = server.map_or(Value::Null, |server| server.as_json);
        Ok(report)
    })
}

fn show_server(server: &ServerPlan, arguments: &SettingsArguments, printer: &Printer) {
    if let Some(error) = &server.error {
        return printer::write_error(error);
    }
    if arguments.diff {
        show_change(server.diff(), printer);
    }
    if let Some(path) = server.as_json["file"].as_str() {
        let word = if arguments.dry_run { "would uninstall:" } else { "uninstalled:" };
        let word = printer.tone(Tone::Good, word);
        printer.line(format!("{word} the memory tools in {path}; stored memories stay"));
    }
}

/// The report on an agent that did not call tenter, but had its server.
fn server_alone(target: &Target, dry_run: bool) -> TargetReport {
    let as_json = json!({
        "agent": target.agent.name().as_str(),
        "scope": target.scope.as_str(),
        "outcome": "not_installed",
        "changed": false,
        "written": false,
    });
    let summary = if dry_run { Summary::WouldUninstall } else { Summary::Uninstalled };
    TargetReport { code: 0, as_json, summary }
}

/// What changes in one settings file, and in the user's hook file with the last agent.
struct Plan {
    settings: Settings,
    outcome: Outcome,
    change: FileChange,
    diff: String,
    /// The hooks of tenter in the user's hook file, if this is the last agent.
    hooks: Option<UserHooks>,
    is_last: bool,
    written: bool,
    /// The file that had the user's consent to the entries.
    consent_file: Option<PathBuf>,
    hooks_error: Option<CliError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    NotInstalled,
    Restored,
    Cut,
    Removed,
}

impl Plan {
    fn new(target: &Target, gone: &[PathBuf]) -> Result<Self, CliError> {
        let settings = Settings::open(target)?;
        let file = &settings.file;
        let (text, before) = (file.text.clone().unwrap_or_default(), file.backup());
        let found = settings.installer.uninstall(&text, before.as_deref());
        let (outcome, after) = match found.map_err(|error| settings.unusable(&error))? {
            Uninstalled::NotInstalled => (Outcome::NotInstalled, file.text.clone()),
            Uninstalled::Restored => (Outcome::Restored, before),
            Uninstalled::Cut { text } => (Outcome::Cut, Some(text)),
            Uninstalled::NothingElse => (Outcome::Removed, None),
        };
        let backup = if outcome == Outcome::Cut { Backup::Leave } else { Backup::Remove };
        let change = FileChange::new(Rc::clone(file), after, backup);
        let is_last = outcome != Outcome::NotInstalled && settings.is_last(gone);
        Ok(Self {
            diff: settings.diff(&text, change.after(), &file.renamed_scripts()),
            settings,
            outcome,
            change,
            hooks: if is_last { UserHooks::to_remove().ok().flatten() } else { None },
            is_last,
            written: false,
            consent_file: None,
            hooks_error: None,
        })
    }

    fn apply(&mut self) -> Result<(), CliError> {
        if !self.changes() {
            return Ok(());
        }
        let file = &self.settings.file;
        // Before the entries: they say which consent the user gave.
        let text = file.text.as_deref().unwrap_or_default();
        self.consent_file = consent::forget(self.settings.installer, &file.path, text)?;
        self.change.apply()?;
        self.written = true;
        if self.is_last {
            let places = Places::of_process();
            installation::forget(&places);
            self.hooks_error = self.hooks.as_mut().and_then(|hooks| hooks.apply().err());
            installation::tidy_up(&places);
        }
        Ok(())
    }

    fn changes(&self) -> bool {
        self.outcome != Outcome::NotInstalled
    }

    fn backup(&self) -> Option<String> {
        let path = self.settings.file.backup_path();
        path.exists().then(|| path.display().to_string())
    }

    fn report(&self) -> TargetReport {
        let hooks = |group| self.hooks.as_ref().map(|hooks| hooks.as_json(group));
        let as_json = json!({
            "agent": self.settings.agent.name().as_str(),
            "scope": self.settings.scope.as_str(),
            "file": self.settings.path(),
            "outcome": match self.outcome {
                Outcome::NotInstalled => "not_installed",
                Outcome::Restored => "restored",
                Outcome::Cut => "cut",
                Outcome::Removed => "removed",
            },
            "changed": self.changes(),
            "written": self.written,
            "backup": self.backup(),
            "diff": self.diff,
            "protection": hooks(HookGroup::Protection),
            "memory_hooks": hooks(HookGroup::Memory),
        });
        let summary = match (self.changes(), self.written) {
            (true, true) => Summary::Uninstalled,
            (true, false) => Summary::WouldUninstall,
            (false, _) => Summary::Unchanged,
        };
        TargetReport { code: 0, as_json, summary }
    }

    fn print(&self, arguments: &SettingsArguments, printer: &Printer) {
        let (settings, path) = (&self.settings, self.settings.path());
        let uninstalled = |text: &str| format!("{} {text}", printer.tone(Tone::Good, "uninstalled:"));
        if let Some(path) = &self.consent_file {
            printer.line(uninstalled(&format!("your consent to tenter's entries in {}", path.display())));
        }
        if arguments.diff {
            let of_hooks = self.hooks.as_ref().map(UserHooks::diff).unwrap_or_default();
            show_change(&(self.diff.clone() + &of_hooks), printer);
        }
        if self.changes() && !self.written {
            printer.line(format!("{} the entries in {path}", printer.tone(Tone::Good, "would uninstall:")));
            return nothing_written();
        }
        printer.line(match self.outcome {
            Outcome::NotInstalled => format!("nothing to do: {path} does not call tenter"),
            Outcome::Restored => uninstalled(&format!("{path} is restored, byte for byte")),
            Outcome::Cut => uninstalled(&format!("the rest of {path} is unchanged")),
            Outcome::Removed if !settings.installer.files().is_empty() => {
                uninstalled(&format!("tenter's files are removed from {path}; other files are unchanged"))
            }
            Outcome::Removed => uninstalled(&format!("{path} contained nothing else and is removed")),
        });
        if let (Outcome::Cut, Some(backup)) = (self.outcome, self.backup()) {
            printer.line(format!(
                "the file from before `tenter init` is {backup}; remove it if you do not need it"
            ));
        }
        match (&self.hooks_error, &self.hooks) {
            (Some(error), _) => printer::write_error(&error.shown()),
            (None, hooks) => hooks.iter().flat_map(UserHooks::removed).for_each(|line| printer.line(line)),
        }
        let shared = settings.installer.entries_name().filter(|_| self.changes());
        let shared = shared.and_then(|name| by_name(name.as_str()));
        let note = |text: String| printer.line(printer.tone(Tone::Caution, format!("note: {text}")));
        if let Some((name, other)) = shared.and_then(|agent| Some((agent.name(), agent.installer()?))) {
            note(format!(
                "{} used the same entries; run `tenter init {name}` to restore them",
                other.title()
            ));
        }
        for (scope, path) in settings.elsewhere() {
            note(format!("{} also calls tenter; run `{}`", path.display(), settings.undo(scope)));
        }
    }
}
