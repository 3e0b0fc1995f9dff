//! `tenter hooks explain NAME`: why a hook runs or does not, in general or for one event. It uses the code that decides at
//! a real event, but runs, claims, counts and records nothing.

mod agents;
pub(crate) mod render;

use std::path::PathBuf;

use tenter_contract::reply::seconds;
use tenter_contract::{Event, HookSpec, Layer, similar};
use tenter_host::trust::TrustStatus as Trust;
use tenter_host::trust::project::here;
use tenter_host::{Host, Layers, assemble};
use tenter_kernel::matching::{Condition, conditions};
use tenter_kernel::sections::{self, SectionStatus};
use tenter_runtime::DryRun;

use crate::arguments::ExplainHookArguments;
use crate::commands::hooks::explain::agents::AgentView;
use crate::error::{CliError, CommandResult};
use crate::event_data;
use crate::hooks::switches::{enable_hint, sessions_without};
use crate::hooks::{layers_at, off, payload, written};
use crate::places::agent;
use crate::printer::{Printer, json_line};

pub(crate) fn run(arguments: &ExplainHookArguments, printer: &Printer) -> CommandResult {
    let host = assemble(&arguments.config.places(), here().as_deref());
    let event = event(arguments, &host)?;
    let root = event.as_ref().and_then(|event| event.project_root.as_ref()).map(PathBuf::from);
    let layers = layers_at(&arguments.config, root.or_else(here).as_deref())?;
    let explained = match find(&layers, &arguments.hook)? {
        FoundHook::Hook(hook) => Explained::new(&hook, &layers, event, &host),
        FoundHook::Unread { address, why } => Explained::unread(address, why),
    };
    if arguments.json {
        printer.line(json_line(&explained.as_json()));
    } else {
        explained.print(arguments.all_agents, printer);
    }
    Ok(0)
}

/// The event to explain; `None` for a general explanation.
fn event(arguments: &ExplainHookArguments, host: &Host) -> Result<Option<Event>, CliError> {
    let path = arguments.payload.as_deref();
    let event = match (&arguments.event, path) {
        (Some(event), path) => payload::from_program(path, event_data::event_kind(event)?, host)?,
        (None, Some(path)) => payload::from_agent(path, agent(&arguments.agent)?, host)?,
        (None, None) => return Ok(None),
    };
    Ok(Some(host.runtime.resolve(event)))
}

pub(crate) enum FoundHook {
    Hook(Box<HookSpec>),
    /// The hook is disabled in its file, or invalid.
    Unread {
        address: String,
        why: String,
    },
}

/// The hook of that name or address, whether it runs or not.
fn find(layers: &Layers, name: &str) -> Result<FoundHook, CliError> {
    let is_it = |hook: &&HookSpec| hook.id.name == name || hook.id.address() == name;
    let mut found: Vec<&HookSpec> = Vec::new();
    // Active hooks first, because they have their resolved order.
    for hook in layers.set.hooks.iter().map(AsRef::as_ref).chain(written(layers)).filter(is_it) {
        if !found.iter().any(|known| known.id == hook.id) {
            found.push(hook);
        }
    }
    match found.as_slice() {
        [only] => Ok(FoundHook::Hook(Box::new((*only).clone()))),
        [] => unread(layers, name),
        several => Err(CliError::ambiguous_hook(
            name,
            &several.iter().map(|hook| hook.id.address()).collect::<Vec<_>>(),
        )),
    }
}

fn unread(layers: &Layers, name: &str) -> Result<FoundHook, CliError> {
    let known = off(layers).find(|(address, _)| address == name || address.ends_with(&format!("/{name}")));
    if let Some((address, why)) = known {
        return Ok(FoundHook::Unread { address, why });
    }
    let names = written(layers).map(|hook| hook.id.name.as_str());
    let suggestion = similar::nearest(name, names).map(str::to_owned);
    Err(CliError::unknown_hook(name.to_owned(), suggestion))
}

