//! `tenter init [AGENT]…`: puts our command into the agents' settings.

use std::cell::Cell;
use std::path::PathBuf;

use serde_json::{Value, json};
use tenter_adapters::by_name;
use tenter_contract::event_names::{EVENTS, EventName};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, IfGone, Proof, Reading, Wiring};
use tenter_host::Places;
use tenter_host::install::MadeFolders;
use tenter_host::program::{called_program, passing_place};

use super::carrying::{Lack, lacks, shows};
use super::consent::{Awaited, awaited};
use super::installed::overruled;
use super::memory_hooks;
use super::moved_folders;
use super::protection::{Plan, Step};
use super::routes::{self, Route};
use super::servers::{self, Served};
use super::settings::{self, Settings, show_change};
use super::several::{self, Done, Target};
use super::summary::Summary;
use super::switched_off::switched_off;
use crate::arguments::InitArguments;
use crate::commands::Ended;
use crate::error::{CliError, exit};
use crate::listing::counted;
use crate::printer::{self, Printer, Tone};

/// Installs, and says what changed and what each agent cannot do.
pub(crate) fn run(arguments: &InitArguments, printer: &Printer) -> Ended {
    moved_folders::refuse()?;
    let targets = several::to_install(&arguments.settings)?;
    let common = Common::of(arguments)?;
    several::each(&targets, &arguments.settings, printer, |target| {
        let mut done = one(target, &common, arguments, printer)?;
        let served = served(target, &common, arguments, printer);
        if !served.well {
            done.code = done.code.max(exit::FINDING);
        }
        done.told["memory"] = served.told;
        Ok(done)
    })
}

/// Gives the agent the memory's tools, unless that is not wanted.
fn served(target: &Target, common: &Common, arguments: &InitArguments, printer: &Printer) -> Served {
    if arguments.no_memory {
        return Served { told: json!({"state": "declined"}), well: true };
    }
    let printer = (!arguments.settings.json).then_some(printer);
    servers::register(target, &servers::program(&common.program), arguments.settings.dry_run, printer)
}

/// What is the same for every agent.
struct Common {
    /// The program that is called.
    program: String,
    /// Why it is not the fast one, if it is not.
    slower: Option<String>,
    /// Whether people were told of it, and of the hook file, with an agent before.
    told: Cell<bool>,
}

impl Common {
    fn of(arguments: &InitArguments) -> Result<Self, CliError> {
        let unusable = |detail: String| CliError::BadInput {
            what: "the path of this program".to_owned(),
            detail,
            hint: "install tenter in an ordinary folder and run it from there".to_owned(),
        };
        let called = called_program().map_err(|error| unusable(error.to_string()))?;
        let program = called.path;
        let shown = program.display().to_string();
        if let Some(why) = passing_place(&program).filter(|_| !arguments.allow_build_path) {
            return Err(CliError::PassingPlace { program: shown, why });
        }
        let program =
            program.into_os_string().into_string().map_err(|_| unusable("it is not UTF-8".to_owned()))?;
        let slower = called.instead_of.as_deref().map(slower);
        Ok(Self { program, slower, told: Cell::new(false) })
    }
}

