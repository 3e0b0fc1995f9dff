//! Finds today's hooks that were not asked about an event, and why. Records do not have the hook files of then.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tenter_contract::{EventKind, Timestamp};
use tenter_host::trust::project::here;
use tenter_host::{Layers, assemble};
use tenter_protocol::v1::record::RecordV1;

use crate::arguments::ConfigArgument;
use crate::error::CliError;
use crate::hooks;

pub(crate) struct Unasked {
    pub(crate) hook: String,
    pub(crate) why: String,
}

pub(crate) fn find(
    record: &RecordV1,
    config: &ConfigArgument,
) -> Result<(Vec<Unasked>, Vec<String>), CliError> {
    let nothing = (Vec::new(), Vec::new());
    // A second delivery asks no hook, and neither does an invalid payload.
    let Some(recalled) = record.recalled().filter(|_| record.delivered_first.is_none()) else {
        return Ok(nothing);
    };
    let mut event = recalled.event;
    let root = event.project_root.clone().map(Into::into).or_else(here);
    let layers = hooks::layers_at(config, root.as_deref())?;
    let all = hooks::active_hooks(&layers);
    let host = assemble(&config.places(), root.as_deref());
    host.runtime.catalog.gather_facts(all.iter().map(AsRef::as_ref), &mut event);
    let was_asked = |address: &str| record.hooks.iter().any(|run| run.hook == address);
    let denier = record.decision.as_ref().filter(|decision| decision.verdict == "deny");
    let denier = denier.and_then(|decision| decision.by.clone());
    let mut denied = false;
    let mut unasked = Vec::new();
    for hook in all.iter().filter(|hook| hook.event == event.kind) {
        let address = hook.id.address();
        if was_asked(&address) {
            denied |= denier.as_ref() == Some(&hook.id.name);
            continue;
        }
        let why = match (crate::commands::hooks::explain::failed_condition(hook, &layers, &event), &denier) {
            (Some(why), _) => why,
            (None, Some(denier)) if denied => format!("it was not reached: `{denier}` had denied"),
            (None, _) => format!(
                "it concerns this event today, and was not asked then; run `tenter replay {}` to ask it",
                record.seq
            ),
        };
        unasked.push(Unasked { hook: address, why });
    }
    unasked.extend(off(&layers, &event.kind).filter(|it| !was_asked(&it.hook)));
    let changed = if unasked.is_empty() { Vec::new() } else { changed_since(&layers, event.at) };
    Ok((unasked, changed))
}

fn off(layers: &Layers, kind: &EventKind) -> impl Iterator<Item = Unasked> {
    let of_kind: Vec<String> =
        hooks::written(layers).filter(|hook| hook.event == *kind).map(|hook| hook.id.address()).collect();
    hooks::off(layers)
        .filter(move |(address, _)| of_kind.contains(address))
        .map(|(hook, why)| Unasked { hook, why: format!("it is off: {why}") })
}

fn changed_since(layers: &Layers, at: Timestamp) -> Vec<String> {
    // ctime, because a copied file may have an older mtime.
    let written = |path: &Path| {
        let file = fs::metadata(path).ok()?;
        u64::try_from(file.ctime() * 1000 + file.ctime_nsec() / 1_000_000).ok()
    };
    let files =
        layers.files.iter().filter(|file| written(Path::new(&file.name)).is_some_and(|ms| ms > at.unix_ms));
    files.map(|file| file.name.clone()).collect()
}
