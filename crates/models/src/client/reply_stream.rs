//! From bytes to a reply: those of a stream, or those of one piece of JSON from a server that does not stream.

use serde_json::Value;
use tenter_net::SseReader;

use super::Reply;
use super::apis::{self, OnPiece, ReplyReader, StreamError, StreamState};
use super::partial_reply::PartialReply;
use crate::Api;

const EVENT_LIMIT: usize = 8 * 1024 * 1024;
/// How much of a stream may have no event in it.
const NO_EVENT_LIMIT: usize = 1024 * 1024;
/// Bytes of a stream. Each token of a long reply comes in an event of some hundred bytes.
const STREAM_LIMIT: usize = 64 * 1024 * 1024;
const WHOLE_LIMIT: usize = 8 * 1024 * 1024;
/// How often the size of the reply is measured, in bytes of the stream.
const MEASURED: usize = 256 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of an invalid reply that an error shows.
const HEAD: usize = 120;

pub(super) struct ReplyStream {
    api: Api,
    /// Known after the first byte.
    form: Option<Form>,
    reader: Box<dyn ReplyReader>,
    any: bool,
    head: Vec<u8>,
    bytes: usize,
    /// Bytes of the stream when the reply was measured last.
    measured: usize,
}

enum Form {
    Events(SseReader),
    /// As one piece of JSON, of which this is here.
    Whole(Vec<u8>),
}

#[derive(Debug)]
pub(super) enum ReplyError {
    Garbage {
        why: String,
        begins: String,
    },
    /// The server reports an error before the reply starts.
    Reported {
        status: u16,
        message: String,
    },
    Cut {
        why: String,
        received: Reply,
    },
    Endless {
        why: String,
        received: Reply,
    },
}

impl ReplyStream {
    pub(super) fn new(api: Api) -> Self {
        let reader = apis::reader(api);
        Self { api, form: None, reader, any: false, head: Vec::new(), bytes: 0, measured: 0 }
    }

