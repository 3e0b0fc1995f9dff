//! `tenter profile`: lists and activates profiles, which are additional sets of hooks.

use serde_json::json;
use tenter_contract::{HookChange, Layer};
use tenter_host::{HookFile, Layers, Places, profile};

use crate::arguments::{JsonArgument, ProfileCommand, ProfileShowArguments, ProfileUseArguments};
use crate::change_log;
use crate::error::{CliError, CommandResult, exit};
use crate::hooks::check_profile;
use crate::hooks::describe::{self, runs};
use crate::listing::indented;
use crate::printer::{Printer, Tone, json_line};

pub(crate) fn run(command: &ProfileCommand, printer: &Printer) -> CommandResult {
    match command {
        ProfileCommand::List(arguments) => list(arguments, printer),
        ProfileCommand::Use(arguments) => choose(arguments, printer),
        ProfileCommand::Show(arguments) => show(arguments, printer),
    }
}

fn list(arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let places = Places::of_process();
    let active = profile::active(&places);
    let all = profile::all(&places);
    if arguments.json {
        return printer.json(&json!({"active": active, "profiles": all}));
    }
    if all.is_empty() {
        let folder =
            places.config_folder.map(|folder| folder.join("profiles/NAME.yaml").display().to_string());
        printer.line(format!(
            "no profiles; create one as {}",
            folder.unwrap_or("profiles/NAME.yaml".to_owned())
        ));
    }
    for name in &all {
        let marked = active.as_ref() == Some(name);
        let line = if marked { format!("* {name} (active)") } else { format!("  {name}") };
        printer.line(if marked { printer.tone(Tone::Good, line) } else { line });
    }
    match active {
        Some(name) if !all.contains(&name) => {
            let text = format!(
                "the active profile `{name}` does not exist; run `tenter profile use none` to deactivate it"
            );
            printer.line(printer.tone(Tone::Bad, text));
            Ok(exit::FINDING)
        }
        Some(_) | None => Ok(0),
    }
}

fn choose(arguments: &ProfileUseArguments, printer: &Printer) -> CommandResult {
    let places = Places::of_process();
    let name = Some(arguments.name.as_str()).filter(|name| *name != profile::NONE);
    if let Some(name) = name {
        check_profile(&places, name)?;
    }
    profile::choose(&places, name)
        .map_err(|cause| CliError::not_written("the choice of a profile", cause))?;
    printer.line(match name {
        Some(name) => format!("profile `{name}` is active from the next event on, in every session"),
        None => "no profile is active".to_owned(),
    });
    if let Some(asked) = &places.profile {
        printer.line(format!("but TENTER_PROFILE is set here to `{asked}`, which takes precedence"));
    }
    change_log::record(HookChange::Profile { name: name.map(str::to_owned) })?;
    Ok(0)
}

fn show(arguments: &ProfileShowArguments, printer: &Printer) -> CommandResult {
    let mut places = Places::of_process();
    let Some(name) = arguments.name.clone().or_else(|| profile::active(&places)) else {
        printer.line("no profile is active; run `tenter profile list` to see all");
        return Ok(0);
    };
    check_profile(&places, &name)?;
    places.profile = Some(name.clone());
    let layers = Layers::read(&places, None);
    let files: Vec<&HookFile> = layers.files.iter().filter(|file| file.layer == Layer::Profile).collect();
    let hooks: Vec<_> = files.iter().flat_map(|file| file.set().hooks).collect();
    let problems: Vec<_> = files.iter().flat_map(|file| file.problems()).collect();
    if arguments.json {
        let shown = hooks.iter().map(|hook| describe::as_json(hook)).collect::<Vec<_>>();
        let texts = problems.iter().map(|problem| &problem.text).collect::<Vec<_>>();
        printer.line(json_line(&json!({"profile": name, "hooks": shown, "problems": texts})));
    } else {
        let where_ = files.first().map(|file| file.name.as_str()).unwrap_or_default();
        printer.line(printer.tone(Tone::Heading, format!("profile {name}: {where_}")));
        let rows: Vec<Vec<String>> = hooks
            .iter()
            .map(|hook| vec![format!("  {}", hook.id.name), hook.event.to_string(), runs(hook)])
            .collect();
        printer.table(&rows);
        if hooks.is_empty() {
            printer.line("  no hooks");
        }
        for problem in &problems {
            printer.line(indented(&problem.text, ""));
        }
    }
    Ok(if problems.is_empty() { 0 } else { exit::FINDING })
}
