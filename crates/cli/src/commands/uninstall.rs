//! `tenter uninstall [AGENT]…`: takes our command out of the agents' settings.

use std::cell::RefCell;
use std::path::PathBuf;

use serde_json::{Value, json};
use tenter_adapters::by_name;
use tenter_contract::ports::Uninstalled;
use tenter_host::install::MadeFolders;
use tenter_host::{Places, installation};

use super::consent;
use super::memory_hooks;
use super::protection::Plan;
use super::servers::{self, Served};
use super::settings::{self, Settings, show_change};
use super::several::{self, Done, Target};
use super::summary::Summary;
use crate::arguments::SettingsArguments;
use crate::commands::Ended;
use crate::error::{CliError, exit};
use crate::printer::{self, Printer, Tone};

/// Uninstalls, and says what is left.
pub(crate) fn run(arguments: &SettingsArguments, printer: &Printer) -> Ended {
    let targets = several::to_uninstall(arguments)?;
    if targets.is_empty() && !arguments.json {
        printer.line("nothing to do: no agent calls tenter, as seen from this folder");
    }
    // A dry run leaves these as they are, and has to know all the same when the last one would be gone.
    let gone = RefCell::new(Vec::new());
    several::each(&targets, arguments, printer, |target| {
        // Before the hooks: they may stand in the same file, and the last to go puts it back as it was.
        let served = servers::unregister(target, arguments.dry_run);
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
        done.told["memory"] = served.map_or(Value::Null, |served| served.as_json);
        Ok(done)
    })
}

