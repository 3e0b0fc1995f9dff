//! Skips hooks that the user has switched off for one session. (Hooks that are switched off everywhere or in a project
//! are not active at all.)

use tenter_contract::ports::SessionStore;
use tenter_contract::{Event, HookOutput, HookReport, HookSpec, Layer};

/// The report of a hook that is switched off in this session; `None` if it runs. If that cannot be read, it runs: one
/// hook too many is better than a guard too few.
pub(crate) fn switched_off(
    sessions: &dyn SessionStore,
    hook: &HookSpec,
    event: &Event,
) -> Option<HookReport> {
    // Managed hooks cannot be switched off, and functions only by the program that registered them.
    if matches!(hook.id.layer, Layer::Managed | Layer::Embedded)
        || !sessions.is_switched_off(event.session.as_ref(), &hook.id).unwrap_or(false)
    {
        return None;
    }
    let (name, session) = (&hook.id.name, event.session.as_ref()?);
    let why = format!(
        "you disabled it in session {session}; `tenter hooks enable {name} --session {session}` takes that back"
    );
    Some(HookReport::new(HookOutput::Skipped { why }))
}

#[cfg(test)]
mod tests {
    use tenter_contract::{
        AgentName, EventKind, Handler, HookId, SessionClaim, SessionId, Template, Timestamp,
    };

    use super::*;
    use crate::kit::MemorySessions;

    #[test]
    fn switch_off_is_per_session() {
        let sessions = MemorySessions::default();
        let session = |id: &str| SessionId::parse(id).unwrap();
        let event = |id: &str| {
            Event::new(
                EventKind::ToolPre,
                AgentName::from_static("claude"),
                session(id),
                Timestamp::default(),
            )
        };
        for (layer, off) in
            [(Layer::User, true), (Layer::Project, true), (Layer::Managed, false), (Layer::Embedded, false)]
        {
            let handler = Handler::Deny(Template::parse("no").unwrap());
            let hook = HookSpec::new(HookId::new(layer, "guard"), EventKind::ToolPre, handler);
            assert_eq!(switched_off(&sessions, &hook, &event("s1")), None);
            sessions.claim(Some(&session("s1")), &SessionClaim::SwitchedOff(hook.id.clone())).unwrap();
            assert_eq!(switched_off(&sessions, &hook, &event("s1")).is_some(), off, "{layer:?}");
            assert_eq!(switched_off(&sessions, &hook, &event("s2")), None);
        }
    }
}