fn one(
    target: &Target,
    common: &Common,
    arguments: &InitArguments,
    printer: &Printer,
) -> Result<Done, CliError> {
    let settings = Settings::open(target)?;
    if let Some(route) = called_already(&settings) {
        if !arguments.settings.json {
            tell_called_already(&settings, &route, printer);
        }
        let summary = Summary::CalledBy(route.path.display().to_string());
        return Ok(Done { code: 0, told: called_by(&settings, &route, &summary), summary: Some(summary) });
    }
    let before = settings.file.text.as_deref();
    // What was asked for once holds until somebody says otherwise.
    let kept = before.map_or(IfGone::GoOn, |text| settings.installer.if_gone(text));
    let if_gone = match (arguments.strictness.strict, arguments.strictness.no_strict) {
        (true, _) => IfGone::Deny,
        (false, true) => IfGone::GoOn,
        (false, false) => kept,
    };
    let wiring = Wiring { program: common.program.clone(), if_gone, scope: settings.scope };
    let installed = settings.installer.install(before, &wiring).map_err(|error| settings.unusable(&error))?;
    let changed = before != Some(installed.text.as_str());
    let written = changed && !arguments.settings.dry_run;
    let beside = if changed { settings.file.beside() } else { Vec::new() };
    if written {
        settings.file.check_writable().map_err(CliError::Settings)?;
        let with_us = before.is_some_and(|text| settings.installer.is_installed(text).unwrap_or(true));
        settings.file.back_up(with_us).map_err(CliError::Settings)?;
        let made = MadeFolders::of(&Places::of_process());
        made.write_file(&settings.file, &installed.text).map_err(CliError::Settings)?;
    }
    let (protection, unprotected) = match protected(arguments) {
        Ok(plan) => (plan, None),
        // The agent calls us all the same.
        Err(error) => (None, Some(format!("agents are not kept from tenter's own files: {error}"))),
    };
    let (memory, unremembered) = match remembered(arguments, protection.as_ref()) {
        Ok(plan) => (plan, None),
        Err(error) => (None, Some(format!("memory does not work by itself: {error}"))),
    };
    // What was put in and will not be read is not installed.
    let mut dead = installed.warnings;
    dead.extend(overruled(settings.installer, settings.scope));
    let mut dead_here = Vec::new();
    if let Some(off) = switched_off(settings.installer) {
        if off.only_here(settings.scope) { &mut dead_here } else { &mut dead }.push(off.why);
    }
    let in_force = dead.is_empty();
    let stays_strict = (if_gone == IfGone::Deny && !arguments.strictness.strict).then(|| {
        format!(
            "its entries stay strict, so that tool calls are denied if tenter is gone; `tenter init {}{} --no-strict` changes that",
            settings.agent.name(),
            settings.option(settings.scope)
        )
    });
    // A program that reads it gets everything with every agent.
    let repeated = !arguments.settings.json && common.told.replace(true);
    let of_all = common.slower.clone().into_iter().chain(unprotected).chain(unremembered);
    let told = Told {
        diff: settings.diff(before.unwrap_or_default(), &installed.text, &beside),
        beside,
        dead,
        warnings: of_all
            .chain(protection.as_ref().and_then(by_hand))
            .chain(memory.as_ref().and_then(memory_hooks::Plan::by_hand))
            .filter(|_| !repeated)
            .chain(dead_here)
            .chain(doubles(&settings, &installed.text))
            .chain(twice_in_others(&settings))
            .collect(),
        notes: notes(&settings)
            .into_iter()
            .chain(shared(&settings, &installed.text))
            .chain(stays_strict)
            .collect(),
        cannot: cannot(settings.agent, settings.installer),
        awaited: awaited(settings.installer, &settings.file.path, &installed.text),
        changed,
        written,
        protection,
        memory,
        dry: arguments.settings.dry_run,
    };
    if !arguments.settings.json {
        told.tell(&settings, &wiring, repeated, printer);
    }
    let summary = told.summary(&settings.path());
    let told = told.as_json(&settings, &wiring, &summary);
    Ok(Done { code: if in_force { 0 } else { exit::FINDING }, told, summary: Some(summary) })
}

/// Switches our own protection on, unless that is not wanted.
fn protected(arguments: &InitArguments) -> Result<Option<Plan>, CliError> {
    if arguments.no_protect {
        return Ok(None);
    }
    let mut plan = Plan::to_add()?;
    if let (Some(plan), false) = (&mut plan, arguments.settings.dry_run) {
        plan.take()?;
    }
    Ok(plan)
}

/// Lets memory work by itself, unless that is not wanted.
fn remembered(
    arguments: &InitArguments,
    protection: Option<&Plan>,
) -> Result<Option<memory_hooks::Plan>, CliError> {
    if arguments.no_memory {
        return Ok(None);
    }
    // Where nothing is written, the file is still what it was before the protection.
    let plan = memory_hooks::Plan::to_add(protection.filter(|_| arguments.settings.dry_run))?;
    if let (Some(plan), false) = (&plan, arguments.settings.dry_run) {
        plan.take()?;
    }
    Ok(plan)
}