fn show_server(served: &Served, arguments: &SettingsArguments, printer: &Printer) {
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
fn server_alone(target: &Target, dry: bool) -> Done {
    let told = json!({
        "agent": target.agent.name().as_str(),
        "scope": target.scope.as_str(),
        "outcome": Outcome::NotInstalled.as_str(),
        "changed": false,
        "written": false,
    });
    let summary = Some(if dry { Summary::WouldUninstall } else { Summary::Uninstalled });
    Done { code: 0, told, summary }
}

fn one(
    target: &Target,
    gone: &RefCell<Vec<PathBuf>>,
    arguments: &SettingsArguments,
    printer: &Printer,
) -> Result<Done, CliError> {
    let settings = Settings::open(target)?;
    let file = &settings.file;
    let (text, before) = (file.text.clone().unwrap_or_default(), file.backup());
    let found = settings.installer.uninstall(&text, before.as_deref());
    let (outcome, new) = match found.map_err(|error| settings.unusable(&error))? {
        Uninstalled::NotInstalled => (Outcome::NotInstalled, None),
        Uninstalled::Restored => (Outcome::Restored, before),
        Uninstalled::Cut { text } => (Outcome::Cut, Some(text)),
        Uninstalled::NothingElse => (Outcome::Removed, None),
    };
    let changed = outcome != Outcome::NotInstalled;
    let written = changed && !arguments.dry_run;
    let beside = file.beside();
    if written {
        let printer = (!arguments.json).then_some(printer);
        write(&settings, &text, (new.as_deref(), outcome), printer)?;
    }
    // With the last agent goes what `init` wrote into the user's hook file.
    let is_last = changed && settings.is_last(&gone.borrow());
    if changed {
        gone.borrow_mut().push(file.path.clone());
    }
    if is_last && written {
        installation::forget(&Places::of_process());
    }
    // In the opposite order in which it was written.
    let memory = memory_hooks::Plan::to_take_out().ok().flatten().filter(|_| is_last);
    let unforgotten = memory.as_ref().filter(|_| written).and_then(|plan| plan.take().err());
    let mut protection =
        if is_last { Plan::to_take_out(memory.as_ref().filter(|_| !written)).ok().flatten() } else { None };
    let left = match &mut protection {
        Some(plan) if written => plan.take().err().map(|error| error.to_string()),
        Some(_) | None => None,
    };
    if is_last && written {
        installation::tidy_up(&Places::of_process());
    }
    let backup =
        Some(file.backup_path()).filter(|backup| backup.exists()).map(|path| path.display().to_string());
    let after = if changed { new.as_deref().unwrap_or_default() } else { &text };
    let diff = settings.diff(&text, after, &beside);
    let told = json!({
            "agent": settings.agent.name().as_str(),
            "scope": settings.scope.as_str(),
            "file": settings.path(),
            "outcome": outcome.as_str(),
            "changed": changed,
            "written": written,
            "backup": backup,
            "diff": diff,
            "protection": protection.as_ref().map(Plan::as_json),
            "memory_hooks": memory.as_ref().map(memory_hooks::Plan::as_json),
    });
    let summary = Some(match (changed, written) {
        (true, true) => Summary::Uninstalled,
        (true, false) => Summary::WouldUninstall,
        (false, _) => Summary::Unchanged,
    });
    if arguments.json {
        return Ok(Done { code: 0, told, summary });
    }
    if arguments.diff {
        let of_hook_file = memory.as_ref().map(|plan| plan.diff_with(protection.as_ref()));
        show_change(&(diff + &of_hook_file.unwrap_or_default()), printer);
    }
    let path = settings.path();
    if changed && !written {
        printer.line(format!("{} the entries in {path}", printer.tone(Tone::Good, "would uninstall:")));
        settings::nothing_written();
        return Ok(Done { code: 0, told, summary });
    }
    let done = |text: &str| format!("{} {text}", printer.tone(Tone::Good, "uninstalled:"));
    printer.line(match outcome {
        Outcome::NotInstalled => format!("nothing to do: {path} does not call tenter"),
        Outcome::Restored => done(&format!("{path} is what it was before, byte for byte")),
        Outcome::Cut => done(&format!("the rest of {path} is as you have it")),
        Outcome::Removed if !settings.installer.files().is_empty() => {
            done(&format!("tenter's files are gone from {path}; what else is there was not touched"))
        }
        Outcome::Removed => done(&format!("{path} had nothing else in it and is gone")),
    });
    if let (Outcome::Cut, Some(backup)) = (outcome, backup) {
        printer
            .line(format!("the file from before `tenter init` stays at {backup}; remove it when you like"));
    }
    let unforgotten = unforgotten.map(|error| error.to_string());
    tell_of(unforgotten, memory.as_ref().and_then(memory_hooks::Plan::done), printer);
    tell_of(left, protection.as_ref().and_then(Plan::done), printer);
    let shared =
        settings.installer.entries_name().filter(|_| changed).and_then(|name| by_name(name.as_str()));
    if let Some((name, other)) = shared.and_then(|agent| Some((agent.name(), agent.installer()?))) {
        let title = other.title();
        let text =
            format!("note: {title} was called by the same entries; `tenter init {name}` puts them back");
        printer.line(printer.tone(Tone::Caution, text));
    }
    for (scope, path) in settings.elsewhere() {
        let text = format!("note: {} calls tenter too; `{}`", path.display(), settings.undo(scope));
        printer.line(printer.tone(Tone::Caution, text));
    }
    Ok(Done { code: 0, told, summary })
}
/// Writes the settings without our entries; `None` removes the file.
fn write(
    settings: &Settings,
    before: &str,
    (new, outcome): (Option<&str>, Outcome),
    printer: Option<&Printer>,
) -> Result<(), CliError> {
    let file = &settings.file;
    // Before the entries: they say to what the user agreed.
    let forgotten = consent::forget(settings.installer, &file.path, before).map_err(CliError::Settings)?;
    if let (Some(path), Some(printer)) = (forgotten, printer) {
        let word = printer.tone(Tone::Good, "uninstalled:");
        printer.line(format!("{word} your consent to tenter's entries in {}", path.display()));
    }
    match new {
        Some(text) => file.write(text),
        None => file.remove(),
    }
    .map_err(CliError::Settings)?;
    if outcome != Outcome::Cut && file.backup_path().exists() {
        file.remove_backup().map_err(CliError::Settings)?;
    }
    // An empty folder that stays does no harm that would be worth an error.
    let _ = MadeFolders::of(&Places::of_process()).tidy_up(file);
    Ok(())
}

/// What became of something in the user's hook file.
fn tell_of(error: Option<String>, done: Option<String>, printer: &Printer) {
    match (error, done) {
        (Some(error), _) => printer::write_error(&error),
        (None, Some(done)) => printer.line(done),
        (None, None) => {}
    }
}

/// What became of the file.
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
