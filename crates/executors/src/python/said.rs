//! What a hook said by what its function returned. Pure.

use tenter_contract::{Dialect, EventKind, HookFailure, HookSpec, Said};

use super::exchange::Answer;
use crate::command::{interpret, output, text};
use crate::supervise::{Ended, Finished};

/// Reads an answer. `finished` holds what the function printed: it becomes the run that a program with that answer
/// would have been, so that everything is read by the same rules.
pub(super) fn of(
    answer: Answer,
    mut finished: Finished,
    hook: &HookSpec,
    event: &EventKind,
) -> (Said, Finished, Vec<String>) {
    let printed = std::mem::take(&mut finished.stdout);
    let detail = || text::lossy(&answer.text.kept);
    let failure = match answer.kind {
        b'r' | b'j' | b'n' | b'x' => None,
        b'c' => Some(HookFailure::Crashed { exit_code: Some(1), signal: None }),
        b'g' => Some(HookFailure::Garbled { detail: detail() }),
        b'm' => Some(HookFailure::Missing { detail: detail() }),
        other => {
            Some(HookFailure::Garbled { detail: format!("the worker answered `{}`", char::from(other)) })
        }
    };
    let code = if answer.kind == b'x' { answer.number } else { 0 };
    finished.ended = Ended::Exited(code);
    let returned = matches!(answer.kind, b'r' | b'j');
    if !returned && let Some(stop) = interpret::stop_in_error(&printed, event) {
        let mut notices = stop.notices;
        notices.push("it printed a reply; `return` it instead".to_owned());
        return (stop.said, finished, notices);
    }
    if let Some(failure) = failure {
        return (Said::Failure(failure), finished, Vec::new());
    }
    if !returned && code != 2 && output::ends_in_a_reply(&text::clean(&text::lossy(&printed))) {
        let detail = "it printed a reply; `return` it instead".to_owned();
        return (Said::Failure(HookFailure::Garbled { detail }), finished, Vec::new());
    }
    finished.stdout = answer.text.kept;
    finished.stdout_cut = answer.text.cut;
    finished.stdout_rest = answer.text.rest;
    // The worker has put an object into our form, whatever system the hook was written for. It does not know that
    // of the learning memory, whose reader knows ours.
    let ours = (answer.kind == b'j' && hook.dialect != Dialect::Ghap)
        .then(|| HookSpec { dialect: Dialect::Tenter, ..hook.clone() });
    let interpret::Interpreted { said, notices } =
        interpret::interpret(&finished, ours.as_ref().unwrap_or(hook), event);
    (said, finished, notices)
}
