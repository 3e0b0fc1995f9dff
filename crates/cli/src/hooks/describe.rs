//! Describes a hook as JSON and on one line.

use serde_json::{Map, Value, json};
use tenter_contract::reply::seconds;
use tenter_contract::{
    Command, Dialect, EnvInheritance, ExecutionMode, Handler, HookSpec, InjectOutput, LeftoverProcesses,
    Matcher, Mcp, McpWanted, OnFailure, Pattern, Python, Selector, Template, When,
};

use crate::listing::typed;

pub(crate) fn as_json(hook: &HookSpec) -> Value {
    json!({
        "hook": hook.id.address(),
        "description": hook.description,
        "event": hook.event.as_str(),
        "does": hook.handler.kind(),
        hook.handler.kind(): handler(&hook.handler),
        "matcher": matcher_text(&hook.matcher),
        "when": when(&hook.when),
        "agents": patterns(&hook.agents),
        "priority": hook.priority,
        "timeout": hook.timeout.as_secs_f64(),
        "inject_output": inject_output(hook.inject_output),
        "once": hook.once.as_str(),
        "every": hook.every,
        "after": hook.after,
        "cache": hook.cache.as_ref().map(|cache| json!({
            "ttl": seconds(cache.ttl),
            "key": cache.key.iter().map(Template::as_str).collect::<Vec<_>>(),
            "files": cache.files,
        })),
        "parallel": hook.execution_mode == ExecutionMode::Parallel,
        "background": hook.execution_mode == ExecutionMode::Background,
        "detach": hook.remains == LeftoverProcesses::Detached,
        "on_failure": on_failure(hook.on_failure),
        "rejudge": hook.rejudge,
        "may_allow": hook.may_allow,
        "role": hook.role.as_str(),
        "strategy": hook.strategy.as_str(),
        "ephemeral": hook.defaults.ephemeral,
        "repeat": hook.defaults.repeat.as_str(),
        "suppress_output": hook.defaults.suppress_output,
        "max_output": hook.max_output,
        "cwd": hook.cwd,
        "dialect": Some(hook.dialect).filter(|it| *it != Dialect::Tenter).map(Dialect::as_str),
        "env": hook.env.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "inherit_env": match &hook.inherit_env {
            EnvInheritance::All => json!("all"),
            EnvInheritance::Minimal => json!("minimal"),
            EnvInheritance::Named(names) => json!(names),
        },
        "where": format!("{}:{}", hook.source.file, hook.source.line),
    })
}

pub(crate) fn runs(hook: &HookSpec) -> String {
    let what = match &hook.handler {
        Handler::Command(Command::Argv(words)) => {
            let words: Vec<String> = words.iter().map(|word| typed(word.as_str())).collect();
            words.join(" ")
        }
        other => plain(&handler(other)),
    };
    format!("{}: {what}", hook.handler.kind())
}

fn handler(handler: &Handler) -> Value {
    match handler {
        Handler::Command(Command::Shell(line)) => json!(line.as_str()),
        Handler::Command(Command::Argv(words)) => {
            json!(words.iter().map(Template::as_str).collect::<Vec<_>>())
        }
        Handler::Script(path) => json!(path),
        Handler::Inject(text) | Handler::Deny(text) | Handler::Message { text, .. } => json!(text.as_str()),
        Handler::Ask(ask) => json!(ask.prompt.as_str()),
        Handler::Http(http) => json!(http.url.as_str()),
        Handler::Mcp(mcp) => json!(mcp_target(mcp)),
        Handler::Python(Python { function, interpreter: None, keep: None }) => json!(function),
        Handler::Python(Python { function, interpreter, keep }) => {
            let mut shown = json!({ "function": function });
            if let Some(interpreter) = interpreter {
                shown["interpreter"] = json!(interpreter);
            }
            if let Some(keep) = keep {
                shown["keep"] = json!(seconds(*keep));
            }
            shown
        }
        Handler::Builtin(builtin) if builtin.options.is_empty() => json!(builtin.name),
        Handler::Builtin(builtin) => json!({ "name": builtin.name, "options": builtin.options }),
        Handler::InProcess => Value::Null,
    }
}

fn mcp_target(mcp: &Mcp) -> String {
    let server = &mcp.server.name;
    match &mcp.wanted {
        McpWanted::Tool { name, .. } => format!("{server}/{name}"),
        McpWanted::Resource { uri } => format!("{server}: resource {}", uri.as_str()),
        McpWanted::Prompt { name, .. } => format!("{server}: prompt {name}"),
    }
}

fn when(when: &When) -> Value {
    let When { path, command, prompt, cwd, agent, exit_code, branch, env, file_exists, layer } = when;
    let conditions = [
        ("path", path),
        ("command", command),
        ("prompt", prompt),
        ("cwd", cwd),
        ("agent", agent),
        ("exit_code", exit_code),
        ("branch", branch),
        ("layer", layer),
    ];
    let present = conditions.into_iter().filter(|(_, patterns)| !patterns.is_empty());
    let mut shown: Map<String, Value> =
        present.map(|(name, list)| (name.to_owned(), json!(patterns(list)))).collect();
    if !env.is_empty() {
        let variables = env.iter().map(|(name, list)| (name.clone(), json!(patterns(list))));
        shown.insert("env".to_owned(), Value::Object(variables.collect()));
    }
    if !file_exists.is_empty() {
        shown.insert("file_exists".to_owned(), json!(file_exists));
    }
    Value::Object(shown)
}

fn patterns(patterns: &[Pattern]) -> Vec<&str> {
    patterns.iter().map(Pattern::as_str).collect()
}

fn inject_output(inject: InjectOutput) -> Option<&'static str> {
    match inject {
        InjectOutput::Unstated => None,
        InjectOutput::Never => Some("never"),
        InjectOutput::Success => Some("success"),
        InjectOutput::Failure => Some("failure"),
        InjectOutput::Always => Some("always"),
    }
}

fn on_failure(policy: OnFailure) -> Value {
    if policy.timeout == policy.error && policy.error == policy.missing {
        return json!(policy.error.as_str());
    }
    json!({"timeout": policy.timeout.as_str(), "error": policy.error.as_str(), "missing": policy.missing.as_str()})
}

/// The text of a matcher.
pub(crate) fn matcher_text(matcher: &Matcher) -> String {
    let piece = |selector: &Selector| match selector {
        Selector::Name(pattern) => pattern.as_str().to_owned(),
        Selector::Call { tool, commands } => {
            let words =
                |command: &Vec<Pattern>| command.iter().map(Pattern::as_str).collect::<Vec<_>>().join(" ");
            format!("{}({})", tool.as_str(), commands.iter().map(words).collect::<Vec<_>>().join("|"))
        }
    };
    matcher.selectors.iter().map(piece).collect::<Vec<_>>().join("|")
}

pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key}: {}", plain(value))).collect::<Vec<_>>().join("; ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
