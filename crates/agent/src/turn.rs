//! A turn: from the user's prompt until the agent has nothing more to do, and hooks agree.

use std::fmt;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::{Event, EventKind};
use tenter_coordinator::{Denied, StoreError};
use tenter_models::client::{Block, Item, ModelError, Reply, ReplyPiece, Request, StopFlag, StopReason};

use crate::agent::{Agent, failure, figures, milliseconds};
use crate::observer::AgentEvent;
use crate::shared_conversation::task;

/// How often in one turn hooks may find something more to do for an agent that wants to stop. Without an end, a hook
/// that is never content would burn money through the night.
const CONTINUATIONS: u32 = 8;

/// How often the model is asked in one turn.
const REQUESTS: u32 = 500;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEnd {
    /// The agent is done; its last text.
    Done(String),
    /// It stopped without a complete answer; the partial text.
    Short(String, Incomplete),
    /// A hook, or a person, did not want the prompt or the request.
    Denied(String),
    /// The user stopped it.
    Stopped,
}

/// A deficit of an answer that came without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// It breaks off: the model had no more tokens.
    Cut,
    /// The model, or a filter before it, did not want to answer.
    Refused,
    /// It has no text.
    Empty,
}

/// Why a turn broke off. The session is whole: the next prompt goes on from here.
#[derive(Debug)]
pub enum TurnError {
    /// The model did not answer.
    Model(ModelError),
    /// The conversation exceeds the context window, even after compaction.
    TooLong {
        /// The message of the model's server.
        message: String,
    },
    /// The conversation could not be stored.
    Store(StoreError),
    /// It asked and asked.
    Endless,
}

impl Agent {
    /// Runs a turn for the user's prompt.
    pub fn prompt(&mut self, text: &str, stop: &StopFlag) -> Result<TurnEnd, TurnError> {
        let ended = self.turn(text, stop);
        if let Err(error) = &ended {
            let error = failure(error.kind(), error.to_string());
            let _ = self.emit(EventKind::ErrorOrchestrator, |event| event.error = error);
        }
        ended
    }

    fn turn(&mut self, text: &str, stop: &StopFlag) -> Result<TurnEnd, TurnError> {
        self.turns += 1;
        let began = Instant::now();
        let prompt = match self.submit(text) {
            Ok(prompt) => prompt,
            Err(denied) => return Ok(TurnEnd::Denied(denied.to_string())),
        };
        self.talk.add(Item::Prompt(prompt), self.now())?;
        let mut continued = 0;
        for _ in 0..REQUESTS {
            let reply = match self.ask(stop)? {
                Ok(reply) => reply,
                Err(ended) => return Ok(ended),
            };
            if reply.calls().next().is_some() {
                let ended = self.run_calls(reply, stop)?;
                if let Some(reason) = ended {
                    return Ok(TurnEnd::Denied(reason));
                }
                if stop.is_set() {
                    return Ok(TurnEnd::Stopped);
                }
                continue;
            }
            let last_words = reply.text();
            let incomplete = Incomplete::of(&reply);
            self.talk.add(Item::Reply(reply), self.now())?;
            let completion = Completion { last_words: &last_words, incomplete, took: began.elapsed() };
            match self.complete(&completion, continued) {
                Err(more) => {
                    continued += 1;
                    let more = more.to_string();
                    self.parts.observer.on_event(AgentEvent::Continues { task: &more });
                    self.talk.add(task(more), self.now())?;
                }
                Ok(()) => {
                    return Ok(match incomplete {
                        None => TurnEnd::Done(last_words),
                        Some(incomplete) => TurnEnd::Short(last_words, incomplete),
                    });
                }
            }
        }
        Err(TurnError::Endless)
    }

