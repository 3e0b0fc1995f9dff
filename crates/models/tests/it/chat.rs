//! A conversation with a model that records every piece.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_models::client::{
    Conversation, Item, Model, ModelError, Reply, ReplyPiece, Request, RetryPolicy, ScriptedModel, StopFlag,
    ToolDefinition, ToolResult,
};
use tenter_models::{Api, Script, ServerOptions};

/// A model of a test, by itself or boxed.
pub(crate) trait AsModel {
    fn as_model(&self) -> &dyn Model;
}

impl AsModel for ScriptedModel {
    fn as_model(&self) -> &dyn Model {
        self
    }
}

impl AsModel for &ScriptedModel {
    fn as_model(&self) -> &dyn Model {
        *self
    }
}

impl AsModel for Box<dyn Model> {
    fn as_model(&self) -> &dyn Model {
        &**self
    }
}

/// A conversation with a model, and all pieces of its replies.
pub(crate) struct Chat<M> {
    pub(crate) model: M,
    pub(crate) conversation: Conversation,
    pub(crate) received: Vec<String>,
    pub(crate) stop: StopFlag,
}

/// Retries for a test.
pub(crate) fn patience() -> RetryPolicy {
    let millis = Duration::from_millis;
    RetryPolicy {
        silence: millis(60_000),
        longest_reply: millis(600_000),
        tries: 3,
        first_wait: millis(10),
        longest_wait: millis(5000),
    }
}

impl Chat<ScriptedModel> {
    /// A model that plays this script in this API.
    pub(crate) fn script(api: Api, script: &str) -> Self {
        Self::script_with(api, script, patience())
    }

    /// The same with another retry policy.
    pub(crate) fn script_with(api: Api, script: &str, patience: RetryPolicy) -> Self {
        Self::started(script, ServerOptions { api: Some(api), ..ServerOptions::default() }, patience)
    }

    /// The same with every request recorded.
    pub(crate) fn recorded(api: Api, script: &str, folder: &Path) -> Self {
        let options =
            ServerOptions { api: Some(api), record: Some(folder.to_owned()), ..ServerOptions::default() };
        Self::started(script, options, patience())
    }

    fn started(script: &str, options: ServerOptions, patience: RetryPolicy) -> Self {
        let script = Script::read(script, "/p").unwrap();
        Self::new(ScriptedModel::start("scripted:test", script, options, patience).unwrap())
    }
}

impl<M: AsModel> Chat<M> {
    pub(crate) fn new(model: M) -> Self {
        let mut conversation = Conversation::new("Be brief.");
        conversation.add(Item::Prompt("Fix a.py".to_owned()));
        Self { model, conversation, received: Vec::new(), stop: StopFlag::new() }
    }

    /// Sends a request and adds the reply to the conversation.
    pub(crate) fn ask(&mut self) -> Result<Reply, ModelError> {
        self.ask_and(|_, _| {})
    }

    /// The same with a callback for every piece.
    pub(crate) fn ask_and(&mut self, mut at: impl FnMut(&str, &StopFlag)) -> Result<Reply, ModelError> {
        let tools = [ToolDefinition {
            name: "Bash".to_owned(),
            description: "Runs a command.".to_owned(),
            schema: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
        }];
        let Self { model, conversation, received, stop } = self;
        let request = Request { conversation, tools: &tools, max_tokens: None };
        let mut on_piece = |piece: ReplyPiece<'_>| {
            received.push(match piece {
                ReplyPiece::Text(text) => text.to_owned(),
                ReplyPiece::Call { name } => format!("[{name}]"),
                ReplyPiece::Waiting { why, seconds, void, .. } => {
                    let void = if void { ", anew" } else { "" };
                    format!("(in {seconds} s{void}: {why})")
                }
            });
            at(received.last().unwrap(), stop);
        };
        let reply = model.as_model().ask(&request, &mut on_piece, stop)?;
        self.conversation.add(Item::Reply(reply.clone()));
        Ok(reply)
    }

    /// Adds results for the calls of a reply.
    pub(crate) fn add_results(&mut self, reply: &Reply, output: &str) {
        for call in reply.calls() {
            self.conversation.add(Item::Result(ToolResult {
                call_id: call.id.clone(),
                name: call.name.clone(),
                output: format!("{output}: {}", Value::Object(call.input.clone())),
                failed: false,
            }));
        }
    }
}
