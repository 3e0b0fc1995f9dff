//! Input of the conformance tests: recorded payloads, and every combination of parts.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tenter_contract::ports::{AgentAdapter, Decoded, Surroundings};
use tenter_contract::{AgentOutcomeParts, AgentVerdict, Answer, Event};

/// Facts about an agent for its tests.
pub(crate) struct Agent {
    name: &'static str,
    fixtures: &'static str,
    /// The field that holds the event's name.
    pub(crate) event_key: &'static str,
    /// Whether its payloads mark the calls of sub-agents.
    pub(crate) tells_sub_agents: bool,
}

/// An agent whose payloads are written by hand.
const fn by_hand(name: &'static str, fixtures: &'static str, event_key: &'static str) -> Agent {
    Agent { name, fixtures, event_key, tells_sub_agents: false }
}

const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        fixtures: "src/claude_code/fixtures",
        event_key: "hook_event_name",
        tells_sub_agents: true,
    },
    Agent { name: "cline", fixtures: "src/cline/fixtures", event_key: "hookName", tells_sub_agents: true },
    Agent {
        name: "codex",
        fixtures: "src/codex/fixtures",
        event_key: "hook_event_name",
        tells_sub_agents: true,
    },
    Agent {
        name: "copilot",
        fixtures: "src/copilot/fixtures",
        event_key: "hook_event_name",
        tells_sub_agents: true,
    },
    Agent {
        name: "gemini",
        fixtures: "src/gemini/fixtures",
        event_key: "hook_event_name",
        tells_sub_agents: false,
    },
    Agent {
        name: "kilo",
        fixtures: "src/kilo/fixtures",
        event_key: "hook_event_name",
        tells_sub_agents: true,
    },
    Agent {
        name: "opencode",
        fixtures: "src/opencode/fixtures",
        event_key: "hook_event_name",
        tells_sub_agents: true,
    },
    Agent {
        name: "qwen",
        fixtures: "src/qwen/fixtures",
        event_key: "hook_event_name",
        tells_sub_agents: false,
    },
    by_hand("cursor", "src/cursor/fixtures", "hook_event_name"),
    by_hand("vscode", "src/vscode/fixtures", "hook_event_name"),
    by_hand("kiro", "src/kiro/fixtures", "hook_event_name"),
    by_hand("amazonq", "src/amazonq/fixtures", "hook_event_name"),
    by_hand("factory", "src/factory/fixtures", "hook_event_name"),
    by_hand("augment", "src/augment/fixtures", "hook_event_name"),
    by_hand("crush", "src/crush/fixtures", "event"),
    by_hand("goose", "src/goose/fixtures", "event"),
    by_hand("kimi", "src/kimi/fixtures", "hook_event_name"),
    by_hand("windsurf", "src/windsurf/fixtures", "agent_action_name"),
    by_hand("devin", "src/devin/fixtures", "hook_event_name"),
    by_hand("antigravity", "src/antigravity/fixtures", "hook_event_name"),
    by_hand("amp", "src/amp/fixtures", "amp_event"),
];

impl Agent {
    /// How often the reason of a deny is in such an answer: Cursor has a place for the user and one for the agent,
    /// and which of them the agent reads depends on the program.
    pub(crate) fn reasons(&self, answer: &str) -> usize {
        if answer.contains("agent_message") { 2 } else { 1 }
    }

    /// Whether an answer leaves the agent alone. Antigravity takes silence for a deny before a tool, and there alone.
    pub(crate) fn leaves_alone(&self, adapter: &dyn AgentAdapter, answer: &Answer) -> bool {
        *answer == adapter.silence() || (self.name == "antigravity" && answer.stdout == b"{}\n")
    }
}

/// The facts about the agent of an adapter.
pub(crate) fn agent(adapter: &dyn AgentAdapter) -> &'static Agent {
    let name = adapter.name();
    AGENTS.iter().find(|agent| agent.name == name.as_str()).expect("every agent has fixtures")
}

/// A recorded payload.
pub(crate) struct Recorded {
    /// The file's name.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) payload: Vec<u8>,
}

