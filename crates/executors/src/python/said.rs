//! What a hook said by what its function returned or printed. Pure.

use tenter_contract::{Dialect, EventKind, HookFailure, HookReply, HookSpec, Said, Verdict};

use super::exchange::Answer;
use crate::command::interpret::{self, Interpreted};
use crate::command::{output, text};
use crate::supervise::{Ended, Finished};

const PRINTED: &str = "it printed a reply; `return` it instead";

/// What became of a call: the words, the run, and what was noticed.
type Call = (Said, Finished, Vec<String>);

/// Reads an answer. `finished` holds what the function printed: it becomes the run that a program with that answer
/// would have been, so that everything is read by the same rules. `printed` is the deny or the question in it.
pub(super) fn of(
    answer: Answer,
    printed: Option<Interpreted>,
    finished: Finished,
    hook: &HookSpec,
    event: &EventKind,
) -> Call {
    let returned = matches!(answer.kind, b'r' | b'j' | b'g');
    let (said, finished, notices) = answered(answer, finished, hook, event);
    match printed {
        Some(stop) if !returned || is_stronger(&stop.said, &said) => (stop.said, finished, why(stop.notices)),
        Some(_) | None => (said, finished, notices),
    }
}

/// A call without an answer. A deny or a question that was printed before counts.
pub(super) fn unless_stopped(failure: HookFailure, printed: Option<Interpreted>, finished: Finished) -> Call {
    match printed {
        Some(stop) => (stop.said, finished, why(stop.notices)),
        None => (Said::Failure(failure), finished, Vec::new()),
    }
}

fn why(mut notices: Vec<String>) -> Vec<String> {
    notices.push(PRINTED.to_owned());
    notices
}

/// Whether a printed stop counts more than the returned reply: a deny more than everything but a deny, a question more
/// than everything but a stop.
fn is_stronger(printed: &Said, returned: &Said) -> bool {
    let is_deny = |said: &Said| matches!(said, Said::Reply(HookReply { verdict: Verdict::Deny { .. }, .. }));
    !is_deny(returned) && (is_deny(printed) || !interpret::is_stop(returned))
}

fn answered(answer: Answer, mut finished: Finished, hook: &HookSpec, event: &EventKind) -> Call {
    let printed = std::mem::take(&mut finished.stdout);
    let code = if answer.kind == b'x' { answer.number } else { 0 };
    finished.ended = Ended::Exited(code);
    let failure = match answer.kind {
        b'r' | b'j' | b'n' | b'x' => None,
        b'c' => Some(HookFailure::Crashed { exit_code: Some(1), signal: None }),
        b'g' => {
            let text = [&answer.text.kept[..], &answer.text.rest].concat();
            let mut parts = text.splitn(2, |byte| *byte == 0);
            let detail = text::lossy(parts.next().unwrap_or_default());
            // What was returned is no reply; a deny in it counts as in the output of a program.
            if let Some(stop) = parts.next().and_then(|value| interpret::stop_in_error(value, event)) {
                return (stop.said, finished, [stop.notices, vec![detail]].concat());
            }
            Some(HookFailure::Garbled { detail })
        }
        b'm' => Some(HookFailure::Missing { detail: text::lossy(&answer.text.kept) }),
        other => {
            Some(HookFailure::Garbled { detail: format!("the worker answered `{}`", char::from(other)) })
        }
    };
    if let Some(failure) = failure {
        return (Said::Failure(failure), finished, Vec::new());
    }
    let returned = matches!(answer.kind, b'r' | b'j');
    if !returned && code != 2 && output::ends_in_a_reply(&text::clean(&text::lossy(&printed))) {
        let detail = PRINTED.to_owned();
        return (Said::Failure(HookFailure::Garbled { detail }), finished, Vec::new());
    }
    finished.stdout = answer.text.kept;
    finished.stdout_cut = answer.text.cut;
    finished.stdout_rest = answer.text.rest;
    // The worker has put an object into our form, whatever system the hook was written for. It does not know that
    // of the learning memory, whose reader knows ours.
    let ours = (answer.kind == b'j' && hook.dialect != Dialect::Ghap)
        .then(|| HookSpec { dialect: Dialect::Tenter, ..hook.clone() });
    let Interpreted { said, notices } = interpret::interpret(&finished, ours.as_ref().unwrap_or(hook), event);
    (said, finished, notices)
}