/// What a person has to do for it.
fn by_hand(plan: &Plan) -> Option<String> {
    let Step::ByHand(how) = &plan.step else { return None };
    Some(format!("agents are not kept from tenter's own files yet; {how}:\n  {}", plan.to_paste()))
}

fn slower(why: &str) -> String {
    format!(
        "agents will call the whole tenter, which starts more slowly, because {why}; install both programs of one build into one folder and run `tenter init` again"
    )
}

/// What came of it.
struct Told {
    diff: String,
    /// Files of others that keep their name, and ours beside them.
    beside: Vec<(PathBuf, PathBuf)>,
    /// Why the agent will not call us in spite of it.
    dead: Vec<String>,
    warnings: Vec<String>,
    /// What is good to know and needs nothing to be done.
    notes: Vec<String>,
    cannot: Vec<String>,
    /// What the user must agree to in the agent itself.
    awaited: Option<Awaited>,
    changed: bool,
    written: bool,
    /// What becomes of `protect.config`; none if it is not wanted.
    protection: Option<Plan>,
    /// What becomes of the hooks of memory; none if they are not wanted.
    memory: Option<memory_hooks::Plan>,
    dry: bool,
}

impl Told {
    /// `repeated`: people have read what is the same for every agent.
    fn tell(&self, settings: &Settings, wiring: &Wiring, repeated: bool, printer: &Printer) {
        let (title, path) = (settings.title(), settings.path());
        show_change(&self.diff, self.written, printer);
        for (own, ours) in &self.beside {
            let (own, ours) = (own.display(), ours.display());
            printer.line(format!("{own} is not tenter's and stays as it is; tenter's file is {ours}"));
        }
        // In a dry run nothing has changed for the second agent.
        let protection = self.protection.as_ref().filter(|_| !(self.dry && repeated));
        show_change(&protection.map(Plan::diff).unwrap_or_default(), self.written, printer);
        let memory = self.memory.as_ref().filter(|_| !(self.dry && repeated));
        show_change(&memory.map(memory_hooks::Plan::diff).unwrap_or_default(), self.written, printer);
        let adds = protection.is_some_and(|plan| matches!(plan.step, Step::Add(_)))
            || memory.is_some_and(|plan| matches!(plan.step, memory_hooks::Step::Add(_)));
        let warn = |warning: &String| printer::write_error(&format!("warning: {warning}\n"));
        match (self.changed, self.written) {
            (false, _) if !self.dead.is_empty() => {
                let bad = printer.tone(Tone::Bad, "not called:");
                printer
                    .line(format!("{bad} {path} has all of tenter's entries, but {title} does not use them"));
            }
            (false, _) => {
                printer.line(format!("nothing to do: {title} already calls {} ({path})", wiring.program));
            }
            (true, false) => {}
            (true, true) => {
                let count = counted(settings.installer.events().len() as u64, "event");
                if self.dead.is_empty() {
                    let done = printer.tone(Tone::Good, "installed:");
                    printer.line(format!("{done} from its next session on, {title} calls tenter at {count}"));
                } else {
                    let bad = printer.tone(Tone::Bad, "not called:");
                    printer.line(format!(
                        "{bad} the entries for {count} are written, but {title} will not use them"
                    ));
                    self.dead.iter().for_each(warn);
                }
                if settings.file.text.is_some() && settings.file.backup_path().exists() {
                    printer.line(format!("the file as it was: {}", settings.file.backup_path().display()));
                }
                printer.line(format!("to take it out again: {}", settings.undo(settings.scope)));
            }
        }
        let awaited = self.awaited.as_ref().map(|awaited| awaited.how);
        for how in awaited.into_iter().chain(settings.installer.still_to_do()).filter(|_| !self.dry) {
            printer.line(format!("{} {how}", printer.tone(Tone::Caution, "still to be done by you:")));
        }
        for note in &self.notes {
            printer.line(format!("note: {note}"));
        }
        if self.dry && (self.changed || adds) {
            if let Some(off) = protection.and_then(Plan::in_vain) {
                printer.line(format!("{} {off}", printer.tone(Tone::Caution, "would not protect:")));
            }
            settings::nothing_written();
        } else if let Some(done) = protection.and_then(Plan::done) {
            let (tone, word) = if protection.is_some_and(Plan::protects) {
                (Tone::Good, "protected:")
            } else {
                (Tone::Caution, "not protected:")
            };
            printer.line(format!("{} {done}", printer.tone(tone, word)));
        }
        if let (Some(done), false) = (memory.and_then(memory_hooks::Plan::done), self.dry) {
            printer.line(format!("{} {done}", printer.tone(Tone::Good, "remembered:")));
        }
        if !(self.changed && self.written) {
            self.dead.iter().for_each(warn);
        }
        self.warnings.iter().for_each(warn);
        if self.written {
            printer.gap();
            printer.line(printer.tone(Tone::Heading, format!("What {title} cannot do")));
            for line in &self.cannot {
                printer.line(format!("  {line}"));
            }
        }
    }