impl Recorded {
    /// The payload as an object that can be changed.
    pub(crate) fn object(&self) -> Map<String, Value> {
        serde_json::from_slice(&self.payload).unwrap()
    }
}

/// Every recorded payload of an agent, in the order of their names.
#[expect(clippy::disallowed_methods, reason = "the crate looks at nothing; its tests look at its fixtures")]
pub(crate) fn recorded(adapter: &dyn AgentAdapter) -> Vec<Recorded> {
    let name = adapter.name();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(agent(adapter).fixtures);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(!files.is_empty(), "no payloads in {}", folder.display());
    files
        .iter()
        .map(|file| Recorded {
            name: format!("{name}/{}", file.file_name().unwrap().to_string_lossy()),
            payload: std::fs::read(file).unwrap(),
        })
        .collect()
}

/// One recorded payload of an agent.
#[expect(clippy::disallowed_methods, reason = "the crate does no I/O; its tests read its fixtures")]
pub(crate) fn recorded_file(adapter: &dyn AgentAdapter, name: &str) -> Recorded {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(agent(adapter).fixtures);
    let payload = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
    Recorded { name: format!("{}/{name}.json", adapter.name()), payload }
}

/// The event of a payload that must decode.
pub(crate) fn event(adapter: &dyn AgentAdapter, name: &str, payload: &[u8]) -> Event {
    match adapter.decode(payload, &Surroundings::default()) {
        Ok(Decoded::Event(event)) => *event,
        Ok(Decoded::NotForUs) => panic!("{name} is a recorded event"),
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Words that occur nowhere else, one for each part.
pub(crate) const REASON: &str = "REASON-1";
pub(crate) const INPUT: &str = "INPUT-2";
pub(crate) const OUTPUT: &str = "OUTPUT-3";
pub(crate) const PROMPT: &str = "NEW-PROMPT-4";
pub(crate) const CONTEXT: &str = "CONTEXT-5";
pub(crate) const MESSAGE: &str = "MESSAGE-6";
pub(crate) const STOP: &str = "STOP-7";

/// Every verdict with every combination of parts, whether it fits anywhere or not.
pub(crate) fn combinations(event: &Event) -> Vec<AgentOutcomeParts> {
    let reason = || REASON.to_owned();
    let input = || {
        let mut input = event.tool.as_ref().map(|tool| tool.input.clone()).unwrap_or_default();
        input.insert("command".to_owned(), json!(INPUT));
        input
    };
    let verdicts = [
        AgentVerdict::Silent,
        AgentVerdict::Allow { reason: None },
        AgentVerdict::Allow { reason: Some(reason()) },
        AgentVerdict::Ask { prompt: reason() },
        AgentVerdict::Deny { reason: reason() },
    ];
    let mut all = Vec::new();
    for verdict in verdicts {
        for bits in 0..128_u8 {
            let with = |bit: u8| bits & (1 << bit) != 0;
            all.push(AgentOutcomeParts {
                verdict: verdict.clone(),
                input: with(0).then(input),
                output: with(1).then(|| json!(OUTPUT)),
                prompt: with(2).then(|| PROMPT.to_owned()),
                data: None,
                context: with(3).then(|| CONTEXT.to_owned()),
                message: with(4).then(|| MESSAGE.to_owned()),
                suppress: with(5),
                stop: with(6).then(|| STOP.to_owned()),
            });
        }
    }
    all
}

/// The words that an answer with these parts must contain.
pub(crate) fn words(parts: &AgentOutcomeParts) -> Vec<(&'static str, bool)> {
    let reason = match &parts.verdict {
        AgentVerdict::Silent | AgentVerdict::Allow { reason: None } => false,
        AgentVerdict::Allow { reason: Some(_) } | AgentVerdict::Ask { .. } | AgentVerdict::Deny { .. } => {
            true
        }
    };
    vec![
        (REASON, reason),
        (INPUT, parts.input.is_some()),
        (OUTPUT, parts.output.is_some()),
        (PROMPT, parts.prompt.is_some()),
        (CONTEXT, parts.context.is_some()),
        (MESSAGE, parts.message.is_some()),
    ]
}
