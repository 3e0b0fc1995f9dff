//! An agent of our own: the host in which every event happens and every effect is carried.
//!
//! ```text
//!            ┌──────────────────────── turn ────────────────────────┐
//!  prompt ──▶│ model ─▶ reply ─▶ calls: hooks ─▶ tool ─▶ hooks ─┐   │──▶ done, if hooks let it
//!            │   ▲                                              │   │
//!            │   └──────── results, and what hooks added ◀──────┘   │
//!            └──────────────────────────────────────────────────────┘
//! ```
//!
//! [`turn`] has the loop on one screen. An [`Agent`] is one session; its conversation is a [`SharedConversation`], kept in a
//! [`Journal`]; [`tools`] are what its model may call; a [`Observer`] watches.

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
