//! Turns the returned and printed values of a function into a hook output. Pure.

use tenter_contract::{Dialect, EventKind, HookFailure, HookOutput, HookReply, HookSpec, Verdict};

use super::exchange::WorkerAnswer;
use crate::command::interpret::{self, Interpreted};
use crate::command::{output, text};
use crate::supervise::{Ended, FinishedProcess};

const PRINTED: &str = "it printed a reply; `return` it instead";

/// The meaning of a call, and the call as a finished process.
pub(super) struct Interpretation {
    pub(super) output: HookOutput,
    pub(super) finished: FinishedProcess,
    pub(super) notices: Vec<String>,
}

/// Interprets an answer. `finished` holds the printed output and becomes the run of a program with that answer, so that
/// the same rules apply. `printed` is the deny or the question in the printed output.
pub(super) fn interpret(
    answer: WorkerAnswer,
    printed: Option<Interpreted>,
    finished: FinishedProcess,
    hook: &HookSpec,
    event: &EventKind,
) -> Interpretation {
    let returned = matches!(answer.kind, b'r' | b'j' | b'g');
    let answered = interpret_returned(answer, finished, hook, event);
    match printed {
        Some(stop) if !returned || is_stronger(&stop.output, &answered.output) => {
            printed_stop(stop, answered.finished)
        }
        Some(_) | None => answered,
    }
}

/// A call without an answer. A deny or a question that was printed before counts.
pub(super) fn stop_or_failure(
    failure: HookFailure,
    printed: Option<Interpreted>,
    finished: FinishedProcess,
) -> Interpretation {
    match printed {
        Some(stop) => printed_stop(stop, finished),
        None => failed(failure, finished),
    }
}

fn printed_stop(stop: Interpreted, finished: FinishedProcess) -> Interpretation {
    let Interpreted { output, mut notices } = stop;
    notices.push(PRINTED.to_owned());
    Interpretation { output, finished, notices }
}

fn failed(failure: HookFailure, finished: FinishedProcess) -> Interpretation {
    Interpretation { output: HookOutput::Failure(failure), finished, notices: Vec::new() }
}

/// Whether a printed stop beats the returned reply: a deny beats all but a deny, a question all but a stop.
fn is_stronger(printed: &HookOutput, returned: &HookOutput) -> bool {
    let is_deny = |output: &HookOutput| {
        matches!(output, HookOutput::Reply(HookReply { verdict: Verdict::Deny { .. }, .. }))
    };
    !is_deny(returned) && (is_deny(printed) || !interpret::is_stop(returned))
}

fn interpret_returned(
    answer: WorkerAnswer,
    mut finished: FinishedProcess,
    hook: &HookSpec,
    event: &EventKind,
) -> Interpretation {
    let printed = std::mem::take(&mut finished.stdout);
    let code = if answer.kind == b'x' { answer.exit_code } else { 0 };
    finished.ended = Ended::Exited(code);
    match answer.kind {
        b'r' | b'j' | b'n' | b'x' => {}
        b'c' => return failed(HookFailure::Crashed { exit_code: Some(1), signal: None }, finished),
        b'g' => {
            let text = [&answer.text.kept[..], &answer.text.rest].concat();
            let mut parts = text.splitn(2, |byte| *byte == 0);
            let detail = text::lossy(parts.next().unwrap_or_default());
            // The returned value is no reply; a deny in it counts as in the output of a program.
            return match parts.next().and_then(|value| interpret::find_stop_in_text(value, event)) {
                Some(Interpreted { output, mut notices }) => {
                    notices.push(detail);
                    Interpretation { output, finished, notices }
                }
                None => failed(HookFailure::Garbled { detail }, finished),
            };
        }
        b'm' => {
            return failed(HookFailure::Missing { detail: text::lossy(&answer.text.kept) }, finished);
        }
        other => {
            let detail = format!("the worker answered `{}`", char::from(other));
            return failed(HookFailure::Garbled { detail }, finished);
        }
    }
    let returned = matches!(answer.kind, b'r' | b'j');
    if !returned && code != 2 && output::ends_in_reply(&text::clean(&text::lossy(&printed))) {
        return failed(HookFailure::Garbled { detail: PRINTED.to_owned() }, finished);
    }
    finished.stdout = answer.text.kept;
    finished.stdout_cut = answer.text.cut;
    finished.stdout_rest = answer.text.rest;
    // The worker has converted an object of any system into tenter's form, except for those of the learning memory,
    // whose reader knows both.
    let ours = (answer.kind == b'j' && hook.dialect != Dialect::Ghap)
        .then(|| HookSpec { dialect: Dialect::Tenter, ..hook.clone() });
    let Interpreted { output, notices } =
        interpret::interpret(&finished, ours.as_ref().unwrap_or(hook), event);
    Interpretation { output, finished, notices }
}
