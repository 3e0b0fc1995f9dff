//! The table that compares the proofs of several agents.

use crate::commands::prove::Proof;
use crate::commands::prove::observed::Row;

pub(crate) fn matrix(proofs: &[Proof]) -> Vec<Vec<String>> {
    let heads = [
        ["", "session", "prompt", "tool", "input", "result", "result", "stop", "memory's", ""],
        [
            "agent",
            "context",
            "context",
            "denied",
            "rewritten",
            "feedback",
            "withheld",
            "continued",
            "tools",
            "seconds",
        ],
    ];
    let heads = heads.iter().map(|head| head.map(str::to_owned).to_vec());
    heads.chain(proofs.iter().map(line)).collect()
}

pub(crate) const LEGEND: &str =
    "– cannot be seen headless; denied: the call is denied, because the agent takes no rewritten input";

fn line(proof: &Proof) -> Vec<String> {
    let row = |event: &str| proof.rows.iter().find(|row| row.event == event);
    let cell = |event: &str, seen: fn(&Row) -> Option<bool>| match row(event) {
        // The agent sends this event in a terminal only, or cannot do this headless.
        None => "–".to_owned(),
        Some(row) if row.fired && seen(row).is_none() => "–".to_owned(),
        Some(row) if row.fired && seen(row) == Some(true) => "yes".to_owned(),
        Some(_) => "NO".to_owned(),
    };
    let rewritten = match row("tool:pre") {
        Some(row) if row.fired && row.rewrite_was_denied == Some(true) => "denied".to_owned(),
        _ => cell("tool:pre", |row| row.rewrite_took_effect),
    };
    vec![
        proof.target.title.to_owned(),
        cell("session:start", |row| row.context_reached_the_model),
        cell("prompt:submit", |row| row.context_reached_the_model),
        cell("tool:pre", |row| row.deny_stopped_the_tool),
        rewritten,
        cell("tool:post", |row| row.context_reached_the_model),
        cell("tool:post", |row| row.deny_withheld_the_result),
        cell("orchestrator:complete", |row| row.stop_was_continued),
        if proof.memory { "yes" } else { "NO" }.to_owned(),
        format!("{:.1}", proof.took.as_secs_f64()),
    ]
}
