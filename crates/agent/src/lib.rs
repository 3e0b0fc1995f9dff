//! The agent of `tenter chat`. It runs hooks at every event and supports every effect.
//!
//! ```text
//!            ┌──────────────────────── turn ────────────────────────┐
//!  prompt ──▶│ model ─▶ reply ─▶ calls: hooks ─▶ tool ─▶ hooks ─┐   │──▶ done, if hooks allow it
//!            │   ▲                                              │   │
//!            │   └─────────── results, notes of hooks ◀─────────┘   │
//!            └──────────────────────────────────────────────────────┘
//! ```
//!
//! [`turn`] has the loop. An [`Agent`] is one session; its [`SharedConversation`] is stored in a [`Journal`]; its model
//! calls [`tools`]; an [`Observer`] receives its events.

pub mod agent;
pub mod hidden_keys;
pub mod journal;
pub mod observer;
pub mod permission;
pub mod shared_conversation;
pub mod tools;
pub mod turn;
mod tool_calls;
mod compaction;
mod instructions;
mod shorten;
mod subagent;

pub use agent::{Agent, AgentParts, OpenSession};
pub use hidden_keys::HiddenKeys;
pub use journal::Journal;
pub use observer::{AgentEvent, Observer};
pub use permission::Permission;
pub use shared_conversation::SharedConversation;
pub use turn::{Incomplete, TurnEnd, TurnError};
