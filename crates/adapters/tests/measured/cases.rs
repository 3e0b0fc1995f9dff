//! The parts of an outcome, alone and together, the same for every agent.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{AgentOutcome, AgentOutcomeParts, AgentVerdict, Answer, Event};

/// Every case at one event, as the agent reads it.
pub(crate) fn answers(agent: &dyn AgentAdapter, event: &Arc<Event>) -> String {
    let mut all = String::new();
    for (name, parts) in cases(event) {
        let written = match answer(agent, event, parts) {
            Err(part) => format!("(not supported: {part})\n"),
            Ok(answer) => {
                let stdout = String::from_utf8(answer.stdout).unwrap();
                match (answer.exit_code, String::from_utf8(answer.stderr).unwrap()) {
                    (0, stderr) if stderr.is_empty() => stdout,
                    (code, stderr) => format!("(exit code {code}) {stdout}{stderr}"),
                }
            }
        };
        write!(all, "# {name}\n{written}\n").unwrap();
    }
    all
}

/// One answer, or the part that the agent does not support.
pub(crate) fn answer(
    agent: &dyn AgentAdapter,
    event: &Arc<Event>,
    parts: AgentOutcomeParts,
) -> Result<Answer, String> {
    let adapted = AgentOutcome::new(Arc::clone(event), parts, &agent.capabilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(agent.encode(&adapted))
}

/// The cases.
pub(crate) fn cases(event: &Event) -> Vec<(&'static str, AgentOutcomeParts)> {
    let nothing = AgentOutcomeParts::default;
    let input = || Some(changed_input(event));
    let context = || Some("Line 42 is too long".to_owned());
    let message = || Some("1 problem found".to_owned());
    let ask = || AgentVerdict::Ask { prompt: "Deploy?".to_owned() };
    let allow = || AgentVerdict::Allow { reason: Some("known".to_owned()) };
    vec![
        ("silent", nothing()),
        ("silent, suppress", AgentOutcomeParts { suppress: true, ..nothing() }),
        ("deny", AgentOutcomeParts { verdict: deny(), ..nothing() }),
        ("deny, context", AgentOutcomeParts { verdict: deny(), context: context(), ..nothing() }),
        ("deny, message", AgentOutcomeParts { verdict: deny(), message: message(), ..nothing() }),
        ("deny, suppress", AgentOutcomeParts { verdict: deny(), suppress: true, ..nothing() }),
        ("deny, input", AgentOutcomeParts { verdict: deny(), input: input(), ..nothing() }),
        ("ask", AgentOutcomeParts { verdict: ask(), ..nothing() }),
        ("ask, message", AgentOutcomeParts { verdict: ask(), message: message(), ..nothing() }),
        ("ask, input", AgentOutcomeParts { verdict: ask(), input: input(), ..nothing() }),
        ("allow", AgentOutcomeParts { verdict: AgentVerdict::Allow { reason: None }, ..nothing() }),
        ("allow with reason", AgentOutcomeParts { verdict: allow(), ..nothing() }),
        ("allow, input", AgentOutcomeParts { verdict: allow(), input: input(), ..nothing() }),
        ("input", AgentOutcomeParts { input: input(), ..nothing() }),
        ("another input", AgentOutcomeParts { input: Some(another_input()), ..nothing() }),
        ("input, context", AgentOutcomeParts { input: input(), context: context(), ..nothing() }),
        ("input, message", AgentOutcomeParts { input: input(), message: message(), ..nothing() }),
        ("output", AgentOutcomeParts { output: Some(json!("clean")), ..nothing() }),
        ("prompt", AgentOutcomeParts { prompt: Some("another".to_owned()), ..nothing() }),
        ("context", AgentOutcomeParts { context: context(), ..nothing() }),
        ("context like JSON", AgentOutcomeParts { context: Some(" {\"a\":1}\n".to_owned()), ..nothing() }),
        ("blank context", AgentOutcomeParts { context: Some(" \n".to_owned()), ..nothing() }),
        ("message", AgentOutcomeParts { message: message(), ..nothing() }),
        ("message, suppress", AgentOutcomeParts { message: message(), suppress: true, ..nothing() }),
        ("context, message", AgentOutcomeParts { context: context(), message: message(), ..nothing() }),
        (
            "everything with a deny",
            AgentOutcomeParts {
                verdict: deny(),
                output: Some(json!({"stdout": "clean"})),
                context: context(),
                message: message(),
                suppress: true,
                ..nothing()
            },
        ),
    ]
}

pub(crate) fn deny() -> AgentVerdict {
    AgentVerdict::Deny { reason: "Operation denied by guard: \"no\"\nnever".to_owned() }
}

/// An input that differs from the one that was sent.
pub(crate) fn another_input() -> Map<String, Value> {
    Map::from_iter([
        ("command".to_owned(), json!("echo safe")),
        ("run_in_background".to_owned(), json!(true)),
    ])
}

/// The input of the event with the command changed; with other content in the same files, if it is a patch.
fn changed_input(event: &Event) -> Map<String, Value> {
    let Some(tool) = &event.tool else { return another_input() };
    let mut input = tool.input.clone();
    match tool.patch() {
        Some(patch) => {
            let changed = json!(patch.replace("hello\n", "bye\n").replace("A note", "No note"));
            input.values_mut().filter(|value| **value == *patch).for_each(|value| *value = changed.clone());
        }
        None => input.extend(another_input().into_iter().take(1)),
    }
    input
}
