//! Parses a scenario. An unknown block is an error.

use crate::fences::{self, Fence};

/// A scenario.
pub(super) struct Scenario {
    pub(super) blocks: Vec<Block>,
}

/// A fenced block with a meaning.
#[derive(Debug)]
pub(super) struct Block {
    /// The first line, counted from 1.
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Hooks { extension: String },
    Files,
    Payload { agent: String },
    Emit { event: String },
    Server,
    Environment,
    JsonAnswer,
    TextAnswer,
    Refusal,
    Records,
    Check,
}

impl Kind {
    fn read(info: &str) -> Result<Self, String> {
        let words: Vec<&str> = info.split_whitespace().collect();
        match words.as_slice() {
            [extension @ ("yaml" | "toml" | "json"), "hooks"] => {
                Ok(Self::Hooks { extension: (*extension).to_owned() })
            }
            ["sh", "files"] => Ok(Self::Files),
            ["json" | "text", "payload", agent] if agent.starts_with("agent=") => {
                Ok(Self::Payload { agent: agent["agent=".len()..].to_owned() })
            }
            ["json", "emit", event] if event.starts_with("event=") => {
                Ok(Self::Emit { event: event["event=".len()..].to_owned() })
            }
            ["python", "server"] => Ok(Self::Server),
            ["text", "environment"] => Ok(Self::Environment),
            ["json", "answer"] => Ok(Self::JsonAnswer),
            ["text", "answer"] => Ok(Self::TextAnswer),
            ["text", "refusal"] => Ok(Self::Refusal),
            ["text", "records"] => Ok(Self::Records),
            ["sh", "check"] => Ok(Self::Check),
            _ => Err(format!("unknown kind of block `{info}`")),
        }
    }

    fn answers(&self) -> bool {
        matches!(self, Self::JsonAnswer | Self::TextAnswer | Self::Refusal)
    }
}

/// Parses a scenario, or returns its first problem.
pub(super) fn read(markdown: &str) -> Result<Scenario, String> {
    let title = markdown.lines().next().and_then(|line| line.strip_prefix("# "));
    if title.is_none_or(|title| title.split_whitespace().count() < 3) {
        return Err("line 1: the title must be a sentence".to_owned());
    }
    let scenario = Scenario { blocks: blocks(markdown)? };
    in_order(&scenario.blocks)?;
    Ok(scenario)
}

fn blocks(markdown: &str) -> Result<Vec<Block>, String> {
    let meant = fences::parse(markdown).into_iter().filter(|fence| fence.words.len() >= 2);
    let block = |Fence { line, words, text }: Fence| match Kind::read(&words.join(" ")) {
        Ok(kind) => Ok(Block { line, kind, text }),
        Err(problem) => Err(format!("line {line}: {problem}")),
    };
    meant.map(block).collect()
}

/// Each payload is followed by its answer, each answer follows a payload, and there is at least one payload.
fn in_order(blocks: &[Block]) -> Result<(), String> {
    let is_payload = |block: &Block| matches!(block.kind, Kind::Payload { .. } | Kind::Emit { .. });
    if !blocks.iter().any(is_payload) {
        return Err("there is no payload in it".to_owned());
    }
    for (number, block) in blocks.iter().enumerate() {
        if is_payload(block) && blocks.get(number + 1).is_none_or(|next| !next.kind.answers()) {
            return Err(format!("line {}: this payload has no answer", block.line));
        }
        if block.kind.answers() && (number == 0 || !is_payload(&blocks[number - 1])) {
            return Err(format!("line {}: this answer has no payload", block.line));
        }
    }
    Ok(())
}

#[test]
fn invalid_scenario_is_refused() {
    let hooks = "```yaml hooks\nversion: 1\n```\n";
    let payload = "```json payload agent=claude\n{}\n```\n";
    let answer = "```text answer\n```\n";
    let problem = |text: &str| read(text).err().unwrap_or_default();
    for (body, expected) in [
        (hooks.to_owned(), "there is no payload in it"),
        (format!("{hooks}{payload}"), "line 5: this payload has no answer"),
        (format!("{hooks}{answer}{payload}{answer}"), "line 5: this answer has no payload"),
        (
            format!("{payload}{answer}```json anwser\n{{}}\n```\n"),
            "line 7: unknown kind of block `json anwser`",
        ),
        (
            format!("{payload}{answer}```json payload\n{{}}\n```\n"),
            "line 7: unknown kind of block `json payload`",
        ),
        (format!("{payload}{answer}```sh\nprose only\n```\n"), ""),
    ] {
        assert_eq!(problem(&format!("# This is its title\n{body}")), expected, "{body}");
    }
    assert_eq!(problem(&format!("{payload}{answer}")), "line 1: the title must be a sentence");
}
