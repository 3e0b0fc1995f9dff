//! Finds the hooks of the current folder: those that run, those that are off, and why.

pub mod switches;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenter_config::{ProblemKind, Severity};
use tenter_contract::{HookId, HookSpec, similar};
use tenter_host::profile::{self, NONE};
use tenter_host::trust::TrustStatus;
use tenter_host::trust::project::here;
use tenter_host::{HookFile, Layers, Places};
use tenter_kernel::Registry;

use crate::arguments::ConfigArgument;
use crate::error::CliError;

/// A warning for commands that judge earlier events by the hooks of today.
pub const PROBLEM: &str =
    "a hook file of today has a problem, so hooks may be off: `tenter hooks list` shows which";

/// The hooks of the current folder.
pub fn layers(config: &ConfigArgument) -> Result<Layers, CliError> {
    layers_at(config, here().as_deref())
}

/// The same for commands that show hooks to the user: it also keeps this version of the files as the last good one.
pub fn layers_to_rely_on(config: &ConfigArgument) -> Result<Layers, CliError> {
    layers(config)?;
    Ok(Layers::read_and_keep(&config.places(), here().as_deref()))
}

/// The hooks of a project, or of no project.
pub fn layers_at(config: &ConfigArgument, root: Option<&Path>) -> Result<Layers, CliError> {
    let places = config.places();
    if let Some(name) = config.profile.as_deref().filter(|name| *name != NONE) {
        check_profile(&places.outside(root), name)?;
    }
    Ok(Layers::read(&places, root))
}

/// The active hooks of files in the order in which they run. tenter's own hooks, which deny because a file is broken, are
/// left out.
pub fn active_hooks(layers: &Layers) -> Vec<Arc<HookSpec>> {
    let all = Registry::new(layers.set.hooks.clone());
    all.list().map(|(_, hook)| Arc::clone(hook)).filter(|hook| !hook.source.file.is_empty()).collect()
}

/// Every valid hook in a file, whether it runs or not.
pub fn written(layers: &Layers) -> impl Iterator<Item = &HookSpec> {
    layers.files.iter().filter_map(|file| file.content.as_ref().ok()).flat_map(|loaded| &loaded.hooks)
}

/// The active hook with this name or address.
pub fn find(layers: &Layers, name: &str) -> Result<Arc<HookSpec>, CliError> {
    let all = active_hooks(layers);
    let found: Vec<&Arc<HookSpec>> =
        all.iter().filter(|hook| hook.id.name == name || hook.id.address() == name).collect();
    match found.as_slice() {
        [only] => Ok(Arc::clone(only)),
        [] if off(layers).any(|(id, _)| id == name || id.ends_with(&format!("/{name}"))) => {
            Err(CliError::hook_is_off(name.to_owned()))
        }
        [] => Err(CliError::unknown_hook(
            name.to_owned(),
            similar::nearest(name, all.iter().map(|hook| hook.id.name.as_str())).map(str::to_owned),
        )),
        several => Err(CliError::ambiguous_hook(
            name,
            &several.iter().map(|hook| hook.id.address()).collect::<Vec<_>>(),
        )),
    }
}

/// Hooks in files that do not run: their address, and why.
pub fn off(layers: &Layers) -> impl Iterator<Item = (String, String)> {
    let switched = layers.disabled.iter().map(|(id, why)| (id.address(), why.clone()));
    layers.files.iter().flat_map(off_in_file).chain(switched).chain(untrusted(layers))
}

/// Hooks of a project that is not trusted.
fn untrusted(layers: &Layers) -> Vec<(String, String)> {
    let Some(project) = &layers.project else { return Vec::new() };
    let why = match project.status {
        TrustStatus::Nothing | TrustStatus::Trusted => return Vec::new(),
        TrustStatus::Never => "you have not trusted this project; run `tenter trust`",
        TrustStatus::Damaged => "the record of what you trusted is damaged; run `tenter trust`",
        TrustStatus::Changed(_) => "it was changed since you trusted it; run `tenter trust`",
    };
    // A guard of a changed project stays active and denies.
    let guards = |id: &HookId| layers.set.hooks.iter().any(|hook| hook.id == *id);
    let off = project.set.hooks.iter().filter(|hook| !guards(&hook.id));
    off.map(|hook| (hook.id.address(), why.to_owned())).collect()
}

fn off_in_file(file: &HookFile) -> Vec<(String, String)> {
    let Ok(loaded) = &file.content else { return Vec::new() };
    let disabled = loaded.disabled.iter().map(|id| (id.address(), "it says `enabled: false`".to_owned()));
    let runs = |name: &str| loaded.hooks.iter().any(|hook| hook.id.name == name);
    let broken = loaded.problems.iter().filter(|it| it.severity() == Severity::Error).filter_map(|problem| {
        let name = problem.hook.as_deref()?;
        let namesake = matches!(problem.kind, ProblemKind::DuplicateName { .. });
        let address = format!("{}/{name}", file.layer.as_str());
        // Of two hooks with the same name, the first runs.
        let address = if namesake { format!("{address} (line {})", problem.place.line) } else { address };
        let why = match &problem.kind {
            ProblemKind::HookNotKept { what, .. } => what.clone(),
            _ => problem.message(),
        };
        (namesake || !runs(name)).then_some((address, why))
    });
    let mut off: Vec<(String, String)> = disabled.chain(broken).collect();
    // A hook with several problems is listed once, with the first.
    off.sort_by(|a, b| a.0.cmp(&b.0));
    off.dedup_by(|later, first| later.0 == first.0);
    off
}

/// Refuses a profile that does not exist.
pub fn check_profile(places: &Places, name: &str) -> Result<(), CliError> {
    let known = profile::all(places);
    if known.iter().any(|it| it == name) {
        return Ok(());
    }
    let suggestion = similar::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
    Err(CliError::unknown_profile(name, suggestion, &known))
}

/// The hook file of a layer in any format; a new file is YAML.
pub fn file_in(folder: &Path, stem: &str) -> PathBuf {
    let of = |extension: &str| folder.join(format!("{stem}.{extension}"));
    let known = ["yaml", "yml", "toml", "json"].map(of);
    known.into_iter().find(|path| path.symlink_metadata().is_ok()).unwrap_or_else(|| of("yaml"))
}
