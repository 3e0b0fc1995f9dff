//! A turn: from the user's prompt until the agent has nothing more to do, and hooks agree.

use std::fmt;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::{Event, EventKind};
use tenter_coordinator::{Denied, StoreError};
use tenter_models::talk::{Block, Item, ModelError, Piece, Reply, Request, Stop, StopReason};

use crate::agent::{Agent, failure, figures, milliseconds};
use crate::listener::Heard;
use crate::talk::task;

/// How often in one turn hooks may find something more to do for an agent that wants to stop. Without an end, a hook
/// that is never content would burn money through the night.
const CONTINUATIONS: u32 = 8;

/// How often the model is asked in one turn.
const REQUESTS: u32 = 500;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The agent is done; its last words.
    Done(String),
    /// It has stopped without a whole answer; what there is of it.
    Short(String, Shortfall),
    /// A hook, or a person, did not want the prompt or the request.
    Denied(String),
    /// Somebody wanted it to stop.
    Stopped,
}

/// What an answer lacks that came without any error. Nobody is to take it for a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// It breaks off: the model had no more tokens.
    Cut,
    /// The model, or a filter before it, did not want to answer.
    Refused,
    /// It has no words.
    Empty,
}

/// Why a turn broke off. The session is whole: the next prompt goes on from here.
#[derive(Debug)]
pub enum Trouble {
    /// The model did not answer.
    Model(ModelError),
    /// The conversation does not fit into the model, and did not when it was put into fewer words.
    TooLong {
        /// What the model's server says about it.
        message: String,
    },
    /// What was said could not be kept.
    Store(StoreError),
    /// It asked and asked.
    Endless,
}

impl Agent {
    /// Does what the user says.
    pub fn prompt(&mut self, text: &str, stop: &Stop) -> Result<Ended, Trouble> {
        let ended = self.turn(text, stop);
        if let Err(trouble) = &ended {
            let error = failure(trouble.kind(), trouble.to_string());
            let _ = self.emit(EventKind::ErrorOrchestrator, |event| event.error = error);
        }
        ended
    }

    fn turn(&mut self, text: &str, stop: &Stop) -> Result<Ended, Trouble> {
        self.turns += 1;
        let began = Instant::now();
        let prompt = match self.submit(text) {
            Ok(prompt) => prompt,
            Err(denied) => return Ok(Ended::Denied(denied.to_string())),
        };
        self.talk.add(Item::Prompt(prompt), self.now())?;
        let mut continued = 0;
        for _ in 0..REQUESTS {
            let reply = match self.ask(stop)? {
                Ok(reply) => reply,
                Err(ended) => return Ok(ended),
            };
            if reply.calls().next().is_some() {
                let ended = self.do_calls(reply, stop)?;
                if let Some(reason) = ended {
                    return Ok(Ended::Denied(reason));
                }
                if stop.is_asked() {
                    return Ok(Ended::Stopped);
                }
                continue;
            }
            let last_words = reply.text();
            let shortfall = Shortfall::of(&reply);
            self.talk.add(Item::Reply(reply), self.now())?;
            let completion = Completion { last_words: &last_words, shortfall, took: began.elapsed() };
            match self.complete(&completion, continued) {
                Err(more) => {
                    continued += 1;
                    let more = more.to_string();
                    self.parts.listener.hear(Heard::Continues { task: &more });
                    self.talk.add(task(more), self.now())?;
                }
                Ok(()) => {
                    return Ok(match shortfall {
                        None => Ended::Done(last_words),
                        Some(shortfall) => Ended::Short(last_words, shortfall),
                    });
                }
            }
        }
        Err(Trouble::Endless)
    }

    /// What hooks inject here stands before the prompt, where it takes nothing from the provider's cache. A sub-agent
    /// has no user; hooks hear of it at `subagent:start`.
    fn submit(&self, text: &str) -> Result<String, Denied> {
        if self.subagent.is_some() {
            return Ok(text.to_owned());
        }
        let submitted = self.emit(EventKind::PromptSubmit, |event| event.prompt = Some(text.to_owned()))?;
        Ok(submitted.event().prompt.clone().unwrap_or_default())
    }