    /// The same in a line, which stands where nobody knows any more which file is meant.
    fn summary(&self, path: &str) -> Summary {
        match (self.changed, self.dead.first()) {
            (_, Some(why)) => Summary::NotCalled(why.replace("this file", path)),
            (true, None) if self.dry => Summary::WouldInstall,
            (_, None) if self.awaited.is_some() => Summary::Awaited,
            (true, None) => Summary::Installed,
            (false, None) => Summary::Unchanged,
        }
    }

    fn as_json(&self, settings: &Settings, wiring: &Wiring, summary: &Summary) -> Value {
        let backup = settings.file.backup_path();
        json!({
            "agent": settings.agent.name().as_str(),
            "scope": settings.scope.as_str(),
            "file": settings.path(),
            "program": wiring.program,
            "result": summary.as_str(),
            "strict": wiring.if_gone == IfGone::Deny,
            "events": settings.installer.events().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "changed": self.changed,
            "written": self.written,
            "backup": backup.exists().then(|| backup.display().to_string()),
            "diff": self.diff,
            "protection": self.protection.as_ref().map_or_else(|| json!({"state": "declined"}), Plan::as_json),
            "memory_hooks": self.memory.as_ref().map_or_else(|| json!({"state": "declined"}), memory_hooks::Plan::as_json),
            "warnings": self.dead.iter().chain(&self.warnings).collect::<Vec<_>>(),
            "cannot": self.cannot,
            "proven": settings.agent.proof() == Proof::Measured,
            "notes": self.notes,
            "still_to_do": settings.installer.still_to_do(),
            "consent": self.awaited.as_ref().map(|awaited| json!({"events": awaited.events, "how": awaited.how})),
        })
    }
}

/// Another agent's file that this one reads, and that calls us in the same scope: an entry of its own would be a second
/// one for every event.
fn called_already(settings: &Settings) -> Option<Route> {
    let text = settings.file.text.as_deref().unwrap_or_default();
    if settings.installer.is_installed(text).unwrap_or(false) {
        return None;
    }
    let same = |route: &Route| route.scope == settings.scope && route.reading != Reading::Sometimes;
    routes::others(settings.installer).into_iter().find(same)
}

fn called_by(settings: &Settings, route: &Route, summary: &Summary) -> Value {
    json!({
        "agent": settings.agent.name().as_str(),
        "scope": settings.scope.as_str(),
        "file": settings.path(),
        "result": summary.as_str(),
        "changed": false,
        "written": false,
        "called_by": route.path.display().to_string(),
        "proven": settings.agent.proof() == Proof::Measured,
    })
}

fn tell_called_already(settings: &Settings, route: &Route, printer: &Printer) {
    let (title, of, path) = (settings.title(), route.of, route.path.display());
    printer.line(format!("nothing to do: {title} reads {path}, {of}'s, which calls tenter already"));
    printer.line("with an entry of its own, every event would start tenter twice");
}

