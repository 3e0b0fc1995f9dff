//! Payloads: decoding never panics, and whatever was decoded can be answered in the agent's form.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use tenter_contract::ports::{AgentAdapter, Decoded, Proof, Surroundings};
use tenter_contract::{
    AgentOutcome, AgentOutcomeParts, AgentVerdict, Answer, Capabilities, ContextChannel, Event, EventKind,
    RewriteInput,
};

/// Decodes, and encodes every verdict with every part that is supported with it.
pub fn agent(name: &str, payload: &[u8]) {
    let adapter = tenter_adapters::by_name(name).expect("the target names an agent of the table");
    let surroundings = Surroundings::default();
    let event = match adapter.decode(payload, &surroundings) {
        Ok(Decoded::Event(event)) => Arc::new(*event),
        Ok(Decoded::NotForUs) => return,
        Err(problem) => {
            is_one_document(&adapter.refusal(&problem.to_string()), "refusal");
            return;
        }
    };
    let capabilities = adapter.capabilities(&event);
    let reason = || "no".to_owned();
    for verdict in [
        AgentVerdict::Silent,
        AgentVerdict::Allow { reason: None },
        AgentVerdict::Allow { reason: Some(reason()) },
        AgentVerdict::Ask { prompt: reason() },
        AgentVerdict::Deny { reason: reason() },
    ] {
        let parts = AgentOutcomeParts { verdict, ..AgentOutcomeParts::default() };
        let Ok(bare) = AgentOutcome::new(Arc::clone(&event), parts.clone(), &capabilities) else { continue };
        check(adapter, &bare, &capabilities);
        check(adapter, &filled(&event, parts, &capabilities), &capabilities);
    }
    check_unchanged_input(adapter, &event, &capabilities);
}

/// The variable with the name of the agent, among those known from documents.
const AGENT: &str = "TENTER_FUZZ_AGENT";

/// The same for the agent that the environment names. One at a time, so that each gets the full time.
pub fn documented(payload: &[u8]) {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let name = std::env::var(AGENT).unwrap_or_default();
        assert!(
            documented_names().any(|known| known == name),
            "say whose payloads, as `scripts/fuzz 60 cursor` does: {AGENT} is one of {}",
            documented_names().collect::<Vec<_>>().join(", ")
        );
        name
    });
    agent(&NAME, payload);
}

/// The names of the agents that are known from documents.
pub fn documented_names() -> impl Iterator<Item = String> {
    let all = tenter_adapters::all().iter().filter(|adapter| adapter.proof() == Proof::Documented);
    all.map(|adapter| adapter.name().to_string())
}

/// Adds one part after the other, if it is supported.
fn filled(event: &Arc<Event>, verdict: AgentOutcomeParts, capabilities: &Capabilities) -> AgentOutcome {
    let mut input = event.tool.as_ref().map(|tool| tool.input.clone()).unwrap_or_default();
    input.insert("command".to_owned(), json!("true"));
    let steps: [&dyn Fn(&mut AgentOutcomeParts); 6] = [
        &|parts| parts.input = Some(input.clone()),
        &|parts| parts.output = Some(json!("new")),
        &|parts| parts.prompt = Some("new".to_owned()),
        &|parts| parts.context = Some("for the model".to_owned()),
        &|parts| parts.message = Some("for the user".to_owned()),
        &|parts| parts.suppress = true,
    ];
    let mut adapted = AgentOutcome::new(Arc::clone(event), verdict, capabilities).expect("it adapted before");
    for step in steps {
        let mut parts = adapted.parts().clone();
        step(&mut parts);
        if let Ok(larger) = AgentOutcome::new(Arc::clone(event), parts, capabilities) {
            adapted = larger;
        }
    }
    adapted
}

fn check(adapter: &dyn AgentAdapter, adapted: &AgentOutcome, capabilities: &Capabilities) {
    let answer = adapter.encode(adapted);
    let parts = adapted.parts();
    if capabilities.context == ContextChannel::WholeAnswer && parts.context.is_some() {
        assert_eq!(answer.exit_code, 0);
        return;
    }
    let case = format!("{:?} at {}", parts, adapted.event().kind);
    if answer.exit_code == 2 {
        assert!(matches!(parts.verdict, AgentVerdict::Deny { .. }) && !answer.stderr.is_empty(), "{case}");
        assert!(answer.stdout.is_empty(), "{case}");
        return;
    }
    let Some(document) = is_one_document(&answer, &case) else {
        assert!(!matches!(parts.verdict, AgentVerdict::Deny { .. }), "a deny was lost: {case}");
        return;
    };
    if matches!(parts.verdict, AgentVerdict::Deny { .. }) {
        let text = document.to_string();
        let ends = document["continue"] == false || document["cancel"] == true;
        // At the end of a turn, OpenCode's plugin gets the next task instead.
        let goes_on = document["decision"] == "continue";
        let says = ["deny", "block", "followup_message"].iter().any(|word| text.contains(word));
        let denies = says || ends || goes_on;
        assert!(denies, "a deny was lost: {case}: {text}");
    }
    // An agent ignores a verdict whose event is missing or another one.
    if let Some(specific) = document.get("hookSpecificOutput") {
        let sent = adapted.event().raw.get("hook_event_name");
        assert_eq!(specific.get("hookEventName"), sent, "{case}: {document}");
    }
}

/// A rewrite without changes returns the input under the agent's own keys, key by key.
fn check_unchanged_input(adapter: &dyn AgentAdapter, event: &Arc<Event>, capabilities: &Capabilities) {
    let sent = ["tool_input", "toolArgs", "args"].into_iter().find_map(|key| event.raw.get(key));
    let (Some(tool), Some(Value::Object(sent))) = (&event.tool, sent) else { return };
    if event.kind != EventKind::ToolPre
        || matches!(capabilities.rewrite_input, RewriteInput::Never | RewriteInput::Only(_))
    {
        return;
    }
    let parts = AgentOutcomeParts { input: Some(tool.input.clone()), ..AgentOutcomeParts::default() };
    let Ok(adapted) = AgentOutcome::new(Arc::clone(event), parts, capabilities) else { return };
    let answer = adapter.encode(&adapted);
    let Some(document) = is_one_document(&answer, "an unchanged input") else { return };
    let specific = &document["hookSpecificOutput"];
    let written = specific
        .get("updatedInput")
        .or_else(|| specific.get("tool_input"))
        .or_else(|| document.get("modifiedArgs"))
        .or_else(|| document.get("args"))
        .or_else(|| document.get("updated_input"));
    assert_eq!(written, Some(&Value::Object(sent.clone())), "{document}");
}

/// The document, or nothing if the answer is silence. Standard error may carry the words of a refusal.
fn is_one_document(answer: &Answer, case: &str) -> Option<Value> {
    let text = std::str::from_utf8(&answer.stdout).expect("an answer is text");
    if text.is_empty() {
        return None;
    }
    assert!(text.ends_with("}\n"), "{case}: {text}");
    Some(serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {case}: {text}")))
}
