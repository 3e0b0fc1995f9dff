//! `tenter hooks list`: every hook, its source, whether it runs, and why not.

use std::sync::Arc;

use serde_json::{Value, json};
use tenter_config::Severity;
use tenter_contract::event_names::EVENTS;
use tenter_contract::{HookSpec, Pattern};
use tenter_host::trust::project::{here, home_here};
use tenter_host::{Layers, Places};

use crate::arguments::ListArguments;
use crate::error::{CommandResult, exit};
use crate::hooks::startable::cannot_start;
use crate::hooks::switches::{enable_hint, off_in_sessions};
use crate::hooks::{active_hooks, describe, off};
use crate::listing::{columns, indented};
use crate::printer::{Printer, Tone, json_line};

/// Lists the hooks. Problems make the exit code 1.
pub(crate) fn run(arguments: &ListArguments, printer: &Printer) -> CommandResult {
    let places = arguments.config.places().outside(here().as_deref());
    let layers = crate::hooks::layers_to_rely_on(&arguments.config)?;
    if arguments.json {
        printer.line(json_line(&as_json(&layers)));
    } else {
        print(&layers, &places, printer);
    }
    let starts = active_hooks(&layers).iter().all(|hook| cannot_start(hook).is_none());
    Ok(if layers.set.problems.is_empty() && starts { 0 } else { exit::FINDING })
}

fn print(layers: &Layers, places: &Places, printer: &Printer) {
    let hooks = active_hooks(layers);
    if hooks.is_empty() && layers.files.is_empty() {
        let folder = places.config_folder.as_ref().map(|folder| folder.join("hooks.yaml"));
        let place =
            folder.map_or("$XDG_CONFIG_HOME/tenter/hooks.yaml".to_owned(), |path| path.display().to_string());
        printer.line(format!("no hooks: there is no hook file at {place}"));
        printer.line("`tenter demo` shows what hooks can do");
    } else {
        print_hooks(&hooks, layers, printer);
    }
    if let Some(home) = home_here().filter(|home| home.join(".tenter").is_dir()) {
        let home = home.display();
        printer.line(format!(
            "note: the hooks in {home}/.tenter do not run here: your home folder is a project only for agents started in it"
        ));
    }
    for notice in &layers.set.lost_guards {
        printer.line(indented(&notice.text, ""));
    }
    if !layers.set.problems.is_empty() {
        printer.gap();
        for problem in &layers.set.problems {
            printer.line(indented(&problem.text, ""));
            printer.gap();
        }
    }
}

fn print_hooks(hooks: &[Arc<HookSpec>], layers: &Layers, printer: &Printer) {
    table(hooks, printer);
    let off: Vec<(String, String)> = off(layers).collect();
    let more = if has_unnamed_off(layers) { ", and those disabled by the errors below" } else { "" };
    let stuck: Vec<(String, String)> = stuck(hooks).collect();
    let on = hooks.len() - stuck.len();
    let cannot = if stuck.is_empty() { String::new() } else { format!(", {} cannot start", stuck.len()) };
    printer.line(format!("{on} on, {} off{cannot}{more}", off.len()));
    for (hook, why) in stuck {
        printer.line(format!("  {} {hook}: {why}", printer.tone(Tone::Bad, "cannot start")));
    }
    for (hook, why) in off {
        printer.line(format!("  {} {hook}: {why}", printer.tone(Tone::Bad, "off")));
    }
    // A hook that is off in one session only counts as on.
    for (session, hook) in off_in_sessions(layers) {
        let off = printer.tone(Tone::Caution, "off in session");
        printer.line(format!("  {off} {session} {}: {}", hook.address(), enable_hint(hook, &session)));
    }
}

/// Hooks that are on, but whose program is missing.
fn stuck(hooks: &[Arc<HookSpec>]) -> impl Iterator<Item = (String, String)> {
    hooks.iter().filter_map(|hook| Some((hook.id.address(), cannot_start(hook)?.finding)))
}

/// Whether hooks are off that cannot be counted: in an unreadable file, or under an unknown event.
fn has_unnamed_off(layers: &Layers) -> bool {
    layers.files.iter().any(|file| match &file.content {
        Ok(loaded) => loaded.problems.iter().any(|it| it.hook.is_none() && it.severity() == Severity::Error),
        Err(_) => true,
    })
}

/// Prints the hooks by event, in the order in which they run.
fn table(hooks: &[Arc<HookSpec>], printer: &Printer) {
    if hooks.is_empty() {
        return;
    }
    let mut hooks = hooks.to_vec();
    hooks.sort_by_key(|hook| EVENTS.iter().position(|row| row.kind == hook.event).unwrap_or(EVENTS.len()));
    let heading =
        ["HOOK", "EVENT", "AGENTS", "MATCHES", "DOES", "PRIORITY", "WHERE"].map(str::to_owned).to_vec();
    let mut rows: Vec<Vec<String>> =
        std::iter::once(heading).chain(hooks.iter().map(|hook| row(hook))).collect();
    if rows[1..].iter().all(|row| row[2] == ALL_AGENTS) {
        for row in &mut rows {
            row.remove(2);
        }
    }
    for (number, line) in columns(&rows).into_iter().enumerate() {
        printer.line(if number == 0 { printer.tone(Tone::Heading, line) } else { line });
    }
    printer.gap();
}

fn row(hook: &HookSpec) -> Vec<String> {
    vec![
        hook.id.address(),
        hook.event.to_string(),
        agents(hook),
        matches(hook),
        hook.handler.kind().to_owned(),
        hook.priority.to_string(),
        format!("{}:{}", hook.source.file, hook.source.line),
    ]
}

const ALL_AGENTS: &str = "all";

fn agents(hook: &HookSpec) -> String {
    let section = hook.section.iter().map(String::as_str);
    let named: Vec<&str> = section.chain(hook.agents.iter().map(Pattern::as_str)).collect();
    if named.is_empty() { ALL_AGENTS.to_owned() } else { named.join(", ") }
}

fn matches(hook: &HookSpec) -> String {
    let matcher = describe::matcher_text(&hook.matcher);
    match (matcher.is_empty(), hook.when.is_empty()) {
        (true, true) => "everything".to_owned(),
        (true, false) => "conditions".to_owned(),
        (false, true) => matcher,
        (false, false) => format!("{matcher} + conditions"),
    }
}

fn as_json(layers: &Layers) -> Value {
    let on = active_hooks(layers);
    let stuck = stuck(&on).map(|(hook, why)| json!({"hook": hook, "why": why})).collect::<Vec<_>>();
    let on = on.iter().map(|hook| describe::as_json(hook));
    let off = off(layers).map(|(hook, why)| json!({"hook": hook, "why": why}));
    let problems = layers.set.problems.iter();
    let problems = problems.map(|problem| json!({"severity": problem.level.as_str(), "text": problem.text}));
    json!({
        "hooks": on.collect::<Vec<_>>(), "cannot_start": stuck, "off": off.collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
    })
}
