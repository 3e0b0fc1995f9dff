//! Messages that the agent does not show at this event go to standard error, where its debug log keeps
//! them. Standard output carries the answer and nothing else.

use tenter_contract::{Answer, Source, Unfit};

/// The text for standard error, if there is any.
pub fn beside_the_answer(unfit: &[Unfit]) -> String {
    let line = |unfit: &Unfit| match unfit {
        Unfit::NoMessageChannel { by: Source::Tenter, text } => Some(format!("tenter: {text}\n")),
        Unfit::NoMessageChannel { by, text } => Some(format!("tenter: {by}: {text}\n")),
        _ => None,
    };
    unfit.iter().filter_map(line).collect()
}

/// The answer with that text beside it. An answer that speaks on standard error already (a refusal) is the
/// agent's to read and stays as it is.
pub fn join(mut answer: Answer, aside: String) -> Answer {
    if answer.stderr.is_empty() && answer.exit_code == 0 {
        answer.stderr = aside.into_bytes();
    }
    answer
}
