//! A ruling as it lies in the file of its call.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenter_contract::ports::Ruling;
use tenter_contract::{Decision, HookId, Layer, OutputPatch, Patch, Question, Rewrite, Source, Timestamp};
use tenter_protocol::v1::inquiry::AskerV1;

/// One line of JSON. The end of the line is part of it: without one, the rest is missing.
pub(super) fn write(ruling: &Ruling) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Wire::of(ruling))?;
    line.push(b'\n');
    Ok(line)
}

/// Reads it, if it is whole and says nothing that this version does not know.
pub(super) fn read(bytes: &[u8]) -> Option<Ruling> {
    let line = bytes.strip_suffix(b"\n")?;
    serde_json::from_slice::<Wire>(line).ok()?.ruling()
}

#[derive(Serialize, Deserialize)]
struct Wire {
    first: u64,
    decision: DecisionWire,
    rewrites: Vec<(Author, RewriteWire)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DecisionWire {
    Abstain,
    Allow { by: HookWire, reason: Option<String> },
    Ask { askers: Vec<AskerV1> },
    Deny { by: Author, reason: String },
}

/// The whole of what was rewritten.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RewriteWire {
    ToolInput(Map<String, Value>),
    ToolOutput(Value),
    Prompt(String),
    Data(Map<String, Value>),
}

/// Who says so, as the texts in `pending/` have it too.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Author {
    Hook(HookWire),
    Desk,
    Tenter,
}

#[derive(Serialize, Deserialize)]
pub(super) struct HookWire {
    layer: String,
    name: String,
}

impl HookWire {
    fn of(HookId { layer, name }: &HookId) -> Self {
        Self { layer: layer.as_str().to_owned(), name: name.clone() }
    }

    fn id(self) -> Option<HookId> {
        Some(HookId::new(Layer::parse(&self.layer)?, self.name))
    }
}

impl Author {
    pub(super) fn of(source: &Source) -> Self {
        match source {
            Source::Hook(hook) => Self::Hook(HookWire::of(hook)),
            Source::Desk => Self::Desk,
            Source::Tenter => Self::Tenter,
        }
    }

    pub(super) fn source(self) -> Option<Source> {
        Some(match self {
            Self::Hook(hook) => Source::Hook(hook.id()?),
            Self::Desk => Source::Desk,
            Self::Tenter => Source::Tenter,
        })
    }
}

impl Wire {
    fn of(Ruling { first, decision, rewrites }: &Ruling) -> Self {
        let decision = match decision {
            Decision::Abstain => DecisionWire::Abstain,
            Decision::Allow { by, reason } => {
                DecisionWire::Allow { by: HookWire::of(by), reason: reason.clone() }
            }
            Decision::Ask(question) => {
                DecisionWire::Ask { askers: question.askers.iter().map(AskerV1::of).collect() }
            }
            Decision::Deny { by, reason } => {
                DecisionWire::Deny { by: Author::of(by), reason: reason.clone() }
            }
        };
        let rewrites = rewrites
            .iter()
            .map(|(by, rewrite)| {
                let rewrite = match rewrite {
                    Rewrite::ToolInput(Patch::Replace(whole) | Patch::Merge(whole)) => {
                        RewriteWire::ToolInput(whole.clone())
                    }
                    Rewrite::ToolOutput(OutputPatch::Replace(whole) | OutputPatch::Merge(whole)) => {
                        RewriteWire::ToolOutput(whole.clone())
                    }
                    Rewrite::Prompt(whole) => RewriteWire::Prompt(whole.clone()),
                    Rewrite::Data(Patch::Replace(whole) | Patch::Merge(whole)) => {
                        RewriteWire::Data(whole.clone())
                    }
                };
                (Author::of(by), rewrite)
            })
            .collect();
        Self { first: first.unix_ms, decision, rewrites }
    }

    fn ruling(self) -> Option<Ruling> {
        let decision = match self.decision {
            DecisionWire::Abstain => Decision::Abstain,
            DecisionWire::Allow { by, reason } => Decision::Allow { by: by.id()?, reason },
            DecisionWire::Ask { askers } => {
                Decision::Ask(Question::of(askers.iter().map(AskerV1::asker).collect::<Option<_>>()?)?)
            }
            DecisionWire::Deny { by, reason } => Decision::Deny { by: by.source()?, reason },
        };
        let rewrite = |(by, rewrite): (Author, RewriteWire)| {
            let rewrite = match rewrite {
                RewriteWire::ToolInput(whole) => Rewrite::ToolInput(Patch::Replace(whole)),
                RewriteWire::ToolOutput(whole) => Rewrite::ToolOutput(OutputPatch::Replace(whole)),
                RewriteWire::Prompt(whole) => Rewrite::Prompt(whole),
                RewriteWire::Data(whole) => Rewrite::Data(Patch::Replace(whole)),
            };
            Some((by.source()?, rewrite))
        };
        Some(Ruling {
            first: Timestamp::from_unix_ms(self.first),
            decision,
            rewrites: self.rewrites.into_iter().map(rewrite).collect::<Option<_>>()?,
        })
    }
}
