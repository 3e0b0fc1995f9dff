//! `tenter explain`, the agent's reply, the ledger and the trail agree about injected texts: the same hooks, the
//! same bytes, the same sections.

use std::fs;

use regex_lite::Regex;
use serde_json::{Value, json};

use crate::records;
use crate::world::World;

/// A text that reached the agent, according to one of the four sources.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrived {
    hook: String,
    bytes: u64,
    /// The full length, if it is larger.
    full_length: Option<u64>,
}

impl Arrived {
    fn new(hook: &str, bytes: u64, full_length: Option<u64>) -> Self {
        Self {
            hook: hook.to_owned(),
            bytes,
            full_length: full_length.filter(|full_length| *full_length > bytes),
        }
    }
}

/// A machine, and the read positions in its ledger and trail.
struct Scene {
    world: World,
    entries: usize,
    records: usize,
    events: usize,
}

impl Scene {
    fn with(hooks: &str) -> Self {
        let world = World::with_hooks(&format!("version: 1\n{hooks}"));
        Self { world, entries: 0, records: 0, events: 0 }
    }

    /// Sends an event and compares the four sources. Returns the status of each text: `lint given`.
    fn send_event(&mut self, event: &str) -> Vec<String> {
        self.events += 1;
        let id = self.events;
        let payload = json!({
            "session_id": "s1", "hook_event_name": event, "cwd": "/", "prompt_id": "p", "trigger": "auto",
            "tool_name": "Bash", "tool_input": {"command": format!("echo {id}")}, "tool_use_id": format!("t{id}"),
            "tool_response": {"stdout": "", "stderr": "", "interrupted": false},
        });
        let ran = self.world.claude(&payload.to_string()).run();
        let context = if ran.stdout.is_empty() { String::new() } else { ran.field(CONTEXT) };

        let ledger = self.ledger();
        let delivered: Vec<&Value> = ledger.iter().filter(|entry| entry["bytes"] != 0).collect();
        let in_ledger: Vec<Arrived> = delivered
            .iter()
            .map(|it| Arrived::new(hook_name(&it["hook"]), number(&it["bytes"]), it["said"].as_u64()))
            .collect();
        let records = self.recorded();
        let in_records: Vec<Arrived> = records
            .iter()
            .map(|it| {
                let full_length = it["injection"]["whole_size"].as_u64();
                Arrived::new(hook_name(&it["hook_name"]), number(&it["injection_size"]), full_length)
            })
            .collect();
        assert_eq!(in_ledger, in_records, "the ledger and the records");
        let only = (in_records.len() == 1).then(|| &in_records[0]);
        assert_eq!(sections(&context, only), in_records, "the agent and the records: {context}");
        assert_eq!(self.explained(&records), in_records, "`tenter explain` and the records");
        for record in &records {
            // A record has only the beginning of a text above 16 KiB.
            let text = record["content"].as_str().unwrap();
            let full_length = text.len() as u64 == number(&record["injection_size"]);
            let kept: String = text.chars().take(if full_length { usize::MAX } else { 400 }).collect();
            assert!(context.contains(&kept), "{record}");
        }
        ledger
            .iter()
            .map(|it| format!("{} {}", hook_name(&it["hook"]), it["status"].as_str().unwrap()))
            .collect()
    }

    /// New lines of the ledger.
    fn ledger(&mut self) -> Vec<Value> {
        let sessions = fs::read_dir(self.world.state().join("tenter/sessions")).unwrap();
        let session = sessions.map(|folder| folder.unwrap().path()).next().unwrap();
        let text = fs::read_to_string(session.join("ledger/entries")).unwrap();
        let new = text.lines().skip(self.entries).map(|line| serde_json::from_str(line).unwrap());
        let new: Vec<Value> = new.collect();
        self.entries += new.len();
        new
    }

    /// New records of texts.
    fn recorded(&mut self) -> Vec<Value> {
        let mut new = records::read(&self.world).split_off(self.records);
        self.records += new.len();
        new.retain(|record| record["event"] == "hook:context_injection");
        new
    }