pub(crate) struct Explained {
    address: String,
    hook: Option<HookSpec>,
    event: Option<Event>,
    /// All conditions, in the order in which tenter checks them.
    checks: Vec<Check>,
    agents: Vec<AgentView>,
}

pub(crate) struct Check {
    /// `trust`, `matcher`, `when.path`.
    about: String,
    wanted: String,
    found: Option<Vec<String>>,
    absent: &'static str,
    /// Whether it holds; `None` if that depends on the event.
    holds: Option<bool>,
}

impl Check {
    /// A condition that does not depend on the event.
    fn new(about: &str, wanted: impl Into<String>, holds: bool) -> Self {
        Self { about: about.to_owned(), wanted: wanted.into(), found: None, absent: "", holds: Some(holds) }
    }
}

impl Explained {
    fn unread(address: String, why: String) -> Self {
        let checks = vec![Check::new("enabled", why, false)];
        Self { address, hook: None, event: None, checks, agents: Vec::new() }
    }

    fn new(hook: &HookSpec, layers: &Layers, event: Option<Event>, host: &Host) -> Self {
        let event = event.map(|mut event| {
            host.runtime.catalog.gather_facts(std::iter::once(hook), &mut event);
            event
        });
        let mut checks: Vec<Check> = trusted(hook, layers).into_iter().collect();
        checks.push(enabled(hook, layers));
        if event.is_none() {
            checks.extend(off_in_sessions(hook));
        }
        checks.extend(in_section(hook, layers, event.as_ref()));
        checks.extend(conditions(hook).into_iter().map(|condition| judged(condition, event.as_ref())));
        match &event {
            Some(event) if event.kind == hook.event => {
                checks.extend(host.runtime.dry_run(hook, event).iter().map(dry_run_check));
            }
            Some(_) => {}
            None => checks.extend(session_conditions(hook)),
        }
        let agents = agents::views(hook, event.as_ref());
        Self { address: hook.id.address(), hook: Some(hook.clone()), event, checks, agents }
    }

    /// Whether the hook would run: `Some(false)` if a condition fails, `None` without an event.
    fn would_run(&self) -> Option<bool> {
        let fails = self.checks.iter().any(|check| check.holds == Some(false));
        if fails { Some(false) } else { self.event.as_ref().map(|_| true) }
    }
}

/// The first condition of a hook that fails for an event, in a few words. The event must have the facts that the hook
/// needs.
pub(crate) fn failed_condition(hook: &HookSpec, layers: &Layers, event: &Event) -> Option<String> {
    let section = in_section(hook, layers, Some(event)).into_iter();
    let conditions = conditions(hook).into_iter().map(|condition| judged(condition, Some(event)));
    section.chain(conditions).find(|check| check.holds == Some(false)).map(|check| render::in_words(&check))
}

fn trusted(hook: &HookSpec, layers: &Layers) -> Option<Check> {
    if !matches!(hook.id.layer, Layer::Project | Layer::Local) {
        return None;
    }
    let guards = layers.set.hooks.iter().any(|other| other.id == hook.id);
    let (wanted, holds) = match layers.project.as_ref().map(|project| &project.status) {
        Some(Trust::Trusted) => ("you have trusted this project as it is", true),
        Some(Trust::Changed(_)) if guards => (
            "the project was changed since you trusted it: it denies what it guards until `tenter trust`",
            true,
        ),
        Some(Trust::Changed(_)) => {
            ("the project was changed since you trusted it; run `tenter trust`", false)
        }
        Some(Trust::Damaged) => ("the record of what you trusted is damaged; run `tenter trust`", false),
        Some(Trust::Never | Trust::Nothing) | None => {
            ("you have not trusted this project; run `tenter trust`", false)
        }
    };
    Some(Check::new("trust", wanted, holds))
}

