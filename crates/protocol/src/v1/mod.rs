//! Version 1.

pub mod event;
pub mod previous;
pub mod reply;
pub mod claude_reply;
pub mod injected;
pub mod outcome;
pub mod record;
pub mod approval_request;
pub mod approval;
pub mod watch;
pub mod recorded_rest;
mod recorded_effect;
