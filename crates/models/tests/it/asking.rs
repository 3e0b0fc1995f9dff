//! Somebody who asks a scripted model, and keeps what he hears.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_models::talk::{
    Conversation, Definition, Item, Model, ModelError, Patience, Piece, Reply, Request, Scripted, Stop,
    ToolResult,
};
use tenter_models::{Api, Options, Script};

/// A conversation with a model, and all that was heard.
pub(crate) struct Asking<M> {
    pub(crate) model: M,
    pub(crate) conversation: Conversation,
    pub(crate) heard: Vec<String>,
    pub(crate) stop: Stop,
}

/// With the patience of a test.
pub(crate) fn patience() -> Patience {
    let millis = Duration::from_millis;
    Patience {
        silence: millis(60_000),
        longest_reply: millis(600_000),
        tries: 3,
        first_wait: millis(10),
        longest_wait: millis(5000),
    }
}

impl Asking<Scripted> {
    /// A model that plays this script in this API.
    pub(crate) fn script(api: Api, script: &str) -> Self {
        Self::patiently(api, script, patience())
    }

    /// The same for somebody with his own patience.
    pub(crate) fn patiently(api: Api, script: &str, patience: Patience) -> Self {
        Self::started(script, Options { api: Some(api), ..Options::default() }, patience)
    }

    /// The same with every request recorded.
    pub(crate) fn recorded(api: Api, script: &str, folder: &Path) -> Self {
        let options = Options { api: Some(api), record: Some(folder.to_owned()), ..Options::default() };
        Self::started(script, options, patience())
    }

    fn started(script: &str, options: Options, patience: Patience) -> Self {
        let script = Script::read(script, "/p").unwrap();
        Self::of(Scripted::start("scripted:test", script, options, patience).unwrap())
    }
}

impl<M: Model> Asking<M> {
    pub(crate) fn of(model: M) -> Self {
        let mut conversation = Conversation::new("Be brief.");
        conversation.add(Item::Prompt("Fix a.py".to_owned()));
        Self { model, conversation, heard: Vec::new(), stop: Stop::new() }
    }

    /// Asks, and adds the reply to the conversation.
    pub(crate) fn ask(&mut self) -> Result<Reply, ModelError> {
        self.ask_and(|_, _| {})
    }

    /// The same, with something to do at every piece.
    pub(crate) fn ask_and(&mut self, mut at: impl FnMut(&str, &Stop)) -> Result<Reply, ModelError> {
        let tools = [Definition {
            name: "Bash".to_owned(),
            description: "Runs a command.".to_owned(),
            schema: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
        }];
        let Self { model, conversation, heard, stop } = self;
        let request = Request { conversation, tools: &tools, max_tokens: None };
        let mut hear = |piece: Piece<'_>| {
            heard.push(match piece {
                Piece::Text(words) => words.to_owned(),
                Piece::Call { name } => format!("[{name}]"),
                Piece::Waiting { why, seconds, void, .. } => {
                    let void = if void { ", anew" } else { "" };
                    format!("(in {seconds} s{void}: {why})")
                }
            });
            at(heard.last().unwrap(), stop);
        };
        let reply = model.ask(&request, &mut hear, stop)?;
        self.conversation.add(Item::Reply(reply.clone()));
        Ok(reply)
    }

    /// Adds what came of the calls of a reply.
    pub(crate) fn give(&mut self, reply: &Reply, output: &str) {
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
