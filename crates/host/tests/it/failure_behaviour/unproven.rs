//! Agents known from their documents: the payloads written there, and what the agents do with an answer.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tenter_contract::EventKind;
use tenter_contract::ports::{AgentAdapter, Decoded, IfGone, Scope, Surroundings, Wiring};

/// Whether the agent has such an event.
pub(super) fn sends(agent: &dyn AgentAdapter, kind: &EventKind) -> bool {
    found(agent, kind).is_some()
}

/// A payload of this event.
pub(super) fn payload(agent: &dyn AgentAdapter, kind: &EventKind) -> Value {
    found(agent, kind).unwrap_or_else(|| panic!("{} sends no {kind}", agent.name()))
}

fn found(agent: &dyn AgentAdapter, kind: &EventKind) -> Option<Value> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src");
    let folder = sources.join(agent.name().as_str()).join("fixtures");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
    // The plain payload of an event sorts before its variants.
    files.sort_by_key(|path| path.with_extension(""));
    let payloads = files.iter().map(|path| fs::read(path).unwrap());
    let installed = agent.installer().and_then(|installer| {
        let wiring = Wiring {
            program: "/tenter".to_owned(),
            if_gone: IfGone::GoOn,
            scope: Scope::User,
            installation: None,
        };
        installer.entries(&installer.install(None, &wiring).ok()?.text).ok()
    });
    let is_installed =
        |name: &str| installed.iter().flatten().any(|entry| entry.event.eq_ignore_ascii_case(name));
    // Prefer events at which tenter is installed, then shell commands.
    let mut of_kind: Vec<((bool, bool), Value)> = payloads
        .filter_map(|payload| match agent.decode(&payload, &Surroundings::default()) {
            Ok(Decoded::Event(event)) if event.kind == *kind => {
                let shell = event.tool.as_ref().is_some_and(|tool| tool.command.is_some());
                let mut words =
                    event.raw.as_object().into_iter().flat_map(|raw| raw.values()).filter_map(Value::as_str);
                Some(((!words.any(is_installed), !shell), event.raw.clone()))
            }
            _ => None,
        })
        .collect();
    of_kind.sort_by_key(|(worse, _)| *worse);
    of_kind.into_iter().next().map(|(_, payload)| payload)
}

/// Whether an answer denies, asks, rewrites, and keeps a result from the model.
pub(super) fn taken(json: &Value) -> (bool, bool, bool, bool) {
    let specific = &json["hookSpecificOutput"];
    let decisions =
        [&json["decision"], &json["permission"], &specific["permissionDecision"], &specific["decision"]];
    let decided =
        |words: &[&str]| decisions.iter().any(|it| it.as_str().is_some_and(|it| words.contains(&it)));
    (
        decided(&["deny", "block"]) || json["continue"] == false || json["deny"].is_string(),
        decided(&["ask", "force_ask"]),
        json["updated_input"].is_object() || specific["updatedInput"].is_object(),
        false,
    )
}
