use serde_json::json;
use tenter_contract::approval_question::{ApprovalPrompt, DEFAULT_PROMPT};
use tenter_contract::{
    AgentName, Effect, EventError, HookReply, Injection, Level, Message, OutputPatch, Patch, Policy, Repeat,
    Rewrite, Role, SessionId, Strategy, Timestamp, ToolCall, ToolKind, Verdict,
};

use super::*;

fn event(kind: EventKind) -> Event {
    let agent = AgentName::from_static("gemini");
    let mut event = Event::new(kind, agent, SessionId::parse("s1").unwrap(), Timestamp::from_unix_ms(0));
    event.cwd = Some("/p".to_owned());
    event.project_root = Some("/p".to_owned());
    event.raw = json!({"hook_event_name": "BeforeTool", "llm_request": {}});
    event
}

fn with_tool(kind: EventKind, name: &str, tool: ToolKind, input: &Value) -> Event {
    let mut event = event(kind);
    let mut call = ToolCall::new(name, tool, input.as_object().cloned().unwrap());
    call.call_id = Some("t1".to_owned());
    event.tool = Some(call);
    event
}

fn bash(kind: EventKind) -> Event {
    with_tool(kind, "Bash", ToolKind::Shell, &json!({"command": "pytest test_auth.py"}))
}

fn hook_input(dialect: Dialect, event: &Event) -> Value {
    serde_json::from_slice(&stdin(dialect, event)).unwrap()
}

fn prompt() -> Event {
    let mut event = event(EventKind::PromptSubmit);
    event.prompt = Some("Fix the failing auth test".to_owned());
    event.files = vec!["test_auth.py".to_owned()];
    event
}

#[test]
fn claude_code_scripts_read_its_fields_and_no_other() {
    assert_eq!(
        hook_input(Dialect::Claude, &bash(EventKind::ToolPre)),
        json!({
            "session_id": "s1", "transcript_path": "", "cwd": "/p", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "pytest test_auth.py"}, "tool_use_id": "t1",
        })
    );
}

#[test]
fn claude_payload_is_passed_on_with_the_current_input() {
    let mut event = bash(EventKind::ToolPre);
    event.agent = AgentName::from_static("claude");
    event.raw = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": "/p", "permission_mode": "plan", "prompt_id": "p1",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"},
    });
    let read = hook_input(Dialect::Claude, &event);
    assert_eq!(read["tool_input"], json!({"command": "pytest test_auth.py"}));
    assert_eq!((&read["prompt_id"], &read["permission_mode"]), (&json!("p1"), &json!("plan")));
}

#[test]
fn amazon_q_scripts_read_its_names_of_events_and_tools() {
    let spawn = json!({"hook_event_name": "agentSpawn", "cwd": "/p", "session_id": "s1"});
    assert_eq!(hook_input(Dialect::AmazonQ, &event(EventKind::SessionStart)), spawn);
    let mut ran = bash(EventKind::ToolPost);
    ran.tool.as_mut().unwrap().stdout = Some("1 passed".to_owned());
    assert_eq!(
        hook_input(Dialect::AmazonQ, &ran),
        json!({
            "hook_event_name": "postToolUse", "cwd": "/p", "session_id": "s1", "tool_name": "execute_bash",
            "tool_input": {"command": "pytest test_auth.py"},
            "tool_response": {"success": true, "result": ["1 passed"]},
        })
    );
    let mut failed = bash(EventKind::ToolError);
    failed.error = Some(EventError { kind: None, message: "no such file".to_owned() });
    let response = json!({"success": false, "error": ["no such file"]});
    assert_eq!(hook_input(Dialect::AmazonQ, &failed)["tool_response"], response);
    for (name, kind, input, tool_name, tool_input) in [
        (
            "Write",
            ToolKind::Write,
            json!({"file_path": "/p/a", "content": "x"}),
            "fs_write",
            json!({"command": "create", "path": "/p/a", "file_text": "x"}),
        ),
        (
            "Edit",
            ToolKind::Edit,
            json!({"file_path": "/p/a", "old_string": "x", "new_string": "y"}),
            "fs_write",
            json!({"command": "str_replace", "path": "/p/a", "old_str": "x", "new_str": "y"}),
        ),
        (
            "Read",
            ToolKind::Read,
            json!({"file_path": "/p/a"}),
            "fs_read",
            json!({"operations": [{"mode": "Line", "path": "/p/a"}]}),
        ),
        ("mcp__git__push", ToolKind::Mcp, json!({"force": true}), "@git/push", json!({"force": true})),
    ] {
        let read = hook_input(Dialect::AmazonQ, &with_tool(EventKind::ToolPre, name, kind, &input));
        assert_eq!((&read["tool_name"], &read["tool_input"]), (&json!(tool_name), &tool_input), "{name}");
    }
}

#[test]
fn prompt_variable_is_bounded() {
    let mut event = prompt();
    event.prompt = Some(format!("a\u{1b}[31m{}", "字".repeat(2000)));
    let [(name, value)] = &variables(Dialect::AmazonQ, &event)[..] else { panic!("one variable") };
    assert_eq!(*name, "USER_PROMPT");
    assert!(
        value.len() <= 4096 && value.len() > 4090 && value.starts_with("a[31m字") && value.ends_with('字')
    );
}

