//! `tenter uninstall [AGENT]…`: takes our command out of the agents' settings.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Value, json};
use tenter_adapters::by_name;
use tenter_contract::ports::Uninstalled;
use tenter_host::{Places, installation};

use crate::arguments::SettingsArguments;
use crate::error::{CliError, CommandResult, exit};
use crate::install::mcp_server::ServerReport;
use crate::install::plan::{Backup, FileChange};
use crate::install::settings::{Settings, show_change};
use crate::install::summary::Summary;
use crate::install::targets::{Target, TargetReport};
use crate::install::user_hooks::{HookGroup, UserHooks};
use crate::install::{consent, mcp_server, settings, targets};
use crate::printer;
use crate::printer::{Printer, Tone};

pub(crate) fn run(arguments: &SettingsArguments, printer: &Printer) -> CommandResult {
    let targets = targets::to_uninstall(arguments)?;
    if targets.is_empty() && !arguments.json {
        printer.line("nothing to do: no agent calls tenter, as seen from this folder");
    }
    // A dry run leaves these as they are, and has to know all the same when the last one would be gone.
    let gone = RefCell::new(Vec::new());
    targets::each(&targets, arguments, printer, |target| {
        // Before the hooks: they may are in the same file, and the last to go puts it back as it was.
        let served = mcp_server::unregister(target, arguments.dry_run);
        if let (Some(served), false) = (&served, arguments.json) {
            show_server(served, arguments, printer);
        }
        let mut done = if served.is_some() && !target.calls_us() {
            server_alone(target, arguments.dry_run)
        } else {
            one(target, &gone, arguments, printer)?
        };
        if served.as_ref().is_some_and(|served| served.error.is_some()) {
            done.code = done.code.max(exit::FINDING);
        }
        done.as_json["memory"] = served.map_or(Value::Null, |served| served.as_json);
        Ok(done)
    })
}

fn show_server(served: &ServerReport, arguments: &SettingsArguments, printer: &Printer) {
    match &served.error {
        Some(error) => printer::write_error(error),
        None if arguments.diff => show_change(&served.diff, printer),
        None => {}
    }
    if let (None, Some(path)) = (&served.error, served.as_json["file"].as_str()) {
        let word = if arguments.dry_run { "would uninstall:" } else { "uninstalled:" };
        let word = printer.tone(Tone::Good, word);
        printer.line(format!("{word} the memory tools in {path}; stored memories stay"));
    }
}

/// An agent that did not call us, and had our server.
fn server_alone(target: &Target, dry: bool) -> TargetReport {
    let as_json = json!({
        "agent": target.agent.name().as_str(),
        "scope": target.scope.as_str(),
        "outcome": Outcome::NotInstalled.as_str(),
        "changed": false,
        "written": false,
    });
    let summary = Some(if dry { Summary::WouldUninstall } else { Summary::Uninstalled });
    TargetReport { code: 0, as_json, summary }
}

fn one(
    target: &Target,
    gone: &RefCell<Vec<PathBuf>>,
    arguments: &SettingsArguments,
    printer: &Printer,
) -> Result<TargetReport, CliError> {
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
    let changed = outcome != Outcome::NotInstalled;
    let written = changed && !arguments.dry_run;
    let beside = file.renamed_scripts();
    let mut forgotten = None;
    if written {
        // Before the entries: they say which consent the user gave.
        forgotten = consent::forget(settings.installer, &file.path, &text)?;
        change.apply()?;
    }
    let is_last = changed && settings.is_last(&gone.borrow());
    if changed {
        gone.borrow_mut().push(file.path.clone());
    }
    // The hooks in the user's hook file go with the last agent.
    let mut hooks = if is_last { UserHooks::to_remove().ok().flatten() } else { None };
    let mut kept = None;
    if is_last && written {
        installation::forget(&Places::of_process());
        kept = hooks.as_mut().and_then(|hooks| hooks.apply().err());
        installation::tidy_up(&Places::of_process());
    }
    let backup =
        Some(file.backup_path()).filter(|backup| backup.exists()).map(|path| path.display().to_string());
    let diff = settings.diff(&text, change.after(), &beside);
    let as_json = json!({
            "agent": settings.agent.name().as_str(),
            "scope": settings.scope.as_str(),
            "file": settings.path(),
            "outcome": outcome.as_str(),
            "changed": changed,
            "written": written,
            "backup": backup,
            "diff": diff,
            "protection": hooks.as_ref().map(|hooks| hooks.as_json(HookGroup::Protection)),
            "memory_hooks": hooks.as_ref().map(|hooks| hooks.as_json(HookGroup::Memory)),
    });
    let summary = Some(match (changed, written) {
        (true, true) => Summary::Uninstalled,
        (true, false) => Summary::WouldUninstall,
        (false, _) => Summary::Unchanged,
    });
    let done = TargetReport { code: 0, as_json, summary };
    if arguments.json {
        return Ok(done);
    }
    let uninstalled = |text: &str| format!("{} {text}", printer.tone(Tone::Good, "uninstalled:"));
    if let Some(path) = forgotten {
        printer.line(uninstalled(&format!("your consent to tenter's entries in {}", path.display())));
    }
    if arguments.diff {
        show_change(&(diff + &hooks.as_ref().map(UserHooks::diff).unwrap_or_default()), printer);
    }
    let path = settings.path();
    if changed && !written {
        printer.line(format!("{} the entries in {path}", printer.tone(Tone::Good, "would uninstall:")));
        settings::nothing_written();
        return Ok(done);
    }
    printer.line(match outcome {
        Outcome::NotInstalled => format!("nothing to do: {path} does not call tenter"),
        Outcome::Restored => uninstalled(&format!("{path} is restored, byte for byte")),
        Outcome::Cut => uninstalled(&format!("the rest of {path} is unchanged")),
        Outcome::Removed if !settings.installer.files().is_empty() => {
            uninstalled(&format!("tenter's files are removed from {path}; other files are unchanged"))
        }
        Outcome::Removed => uninstalled(&format!("{path} contained nothing else and is removed")),
    });
    if let (Outcome::Cut, Some(backup)) = (outcome, backup) {
        printer
            .line(format!("the file from before `tenter init` is {backup}; remove it if you do not need it"));
    }
    match (&kept, &hooks) {
        (Some(error), _) => printer::write_error(&error.shown()),
        (None, Some(hooks)) => hooks.removed().into_iter().for_each(|line| printer.line(line)),
        (None, None) => {}
    }
    let shared =
        settings.installer.entries_name().filter(|_| changed).and_then(|name| by_name(name.as_str()));
    let note = |text: String| printer.line(printer.tone(Tone::Caution, format!("note: {text}")));
    if let Some((name, other)) = shared.and_then(|agent| Some((agent.name(), agent.installer()?))) {
        note(format!("{} used the same entries; run `tenter init {name}` to restore them", other.title()));
    }
    for (scope, path) in settings.elsewhere() {
        note(format!("{} also calls tenter; run `{}`", path.display(), settings.undo(scope)));
    }
    Ok(done)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    NotInstalled,
    Restored,
    Cut,
    Removed,
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::NotInstalled => "not_installed",
            Self::Restored => "restored",
            Self::Cut => "cut",
            Self::Removed => "removed",
        }
    }
}