    /// Context from these hooks precedes the prompt and keeps the prompt cache valid. A sub-agent has no user; its
    /// event is `subagent:start`.
    fn submit(&self, text: &str) -> Result<String, Denied> {
        if self.subagent.is_some() {
            return Ok(text.to_owned());
        }
        let submitted = self.emit(EventKind::PromptSubmit, |event| event.prompt = Some(text.to_owned()))?;
        Ok(submitted.event().prompt.clone().unwrap_or_default())
    }

    /// Runs the hooks of a stop; the event of a sub-agent is `subagent:complete`. After enough continuations the agent
    /// may stop.
    fn complete(&self, completion: &Completion<'_>, continued: u32) -> Result<(), Denied> {
        if self.subagent.is_some() {
            return Ok(());
        }
        let fill = |event: &mut Event| completion.tell(event);
        if continued < CONTINUATIONS {
            return self.emit(EventKind::OrchestratorComplete, fill).map(|_| ());
        }
        let emitted = self.emit_final(EventKind::OrchestratorComplete, fill);
        if let Some((_, task)) = emitted.overruled() {
            self.parts.observer.on_event(AgentEvent::StopAllowed { task, times: continued });
        }
        Ok(())
    }

    /// Asks the model for the next reply. If the conversation is too long, it is compacted and the model is asked once
    /// more.
    fn ask(&mut self, stop: &StopFlag) -> Result<Result<Reply, TurnEnd>, TurnError> {
        self.refresh_tools(stop);
        let asked = self.compact_if_long(stop).and_then(|()| self.ask_once(stop));
        let asked = match asked {
            Err(TurnError::Model(ModelError::TooLong { message })) => match self.compact("auto", stop) {
                Ok(true) => self.ask_once(stop),
                Ok(false) => Err(TurnError::TooLong { message }),
                Err(error) => Err(error),
            },
            asked => asked,
        };
        match asked {
            Err(TurnError::Model(ModelError::TooLong { message })) => Err(TurnError::TooLong { message }),
            Err(TurnError::Model(ModelError::Stopped { .. })) => Ok(Err(TurnEnd::Stopped)),
            asked => asked,
        }
    }

    /// Keeps the text of an interrupted reply.
    fn ask_once(&mut self, stop: &StopFlag) -> Result<Result<Reply, TurnEnd>, TurnError> {
        let model = self.parts.model.name().to_owned();
        let asked = self.emit(EventKind::ProviderRequest, |event| {
            event.data.insert("model".to_owned(), json!(model));
        });
        if let Err(denied) = asked {
            return Ok(Err(TurnEnd::Denied(denied.to_string())));
        }
        let began = Instant::now();
        match self.request(stop) {
            Ok(reply) => {
                self.usage = reply.usage;
                self.talk.answered();
                let _ = self.emit(EventKind::ProviderResponse, |event| {
                    event.message = Some(reply.text());
                    event.status = Some(word(&reply.stop).to_owned());
                    event.duration_ms = milliseconds(began.elapsed());
                    event.data = figures(&model, &reply.usage);
                });
                Ok(Ok(reply))
            }
            Err(error) => {
                self.keep_words(error.received())?;
                if !matches!(error, ModelError::Stopped { .. }) {
                    let _ = self.emit(EventKind::ProviderError, |event| {
                        event.error = failure("model", error.to_string());
                        event.status = Some("failed".to_owned());
                        event.duration_ms = milliseconds(began.elapsed());
                        event.data.insert("model".to_owned(), json!(model));
                    });
                }
                Err(TurnError::Model(error))
            }
        }
    }

