//! From the bytes of a stream to a reply.

use super::Reply;
use super::sse::Events;
use super::wires::{self, Ear, Listener, Step, Trouble};
use crate::apis::Api;

/// How much of a stream may have no event in it.
const NO_EVENT_LIMIT: usize = 1024 * 1024;
/// No reply is longer.
const REPLY_LIMIT: usize = 256 * 1024 * 1024;
/// How much of something that is no reply is shown.
const HEAD: usize = 120;

/// A reply on its way.
pub(super) struct Listening {
    api: Api,
    events: Events,
    listener: Box<dyn Listener>,
    /// Whether there was an event.
    any: bool,
    /// How the stream began.
    head: Vec<u8>,
    bytes: usize,
}

/// Why there is no whole reply.
#[derive(Debug)]
pub(super) enum Unheard {
    /// What came is none.
    Garbage { why: String, begins: String },
    /// The server says that it fails, before it has said anything else.
    Told { status: u16, message: String },
    /// It breaks off.
    Cut { why: String, heard: Reply },
}

impl Listening {
    pub(super) fn new(api: Api) -> Self {
        let listener = wires::listener(api);
        Self { api, events: Events::default(), listener, any: false, head: Vec::new(), bytes: 0 }
    }

    /// Takes the next bytes.
    pub(super) fn take(&mut self, bytes: &[u8], hear: &mut Ear<'_>) -> Result<Step, Unheard> {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.bytes = self.bytes.saturating_add(bytes.len());
        let mut found = Vec::new();
        let whole = self.events.take(bytes, &mut found);
        for data in found {
            if self.event(&data, hear)? == Step::Over {
                return Ok(Step::Over);
            }
        }
        let why = match whole {
            Err(_) => "an event has no end",
            Ok(()) if !self.any && self.bytes > NO_EVENT_LIMIT => "it has no events",
            Ok(()) if self.bytes > REPLY_LIMIT => "it has no end",
            Ok(()) => return Ok(Step::More),
        };
        Err(self.trouble(Trouble::Garbage(why.to_owned())))
    }

    /// Nothing more comes.
    pub(super) fn end(mut self, hear: &mut Ear<'_>) -> Result<Reply, Unheard> {
        if let Some(data) = std::mem::take(&mut self.events).end()
            && self.event(&data, hear)? == Step::Over
        {
            return self.reply();
        }
        match (self.listener.may_end(), self.any || self.bytes == 0) {
            (true, _) => self.reply(),
            (false, true) => Err(self.cut("it ended too early".to_owned())),
            (false, false) => Err(self.trouble(Trouble::Garbage("it has no events".to_owned()))),
        }
    }

    /// The reply, now that it is complete.
    pub(super) fn reply(self) -> Result<Reply, Unheard> {
        let shown = |text: String| text.chars().take(HEAD).collect();
        let reply = self.listener.draft().finish();
        reply.map_err(|(why, begins)| Unheard::Garbage { why, begins: shown(begins) })
    }

    /// It broke off.
    pub(super) fn cut(self, why: String) -> Unheard {
        Unheard::Cut { why, heard: self.so_far() }
    }

    /// What was heard until now.
    pub(super) fn so_far(self) -> Reply {
        self.listener.draft().so_far()
    }

    fn event(&mut self, data: &str, hear: &mut Ear<'_>) -> Result<Step, Unheard> {
        self.any = true;
        self.listener.take(data, hear).map_err(|trouble| {
            self.head = data.as_bytes()[..data.len().min(HEAD)].to_vec();
            self.trouble(trouble)
        })
    }

    /// Whatever goes wrong in the middle of a reply, what was heard of it is not lost.
    fn trouble(&mut self, trouble: Trouble) -> Unheard {
        let heard = std::mem::replace(&mut self.listener, wires::listener(self.api)).draft().so_far();
        match trouble {
            Trouble::Garbage(why) if heard.blocks.is_empty() => {
                Unheard::Garbage { why, begins: String::from_utf8_lossy(&self.head).into_owned() }
            }
            Trouble::Told { status, message } if heard.blocks.is_empty() => Unheard::Told { status, message },
            Trouble::Garbage(why) => Unheard::Cut { why, heard },
            Trouble::Told { status, message } => Unheard::Cut { why: format!("{status}: {message}"), heard },
        }
    }
}

/// For the fuzzer: whatever a stream has in it, it is read as a reply of this API, or it is none.
#[cfg(fuzzing)]
pub fn listened(api: Api, stream: &[u8]) -> Option<Reply> {
    let mut listening = Listening::new(api);
    let mut hear = |_: super::Piece<'_>| {};
    match listening.take(stream, &mut hear) {
        Ok(Step::Over) => listening.reply().ok(),
        Ok(Step::More) => listening.end(&mut hear).ok(),
        Err(_) => None,
    }
}
