//! Before stop 3: a hook that somebody has switched off for one session is skipped there, and the record says so.
//! (What is switched off for good or in a project never gets this far.)

use tenter_contract::ports::SessionShelf;
use tenter_contract::{Event, HookId, HookReport, HookSpec, Layer, Said};

/// The claim under which a session remembers that a hook is switched off in it.
pub fn switch(hook: &HookId) -> String {
    // In one piece: this is looked up for every hook that is asked.
    ["switched off ", hook.layer.as_str(), "/", &hook.name].concat()
}

/// The report of a hook that is switched off in this session; `None` if it is to be run. One look, and if
/// nobody can look, the hook runs: one too many is better than a guard too few.
pub(crate) fn switched_off(
    sessions: &dyn SessionShelf,
    hook: &HookSpec,
    event: &Event,
) -> Option<HookReport> {
    // What the machine's owner wants, nobody switches off; a function of the program around us only that program does.
    if matches!(hook.id.layer, Layer::Managed | Layer::Embedded)
        || !sessions.is_switched_off(&event.session, &switch(&hook.id)).unwrap_or(false)
    {
        return None;
    }
    let (name, session) = (&hook.id.name, &event.session);
    let why = format!(
        "you disabled it in session {session}; `tenter hooks enable {name} --session {session}` takes that back"
    );
    Some(HookReport::of(Said::Skipped { why }))
}

#[cfg(test)]
mod tests {
    use tenter_contract::{AgentName, EventKind, Handler, SessionId, Template, Timestamp};

    use super::*;
    use crate::kit::MemorySessions;

    #[test]
    fn a_hook_is_off_in_the_session_it_was_switched_off_in_unless_it_is_managed_or_a_function() {
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
            sessions.claim(&session("s1"), &switch(&hook.id)).unwrap();
            assert_eq!(switched_off(&sessions, &hook, &event("s1")).is_some(), off, "{layer:?}");
            assert_eq!(switched_off(&sessions, &hook, &event("s2")), None);
        }
    }
}
