//! A turn: from the prompt of the user until the agent is done and hooks agree.

use std::fmt;
use std::time::Instant;

use serde_json::json;
use tenter_contract::{Event, EventKind};
use tenter_coordinator::{Denied, StoreError};
use tenter_models::client::{
    Block, FailureCause, Item, ModelError, Reply, ReplyPiece, Request, StopFlag, StopReason,
};

use crate::agent::{Agent, failure, milliseconds, usage_data};
use crate::observer::AgentEvent;
use crate::shared_conversation::task_note;

/// How often hooks may continue one turn. Without a limit, a hook that never agrees would spend money all night.
const CONTINUATIONS: u32 = 8;

/// Most requests to the model in one turn.
const REQUESTS: u32 = 500;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEnd {
    /// The agent is done; its last text.
    Done(String),
    /// It ended without a complete answer; the partial text.
    Short(String, Incomplete),
    /// A hook or a person denied the prompt or the request.
    Denied(String),
    /// The user stopped it.
    Stopped,
}

/// Why an answer without an error is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The model ran out of tokens.
    Cut,
    /// The model, or a filter, refused to answer.
    Refused,
    /// It has no text.
    Empty,
}

/// Why a turn failed. The session stays valid: the next prompt continues it.
#[derive(Debug)]
pub enum TurnError {
    /// The request to the model failed.
    Model(ModelError),
    /// The conversation exceeds the context window, even after compaction; the message of the model's server.
    TooLong(String),
    /// The conversation could not be stored.
    Store(StoreError),
    /// The agent sent too many requests.
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
                if let Some(reason) = self.run_calls(reply, stop)? {
                    return Ok(TurnEnd::Denied(reason));
                }
                if stop.is_set() {
                    return Ok(TurnEnd::Stopped);
                }
                continue;
            }
            let text = reply.text();
            let incomplete = Incomplete::from_reply(&reply);
            self.talk.add(Item::Reply(reply), self.now())?;
            let fill = |event: &mut Event| {
                event.message = Some(text.clone());
                event.status = Some(if incomplete.is_none() { "success" } else { "incomplete" }.to_owned());
                event.duration_ms = milliseconds(began.elapsed());
                event
                    .data
                    .extend(event.orchestrator.clone().map(|it| ("orchestrator".to_owned(), json!(it))));
            };
            match self.complete(continued, fill) {
                Err(more) => {
                    continued += 1;
                    let more = more.to_string();
                    self.parts.observer.on_event(AgentEvent::Continues { task: &more });
                    self.talk.add(task_note(more), self.now())?;
                }
                Ok(()) => {
                    return Ok(match incomplete {
                        None => TurnEnd::Done(text),
                        Some(incomplete) => TurnEnd::Short(text, incomplete),
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
    fn complete(&self, continued: u32, fill: impl FnOnce(&mut Event)) -> Result<(), Denied> {
        if self.subagent.is_some() {
            return Ok(());
        }
        let emitted = self.emit_stop(EventKind::OrchestratorComplete, continued >= CONTINUATIONS, fill)?;
        if let Some((_, task)) = emitted.overruled() {
            self.parts.observer.on_event(AgentEvent::StopAllowed { task, times: continued });
        }
        Ok(())
    }

    /// Asks the model for the next reply. If the conversation is too long, it is compacted and the model is asked once
    /// more.
    fn ask(&mut self, stop: &StopFlag) -> Result<Result<Reply, TurnEnd>, TurnError> {
        self.refresh_tools(stop);
        let mut result = self.compact_if_long(stop).and_then(|()| self.ask_once(stop));
        if matches!(&result, Err(TurnError::Model(error)) if error.cause == FailureCause::TooLong) {
            result = match self.compact("auto", stop) {
                Ok(true) => self.ask_once(stop),
                Ok(false) => result,
                Err(error) => Err(error),
            };
        }
        match result {
            Err(TurnError::Model(error)) => match error.cause {
                FailureCause::TooLong => Err(TurnError::TooLong(error.message)),
                FailureCause::Stopped => Ok(Err(TurnEnd::Stopped)),
                _ => Err(TurnError::Model(error)),
            },
            result => result,
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
                self.talk.drop_ephemeral();
                let _ = self.emit(EventKind::ProviderResponse, |event| {
                    event.message = Some(reply.text());
                    event.status = Some(stop_name(&reply.stop).to_owned());
                    event.duration_ms = milliseconds(began.elapsed());
                    event.data = usage_data(&model, &reply.usage);
                });
                Ok(Ok(reply))
            }
            Err(error) => {
                self.keep_text(error.received())?;
                if error.cause != FailureCause::Stopped {
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
        let mut on_piece = |piece: ReplyPiece<'_>| match piece {
            ReplyPiece::Text(text) => observer.on_event(AgentEvent::Text(text)),
            ReplyPiece::Call { name } => observer.on_event(AgentEvent::Calling { name }),
            ReplyPiece::Waiting { .. } => self.report_retry(piece),
        };
        let reply = self.parts.model.ask(&request, &mut on_piece, stop)?;
        observer.on_event(AgentEvent::Answered { usage: &reply.usage });
        Ok(reply)
    }

    /// Reports a retry, and runs the hooks of the error although it may be temporary.
    pub(crate) fn report_retry(&self, piece: ReplyPiece<'_>) {
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
    fn keep_text(&self, received: Option<&Reply>) -> Result<(), TurnError> {
        let text = received.map(Reply::text).unwrap_or_default();
        if text.is_empty() {
            return Ok(());
        }
        let reply = Reply { blocks: vec![Block::Text(text)], ..Reply::default() };
        Ok(self.talk.add(Item::Reply(reply), self.now())?)
    }
}

fn stop_name(stop: &StopReason) -> &str {
    match stop {
        StopReason::End => "end",
        StopReason::Calls => "calls",
        StopReason::Length => "length",
        StopReason::Refused => "refused",
        StopReason::Other(name) => name,
    }
}

impl Incomplete {
    fn from_reply(reply: &Reply) -> Option<Self> {
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
                "the answer is cut off: the model ran out of tokens; type \"go on\", or ask for less"
            }
            Self::Refused => "the model or a filter refused to answer; rephrase, or select another model",
            Self::Empty => "the answer of the model is empty; ask again, or select another model",
        })
    }
}

impl TurnError {
    /// A short code for events and scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::TooLong(_) => "too_long",
            Self::Store(_) => "store",
            Self::Endless => "endless",
        }
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(error) => error.fmt(f),
            Self::TooLong(message) => write!(
                f,
                "the conversation is too long for this model, even after compaction ({message}); \
                 shorten the prompt, or select a model with a larger context window"
            ),
            Self::Store(error) => write!(
                f,
                "the conversation cannot be saved: {error}; free some space in the state folder, or use another one"
            ),
            Self::Endless => write!(
                f,
                "the turn is not done after {REQUESTS} requests to the model; type how to go on, or ask for less"
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
