//! Selects the notices that the user gets now. A session is notified once of the same cause.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use tenter_contract::ports::ClaimOutcome;
use tenter_contract::{
    Capabilities, Cause, Decision, Diagnostics, EventKind, Level, Message, Notice, NoticeLimit, Outcome,
    SessionClaim, SessionId,
};

use super::SessionService;
use crate::ActiveHooks;

impl SessionService {
    /// Takes the notices that are due. One that was not shown counts as not notified.
    pub(crate) fn due_notices(
        &self,
        diagnostics: &mut Diagnostics,
        outcome: &Outcome,
        capabilities: &Capabilities,
    ) -> Vec<Message> {
        if diagnostics.is_empty() {
            return Vec::new();
        }
        self.filter_notices(diagnostics, outcome, capabilities)
    }

    #[cold]
    #[inline(never)]
    fn filter_notices(
        &self,
        diagnostics: &mut Diagnostics,
        outcome: &Outcome,
        capabilities: &Capabilities,
    ) -> Vec<Message> {
        let event = &outcome.event;
        let stops = matches!(outcome.decision, Decision::Ask(_) | Decision::Deny { .. })
            || matches!(event.kind, EventKind::SessionStart | EventKind::SessionEnd);
        let is_new = |notice: &Notice| {
            let session = event.session.as_ref().filter(|_| capabilities.message.possible());
            session.is_none() || self.is_first_notice(session, &notice.cause)
        };
        let is_due = |notice: &Notice| match notice.once {
            NoticeLimit::EveryEvent => true,
            NoticeLimit::OncePerSession => is_new(notice),
            NoticeLimit::OncePerSessionAndStops => is_new(notice) || stops,
        };
        diagnostics.take_due(is_due).iter().map(Notice::message).collect()
    }

    /// Claims a notice. Returns false if the session was notified of the cause before.
    pub(crate) fn is_first_notice(&self, session: Option<&SessionId>, cause: &Cause) -> bool {
        let claimed = match session {
            Some(session) => self.store.claim_notice(session, cause),
            None => self.store.claim(None, &SessionClaim::Notified(cause.clone())),
        };
        !matches!(claimed, Ok(ClaimOutcome::Taken))
    }
}

/// The problems of the hook files as one notice. A hook that is off because of a typo may be a guard that is off.
pub(crate) fn problem_notice(
    hooks: &ActiveHooks,
    outcome: &Outcome,
    capabilities: &Capabilities,
) -> Option<Notice> {
    let shown = capabilities.message.possible() && outcome.delivered_first.is_none();
    problems(hooks).filter(|_| shown)
}

/// Notices about hook files that a session gets more than once: old versions at every deny, lost guards at its start.
/// Not those that the list of problems has just named.
pub(crate) fn repeated_notices(hooks: &ActiveHooks, outcome: &Outcome, named: bool) -> Vec<Notice> {
    let denied = !named && matches!(outcome.decision, Decision::Deny { .. });
    let starts = outcome.event.kind == EventKind::SessionStart && outcome.event.session.is_some();
    let stale = hooks.stale_files.iter().filter(|_| denied).map(|file| plain(file, Cause::StaleHookFile));
    let lost = hooks.lost_guards.iter().filter(|_| starts).map(|guard| plain(guard, Cause::LostGuard));
    stale.chain(lost).collect()
}

/// All problems of the hook files as one notice.
fn problems(hooks: &ActiveHooks) -> Option<Notice> {
    let level = hooks.problems.iter().map(|problem| problem.level).max()?;
    let count = hooks.problems.len();
    let plural = if count == 1 { "" } else { "s" };
    let off = if level == Level::Error { "; `tenter hooks list` shows which hooks are off" } else { "" };
    let texts: Vec<&str> = hooks.problems.iter().map(|problem| problem.text.as_str()).collect();
    let text = format!("{count} problem{plural} in hook files{off}\n{}", texts.join("\n"));
    let mut hasher = DefaultHasher::new();
    hooks.problems.hash(&mut hasher);
    let once = NoticeLimit::OncePerSession;
    Some(Notice { cause: Cause::HookFiles(hasher.finish()), text, level, once })
}

/// A problem as a notice of its own. In a list each problem begins with its level, which a message shows anyway.
fn plain(problem: &Message, cause: fn(String) -> Cause) -> Notice {
    let Message { text, level } = problem;
    let text = text.strip_prefix(&format!("{}: ", level.as_str())).unwrap_or(text).to_owned();
    Notice { cause: cause(text.clone()), text, level: *level, once: NoticeLimit::EveryEvent }
}
