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
//! [`turn`] has the loop on one screen. An [`Agent`] is one session; its conversation is a [`Talk`], kept in a
//! [`Journal`]; [`tools`] are what its model may call; a [`Listener`] watches.

pub mod agent;
pub mod hidden;
pub mod journal;
pub mod listener;
pub mod permission;
pub mod talk;
pub mod tools;
pub mod turn;
mod calls;
mod compaction;
mod instructions;
mod shortened;
mod subagent;

pub use agent::{Agent, OpenSession, Parts};
pub use hidden::HiddenKeys;
pub use journal::Journal;
pub use listener::{Heard, Listener};
pub use permission::Permission;
pub use talk::Talk;
pub use turn::{Ended, Shortfall, Trouble};
