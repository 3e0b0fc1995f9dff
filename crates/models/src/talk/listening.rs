//! From bytes to a reply: those of a stream, or those of one piece of JSON from a server that does not stream.

use serde_json::Value;

use super::Reply;
use super::draft::Draft;
use super::sse::Events;
use super::wires::{self, Ear, Listener, Step, Trouble};
use crate::apis::Api;

/// How much of a stream may have no event in it.
const NO_EVENT_LIMIT: usize = 1024 * 1024;
/// Bytes of a stream. Each token of a long reply comes in an event of some hundred bytes.
const STREAM_LIMIT: usize = 64 * 1024 * 1024;
/// Bytes of a reply in one piece.
const WHOLE_LIMIT: usize = 8 * 1024 * 1024;
/// How often the size of the reply is measured, in bytes of the stream.
const MEASURED: usize = 256 * 1024;
/// What some writers put before everything else.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// How much of something that is no reply is shown.
const HEAD: usize = 120;

/// A reply on its way.
pub(super) struct Listening {
    api: Api,
    /// How it comes, once the first byte says so.
    form: Option<Form>,
    listener: Box<dyn Listener>,
    /// Whether there was an event.
    any: bool,
    /// How the stream began.
    head: Vec<u8>,
    bytes: usize,
    /// Bytes of the stream when the reply was measured last.
    measured: usize,
}

/// How a reply comes.
enum Form {
    Events(Events),
    /// As one piece of JSON, of which this is here.
    Whole(Vec<u8>),
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
    /// It has no end; its first words.
    Endless { why: String, heard: Reply },
}

impl Listening {
    pub(super) fn new(api: Api) -> Self {
        let listener = wires::listener(api);
        Self { api, form: None, listener, any: false, head: Vec::new(), bytes: 0, measured: 0 }
    }

    /// Takes the next bytes.
    pub(super) fn take(&mut self, bytes: &[u8], hear: &mut Ear<'_>) -> Result<Step, Unheard> {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.bytes = self.bytes.saturating_add(bytes.len());
        let Some((form, bytes)) = form_of(&mut self.form, bytes) else { return Ok(Step::More) };
        let mut found = Vec::new();
        let whole = match form {
            Form::Events(events) => events.take(bytes, &mut found).map_err(|_| "an event has no end"),
            Form::Whole(so_far) => {
                so_far.extend_from_slice(bytes);
                let limit = WHOLE_LIMIT >> 20;
                let endless = so_far.len() > WHOLE_LIMIT;
                return if endless {
                    Err(self.endless(format!("it has more than {limit} MiB")))
                } else {
                    Ok(Step::More)
                };
            }
        };
        for data in found {
            if self.event(&data, hear)? == Step::Over {
                return Ok(Step::Over);
            }
        }
        if let Err(why) = whole {
            return Err(self.endless(why.to_owned()));
        }
        if !self.any && self.bytes > NO_EVENT_LIMIT {
            return Err(self.trouble(Trouble::Garbage("it has no events".to_owned())));
        }
        if self.bytes > STREAM_LIMIT {
            return Err(self.endless(format!("its stream has more than {} MiB", STREAM_LIMIT >> 20)));
        }
        if self.bytes - self.measured >= MEASURED {
            self.measured = self.bytes;
            if let Some(why) = self.listener.draft().excess() {
                return Err(self.endless(why));
            }
        }
        Ok(Step::More)
    }

    /// It has no end, and nobody listens any longer.
    pub(super) fn endless(&mut self, why: String) -> Unheard {
        Unheard::Endless { why, heard: self.taken_draft().first_words() }
    }

    fn taken_draft(&mut self) -> Draft {
        std::mem::take(std::mem::replace(&mut self.listener, wires::listener(self.api)).draft())
    }

    /// Nothing more comes.
    pub(super) fn end(mut self, hear: &mut Ear<'_>) -> Result<Reply, Unheard> {
        match self.form.take() {
            Some(Form::Whole(json)) => return self.whole(&json, hear),
            Some(Form::Events(events)) => {
                if let Some(data) = events.end()
                    && self.event(&data, hear)? == Step::Over
                {
                    return self.reply();
                }
            }
            None => {}
        }
        match (self.listener.may_end(), self.any || self.bytes == 0) {
            (true, _) => self.reply(),
            (false, true) => Err(self.cut("it ended too early".to_owned())),
            (false, false) => Err(self.trouble(Trouble::Garbage("it has no events".to_owned()))),
        }
    }

    /// All of it came at once. Gemini's may be a list, of what would have been events.
    fn whole(mut self, json: &[u8], hear: &mut Ear<'_>) -> Result<Reply, Unheard> {
        let answers = match serde_json::from_slice(json) {
            Ok(Value::Array(answers)) => answers,
            Ok(answer) => vec![answer],
            Err(error) if error.is_eof() => return Err(self.cut("it ended too early".to_owned())),
            Err(error) => {
                let why = format!("it is neither a stream nor one piece of JSON: {error}");
                return Err(self.trouble(Trouble::Garbage(why)));
            }
        };
        if answers.is_empty() {
            return Err(self.trouble(Trouble::Garbage("it is an empty list".to_owned())));
        }
        for answer in &answers {
            self.listener.take_whole(answer, hear).map_err(|trouble| self.trouble(trouble))?;
        }
        self.reply()
    }

    /// The reply, now that it is complete.
    pub(super) fn reply(mut self) -> Result<Reply, Unheard> {
        let shown = |text: String| text.chars().take(HEAD).collect();
        let reply = std::mem::take(self.listener.draft()).finish();
        let why = || "it calls a tool that it does not name".to_owned();
        reply.map_err(|begins| Unheard::Garbage { why: why(), begins: shown(begins) })
    }

    /// It broke off.
    pub(super) fn cut(self, why: String) -> Unheard {
        Unheard::Cut { why, heard: self.so_far() }
    }

    /// What was heard until now.
    pub(super) fn so_far(mut self) -> Reply {
        std::mem::take(self.listener.draft()).so_far()
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
        let heard = self.taken_draft().so_far();
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

/// How it comes, and what there is of it: no line of a stream begins as JSON does. Before the first byte that says
/// something there is nothing.
fn form_of<'f, 'b>(form: &'f mut Option<Form>, bytes: &'b [u8]) -> Option<(&'f mut Form, &'b [u8])> {
    if let Some(form) = form {
        return Some((form, bytes));
    }
    let says_nothing = |byte: &u8| byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(byte);
    let bytes = &bytes[bytes.iter().position(|byte| !says_nothing(byte))?..];
    let new = match bytes[0] {
        b'{' | b'[' => Form::Whole(Vec::new()),
        _ => Form::Events(Events::default()),
    };
    Some((form.insert(new), bytes))
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
