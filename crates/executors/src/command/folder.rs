//! The folder that a hook runs in.

use std::path::{Path, PathBuf};

use tenter_contract::{Event, HookFailure, HookSpec};

use super::home;

/// The `cwd` of the hook, else the first existing folder of the project and the agent; `None` is the current one.
///
/// A missing folder of the event must not disable a guard, so the next one is used with a notice. The `cwd` of the hook
/// must exist, because its command may be meant for that folder alone.
pub(crate) fn choose(
    hook: &HookSpec,
    event: &Event,
    home: Option<&Path>,
    notices: &mut Vec<String>,
) -> Result<Option<PathBuf>, HookFailure> {
    let of_event = [event.project_root.as_deref(), event.cwd.as_deref()].into_iter().flatten();
    if let Some(cwd) = hook.cwd.as_deref() {
        let base = of_event.clone().next().unwrap_or_default();
        let own = Path::new(base).join(home::expand(cwd, home));
        return if own.is_dir() {
            Ok(Some(own))
        } else {
            Err(HookFailure::Missing { detail: format!("its folder `{}` does not exist", own.display()) })
        };
    }
    let candidates: Vec<PathBuf> = of_event.map(PathBuf::from).collect();
    let found = candidates.iter().position(|folder| folder.is_dir());
    let chosen = found.map(|at| candidates[at].clone());
    for missing in &candidates[..found.unwrap_or(candidates.len())] {
        let instead = chosen.as_deref().map_or("the current folder".into(), Path::to_string_lossy);
        notices.push(format!("the folder `{}` does not exist; ran in {instead}", missing.display()));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_contract::{AgentName, EventKind, Handler, HookId, Layer, Template, Timestamp};

    #[test]
    fn first_existing_folder_is_used() {
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
            (None, Some("lost"), Some("here"), Some("here"), 1),
            (None, Some("lost"), None, None, 1),
        ] {
            let deny = Handler::Deny(Template::parse("x").unwrap());
            let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, deny);
            hook.cwd = cwd.map(str::to_owned);
            let agent = AgentName::from_static("claude");
            let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
            event.project_root = root.map(at);
            event.cwd = here.map(at);
            let mut noticed = Vec::new();
            let chosen = choose(&hook, &event, Some(dir.path()), &mut noticed).unwrap();
            assert_eq!(chosen, expected.map(|name| PathBuf::from(at(name))), "{cwd:?} {root:?} {here:?}");
            assert_eq!(noticed.len(), notices, "{noticed:?}");
        }
    }

    #[test]
    fn missing_cwd_of_hook_is_a_failure() {
        let deny = Handler::Deny(Template::parse("x").unwrap());
        let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, deny);
        hook.cwd = Some("/nowhere/at/all".to_owned());
        let agent = AgentName::from_static("claude");
        let event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
        let failure = choose(&hook, &event, None, &mut Vec::new()).unwrap_err();
        assert_eq!(failure.to_string(), "could not be started: its folder `/nowhere/at/all` does not exist");
    }
}