    /// The texts that `tenter explain` shows for the last event, in record order.
    fn explained(&self, records: &[Value]) -> Vec<Arrived> {
        let asked = Regex::new(r"^    \d+\.  user/(\S+)").unwrap();
        let arrived =
            Regex::new(r"^ {4,7}(\S.*?) +(\d+)(?: of (\d+))? bytes?(?:, [a-z ]+)? \(record (\d+)\): (.*)")
                .unwrap();
        let output = self.world.tenter(&["explain", "last"]).run().stdout;
        let mut hook = "";
        let mut all = Vec::new();
        for line in output.lines() {
            if let Some(found) = asked.captures(line) {
                hook = found.get(1).unwrap().as_str();
            } else if let Some(found) = arrived.captures(line) {
                let at = |group: usize| found.get(group).map(|it| it.as_str());
                // The line itself names a hook of an earlier event.
                let hook = if at(1) == Some("into the context,") { hook } else { at(1).unwrap() };
                let seq = at(4).unwrap().parse::<u64>().unwrap();
                let record = records.iter().find(|record| record["seq"] == seq);
                let text = record.unwrap_or_else(|| panic!("{line}"))["content"].as_str().unwrap();
                let beginning: String = text.trim_end().chars().take(300).collect();
                let more = if text.trim_end().chars().count() > 300 { "…" } else { "" };
                assert_eq!(at(5).unwrap(), format!("{beginning}{more}").replace('\n', "⏎ "), "{line}");
                let full_length = at(3).map(|full_length| full_length.parse().unwrap());
                all.push((seq, Arrived::new(hook, at(2).unwrap().parse().unwrap(), full_length)));
            }
        }
        all.sort();
        all.into_iter().map(|(_, arrived)| arrived).collect()
    }
}

const CONTEXT: &str = "/hookSpecificOutput/additionalContext";

/// The sections of the agent's message, by heading and by length. A single text has no heading.
fn sections(context: &str, only: Option<&Arrived>) -> Vec<Arrived> {
    let Some(mut rest) = context.strip_prefix("Hook feedback:\n\n") else {
        let Some(only) = only else {
            assert_eq!(context, "");
            return Vec::new();
        };
        let text = context.strip_suffix(" ... truncated").unwrap_or(context);
        let text = text.rsplit_once("\n\n… [").map_or(text, |(text, _)| text);
        return vec![Arrived {
            bytes: text.len() as u64,
            hook: only.hook.clone(),
            full_length: only.full_length,
        }];
    };
    let heading = Regex::new(r"^From (\S+) \((\d+)(?: of (\d+))? bytes\):\n").unwrap();
    let unchanged = Regex::new(r"^From (\S+): unchanged since the last report").unwrap();
    let mut all = Vec::new();
    while !rest.is_empty() && !rest.starts_with("… [") {
        let (hook, bytes, full_length, behind) = if let Some(found) = heading.captures(rest) {
            let at = |group: usize| found.get(group).map(|it| it.as_str().parse::<u64>().unwrap());
            let bytes = at(2).unwrap();
            let text = &rest[found.get(0).unwrap().end()..];
            (found.get(1).unwrap().as_str(), bytes, at(3), &text[usize::try_from(bytes).unwrap()..])
        } else {
            let found = unchanged.captures(rest).unwrap_or_else(|| panic!("no heading: {rest}"));
            let line = found.get(0).unwrap();
            // The line does not contain the length of the unchanged text.
            (found.get(1).unwrap().as_str(), line.len() as u64, Some(UNKNOWN_LENGTH), &rest[line.end()..])
        };
        all.push(Arrived::new(hook, bytes, full_length));
        let behind = behind.strip_prefix(" ... truncated").unwrap_or(behind);
        rest = behind.strip_prefix("\n\n").unwrap_or(behind);
        assert!(behind.is_empty() || rest.len() < behind.len(), "a section is longer than it says: {behind}");
    }
    all
}

/// The length of texts that are reported as unchanged.
const UNKNOWN_LENGTH: u64 = 12_000;

