//! `tenter hooks`.

pub(crate) mod list;
pub(crate) mod show;
pub(crate) mod test;
mod sample;

use std::sync::Arc;

use tenter_config::{ProblemKind, Severity};
use tenter_contract::{HookSpec, similar};
use tenter_host::Host;

use crate::error::CliError;

/// The hook of that name or address.
fn find(host: &Host, name: &str) -> Result<Arc<HookSpec>, CliError> {
    let all: Vec<&Arc<HookSpec>> = host.runtime.registry.list().map(|(_, hook)| hook).collect();
    let found: Vec<&&Arc<HookSpec>> =
        all.iter().filter(|hook| hook.id.name == name || hook.id.address() == name).collect();
    match found.as_slice() {
        [only] => Ok(Arc::clone(only)),
        [] if off(host).any(|(id, _)| id == name || id.ends_with(&format!("/{name}"))) => {
            Err(CliError::HookIsOff { name: name.to_owned() })
        }
        [] => Err(CliError::UnknownHook {
            name: name.to_owned(),
            suggestion: similar::nearest(name, all.iter().map(|hook| hook.id.name.as_str()))
                .map(str::to_owned),
        }),
        several => Err(CliError::AmbiguousHook {
            name: name.to_owned(),
            addresses: several.iter().map(|hook| hook.id.address()).collect(),
        }),
    }
}

/// Hooks that stand in a file and do not run: their address, and why.
pub(super) fn off(host: &Host) -> impl Iterator<Item = (String, String)> {
    host.files.iter().flat_map(|file| {
        let Ok(loaded) = &file.content else { return Vec::new() };
        let disabled = loaded.disabled.iter().map(|id| (id.address(), "it says `enabled: false`".to_owned()));
        let runs = |name: &str| loaded.hooks.iter().any(|hook| hook.id.name == name);
        let broken =
            loaded.problems.iter().filter(|it| it.severity() == Severity::Error).filter_map(|problem| {
                let name = problem.hook.as_deref()?;
                let namesake = matches!(problem.kind, ProblemKind::DuplicateName { .. });
                let address = format!("{}/{name}", file.layer.as_str());
                // Of two hooks of one name the first runs; the other is the one that is off.
                let address =
                    if namesake { format!("{address} (line {})", problem.place.line) } else { address };
                let why = match &problem.kind {
                    ProblemKind::HookNotKept { what, .. } => what.clone(),
                    _ => problem.message(),
                };
                (namesake || !runs(name)).then_some((address, why))
            });
        let mut off: Vec<(String, String)> = disabled.chain(broken).collect();
        // A hook with several mistakes is off once, for the first of them.
        off.sort_by(|a, b| a.0.cmp(&b.0));
        off.dedup_by(|later, first| later.0 == first.0);
        off
    })
}
