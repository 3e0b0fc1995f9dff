//! Asking a model.
//!
//! ```text
//! conversation ─ layout ─ apis ─▶ exchange ─▶ sse ─ apis ─▶ reply
//!                        (body)    (HTTP)           (partial)
//! ```
//!
//! A [`Conversation`] is laid out in turns, the API's file in `apis` writes them as that API wants them, an
//! exchange sends them and hands over what comes back piece by piece, and the same file reads the events into
//! a [`Reply`]. A [`ModelSpec`] says which model that is.

mod conversation;
mod request;
mod reply;
mod stop_flag;
mod error;
mod layout;
mod note_text;
mod apis;
mod partial_reply;
mod api_key;
mod exchange;
mod error_response;
mod retry;
mod remote_model;
mod model_list;
mod reply_stream;
mod context_window;
mod scripted_model;
mod spec;

pub use conversation::{Conversation, Item, Note, ToolResult};
pub use error::ModelError;
pub use reply::{Block, Reply, StopReason, ToolUse, Usage};
#[cfg(fuzzing)]
pub use reply_stream::listened;
pub use request::{Request, ToolDefinition};
pub use retry::RetryPolicy;
pub use scripted_model::ScriptedModel;
pub use spec::{Fault, ModelSpec, SERVER_KEY, SpecError, key_variables};
pub use stop_flag::StopFlag;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// The name that the user knows.
    fn name(&self) -> &str;

    /// How many tokens it reads at once, where that is known.
    fn window(&self) -> Option<u64> {
        None
    }

    /// Asks the model and waits for the whole reply. `on_piece` receives its pieces as they arrive.
    fn ask(
        &self,
        request: &Request<'_>,
        on_piece: &mut dyn FnMut(ReplyPiece<'_>),
        stop: &StopFlag,
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
        on_piece: &mut dyn FnMut(ReplyPiece<'_>),
        stop: &StopFlag,
    ) -> Result<Reply, ModelError> {
        (**self).ask(request, on_piece, stop)
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
        on_piece: &mut dyn FnMut(ReplyPiece<'_>),
        stop: &StopFlag,
    ) -> Result<Reply, ModelError> {
        (**self).ask(request, on_piece, stop)
    }
}

/// A piece of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyPiece<'a> {
    /// Text.
    Text(&'a str),
    /// A call begins; its input is still to come.
    Call {
        /// The tool.
        name: &'a str,
    },
    /// No whole reply was received, and the same is asked again after a while.
    Waiting {
        /// Why.
        why: &'a str,
        /// How long.
        seconds: u64,
        /// Whether something was received that does not count now: the reply begins anew.
        void: bool,
        /// Which try has failed, from 1.
        attempt: u32,
    },
}
