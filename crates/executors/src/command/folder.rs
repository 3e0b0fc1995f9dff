//! Where a hook runs.

use std::path::{Path, PathBuf};

use tenter_contract::{Event, HookSpec};

use super::home;

/// The first folder that exists: the hook's own, the project's, the agent's. `None` is ours.
///
/// A folder that is gone is no reason to leave a guard out, so the next one is taken and that is noted.
pub(super) fn choose(
    hook: &HookSpec,
    event: &Event,
    home: Option<&Path>,
    notices: &mut Vec<String>,
) -> Option<PathBuf> {
    let of_event = [event.project_root.as_deref(), event.cwd.as_deref()].into_iter().flatten();
    let base = of_event.clone().next().unwrap_or_default();
    let own = hook.cwd.as_deref().map(|cwd| Path::new(base).join(home::expand(cwd, home)));
    let candidates: Vec<PathBuf> = own.into_iter().chain(of_event.map(PathBuf::from)).collect();
    let found = candidates.iter().position(|folder| folder.is_dir());
    let chosen = found.map(|at| candidates[at].clone());
    for missing in &candidates[..found.unwrap_or(candidates.len())] {
        let instead = chosen.as_deref().map_or("our own folder".into(), Path::to_string_lossy);
        notices.push(format!("the folder `{}` does not exist; ran in {instead}", missing.display()));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_contract::{AgentName, EventKind, Handler, HookId, Layer, SessionId, Template, Timestamp};

    #[test]
    fn the_first_folder_that_exists_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("root/sub")).unwrap();
        std::fs::create_dir_all(dir.path().join("here")).unwrap();
        let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        for (cwd, root, here, expected, notices) in [
            (None, Some("root"), Some("here"), Some("root"), 0),
            (None, None, Some("here"), Some("here"), 0),
            (None, None, None, None, 0),
            (Some("sub"), Some("root"), None, Some("root/sub"), 0),
            (Some("~/here"), Some("root"), None, Some("here"), 0),
            (Some("gone"), Some("root"), None, Some("root"), 1),
            (Some("gone"), Some("lost"), Some("here"), Some("here"), 2),
            (None, Some("lost"), None, None, 1),
        ] {
            let deny = Handler::Deny(Template::parse("x").unwrap());
            let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, deny);
            hook.cwd = cwd.map(str::to_owned);
            let agent = AgentName::from_static("claude");
            let mut event = Event::new(EventKind::ToolPre, agent, SessionId::unknown(), Timestamp::default());
            event.project_root = root.map(at);
            event.cwd = here.map(at);
            let mut said = Vec::new();
            let chosen = choose(&hook, &event, Some(dir.path()), &mut said);
            assert_eq!(chosen, expected.map(|name| PathBuf::from(at(name))), "{cwd:?} {root:?} {here:?}");
            assert_eq!(said.len(), notices, "{said:?}");
        }
    }
}
