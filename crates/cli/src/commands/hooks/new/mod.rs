//! `tenter hooks new`: writes a commented, valid hook into the right file, and its script into the same folder.

pub(crate) mod text;

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tenter_config::{Format, SourceText, load};
use tenter_contract::{EventKind, Layer};
use tenter_host::install::check_in_project;
use tenter_host::trust::TrustStatus;
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places, profile};
use tenter_store::read_regular_text;

use crate::arguments::{NewArguments, NewKind, NewLayer};
use crate::commands::hooks::new::text::NewHook;
use crate::error::{CliError, CommandResult};
use crate::event_data;
use crate::hooks::file_in;
use crate::listing::typed;
use crate::places::no_project;
use crate::printer::Printer;

/// Writes the hook, or prints it for pasting if tenter cannot add it without other changes.
pub(crate) fn run(arguments: &NewArguments, printer: &Printer) -> CommandResult {
    let event = event_data::event_kind(&arguments.event)?;
    let named = arguments.name.clone().unwrap_or_else(|| default_name(arguments.kind, &event));
    let hook = NewHook {
        name: &named,
        event: event.as_str(),
        kind: arguments.kind,
        about_a_tool: event_data::is_about_tools(&event),
    };
    let (layer, entry) = (layer(arguments.layer), hook.entry());
    // The loader finds a `deny` at an event that cannot be denied, or an invalid name.
    let alone = &entry.alone(Format::Yaml);
    let source = SourceText { name: "hooks.yaml", folder: "", layer, format: Format::Yaml, text: alone };
    if let Some(problem) = load(&source).problems.first() {
        return Err(CliError::bad_input(
            format!("such a hook at `{}`", hook.event),
            problem.message(),
            "choose another `--kind`, `--event` or name; `tenter hooks new --help` lists them",
        ));
    }
    let root = here();
    let places = Places::from_environment(None).outside(root.as_deref());
    let (folder, stem) = place(arguments.layer, &places, root.as_deref())?;
    let before = Layers::read(&places, root.as_deref());
    refuse_namesake(&before, layer, &named)?;
    let file = file_in(&folder, &stem);
    if matches!(layer, Layer::Project | Layer::Local)
        && let Some(root) = &root
    {
        check_in_project(root, &file)?;
    }
    let text = match read_regular_text(&file, LARGEST) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(cause) => return Err(CliError::not_written(file.display().to_string(), cause)),
    };
    let name = file.to_string_lossy();
    let format = Format::from_file_name(&name).unwrap_or(Format::Yaml);
    let new = match &text {
        None => Some(entry.alone(format)),
        Some(text) => entry.added_to(&SourceText { name: &name, folder: "", layer, format, text }),
    };
    // A new file: it replaces nothing and follows no link.
    let script = hook.own_file().map(|name| folder.join(name));
    if let Some(script) = &script {
        write_new(script, hook.program(), hook.mode())?;
        printer.line(format!("wrote {}", script.display()));
    }
    if let Some(new) = new {
        write(&file, &new)?;
        printer.line(format!("wrote hook `{named}` into {}", file.display()));
    } else {
        printer.line(format!("tenter cannot add to {name} without changing the rest of it;"));
        printer.line(format!("add this to the list of `{}` under its `hooks`:", entry.event));
        printer.line(format!("  {}", entry.to_paste(format)));
    }
    let test = format!("`tenter hooks test {}`", typed(&named));
    if matches!(layer, Layer::Project | Layer::Local) {
        let trusted = before.project.is_some_and(|project| project.status == TrustStatus::Trusted);
        if trusted {
            printer.line(
                "the project differs from what you trusted: until you trust it again, its guards deny what they guard and its other hooks do not run",
            );
        }
        printer.line(format!("try it: `tenter trust` first, then {test}"));
    } else {
        printer.line(format!("try it: {test}"));
    }
    Ok(0)
}

/// The largest hook file.
const LARGEST: u64 = 4 * 1024 * 1024;

fn default_name(kind: NewKind, event: &EventKind) -> String {
    let kind = kind.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    format!("{kind}-at-{}", event.as_str().replace([':', '_'], "-"))
}

fn layer(wanted: NewLayer) -> Layer {
    match wanted {
        NewLayer::User => Layer::User,
        NewLayer::Project => Layer::Project,
        NewLayer::Local => Layer::Local,
        NewLayer::Profile => Layer::Profile,
    }
}

/// The folder of a layer's hook file, and the file's name without extension.
fn place(wanted: NewLayer, places: &Places, root: Option<&Path>) -> Result<(PathBuf, String), CliError> {
    let config = || places.config_folder.clone().ok_or(CliError::no_state());
    let project = || root.map(|root| root.join(".tenter")).ok_or_else(no_project);
    match wanted {
        NewLayer::User => Ok((config()?, "hooks".to_owned())),
        NewLayer::Project => Ok((project()?, "hooks".to_owned())),
        NewLayer::Local => Ok((project()?, "hooks.local".to_owned())),
        NewLayer::Profile => {
            let active = profile::active(places).ok_or(CliError::no_active_profile())?;
            Ok((config()?.join("profiles"), active))
        }
    }
}

fn refuse_namesake(layers: &Layers, layer: Layer, name: &str) -> Result<(), CliError> {
    let of_layer = layers.files.iter().filter(|file| file.layer == layer);
    for file in of_layer {
        let Ok(loaded) = &file.content else { continue };
        let line = loaded.hooks.iter().find(|hook| hook.id.name == name).map(|hook| hook.source.line);
        let off = loaded.disabled.iter().any(|id| id.name == name);
        if line.is_some() || off {
            let place = line.map_or(file.name.clone(), |line| format!("{}:{line}", file.name));
            return Err(CliError::hook_exists(name.to_owned(), place));
        }
    }
    Ok(())
}

fn write_new(path: &Path, text: &str, mode: u32) -> Result<(), CliError> {
    make_folder(path)?;
    let created = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    created.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|cause| not_written(path, cause))
}

/// Writes a new file and renames it, so that no agent reads half a file. A link stays a link.
fn write(path: &Path, text: &str) -> Result<(), CliError> {
    make_folder(path)?;
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let written = fs::write(&new, text)
        .and_then(|()| match fs::metadata(&path) {
            Ok(about) => fs::set_permissions(&new, about.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written.map_err(|cause| not_written(&path, cause))
}

fn make_folder(file: &Path) -> Result<(), CliError> {
    let Some(folder) = file.parent() else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|cause| not_written(folder, cause))
}

fn not_written(path: &Path, cause: io::Error) -> CliError {
    CliError::not_written(path.display().to_string(), cause)
}
