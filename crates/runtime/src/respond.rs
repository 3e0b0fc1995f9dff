//! respond: writes the response to an agent in its own format.

use tenter_contract::json_text::with_lone_surrogates_of;
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Degradation, Source};

use crate::adapted::AdaptedOutcome;

/// The response to an agent. Messages that it does not show at this event go to standard error, where its debug log
/// keeps them. Standard output carries the response and nothing else.
pub(crate) fn to_agent(adapted: &AdaptedOutcome, agent: &dyn AgentAdapter, payload: &[u8]) -> Answer {
    let answer = with_stderr(agent.encode(&adapted.response), unshown_messages(&adapted.degraded));
    restore_surrogates(answer, payload)
}

/// An answer that uses standard error already (a refusal) stays as it is: the agent reads it.
pub(crate) fn with_stderr(mut answer: Answer, text: String) -> Answer {
    if answer.stderr.is_empty() && answer.exit_code == 0 {
        answer.stderr = text.into_bytes();
    }
    answer
}

fn unshown_messages(degraded: &[Degradation]) -> String {
    let line = |degraded: &Degradation| match degraded {
        Degradation::NoMessageChannel { by: Source::Tenter, text } => Some(format!("tenter: {text}\n")),
        Degradation::NoMessageChannel { by, text } => Some(format!("tenter: {by}: {text}\n")),
        _ => None,
    };
    degraded.iter().filter_map(line).collect()
}

/// Restores halves of surrogate pairs that were replaced to read the payload: the agent gets back unchanged text as it
/// sent it.
fn restore_surrogates(answer: Answer, payload: &[u8]) -> Answer {
    let Ok(text) = std::str::from_utf8(&answer.stdout) else { return answer };
    if !text.contains('\u{fffd}') {
        return answer;
    }
    match with_lone_surrogates_of(&String::from_utf8_lossy(payload), text) {
        Some(restored) => Answer { stdout: restored.into_bytes(), ..answer },
        None => answer,
    }
}
