//! From bytes to a reply: a stream of events, or one JSON value from a server that does not stream.

use serde_json::Value;
use tenter_net::SseReader;

use super::apis::{self, OnPiece, ReplyReader, StreamError, StreamState};
use super::partial_reply::PartialReply;
use super::{FailureCause, Reply};
use crate::Api;

const EVENT_LIMIT: usize = 8 * 1024 * 1024;
/// Most bytes of a stream without an event.
const NO_EVENT_LIMIT: usize = 1024 * 1024;
/// Bytes of a stream. Each token of a long reply comes in an event of some hundred bytes.
const STREAM_LIMIT: usize = 64 * 1024 * 1024;
const JSON_LIMIT: usize = 8 * 1024 * 1024;
/// Bytes of the stream between two checks of the reply's size.
const CHECK_INTERVAL: usize = 256 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of an invalid reply that an error shows.
const HEAD: usize = 120;

pub(super) struct ReplyStream {
    api: Api,
    /// Known after the first byte.
    format: Option<Format>,
    reader: Box<dyn ReplyReader>,
    has_events: bool,
    head: Vec<u8>,
    bytes: usize,
    /// Bytes of the stream at the last check of the reply's size.
    checked: usize,
}

enum Format {
    Events(SseReader),
    /// One JSON value; its bytes so far.
    Json(Vec<u8>),
}

#[derive(Debug)]
pub(super) enum ReplyError {
    /// The server reports an error with this status before the reply starts.
    Reported(u16, String),
    Failed(FailureCause, String, Box<Reply>),
}

impl ReplyStream {
    pub(super) fn new(api: Api) -> Self {
        let reader = apis::reader(api);
        Self { api, format: None, reader, has_events: false, head: Vec::new(), bytes: 0, checked: 0 }
    }