    /// Takes the next bytes.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        on_piece: &mut OnPiece<'_>,
    ) -> Result<StreamState, ReplyError> {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.bytes = self.bytes.saturating_add(bytes.len());
        let Some((form, bytes)) = form_of(&mut self.form, bytes) else { return Ok(StreamState::Open) };
        let mut found = Vec::new();
        let whole = match form {
            Form::Events(events) => events.read(bytes, &mut found).map_err(|_| "an event has no end"),
            Form::Whole(usable) => {
                usable.extend_from_slice(bytes);
                let limit = WHOLE_LIMIT >> 20;
                let endless = usable.len() > WHOLE_LIMIT;
                return if endless {
                    Err(self.endless(format!("it has more than {limit} MiB")))
                } else {
                    Ok(StreamState::Open)
                };
            }
        };
        for data in found {
            if self.event(&data, on_piece)? == StreamState::Complete {
                return Ok(StreamState::Complete);
            }
        }
        if let Err(why) = whole {
            return Err(self.endless(why.to_owned()));
        }
        if !self.any && self.bytes > NO_EVENT_LIMIT {
            return Err(self.trouble(StreamError::Garbage("it has no events".to_owned())));
        }
        if self.bytes > STREAM_LIMIT {
            return Err(self.endless(format!("its stream has more than {} MiB", STREAM_LIMIT >> 20)));
        }
        if self.bytes - self.measured >= MEASURED {
            self.measured = self.bytes;
            if let Some(why) = self.reader.partial().excess() {
                return Err(self.endless(why));
            }
        }
        Ok(StreamState::Open)
    }

    /// The reply exceeds a limit.
    pub(super) fn endless(&mut self, why: String) -> ReplyError {
        ReplyError::Endless { why, received: self.taken_draft().first_text() }
    }

    fn taken_draft(&mut self) -> PartialReply {
        std::mem::take(std::mem::replace(&mut self.reader, apis::reader(self.api)).partial())
    }

    pub(super) fn end(mut self, on_piece: &mut OnPiece<'_>) -> Result<Reply, ReplyError> {
        match self.form.take() {
            Some(Form::Whole(json)) => return self.whole(&json, on_piece),
            Some(Form::Events(events)) => {
                if let Some(data) = events.finish()
                    && self.event(&data, on_piece)? == StreamState::Complete
                {
                    return self.reply();
                }
            }
            None => {}
        }
        match (self.reader.may_end(), self.any || self.bytes == 0) {
            (true, _) => self.reply(),
            (false, true) => Err(self.cut("it ended too early".to_owned())),
            (false, false) => Err(self.trouble(StreamError::Garbage("it has no events".to_owned()))),
        }
    }

    /// The whole reply arrived at once. Gemini's may be a list of events.
    fn whole(mut self, json: &[u8], on_piece: &mut OnPiece<'_>) -> Result<Reply, ReplyError> {
        let answers = match serde_json::from_slice(json) {
            Ok(Value::Array(answers)) => answers,
            Ok(answer) => vec![answer],
            Err(error) if error.is_eof() => return Err(self.cut("it ended too early".to_owned())),
            Err(error) => {
                let why = format!("it is neither a stream nor one piece of JSON: {error}");
                return Err(self.trouble(StreamError::Garbage(why)));
            }
        };
        if answers.is_empty() {
            return Err(self.trouble(StreamError::Garbage("it is an empty list".to_owned())));
        }
        for answer in &answers {
            self.reader.take_whole(answer, on_piece).map_err(|trouble| self.trouble(trouble))?;
        }
        self.reply()
    }

    pub(super) fn reply(mut self) -> Result<Reply, ReplyError> {
        let shown = |text: String| text.chars().take(HEAD).collect();
        let reply = std::mem::take(self.reader.partial()).finish();
        let why = || "it calls a tool that it does not name".to_owned();
        reply.map_err(|begins| ReplyError::Garbage { why: why(), begins: shown(begins) })
    }

    pub(super) fn cut(self, why: String) -> ReplyError {
        ReplyError::Cut { why, received: self.usable() }
    }

    pub(super) fn usable(mut self) -> Reply {
        std::mem::take(self.reader.partial()).usable()
    }

    fn event(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, ReplyError> {
        self.any = true;
        self.reader.take(data, on_piece).map_err(|trouble| {
            self.head = data.as_bytes()[..data.len().min(HEAD)].to_vec();
            self.trouble(trouble)
        })
    }

    /// Keeps the part of the reply that was received.
    fn trouble(&mut self, trouble: StreamError) -> ReplyError {
        let received = self.taken_draft().usable();
        match trouble {
            StreamError::Garbage(why) if received.blocks.is_empty() => {
                ReplyError::Garbage { why, begins: String::from_utf8_lossy(&self.head).into_owned() }
            }
            StreamError::Reported { status, message } if received.blocks.is_empty() => {
                ReplyError::Reported { status, message }
            }
            StreamError::Garbage(why) => ReplyError::Cut { why, received },
            StreamError::Reported { status, message } => {
                ReplyError::Cut { why: format!("{status}: {message}"), received }
            }
        }
    }
}

/// Detects the form: no line of a stream starts like JSON. `None` until the first byte that is not blank.
fn form_of<'f, 'b>(form: &'f mut Option<Form>, bytes: &'b [u8]) -> Option<(&'f mut Form, &'b [u8])> {
    if let Some(form) = form {
        return Some((form, bytes));
    }
    let says_nothing = |byte: &u8| byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(byte);
    let bytes = &bytes[bytes.iter().position(|byte| !says_nothing(byte))?..];
    let new = match bytes[0] {
        b'{' | b'[' => Form::Whole(Vec::new()),
        _ => Form::Events(SseReader::new(EVENT_LIMIT)),
    };
    Some((form.insert(new), bytes))
}

/// For the fuzzer: reads a stream as a reply of this API.
#[cfg(fuzzing)]
pub fn listened(api: Api, stream: &[u8]) -> Option<Reply> {
    let mut stream = ReplyStream::new(api);
    let mut on_piece = |_: super::ReplyPiece<'_>| {};
    match stream.take(stream, &mut on_piece) {
        Ok(StreamState::Complete) => stream.reply().ok(),
        Ok(StreamState::Open) => stream.end(&mut on_piece).ok(),
        Err(_) => None,
    }
}