/// The other files with which the entries in this text share the events.
fn shared(settings: &Settings, text: &str) -> Vec<String> {
    let elsewhere = settings.elsewhere().into_iter();
    let shared = elsewhere.filter(|(scope, path)| settings.shares(*scope, path, text));
    shared
        .map(|(scope, path)| {
            let [first, second] =
                if scope < settings.scope { ["the entries there", "these"] } else { ["these", "the entries there"] };
            format!(
                "{} calls tenter from {} too: {first} answer, and {second} stay silent, so that hooks run once",
                settings.installer.title(),
                path.display()
            )
        })
        .collect()
}

/// What people should know and need not do anything about.
fn notes(settings: &Settings) -> Vec<String> {
    let title = settings.installer.title();
    let unproven = (settings.agent.proof() == Proof::Documented).then(|| {
        format!("not proven: tenter knows {title} from its documents alone, and nobody has seen these hooks run in it; try them before you count on them")
    });
    let shared = settings.installer.entries_name().and_then(|name| by_name(name.as_str())?.installer());
    let shared = shared
        .map(|other| format!("{} reads the same folder, and is called by the same entries", other.title()));
    let routes =
        routes::others(settings.installer).into_iter().filter(|route| route.reading == Reading::Sometimes);
    let routes = routes.map(|route| {
        format!(
            "{title} may run the hooks of {} too; what comes that way is left to this file, so that hooks run once",
            route.path.display()
        )
    });
    let of_home = settings.of_home().map(|home| {
        format!(
            "{home} is your home, so this is for {title} when it is started right there; `tenter init {}` is for every project",
            settings.agent.name()
        )
    });
    unproven.into_iter().chain(shared).chain(routes).chain(of_home).collect()
}

/// Agents in which hooks run twice from now on.
fn twice_in_others(settings: &Settings) -> Vec<String> {
    let in_this =
        routes::others(settings.installer).into_iter().filter(|route| route.reading == Reading::InDisguise);
    let in_this = in_this.map(|route| (settings.installer.title(), route.path));
    let of_others = routes::disguised_readers(settings.agent);
    in_this
        .chain(of_others)
        .map(|(title, path)| {
            format!(
                "{title} runs the hooks of {} as well, and its calls look the same: hooks run twice there; take one of the two out",
                path.display()
            )
        })
        .collect()
}

/// The other files whose entries run beside those in this text.
fn doubles(settings: &Settings, text: &str) -> Vec<String> {
    let elsewhere = settings
        .elsewhere()
        .into_iter()
        .filter(|(scope, path)| settings.runs_beside(path, text) && !settings.shares(*scope, path, text));
    elsewhere
        .map(|(scope, path)| {
            format!(
                "{} calls tenter from {} too: every event starts it twice, and hooks at events that are no tool call run twice; take one of them out, such as with `{}`",
                settings.installer.title(),
                path.display(),
                settings.undo(scope)
            )
        })
        .collect()
}

/// What hooks can say in general and this agent cannot carry, and the events it does not send.
fn cannot(agent: &dyn AgentAdapter, installer: &dyn AgentInstaller) -> Vec<String> {
    let (sent, missing): (Vec<&EventName>, Vec<&EventName>) =
        EVENTS.iter().filter(|row| !is_our_own(row)).partition(|row| installer.sends(&row.kind));
    let names = |rows: &[&EventName]| rows.iter().map(|row| row.canonical).collect::<Vec<_>>().join(", ");
    let lacking = Lack::ALL.into_iter().flat_map(|lack| {
        let rows = sent.iter().copied().filter(|row| lacks(agent, row, None).contains(&lack));
        let mut by_words: Vec<((&str, &str), Vec<&EventName>)> = Vec::new();
        for row in rows {
            let words = lack.words(shows(agent, row, None));
            match by_words.iter_mut().find(|(known, _)| *known == words) {
                Some((_, rows)) => rows.push(row),
                None => by_words.push((words, vec![row])),
            }
        }
        by_words.into_iter().map(|((what, instead), rows)| format!("{what} at {}: {instead}", names(&rows)))
    });
    let unsent = (!missing.is_empty()).then(|| format!("send {}: hooks there never run", names(&missing)));
    lacking.chain(unsent).collect()
}

/// Events that tenter itself makes.
fn is_our_own(row: &EventName) -> bool {
    ["approval:", "hook:"].iter().any(|namespace| row.canonical.starts_with(namespace))
}