    /// Reads the next bytes.
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        on_piece: &mut OnPiece<'_>,
    ) -> Result<StreamState, ReplyError> {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.bytes = self.bytes.saturating_add(bytes.len());
        let Some((format, bytes)) = detect_format(&mut self.format, bytes) else {
            return Ok(StreamState::Open);
        };
        let mut events = Vec::new();
        let read = match format {
            Format::Events(reader) => reader.read(bytes, &mut events),
            Format::Json(json) => {
                json.extend_from_slice(bytes);
                let too_long = json.len() > JSON_LIMIT;
                let why = || format!("it has more than {} MiB", JSON_LIMIT >> 20);
                return if too_long { Err(self.endless(why())) } else { Ok(StreamState::Open) };
            }
        };
        for data in events {
            if self.read_event(&data, on_piece)? == StreamState::Complete {
                return Ok(StreamState::Complete);
            }
        }
        if read.is_err() {
            return Err(self.endless("an event has no end".to_owned()));
        }
        if !self.has_events && self.bytes > NO_EVENT_LIMIT {
            return Err(self.garbage("it has no events"));
        }
        if self.bytes > STREAM_LIMIT {
            return Err(self.endless(format!("its stream has more than {} MiB", STREAM_LIMIT >> 20)));
        }
        if self.bytes - self.checked >= CHECK_INTERVAL {
            self.checked = self.bytes;
            if let Some(why) = self.reader.partial().excess() {
                return Err(self.endless(why));
            }
        }
        Ok(StreamState::Open)
    }

    /// The error for a reply that exceeds a limit.
    pub(super) fn endless(&mut self, why: String) -> ReplyError {
        ReplyError::Failed(FailureCause::Endless, why, Box::new(self.take_partial().first_text()))
    }

    fn take_partial(&mut self) -> PartialReply {
        std::mem::take(std::mem::replace(&mut self.reader, apis::reader(self.api)).partial())
    }

    /// The reply, when the server has sent everything.
    pub(super) fn end(mut self, on_piece: &mut OnPiece<'_>) -> Result<Reply, ReplyError> {
        match self.format.take() {
            Some(Format::Json(json)) => return self.read_json(&json, on_piece),
            Some(Format::Events(events)) => {
                if let Some(data) = events.finish()
                    && self.read_event(&data, on_piece)? == StreamState::Complete
                {
                    return self.finish();
                }
            }
            None => {}
        }
        match (self.reader.may_end(), self.has_events || self.bytes == 0) {
            (true, _) => self.finish(),
            (false, true) => Err(self.cut("it ended too early".to_owned())),
            (false, false) => Err(self.garbage("it has no events")),
        }
    }

    /// Reads a reply that is one JSON value. Gemini's may be a list of events.
    fn read_json(mut self, json: &[u8], on_piece: &mut OnPiece<'_>) -> Result<Reply, ReplyError> {
        let values = match serde_json::from_slice(json) {
            Ok(Value::Array(values)) => values,
            Ok(value) => vec![value],
            Err(error) if error.is_eof() => return Err(self.cut("it ended too early".to_owned())),
            Err(error) => return Err(self.garbage(&format!("it is neither a stream nor JSON: {error}"))),
        };
        if values.is_empty() {
            return Err(self.garbage("it is an empty list"));
        }
        for value in &values {
            let error = value.get("error").filter(|error| !error.is_null());
            let read = match error.map(|error| self.reader.reported(error)) {
                Some(error) => Err(error),
                None => self.reader.read_reply(value, on_piece),
            };
            read.map_err(|error| self.reply_error(error))?;
        }
        self.finish()
    }

    /// The reply so far as a complete one.
    pub(super) fn finish(mut self) -> Result<Reply, ReplyError> {
        self.take_partial().finish().map_err(|input| {
            let cause = FailureCause::Garbage(input.chars().take(HEAD).collect());
            ReplyError::Failed(cause, "it calls a tool without a name".to_owned(), Box::default())
        })
    }

    pub(super) fn cut(self, why: String) -> ReplyError {
        ReplyError::Failed(FailureCause::Cut, why, Box::new(self.into_usable()))
    }

    pub(super) fn into_usable(mut self) -> Reply {
        self.take_partial().usable()
    }

    fn read_event(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, ReplyError> {
        self.has_events = true;
        self.reader.read_event(data, on_piece).map_err(|error| {
            self.head = data.as_bytes()[..data.len().min(HEAD)].to_vec();
            self.reply_error(error)
        })
    }

    fn garbage(&mut self, why: &str) -> ReplyError {
        self.reply_error(StreamError::Garbage(why.to_owned()))
    }

    /// Keeps the part of the reply that was received.
    fn reply_error(&mut self, error: StreamError) -> ReplyError {
        let received = self.take_partial().usable();
        let start = || String::from_utf8_lossy(&self.head).into_owned();
        let (cause, why) = match (error, received.blocks.is_empty()) {
            (StreamError::Reported { status, message }, true) => {
                return ReplyError::Reported(status, message);
            }
            (StreamError::Reported { status, message }, _) => {
                (FailureCause::Cut, format!("{status}: {message}"))
            }
            (StreamError::Garbage(why), true) => (FailureCause::Garbage(start()), why),
            (StreamError::Garbage(why), _) => (FailureCause::Cut, why),
        };
        ReplyError::Failed(cause, why, Box::new(received))
    }
}

/// Detects the format: no line of a stream starts like JSON. `None` until the first byte that is not blank.
fn detect_format<'f, 'b>(
    format: &'f mut Option<Format>,
    bytes: &'b [u8],
) -> Option<(&'f mut Format, &'b [u8])> {
    if let Some(format) = format {
        return Some((format, bytes));
    }
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(byte);
    let bytes = &bytes[bytes.iter().position(|byte| !is_blank(byte))?..];
    let new = match bytes[0] {
        b'{' | b'[' => Format::Json(Vec::new()),
        _ => Format::Events(SseReader::new(EVENT_LIMIT)),
    };
    Some((format.insert(new), bytes))
}

/// For the fuzzer: reads a stream as a reply of this API.
#[cfg(fuzzing)]
pub fn read_stream(api: Api, bytes: &[u8]) -> Option<Reply> {
    let mut stream = ReplyStream::new(api);
    let mut on_piece = |_: super::ReplyPiece<'_>| {};
    match stream.read(bytes, &mut on_piece) {
        Ok(StreamState::Complete) => stream.finish().ok(),
        Ok(StreamState::Open) => stream.end(&mut on_piece).ok(),
        Err(_) => None,
    }
}
