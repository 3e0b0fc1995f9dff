//! Asking a model.
//!
//! ```text
//! conversation ─ layout ─ wires ─▶ exchange ─▶ sse ─ wires ─▶ reply
//!                        (body)    (HTTP)           (draft)
//! ```
//!
//! A [`Conversation`] is laid out in turns, the API's file in `wires` writes them as that API wants them, an
//! exchange sends them and hands over what comes back piece by piece, and the same file reads the events into
//! a [`Reply`]. A [`ModelSpec`] says which model that is.

mod conversation;
mod request;
mod reply;
mod stop;
mod error;
mod layout;
mod notes;
mod wires;
mod draft;
mod sse;
mod web;
mod key;
mod exchange;
mod refusal;
mod retry;
mod remote;
mod listed;
mod listening;
mod windows;
mod scripted;
mod spec;

pub use conversation::{Conversation, Item, Note, ToolResult};
pub use error::ModelError;
#[cfg(fuzzing)]
pub use listening::listened;
pub use reply::{Block, Call, Reply, StopReason, Usage};
pub use request::{Definition, Request};
pub use retry::Patience;
pub use scripted::Scripted;
pub use spec::{Fault, ModelSpec, SERVER_KEY, SpecError, key_variables};
pub use stop::Stop;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// What it is called, as the user knows it.
    fn name(&self) -> &str;

    /// How many tokens it reads at once, where that is known.
    fn window(&self) -> Option<u64> {
        None
    }

    /// Asks it, and waits for the whole reply. What is heard until then is told piece by piece.
    fn ask(
        &self,
        request: &Request<'_>,
        hear: &mut dyn FnMut(Piece<'_>),
        stop: &Stop,
    ) -> Result<Reply, ModelError>;
}

impl<M: Model + ?Sized> Model for &M {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn window(&self) -> Option<u64> {
        (**self).window()
    }

    fn ask(
        &self,
        request: &Request<'_>,
        hear: &mut dyn FnMut(Piece<'_>),
        stop: &Stop,
    ) -> Result<Reply, ModelError> {
        (**self).ask(request, hear, stop)
    }
}

impl<M: Model + ?Sized> Model for Box<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn window(&self) -> Option<u64> {
        (**self).window()
    }

    fn ask(
        &self,
        request: &Request<'_>,
        hear: &mut dyn FnMut(Piece<'_>),
        stop: &Stop,
    ) -> Result<Reply, ModelError> {
        (**self).ask(request, hear, stop)
    }
}

/// A piece of what is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Words.
    Text(&'a str),
    /// A call begins; its input is still to come.
    Call {
        /// The tool.
        name: &'a str,
    },
    /// No whole reply was heard, and the same is asked again after a while.
    Waiting {
        /// Why.
        why: &'a str,
        /// How long.
        seconds: u64,
        /// Whether something was heard that does not count now: the reply begins anew.
        void: bool,
        /// Which try has failed, from 1.
        attempt: u32,
    },
}
