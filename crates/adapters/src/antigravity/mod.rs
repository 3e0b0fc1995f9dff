//! Google Antigravity's command line, `agy`. Known from publications about versions 1.0 to 1.2; not measured.

use serde_json::{Map, Value, json};
use tenter_contract::ports::Claim;
use tenter_contract::{
    AgentOutcome, AgentVerdict, Answer, AskUser, Capabilities, ContextChannel, Event, EventKind, Support,
    ToolCall, ToolKind,
};

use crate::agent_spec::{
    AgentSpec, ENTRY_EVENT_VARIABLE, NOTHING_EVER, Payload, Tools, guarded, received, watched,
};
use crate::answer::{self, JsonObject, non_blank, reason_or_default};
use crate::installer::{DenyIfGone, Form, Installer, Layout, home, in_project};
use crate::payload;

pub(crate) static ANTIGRAVITY: AgentSpec = AgentSpec {
    name: "antigravity",
    variables: &[ENTRY_EVENT_VARIABLE],
    // `PreInvocation` comes before every call of the model: it is the only event that takes context, so context of other
    // events waits for it. `PostInvocation` takes no answer.
    events: &[
        guarded("PreToolUse", EventKind::ToolPre, 600),
        watched("PostToolUse", EventKind::ToolPost, 60),
        watched("PreInvocation", EventKind::ProviderRequest, 60),
        watched("Stop", EventKind::OrchestratorComplete, 60),
        received("PostInvocation", EventKind::ProviderResponse),
    ],
    unnamed_event,
    tools: &TOOLS,
    call,
    recognises,
    capabilities,
    encode,
    silence: CONTINUE,
    // Its reading of exit codes is not known.
    refusal: |reason| write_decision("deny", reason_or_default(reason)),
    // Under a name of our own the events, groups for tools and flat entries for the others.
    installer: Installer {
        title: "Antigravity",
        program: Some("agy"),
        user: home("", ".gemini/config", "hooks.json"),
        project: in_project(".agents/hooks.json"),
        format: &Layout {
            root: Some("tenter"),
            form: Form::GroupsUnder(&["PreToolUse", "PostToolUse"]),
            if_gone: CONTINUE,
            deny_if_gone: DenyIfGone::Answer(|_, reason| json!({"decision": "deny", "reason": reason})),
            event_variable: Some(ENTRY_EVENT_VARIABLE),
            ..Layout::CLAUDE
        },
        still_to_do: Some(
            "check once whether Antigravity still asks you before a tool runs: it does not accept silence, so tenter answers `allow` if no hook objects, and by its documents that counts as your permission",
        ),
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "run_command"),
        ("Write", ToolKind::Write, "write_to_file create_file"),
        ("Edit", ToolKind::Edit, "replace_file_content edit_file"),
        ("MultiEdit", ToolKind::Edit, "multi_replace_file_content"),
        ("Read", ToolKind::Read, "view_file"),
        ("LS", ToolKind::Search, "list_dir list_directory"),
        ("Grep", ToolKind::Search, "grep_search"),
        ("Glob", ToolKind::Search, "find_by_name"),
        ("WebFetch", ToolKind::Fetch, "read_url_content"),
        ("WebSearch", ToolKind::Fetch, "search_web"),
    ],
    keys: &[
        ("run_command", "CommandLine=command Cwd=cwd"),
        ("write_to_file", "TargetFile=file_path CodeContent=content"),
        ("replace_file_content multi_replace_file_content", "TargetFile=file_path"),
        ("view_file", "AbsolutePath=file_path"),
        ("list_dir", "DirectoryPath=path"),
        ("grep_search", "SearchPath=path Query=pattern"),
        ("read_url_content", "Url=url"),
    ],
    ..Tools::DOCUMENTED
};

/// The answer before a tool that changes nothing, as far as there is one: `{}` counts as a deny. By its documents this
/// one runs the tool unasked; in 1.1.2 and 1.2.7 its own question was seen to come all the same. A plain `ask` would deny
/// every call of an unattended run.
const CONTINUE: &str = r#"{"decision":"allow"}"#;

/// Its payloads do not name their event. Our entries do; for others the keys show it.
fn unnamed_event(payload: &Map<String, Value>) -> Option<&str> {
    let has = |key: &str| payload.contains_key(key);
    let by_keys = [
        (has("toolCall") && (has("error") || has("toolResult") || has("result")), "PostToolUse"),
        (has("toolCall"), "PreToolUse"),
        (has("terminationReason") || has("fullyIdle"), "Stop"),
        (has("invocationNum"), "PreInvocation"),
    ];
    by_keys.into_iter().find(|(matches, _)| *matches).map(|(_, name)| name).filter(|_| has("conversationId"))
}

/// The call has an object of its own.
fn call(agent: &AgentSpec, payload: &Payload<'_>, _event: &str) -> Option<ToolCall> {
    let name = payload.word(&["/toolCall/name"])?;
    Some(agent.tools.call(name, None, payload::input_object(payload.value(&["/toolCall/args"]))))
}

/// Its one channel for context is before a call of the model.
fn capabilities(event: &Event) -> Capabilities {
    match event.kind {
        EventKind::ToolPre => {
            Capabilities { block: Support::Yes, ask: AskUser::Plainly, ..Capabilities::NOTHING }
        }
        EventKind::ProviderRequest => {
            Capabilities { context: ContextChannel::Always, ..Capabilities::NOTHING }
        }
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}

fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let parts = adapted.parts();
    match (&adapted.event().kind, &parts.verdict) {
        (EventKind::ToolPre, AgentVerdict::Deny { reason }) => {
            write_decision("deny", reason_or_default(reason))
        }
        // A plain `ask` is answered by earlier permissions of the user.
        (EventKind::ToolPre, AgentVerdict::Ask { prompt }) => write_decision("force_ask", prompt),
        (EventKind::ToolPre, _) => answer::text(CONTINUE.to_owned()),
        _ => {
            let context = non_blank(parts.context.as_ref());
            let mut answer = JsonObject::new();
            answer.put("injectSteps", context.map(|context| json!([{"ephemeralMessage": context}])));
            answer.into_full_answer()
        }
    }
}

fn write_decision(decision: &str, reason: &str) -> Answer {
    let mut answer = JsonObject::new();
    answer.put("decision", Some(decision));
    answer.put("reason", Some(reason));
    answer.into_answer()
}

/// Keys in camel case, and no name of the event.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let named = payload.get("hook_event_name").is_some_and(Value::is_string);
    let possible = !named || ANTIGRAVITY.possible_event(payload, "").is_some();
    if has("conversationId") && !has("sessionId") && possible { Claim::Mine } else { Claim::NotMine }
}
