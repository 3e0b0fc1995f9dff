//! Asking a model.
//!
//! ```text
//! conversation ─ layout ─ apis ─▶ exchange ─▶ events ─ apis ─▶ reply
//!                        (body)    (HTTP)              (partial)
//! ```
//!
//! `layout` puts a [`Conversation`] into turns, and the file of the API in `apis` writes the turns as a request. An
//! exchange sends it and returns the response piece by piece, and the same file reads the events into a [`Reply`].
//! A [`ModelSpec`] names the model.

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
pub use error::{FailureCause, ModelError};
pub use reply::{Block, Reply, StopReason, ToolUse, Usage};
#[cfg(fuzzing)]
pub use reply_stream::read_stream;
pub use request::{Request, ToolDefinition};
pub use retry::RetryPolicy;
pub use scripted_model::ScriptedModel;
pub use spec::{Fault, ModelSpec, SERVER_KEY, SpecError, key_variables};
pub use stop_flag::StopFlag;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// The name that the user knows.
    fn name(&self) -> &str;

    /// The context window in tokens, if it is known.
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

/// A piece of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyPiece<'a> {
    /// Text.
    Text(&'a str),
    /// A call starts; its input follows.
    Call {
        /// The tool.
        name: &'a str,
    },
    /// A try failed, and the next one follows after a pause.
    Waiting {
        /// The reason.
        why: &'a str,
        /// The length of the pause.
        seconds: u64,
        /// Whether earlier pieces are invalid, because the reply starts again.
        void: bool,
        /// The failed try, from 1.
        attempt: u32,
    },
}
