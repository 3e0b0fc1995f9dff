//! The reply of a model.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
    /// Why it ends there.
    pub stop: StopReason,
    /// Its usage.
    pub usage: Usage,
}

/// A part of a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Text.
    Text(String),
    /// A tool to be called.
    Call(ToolUse),
    /// A value of one API, such as thoughts and their signature, that it wants back unchanged. Other APIs do not get it.
    Kept(Value),
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The id of its result.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its input.
    pub input: Map<String, Value>,
    /// The error in an input that cannot be read. Such a call is not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// Why a reply ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The reply is complete.
    #[default]
    End,
    /// Tools are to be called.
    Calls,
    /// The tokens ran out. A call that was incomplete then is left out.
    Length,
    /// The model, or a filter, refuses to answer.
    Refused,
    /// Another reason of the API.
    Other(String),
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens read, cached ones included.
    pub input: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// Input tokens from the prompt cache.
    pub cache_read: u64,
    /// Input tokens written to the prompt cache.
    pub cache_written: u64,
}

impl ToolUse {
    /// A call whose input can be read.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: Map<String, Value>) -> Self {
        Self { id: id.into(), name: name.into(), input, unread: None }
    }
}

impl Reply {
    /// The whole text.
    pub fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            Block::Call(_) | Block::Kept(_) => None,
        });
        texts.collect()
    }

    /// Its calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolUse> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            Block::Text(_) | Block::Kept(_) => None,
        })
    }
}