    pub(crate) fn request(&self, stop: &StopFlag) -> Result<Reply, ModelError> {
        let observer = &self.parts.observer;
        observer.on_event(AgentEvent::Asking);
        let conversation = self.talk.now();
        let request = Request { conversation: &conversation, tools: &self.definitions, max_tokens: None };
        let mut hear = |piece: ReplyPiece<'_>| match piece {
            ReplyPiece::Text(text) => observer.on_event(AgentEvent::Text(text)),
            ReplyPiece::Call { name } => observer.on_event(AgentEvent::Calling { name }),
            ReplyPiece::Waiting { .. } => self.wait(piece),
        };
        let reply = self.parts.model.ask(&request, &mut hear, stop)?;
        observer.on_event(AgentEvent::Answered { usage: &reply.usage });
        Ok(reply)
    }

    /// Reports a retry, and runs the hooks of the error although it may be temporary.
    pub(crate) fn wait(&self, piece: ReplyPiece<'_>) {
        let ReplyPiece::Waiting { why, seconds, void, attempt } = piece else { return };
        self.parts.observer.on_event(AgentEvent::Waiting { why, seconds, void });
        let model = self.parts.model.name();
        let _ = self.emit(EventKind::ProviderError, |event| {
            event.error = failure("model", why.to_owned());
            event.status = Some("retrying".to_owned());
            let data =
                [("model", json!(model)), ("attempt", json!(attempt)), ("retry_in_seconds", json!(seconds))];
            event.data.extend(data.map(|(key, value)| (key.to_owned(), value)));
        });
    }

    /// Keeps the text of an interrupted reply; calls that did not run are dropped.
    fn keep_words(&self, heard: Option<&Reply>) -> Result<(), TurnError> {
        let text = heard.map(Reply::text).unwrap_or_default();
        if text.is_empty() {
            return Ok(());
        }
        let reply = Reply { blocks: vec![Block::Text(text)], ..Reply::default() };
        Ok(self.talk.add(Item::Reply(reply), self.now())?)
    }
}

/// How an agent that wants to stop has come there.
struct Completion<'a> {
    last_words: &'a str,
    incomplete: Option<Incomplete>,
    took: Duration,
}

impl Completion<'_> {
    fn tell(&self, event: &mut Event) {
        event.message = Some(self.last_words.to_owned());
        event.status = Some(if self.incomplete.is_none() { "success" } else { "incomplete" }.to_owned());
        event.duration_ms = milliseconds(self.took);
        event.data.extend(event.orchestrator.clone().map(|name| ("orchestrator".to_owned(), json!(name))));
    }
}

fn word(stop: &StopReason) -> &str {
    match stop {
        StopReason::End => "end",
        StopReason::Calls => "calls",
        StopReason::Length => "length",
        StopReason::Refused => "refused",
        StopReason::Other(word) => word,
    }
}

impl Incomplete {
    fn of(reply: &Reply) -> Option<Self> {
        match reply.stop {
            StopReason::Length => Some(Self::Cut),
            StopReason::Refused => Some(Self::Refused),
            StopReason::End | StopReason::Calls | StopReason::Other(_) => {
                reply.text().trim().is_empty().then_some(Self::Empty)
            }
        }
    }

    /// A short code for scripts.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Refused => "refused",
            Self::Empty => "empty",
        }
    }
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cut => {
                "the answer breaks off: the model had no more tokens; say \"go on\", or ask for less at once"
            }
            Self::Refused => {
                "the model, or a filter before it, refused to answer; ask in other words, or take another model"
            }
            Self::Empty => "the model answered without a word; ask again, or take another model",
        })
    }
}

impl TurnError {
    /// A short code for events and scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::TooLong { .. } => "too_long",
            Self::Store(_) => "store",
            Self::Endless => "endless",
        }
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(error) => error.fmt(f),
            Self::TooLong { message } => write!(
                f,
                "the conversation is too long for this model, also in fewer words ({message}); say less at once, or take a model that reads more"
            ),
            Self::Store(error) => {
                write!(
                    f,
                    "what was said cannot be kept: {error}; make room where the state is, or use another folder"
                )
            }
            Self::Endless => write!(
                f,
                "the model was asked {REQUESTS} times in one turn and is not done; say how to go on, or ask for less at once"
            ),
        }
    }
}

impl std::error::Error for TurnError {}

impl From<StoreError> for TurnError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