#[test]
fn massgen_scripts_read_its_hook_event() {
    let mut event = bash(EventKind::ToolPost);
    event.agent_id = Some("agent1".to_owned());
    event.orchestrator = Some("o1".to_owned());
    event.tool.as_mut().unwrap().output = Some(json!({"lines": 3}));
    assert_eq!(
        hook_input(Dialect::MassGen, &event),
        json!({
            "hook_type": "PostToolUse", "session_id": "s1", "orchestrator_id": "o1", "agent_id": "agent1",
            "timestamp": event.at.to_string(), "tool_name": "Bash",
            "tool_input": {"command": "pytest test_auth.py"}, "tool_output": "{\"lines\":3}",
        })
    );
    assert_eq!(
        variables(Dialect::MassGen, &event),
        [
            ("MASSGEN_HOOK_TYPE", "PostToolUse".to_owned()),
            ("MASSGEN_TOOL_NAME", "Bash".to_owned()),
            ("MASSGEN_SESSION_ID", "s1".to_owned()),
            ("MASSGEN_AGENT_ID", "agent1".to_owned()),
            ("MASSGEN_ORCHESTRATOR_ID", "o1".to_owned()),
        ]
    );
}

#[test]
fn ghap_scripts_read_their_input() {
    let has = |input: &Value, expected: Value| {
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&input[key], value, "{key}: {input}");
        }
    };
    has(
        &hook_input(Dialect::Ghap, &prompt()),
        json!({
            "prompt": "Fix the failing auth test", "context": {"cwd": "/p", "files": ["test_auth.py"]},
            "session_id": "s1", "hook_event_name": "UserPromptSubmit",
        }),
    );
    let mut ran = bash(EventKind::ToolPost);
    ran.tool.as_mut().unwrap().stdout = Some("test_auth.py::test_login PASSED".to_owned());
    has(
        &hook_input(Dialect::Ghap, &ran),
        json!({
            "tool": "Bash", "command": "pytest test_auth.py", "exit_code": 0,
            "stdout": "test_auth.py::test_login PASSED", "stderr": "", "session_id": "s1",
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": ran.tool.as_ref().unwrap().input,
        }),
    );
    assert_eq!(hook_input(Dialect::Ghap, &bash(EventKind::ToolError))["exit_code"], json!(1));
}

fn parse_reply(dialect: Dialect, text: &Value) -> Result<HookReply, String> {
    let context = ReplyContext {
        event: &EventKind::ToolPost,
        role: Role::System,
        strategy: Strategy::Auto,
        ephemeral: false,
        repeat: Repeat::Auto,
    };
    match read(dialect, &text.to_string(), &context) {
        Ok(Read::Reply(reply)) => Ok(reply),
        Ok(Read::NoReply { .. }) => Err("no reply".to_owned()),
        Err(_) => Err("garbled".to_owned()),
    }
}

fn deny(reason: &str) -> HookReply {
    HookReply { verdict: Verdict::Deny { reason: reason.to_owned() }, effects: Vec::new() }
}

fn ask(prompt: &str) -> Verdict {
    Verdict::Ask(ApprovalPrompt {
        prompt: prompt.to_owned(),
        options: Vec::new(),
        timeout: None,
        default: Policy::Deny,
    })
}

fn only(effects: Vec<Effect>) -> HookReply {
    HookReply { verdict: Verdict::Abstain, effects }
}

fn inject(content: &str, strategy: Strategy) -> Effect {
    Effect::Inject(Injection { strategy, ..Injection::text(content) })
}

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

#[test]
fn massgens_results() {
    let garbled = || Err("garbled".to_owned());
    let rewritten = || Effect::Rewrite(Rewrite::ToolInput(Patch::Replace(map(&json!({"a": 1})))));
    for (text, expected) in [
        (json!({}), Ok(only(vec![]))),
        (json!({"allowed": true, "decision": "allow", "reason": null, "inject": null}), Ok(only(vec![]))),
        (json!({"allowed": false}), Ok(deny("no reason given"))),
        (json!({"allowed": true, "decision": "deny", "reason": "r"}), Ok(deny("r"))),
        (json!({"allowed": false, "decision": "allow", "reason": "r"}), Ok(deny("r"))),
        (json!({"decision": "ask"}), Ok(HookReply { verdict: ask(DEFAULT_PROMPT), effects: vec![] })),
        (json!({"decision": "block"}), garbled()),
        (json!({"deny": "r", "metadata": {}}), Ok(deny("r"))),
        (json!({"deny": "r"}), Ok(deny("r"))),
        (json!({"ask": "sure?"}), Ok(HookReply { verdict: ask("sure?"), effects: vec![] })),
        (json!({"hookSpecificOutput": {"permissionDecision": "deny"}}), Ok(deny("no reason given"))),
        (json!({"allowed": "no"}), garbled()),
        (json!({"updated_input": {"a": 1}}), Ok(only(vec![rewritten()]))),
        (json!({"updated_input": {"a": 2}, "modified_args": "{\"a\": 1}"}), Ok(only(vec![rewritten()]))),
        (json!({"modified_args": "a=1"}), garbled()),
        (
            json!({"inject": {"content": "[UPDATE] New answer", "strategy": "tool_result"}}),
            Ok(only(vec![inject("[UPDATE] New answer", Strategy::ToolResult)])),
        ),
        (
            json!({"inject": {"content": "Your list is empty", "strategy": "user_message"}}),
            Ok(only(vec![inject("Your list is empty", Strategy::UserMessage)])),
        ),
        (json!({"inject": {"content": ""}, "metadata": {"x": 1}}), Ok(only(vec![]))),
    ] {
        assert_eq!(parse_reply(Dialect::MassGen, &text), expected, "{text}");
    }
}

