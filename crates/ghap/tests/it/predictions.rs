//! Predictions next to what real runners printed (`fixtures/predictions.jsonl`), where a quick reader would see a proof:
//! skipped and filtered tests, retries, hidden and foreign output, other suites, halves of a prediction.

use serde::Deserialize;
use tenter_contract::{SessionId, Timestamp};
use tenter_ghap::outcome::{Ran, compare, read, recognise};
use tenter_ghap::{Cleaner, Domain, Entry, Start, Strategy, Who};

#[derive(Deserialize)]
struct Case {
    line: String,
    prediction: String,
    code: Option<i64>,
    output: String,
    /// What may be suggested; `None` by default.
    expected: Vec<String>,
}

#[test]
fn runs_that_prove_nothing_are_left_to_the_agent() {
    let cases = include_str!("../../fixtures/predictions.jsonl");
    let cases: Vec<Case> = cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() > 300, "{}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let suggested = suggested(case);
            let tool_output = format!("{} | {} | {suggested}: {}", case.line, case.prediction, case.output);
            (!case.expected.contains(&suggested)).then_some(tool_output)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn suggested(case: &Case) -> String {
    let Some(finding) = read(&recognise(&case.line, &[]), case.code, &case.output) else {
        return "None".to_owned();
    };
    let start = Start {
        domain: Domain::Debugging,
        strategy: Strategy::ReadTheError,
        goal: "Fix it".to_owned(),
        hypothesis: "It is the cache".to_owned(),
        action: "Clear it".to_owned(),
        prediction: case.prediction.clone(),
    };
    let who = Who::new(SessionId::parse("ann").unwrap());
    let entry = Entry::begin(&start, &who, None, Timestamp::default(), &Cleaner::default()).unwrap();
    let prompt = compare(&finding, &entry, Ran { line: &case.line, printed: &case.output });
    prompt.map_or_else(|| "None".to_owned(), |prompt| format!("{:?}", prompt.suggests))
}
