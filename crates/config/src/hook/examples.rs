//! Examples: what a hook must and must not match, checked when its file is loaded.
//!
//! They are the only test most hooks ever get, so they run through the same code that matches events.

use serde_json::{Map, Value};
use tenter_contract::{
    AgentName, Event, EventKind, Examples, HookSpec, Selector, Timestamp, ToolCall, ToolKind,
};
use tenter_kernel::matching::concerns;

use super::{conditions, suspicion};
use crate::fields::{Field, Fields};
use crate::problem::{Expected, Findings, ProblemKind};
use crate::tree::shortened;
use crate::values;

const KEYS: &str = "matches ignores";

/// Reads the examples into the hook and checks each of them.
pub(super) fn read(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    let Some(field) = fields.get("examples") else { return };
    let Some(fields) = findings.keep(Fields::from_field(&field, "examples")) else { return };
    fields.check(KEYS, findings);
    let matches = texts(&fields, "matches", findings);
    let ignores = texts(&fields, "ignores", findings);
    hook.examples = Examples { matches: plain(&matches), ignores: plain(&ignores) };

    let Some(about) = ExampleTarget::of_hook(hook) else {
        return findings.add(field.key_place, ProblemKind::ExamplesUncheckable);
    };
    let judge = by_subject_alone(hook);
    let concerned = |text: &str| about.events(&judge, text).iter().any(|event| concerns(&judge, event));
    for (text, field) in &matches {
        if !concerned(text) {
            findings.add(field.node.place, ProblemKind::ExampleMissed { example: shortened(text) });
        }
    }
    for (text, field) in &ignores {
        if concerned(text) {
            findings.add(field.node.place, ProblemKind::ExampleHit { example: shortened(text) });
        }
    }
}

fn texts<'a>(fields: &Fields<'a>, key: &str, findings: &mut Findings) -> Vec<(&'a str, Field<'a>)> {
    let read = fields.read(key, findings, |field| {
        let items = values::items(field, Expected::List)?;
        items.into_iter().map(|item| Ok((values::text(&item)?, item))).collect()
    });
    read.unwrap_or_default()
}

fn plain(examples: &[(&str, Field<'_>)]) -> Vec<String> {
    examples.iter().map(|(text, _)| (*text).to_owned()).collect()
}

/// An example says nothing about agent, place or exit code, so it is not judged by them.
fn by_subject_alone(hook: &HookSpec) -> HookSpec {
    let mut judge = hook.clone();
    judge.agents.clear();
    judge.when.agent.clear();
    judge.when.cwd.clear();
    judge.when.exit_code.clear();
    judge.when.branch.clear();
    judge.when.env.clear();
    judge.when.file_exists.clear();
    judge.when.layer.clear();
    judge
}

/// What the examples of a hook are.
enum ExampleTarget {
    Commands,
    Paths,
    Prompts,
}

impl ExampleTarget {
    fn of_hook(hook: &HookSpec) -> Option<Self> {
        if hook.event == EventKind::PromptSubmit {
            return Some(Self::Prompts);
        }
        if !conditions::is_about_a_tool(&hook.event) {
            return None;
        }
        let calls = hook.matcher.selectors.iter().any(|selector| match selector {
            Selector::Call { .. } => true,
            Selector::Name(_) => false,
        });
        if calls || !hook.when.command.is_empty() {
            return Some(Self::Commands);
        }
        if !hook.when.path.is_empty() {
            return Some(Self::Paths);
        }
        let selects_shell = hook.matcher.selectors.iter().any(|selector| match selector {
            Selector::Name(pattern) => pattern.matches("Bash") || pattern.matches(ToolKind::Shell.as_str()),
            Selector::Call { .. } => false,
        });
        selects_shell.then_some(Self::Commands)
    }

    /// The events that an example represents: a path can be written, edited or read.
    fn events(&self, hook: &HookSpec, text: &str) -> Vec<Event> {
        match self {
            Self::Prompts => {
                let mut event = event(hook);
                event.prompt = Some(text.to_owned());
                vec![event]
            }
            Self::Commands => tool_events(hook, &[("Bash", ToolKind::Shell)], "command", text),
            Self::Paths => {
                let tools = [
                    ("Write", ToolKind::Write),
                    ("Edit", ToolKind::Edit),
                    ("MultiEdit", ToolKind::Edit),
                    ("NotebookEdit", ToolKind::Edit),
                    ("Read", ToolKind::Read),
                ];
                tool_events(hook, &tools, "file_path", text)
            }
        }
    }
}

/// One event for each tool, also under the names that only some agent uses, if the matcher speaks of them.
fn tool_events(hook: &HookSpec, tools: &[(&str, ToolKind)], key: &str, text: &str) -> Vec<Event> {
    let native_names: Vec<&str> = hook
        .matcher
        .selectors
        .iter()
        .filter_map(|selector| match selector {
            Selector::Name(pattern) | Selector::Call { tool: pattern, .. } => pattern.literal(),
        })
        .filter(|name| !suspicion::is_ours(name))
        .collect();
    let mut events = Vec::new();
    for (name, kind) in tools {
        let input = Map::from_iter([(key.to_owned(), Value::from(text))]);
        let call = ToolCall::new(name, *kind, input);
        for native_name in std::iter::once(*name).chain(native_names.iter().copied()) {
            let mut event = event(hook);
            event.tool = Some(ToolCall { native_name: native_name.to_owned(), ..call.clone() });
            events.push(event);
        }
    }
    events
}

fn event(hook: &HookSpec) -> Event {
    Event::new(hook.event.clone(), AgentName::from_static("tenter"), None, Timestamp::default())
}