#[test]
fn amplifiers_results() {
    let garbled = || Err("garbled".to_owned());
    let notify = |level| Effect::Notify(Message { text: "3 issues".to_owned(), level });
    let replaced = || Effect::Rewrite(Rewrite::ToolOutput(OutputPatch::Replace(json!("[redacted]"))));
    for (text, expected) in [
        (json!({"action": "continue"}), Ok(only(vec![]))),
        (json!({"action": "deny", "reason": "production"}), Ok(deny("production"))),
        (json!({"action": "block"}), garbled()),
        (
            json!({"action": "inject_context", "context_injection": "Linter found issues", "suppress_output": true}),
            Ok(only(vec![inject("Linter found issues", Strategy::Auto), Effect::SuppressOutput])),
        ),
        // A rewrite, a message and an injection next to each other are all kept.
        (
            json!({"action": "modify", "data": {"result": "[redacted]", "session_id": "s1"},
                "context_injection": "seen", "user_message": "3 issues", "user_message_level": "warning"}),
            Ok(only(vec![replaced(), inject("seen", Strategy::Auto), notify(Level::Warning)])),
        ),
        (
            json!({"action": "modify", "data": {"value": 25}}),
            Ok(only(vec![Effect::Rewrite(Rewrite::Data(Patch::Merge(map(&json!({"value": 25})))))])),
        ),
        (json!({"action": "continue", "user_message": "3 issues"}), Ok(only(vec![notify(Level::Info)]))),
        (
            json!({"action": "ask_user", "approval_prompt": "Write to production?"}),
            Ok(HookReply { verdict: ask("Write to production?"), effects: vec![] }),
        ),
        (json!({"action": "ask_user", "approval_timeout": 0}), garbled()),
        (
            json!({"action": "inject_context", "context_injection": "a\n\nb", "context_injections": [
                {"content": "a", "role": "user"}, {"content": "b", "append_to_last_tool_result": true}]}),
            Ok(only(vec![
                Effect::Inject(Injection { role: Role::User, ..Injection::text("a") }),
                inject("b", Strategy::ToolResult),
            ])),
        ),
        // What hook-shell reads: an injection does not hide a block.
        (
            json!({"decision": "block", "reason": "no", "contextInjection": "why"}),
            Ok(HookReply { effects: vec![inject("why", Strategy::Auto)], ..deny("no") }),
        ),
        (json!({"decision": "block", "reason": "no"}), Ok(deny("no"))),
    ] {
        assert_eq!(parse_reply(Dialect::Amplifier, &text), expected, "{text}");
    }
}

#[test]
fn ghap_script_replies() {
    let context = |text: &str| Ok(only(vec![inject(text, Strategy::Auto)]));
    for (text, expected) in [
        (json!({"context": "Relevant past experiences:\n…"}), context("Relevant past experiences:\n…")),
        (json!({"type": "light", "content": "## Session Context"}), context("## Session Context")),
        (json!({"type": "rich", "content": "## Relevant", "token_count": 385}), context("## Relevant")),
        (
            json!({"type": "premortem", "content": "Test FAILED.", "prompt": "Consider starting a GHAP."}),
            context("Test FAILED.\n\nConsider starting a GHAP."),
        ),
        (
            json!({"type": "outcome", "prompt": "Test PASSED.", "suggested_action": "resolve_confirmed"}),
            context("Test PASSED."),
        ),
        (json!({"type": "reminder", "content": ""}), Ok(only(vec![]))),
        (json!({"hookSpecificOutput": {"additionalContext": "x"}}), context("x")),
        (json!({"content": "x", "decision": "block"}), Err("garbled".to_owned())),
        (json!({"result": 3}), Err("no reply".to_owned())),
    ] {
        assert_eq!(parse_reply(Dialect::Ghap, &text), expected, "{text}");
    }
}

#[test]
fn claude_codes_replies_are_its_own_and_the_rest_says_nothing() {
    assert_eq!(parse_reply(Dialect::Claude, &json!({"note": "hi"})), Ok(only(vec![])));
    assert_eq!(parse_reply(Dialect::Claude, &json!({"decision": "block", "reason": "no"})), Ok(deny("no")));
    assert_eq!(parse_reply(Dialect::Claude, &json!({"action": "deny"})), Err("garbled".to_owned()));
}
