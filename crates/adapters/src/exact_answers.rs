//! What can be asked of an answer, the same of every agent: one thing at a time and together. What an agent's page of
//! snapshots says `cannot carry` of is refused before it is encoded, and `fit` has to find another way.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

/// Every case at one event, as the agent reads it.
pub(crate) fn answers(agent: &dyn AgentAdapter, event: &Arc<Event>) -> String {
    let mut all = String::new();
    for (name, parts) in cases(event) {
        let said = match answer(agent, event, parts) {
            Err(part) => format!("(cannot carry: {part})\n"),
            Ok(answer) => {
                assert_eq!((answer.exit_code, answer.stderr.as_slice()), (0, [].as_slice()), "{name}");
                String::from_utf8(answer.stdout).unwrap()
            }
        };
        write!(all, "# {name}\n{said}\n").unwrap();
    }
    all
}

/// One answer, or the part that the agent cannot carry.
pub(crate) fn answer(
    agent: &dyn AgentAdapter,
    event: &Arc<Event>,
    parts: FittedParts,
) -> Result<Answer, String> {
    let fitted = Fitted::new(Arc::clone(event), parts, &agent.abilities(event))
        .map_err(|overfull| overfull.part.to_owned())?;
    Ok(agent.encode(&fitted))
}

/// The cases.
pub(crate) fn cases(event: &Event) -> Vec<(&'static str, FittedParts)> {
    let nothing = FittedParts::default;
    let input = || Some(changed_input(event));
    let context = || Some("Line 42 is too long".to_owned());
    let message = || Some("1 problem found".to_owned());
    let ask = || FittedVerdict::Ask { prompt: "Deploy?".to_owned() };
    let allow = || FittedVerdict::Allow { reason: Some("known".to_owned()) };
    vec![
        ("silent", nothing()),
        ("silent, suppress", FittedParts { suppress: true, ..nothing() }),
        ("deny", FittedParts { verdict: deny(), ..nothing() }),
        ("deny, context", FittedParts { verdict: deny(), context: context(), ..nothing() }),
        ("deny, message", FittedParts { verdict: deny(), message: message(), ..nothing() }),
        ("deny, suppress", FittedParts { verdict: deny(), suppress: true, ..nothing() }),
        ("deny, input", FittedParts { verdict: deny(), input: input(), ..nothing() }),
        ("ask", FittedParts { verdict: ask(), ..nothing() }),
        ("ask, message", FittedParts { verdict: ask(), message: message(), ..nothing() }),
        ("ask, input", FittedParts { verdict: ask(), input: input(), ..nothing() }),
        ("allow", FittedParts { verdict: FittedVerdict::Allow { reason: None }, ..nothing() }),
        ("allow with reason", FittedParts { verdict: allow(), ..nothing() }),
        ("allow, input", FittedParts { verdict: allow(), input: input(), ..nothing() }),
        ("input", FittedParts { input: input(), ..nothing() }),
        ("another input", FittedParts { input: Some(another_input()), ..nothing() }),
        ("input, context", FittedParts { input: input(), context: context(), ..nothing() }),
        ("input, message", FittedParts { input: input(), message: message(), ..nothing() }),
        ("output", FittedParts { output: Some(json!("clean")), ..nothing() }),
        ("prompt", FittedParts { prompt: Some("another".to_owned()), ..nothing() }),
        ("context", FittedParts { context: context(), ..nothing() }),
        ("context like JSON", FittedParts { context: Some(" {\"a\":1}\n".to_owned()), ..nothing() }),
        ("blank context", FittedParts { context: Some(" \n".to_owned()), ..nothing() }),
        ("message", FittedParts { message: message(), ..nothing() }),
        ("message, suppress", FittedParts { message: message(), suppress: true, ..nothing() }),
        ("context, message", FittedParts { context: context(), message: message(), ..nothing() }),
        (
            "everything beside a deny",
            FittedParts {
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

pub(crate) fn deny() -> FittedVerdict {
    FittedVerdict::Deny { reason: "Operation denied by guard: \"no\"\nnever".to_owned() }
}

/// An input that has nothing to do with the one that was sent.
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