/// Whether the hook is enabled, everywhere and in this project.
fn enabled(hook: &HookSpec, layers: &Layers) -> Check {
    match layers.disabled.iter().find(|(id, _)| *id == hook.id) {
        Some((_, why)) => Check::new("enabled", why.clone(), false),
        None if refused(hook, layers) => {
            Check::new("enabled", "it is refused; run `tenter hooks list` to see why", false)
        }
        None => Check::new("enabled", "it is not disabled", true),
    }
}

/// The sessions in which the hook is disabled.
fn off_in_sessions(hook: &HookSpec) -> impl Iterator<Item = Check> {
    sessions_without(&hook.id).into_iter().map(|session| {
        let wanted = format!("any but {session}, where you disabled it; {}", enable_hint(&hook.id, &session));
        Check { holds: None, ..Check::new("session", wanted, true) }
    })
}

/// Whether the hook is valid and trusted, but not active.
fn refused(hook: &HookSpec, layers: &Layers) -> bool {
    let active_hooks = layers.set.hooks.iter().any(|other| other.id == hook.id);
    let untrusted = layers.project.as_ref().is_some_and(|it| it.status != Trust::Trusted);
    let of_project = matches!(hook.id.layer, Layer::Project | Layer::Local);
    !(active_hooks || (of_project && untrusted))
}

/// Whether the section of the hook applies to the agent; `None` without a section.
fn in_section(hook: &HookSpec, layers: &Layers, event: Option<&Event>) -> Option<Check> {
    let Some(event) = event else {
        let section = hook.section.as_ref()?;
        return Some(Check { holds: None, ..Check::new("section", format!("agent `{section}`"), true) });
    };
    let (wanted, holds) = match sections::status(hook, &layers.set, event) {
        SectionStatus::Active => (format!("agent `{}`", hook.section.as_ref()?), true),
        SectionStatus::OtherAgent(section) => (format!("it is for agent `{section}` alone"), false),
        SectionStatus::Replaced(by) => {
            let (section, event, layer) = (&by.section, &by.event, by.layer.as_str());
            (format!("agent `{section}` has `override: true` at {event} in the {layer} layer"), false)
        }
    };
    Some(Check::new("section", wanted, holds))
}

fn judged(condition: Condition<'_>, event: Option<&Event>) -> Check {
    let (about, wanted) = render::condition(condition);
    let (found, holds) = event.map(|event| (condition.found(event), condition.holds(event))).unzip();
    Check { about, wanted, found, holds, absent: render::absent(condition) }
}

fn session_conditions(hook: &HookSpec) -> Vec<Check> {
    let if_so = |about: &str, wanted: String| Check { holds: None, ..Check::new(about, wanted, true) };
    let every = hook.every.map(|of| if_so("every", format!("the last of every {of} events of a session")));
    let once = hook.once.as_str().map(|period| if_so("once", format!("it has not run in the {period}")));
    let kept = |cache: &tenter_contract::Cache| format!("no answer is kept, for {}", seconds(cache.ttl));
    every
        .into_iter()
        .chain(once)
        .chain(hook.cache.as_ref().map(|cache| if_so("cache", kept(cache))))
        .collect()
}

fn dry_run_check(dry_run: &DryRun) -> Check {
    let (about, wanted) = match dry_run {
        DryRun::SwitchedOff(why) => ("session", why.clone()),
        DryRun::Every { of, before } => {
            ("every", format!("the last of every {of} events; {before} came before in this session"))
        }
        DryRun::Once { period, ran: true } => ("once", format!("it ran before in this {period}")),
        DryRun::Once { period, ran: false } => ("once", format!("it has not run in this {period}")),
        DryRun::Cached(true) => ("cache", "its answer is kept and given without a run".to_owned()),
        DryRun::Cached(false) => ("cache", "no answer to this event is kept".to_owned()),
        DryRun::Unknown(why) => ("session", format!("{why}; then it runs")),
    };
    Check::new(about, wanted, dry_run.runs())
}
