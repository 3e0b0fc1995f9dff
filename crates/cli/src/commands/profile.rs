//! `tenter profile`: sets of further hooks, one of which is active.

use serde_json::json;
use tenter_contract::{HookChange, Layer, similar};
use tenter_host::{HookFile, Layers, Places, profile};

use super::hooks::show::runs;
use super::{Ended, change, json_line};
use crate::arguments::{ProfileListArguments, ProfileShowArguments, ProfileUseArguments};
use crate::error::{CliError, exit};
use crate::listing::{columns, indented};
use crate::printer::{Printer, Tone};

fn places() -> Places {
    Places::of_process()
}

/// Lists the profiles.
pub(crate) fn list(arguments: &ProfileListArguments, printer: &Printer) -> Ended {
    let places = places();
    let active = profile::active(&places);
    let all = profile::all(&places);
    if arguments.json {
        printer.line(json_line(&json!({"active": active, "profiles": all})));
        return Ok(0);
    }
    if all.is_empty() {
        let folder =
            places.config_folder.map(|folder| folder.join("profiles/NAME.yaml").display().to_string());
        printer
            .line(format!("no profiles: write one as {}", folder.unwrap_or("profiles/NAME.yaml".to_owned())));
    }
    for name in &all {
        let marked = active.as_ref() == Some(name);
        let line = if marked { format!("* {name} (active)") } else { format!("  {name}") };
        printer.line(if marked { printer.tone(Tone::Good, line) } else { line });
    }
    match active {
        Some(name) if !all.contains(&name) => {
            let text =
                format!("the active profile `{name}` does not exist; `tenter profile use none` goes without");
            printer.line(printer.tone(Tone::Bad, text));
            Ok(exit::FINDING)
        }
        Some(_) | None => Ok(0),
    }
}

/// Makes a profile the active one.
pub(crate) fn choose(arguments: &ProfileUseArguments, printer: &Printer) -> Ended {
    let places = places();
    let name = Some(arguments.name.as_str()).filter(|name| *name != profile::NONE);
    if let Some(name) = name {
        exists(&places, name)?;
    }
    profile::choose(&places, name)
        .map_err(|cause| CliError::NotWritten { what: "the choice of a profile".to_owned(), cause })?;
    printer.line(match name {
        Some(name) => format!("profile `{name}` is active from the next event on, in every session"),
        None => "no profile is active".to_owned(),
    });
    if let Some(asked) = &places.profile {
        printer.line(format!("but TENTER_PROFILE is set here, and `{asked}` comes before it"));
    }
    change::record(HookChange::Profile { name: name.map(str::to_owned) })?;
    Ok(0)
}

/// Shows the hooks of a profile.
pub(crate) fn show(arguments: &ProfileShowArguments, printer: &Printer) -> Ended {
    let mut places = places();
    let Some(name) = arguments.name.clone().or_else(|| profile::active(&places)) else {
        printer.line("no profile is active; `tenter profile list` lists them");
        return Ok(0);
    };
    exists(&places, &name)?;
    places.profile = Some(name.clone());
    let layers = Layers::read(&places, None);
    let files: Vec<&HookFile> = layers.files.iter().filter(|file| file.layer == Layer::Profile).collect();
    let hooks: Vec<_> = files.iter().flat_map(|file| file.set().hooks).collect();
    let problems: Vec<_> = files.iter().flat_map(|file| file.problems()).collect();
    if arguments.json {
        let shown = hooks.iter().map(|hook| super::hooks::show::as_json(hook)).collect::<Vec<_>>();
        let told = problems.iter().map(|problem| &problem.text).collect::<Vec<_>>();
        printer.line(json_line(&json!({"profile": name, "hooks": shown, "problems": told})));
    } else {
        let where_ = files.first().map(|file| file.name.as_str()).unwrap_or_default();
        printer.line(printer.tone(Tone::Heading, format!("profile {name}: {where_}")));
        let rows: Vec<Vec<String>> = hooks
            .iter()
            .map(|hook| vec![format!("  {}", hook.id.name), hook.event.to_string(), runs(hook)])
            .collect();
        for line in columns(&rows) {
            printer.line(line);
        }
        if hooks.is_empty() {
            printer.line("  no hooks");
        }
        for problem in &problems {
            printer.line(indented(&problem.text, ""));
        }
    }
    Ok(if problems.is_empty() { 0 } else { exit::FINDING })
}

/// Refuses a name that no profile has.
pub(in crate::commands) fn exists(places: &Places, name: &str) -> Result<(), CliError> {
    let known = profile::all(places);
    if known.iter().any(|it| it == name) {
        return Ok(());
    }
    let suggestion = similar::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
    Err(CliError::UnknownProfile { name: name.to_owned(), suggestion, known })
}