fn hook_name(hook: &Value) -> &str {
    let hook = hook.as_str().unwrap();
    hook.split_once('/').map_or(hook, |(_, name)| name)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// A command that prints this many bytes of two-byte letters.
fn print_bytes(bytes: usize) -> String {
    format!("printf 'é%.0s' $(seq {})", bytes / 2)
}

#[test]
fn explain_matches_single_and_repeated_text() {
    let hooks = "hooks:\n  tool:post:\n    - { name: lint, command: \"printf 'a.py:1: \\\\303\\\\251 is not used\\n\\nand more than a line of ours is long\\n'\", inject_output: always }\n";
    let mut scene = Scene::with(hooks);
    assert_eq!(scene.send_event("PostToolUse"), ["lint delivered"]);
    assert_eq!(scene.send_event("PostToolUse"), ["lint one line"]);
}

#[test]
fn explain_matches_three_texts_in_one_message() {
    let mut scene = Scene::with(
        r#"hooks:
  tool:post:
    - { name: lint, command: "echo '1 problem'", inject_output: always }
    - { name: types, command: "printf %s '{\"inject\": [\"none found\\n\\n\", \"é\"]}'" }
    - { name: rules, inject: "Tests come first." }
"#,
    );
    assert_eq!(
        scene.send_event("PostToolUse"),
        ["lint delivered", "types delivered", "types delivered", "rules delivered"]
    );
}

/// By a limit of the hook file, and by what Claude Code takes at once, alone and with others.
#[test]
fn explain_matches_spilled_and_truncated_texts() {
    let hooks = |limits: &str, bytes: usize, other_hook: &str| {
        let (one, other) = (print_bytes(bytes), print_bytes(9_000));
        format!(
            "limits: {{ turn_tokens: 100000, {limits} }}\nhooks:\n  tool:post:\n    - {{ name: big, command: \"{one}\", inject_output: always }}\n{other_hook}    - {{ name: other, matcher: Bash, when: {{ command: '/echo [23]/' }}, command: \"{other}\", inject_output: always, repeat: always }}\n"
        )
    };
    let mut spilled = Scene::with(&hooks("over_limit: spill", 12_000, ""));
    assert_eq!(spilled.send_event("PostToolUse"), ["big spilled"]);
    assert_eq!(spilled.send_event("PostToolUse"), ["big one line", "other delivered"]);
    let mut truncated = Scene::with(&hooks("over_limit: truncate, injection_bytes: 2000", 12_000, ""));
    assert_eq!(truncated.send_event("PostToolUse"), ["big truncated"]);
    assert_eq!(truncated.send_event("PostToolUse"), ["big one line", "other truncated"]);
    let other_hook = "    - { name: short, inject: \"é\\n\" }\n";
    let mut together = Scene::with(&hooks("injection_bytes: 64KiB, over_limit: spill", 24_000, other_hook));
    assert_eq!(together.send_event("PostToolUse"), ["big spilled", "short delivered"]);
}

/// Claude Code accepts no context right after a compaction, so the text waits for an event without a reply of its hook.
#[test]
fn explain_matches_deferred_and_omitted_texts() {
    let mut scene = Scene::with(
        "hooks:\n  context:post_compact:\n    - { name: keep, inject: \"Keep the plan.\\n\" }\n  tool:pre:\n    - { name: rules, inject: \"Tests come first.\" }\n",
    );
    assert_eq!(scene.send_event("PostCompact"), ["keep deferred"]);
    assert_eq!(scene.send_event("PreToolUse"), ["keep delivered", "rules delivered"]);
    assert_eq!(scene.send_event("PreToolUse"), ["rules left out"]);
}

/// A text that no model received is not shown as injected, and budget warnings are shown.
#[test]
fn explain_shows_rejected_texts_and_budget_warnings() {
    let long = "x".repeat(12_000);
    let world = World::with_hooks(&format!(
        "version: 1\nhooks:\n  prompt:submit:\n    - {{ name: long, command: \"cat reply.json\" }}\n    - {{ name: usual, inject: \"{}\" }}\nlimits: {{ turn_tokens: 10 }}\n",
        "y".repeat(400)
    ));
    std::fs::write(world.project().join("reply.json"), format!("{{\"inject\": \"{long}\"}}")).unwrap();
    world.claude(&crate::world::event("UserPromptSubmit")).folder(&world.project()).run();
    let output = world.tenter(&["explain", "1"]).run().stdout;
    assert!(output.contains("wants to inject 12000 bytes as system (rejected)"), "{output}");
    assert!(output.contains("injects 400 bytes as system"), "{output}");
    assert!(output.contains("the budget is 10"), "{output}");
}
