//! From the bytes of a stream to a reply.

use super::refusal::Refusal;
use super::remote::{Failed, Remote, TRIES_WITHOUT_AN_ANSWER};
use super::retry::Wish;
use super::sse::Events;
use super::wires::{self, Listener, Step, Trouble};
use super::{ModelError, Reply};

/// How much of a stream may have no event in it.
const NO_EVENT_LIMIT: usize = 1024 * 1024;
/// How much of something that is no reply is shown.
const HEAD: usize = 120;

/// A reply on its way.
pub(super) struct Listening<'a> {
    remote: &'a Remote,
    events: Events,
    listener: Box<dyn Listener>,
    /// Whether there was an event.
    any: bool,
    /// How the stream began.
    head: Vec<u8>,
    bytes: usize,
}

impl<'a> Listening<'a> {
    pub(super) fn new(remote: &'a Remote) -> Self {
        let listener = wires::listener(remote.api);
        Self { remote, events: Events::default(), listener, any: false, head: Vec::new(), bytes: 0 }
    }

    /// Takes the next bytes.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        hear: &mut wires::Ear<'_>,
        tried: u32,
    ) -> Result<Step, Failed> {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.bytes = self.bytes.saturating_add(bytes.len());
        let mut found = Vec::new();
        let whole = self.events.take(bytes, &mut found);
        for data in found {
            if self.event(&data, hear, tried)? == Step::Over {
                return Ok(Step::Over);
            }
        }
        match whole {
            Ok(()) if self.any || self.bytes < NO_EVENT_LIMIT => Ok(Step::More),
            Ok(()) => Err(self.garbage("it has no events".to_owned())),
            Err(_) => Err(self.garbage("an event has no end".to_owned())),
        }
    }

    fn event(&mut self, data: &str, hear: &mut wires::Ear<'_>, tried: u32) -> Result<Step, Failed> {
        self.any = true;
        self.listener.take(data, hear).map_err(|trouble| match trouble {
            Trouble::Garbage(why) => {
                self.head = data.as_bytes()[..data.len().min(HEAD)].to_vec();
                self.garbage(why)
            }
            Trouble::Told { status, message } => self.remote.refused(Refusal::told(status, &message), tried),
        })
    }

    /// Nothing more comes.
    pub(super) fn end(mut self, hear: &mut wires::Ear<'_>, tried: u32) -> Result<Reply, Failed> {
        if let Some(data) = std::mem::take(&mut self.events).end()
            && self.event(&data, hear, tried)? == Step::Over
        {
            return self.reply();
        }
        match (self.listener.may_end(), self.any || self.bytes == 0) {
            (true, _) => self.reply(),
            (false, true) => Err(self.cut("it ended too early")),
            (false, false) => Err(self.garbage("it has no events".to_owned())),
        }
    }

    /// The reply, now that it is complete.
    pub(super) fn reply(self) -> Result<Reply, Failed> {
        let Self { remote, listener, .. } = self;
        listener.draft().finish().map_err(|(why, begins)| {
            let begins = remote.shown(&begins.chars().take(HEAD).collect::<String>());
            Failed::once(ModelError::Garbage { place: remote.place.clone(), why, begins })
        })
    }

    /// It broke off.
    pub(super) fn cut(self, why: &str) -> Failed {
        let place = self.remote.place.clone();
        let error = ModelError::Cut { place, why: self.remote.shown(why), heard: Box::new(self.so_far()) };
        Failed { error, tries: TRIES_WITHOUT_AN_ANSWER, wish: Wish::default() }
    }

    /// What was heard until now.
    pub(super) fn so_far(self) -> Reply {
        self.listener.draft().so_far()
    }

    fn garbage(&self, why: String) -> Failed {
        let begins = self.remote.shown(&String::from_utf8_lossy(&self.head));
        Failed::once(ModelError::Garbage { place: self.remote.place.clone(), why, begins })
    }
}
