//! Makes a sample event that matches a hook, for `hooks test` without a payload.

use serde_json::{Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Event, EventKind, HookSpec, Selector, SessionId, ToolCall, ToolKind};
use tenter_kernel::matching;
use tenter_runtime::Runtime;

use crate::event_data::is_about_tools;

/// The first event that matches the hook: from its own examples, or else from common calls.
pub(crate) fn event_for(
    hook: &HookSpec,
    agent: &dyn AgentAdapter,
    runtime: &Runtime,
    cwd: Option<&str>,
) -> Option<Event> {
    let blank = || {
        let session = SessionId::parse("hooks-test");
        let mut event = Event::new(hook.event.clone(), agent.name(), session, runtime.clock.now());
        event.cwd = cwd.map(str::to_owned);
        event.project_root.clone_from(&event.cwd);
        event.source = (hook.event == EventKind::SessionStart).then(|| "startup".to_owned());
        runtime.catalog.gather_facts(std::iter::once(hook), &mut event);
        event
    };
    let candidates: Vec<Event> = if is_about_tools(&hook.event) {
        let named = |mut tool: ToolCall| {
            tool.native_name = agent.native_tool_name(&tool.name).into_owned();
            Event { tool: Some(tool), ..blank() }
        };
        calls(hook).into_iter().map(named).collect()
    } else if hook.event == EventKind::PromptSubmit {
        let prompts = hook.examples.matches.iter().map(String::as_str).chain(["Fix the failing test."]);
        prompts.map(|prompt| Event { prompt: Some(prompt.to_owned()), ..blank() }).collect()
    } else {
        vec![blank()]
    };
    candidates.into_iter().find(|event| matching::concerns(hook, event))
}

fn calls(hook: &HookSpec) -> Vec<ToolCall> {
    let call = |name: &str, kind, input: Value| {
        ToolCall::new(name, kind, input.as_object().cloned().unwrap_or_default())
    };
    let examples = hook.examples.matches.iter();
    let mut calls: Vec<ToolCall> = examples
        .flat_map(|text| {
            [
                call("Bash", ToolKind::Shell, json!({"command": text})),
                call("Write", ToolKind::Write, json!({"file_path": text, "content": "hello\n"})),
            ]
        })
        .collect();
    for selector in &hook.matcher.selectors {
        if let Selector::Call { commands, .. } = selector {
            for words in commands {
                let words: Vec<String> = words.iter().map(|word| word.as_str().replace('*', "")).collect();
                calls.push(call("Bash", ToolKind::Shell, json!({"command": words.join(" ")})));
            }
        }
    }
    let literals = hook.when.path.iter().chain(&hook.when.command).filter_map(|pattern| pattern.literal());
    let stars =
        hook.when.path.iter().map(|pattern| pattern.as_str().replace("**", "sample").replace('*', "sample"));
    for text in literals.map(str::to_owned).chain(stars) {
        calls.push(call("Write", ToolKind::Write, json!({"file_path": text, "content": "hello\n"})));
        calls.push(call("Bash", ToolKind::Shell, json!({"command": text})));
    }
    calls.extend([
        call("Bash", ToolKind::Shell, json!({"command": "echo hello"})),
        call("Write", ToolKind::Write, json!({"file_path": "hello.txt", "content": "hello\n"})),
        call("Edit", ToolKind::Edit, json!({"file_path": "hello.txt", "old_string": "a", "new_string": "b"})),
        call("Read", ToolKind::Read, json!({"file_path": "hello.txt"})),
        call("Grep", ToolKind::Search, json!({"pattern": "hello"})),
        call("WebFetch", ToolKind::Fetch, json!({"url": "https://example.com", "prompt": "summarise"})),
        call("mcp__sample__tool", ToolKind::Mcp, json!({})),
        call("Agent", ToolKind::Task, json!({"prompt": "look around"})),
    ]);
    for tool in &mut calls {
        tool.call_id = Some("toolu_sample".to_owned());
        if hook.event == EventKind::ToolPost && tool.kind == ToolKind::Shell {
            tool.output =
                Some(json!({"stdout": "hello", "stderr": "", "interrupted": false, "isImage": false}));
            tool.exit_code = Some(0);
        }
    }
    calls
}