    /// The agent wants to stop; of a sub-agent hooks hear at `subagent:complete`. One that went on often enough may.
    fn complete(&self, completion: &Completion<'_>, continued: u32) -> Result<(), Denied> {
        if self.subagent.is_some() {
            return Ok(());
        }
        let fill = |event: &mut Event| completion.tell(event);
        if continued < CONTINUATIONS {
            return self.emit(EventKind::OrchestratorComplete, fill).map(|_| ());
        }
        let emitted = self.emit_letting_go(EventKind::OrchestratorComplete, fill);
        if let Some((_, task)) = emitted.overruled() {
            self.parts.listener.hear(Heard::LetGo { task, times: continued });
        }
        Ok(())
    }

    /// Asks the model for what comes next. If the conversation turns out to be too long for it, it is put into fewer
    /// words and the model is asked once more.
    fn ask(&mut self, stop: &Stop) -> Result<Result<Reply, Ended>, Trouble> {
        self.refresh_tools(stop);
        let asked = self.compact_if_long(stop).and_then(|()| self.ask_once(stop));
        let asked = match asked {
            Err(Trouble::Model(ModelError::TooLong { message })) => match self.compact("auto", stop) {
                Ok(true) => self.ask_once(stop),
                Ok(false) => Err(Trouble::TooLong { message }),
                Err(trouble) => Err(trouble),
            },
            asked => asked,
        };
        match asked {
            Err(Trouble::Model(ModelError::TooLong { message })) => Err(Trouble::TooLong { message }),
            Err(Trouble::Model(ModelError::Stopped { .. })) => Ok(Err(Ended::Stopped)),
            asked => asked,
        }
    }

    /// What breaks off in the middle is kept as far as it goes.
    fn ask_once(&mut self, stop: &Stop) -> Result<Result<Reply, Ended>, Trouble> {
        let model = self.parts.model.name().to_owned();
        let asked = self.emit(EventKind::ProviderRequest, |event| {
            event.data.insert("model".to_owned(), json!(model));
        });
        if let Err(denied) = asked {
            return Ok(Err(Ended::Denied(denied.to_string())));
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
                self.keep_words(error.heard())?;
                if !matches!(error, ModelError::Stopped { .. }) {
                    let _ = self.emit(EventKind::ProviderError, |event| {
                        event.error = failure("model", error.to_string());
                        event.status = Some("failed".to_owned());
                        event.duration_ms = milliseconds(began.elapsed());
                        event.data.insert("model".to_owned(), json!(model));
                    });
                }
                Err(Trouble::Model(error))
            }
        }
    }

    pub(crate) fn request(&self, stop: &Stop) -> Result<Reply, ModelError> {
        let listener = &self.parts.listener;
        listener.hear(Heard::Asking);
        let conversation = self.talk.now();
        let request = Request { conversation: &conversation, tools: &self.definitions, max_tokens: None };
        let mut hear = |piece: Piece<'_>| match piece {
            Piece::Text(text) => listener.hear(Heard::Text(text)),
            Piece::Call { name } => listener.hear(Heard::Calling { name }),
            Piece::Waiting { .. } => self.wait(piece),
        };
        let reply = self.parts.model.ask(&request, &mut hear, stop)?;
        listener.hear(Heard::Answered { usage: &reply.usage });
        Ok(reply)
    }

    /// The model is asked again after a while: hooks hear of the error although it may pass.
    pub(crate) fn wait(&self, piece: Piece<'_>) {
        let Piece::Waiting { why, seconds, void, attempt } = piece else { return };
        self.parts.listener.hear(Heard::Waiting { why, seconds, void });
        let model = self.parts.model.name();
        let _ = self.emit(EventKind::ProviderError, |event| {
            event.error = failure("model", why.to_owned());
            event.status = Some("retrying".to_owned());
            let data =
                [("model", json!(model)), ("attempt", json!(attempt)), ("retry_in_seconds", json!(seconds))];
            event.data.extend(data.map(|(key, value)| (key.to_owned(), value)));
        });
    }

    /// Of a reply that broke off, the words: calls that nobody ran have no place in a conversation.
    fn keep_words(&self, heard: Option<&Reply>) -> Result<(), Trouble> {
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
    shortfall: Option<Shortfall>,
    took: Duration,
}

impl Completion<'_> {
    fn tell(&self, event: &mut Event) {
        event.message = Some(self.last_words.to_owned());
        event.status = Some(if self.shortfall.is_none() { "success" } else { "incomplete" }.to_owned());
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

impl Shortfall {
    /// What a reply that calls nothing lacks.
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

impl fmt::Display for Shortfall {
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

impl Trouble {
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

impl fmt::Display for Trouble {
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

impl std::error::Error for Trouble {}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
