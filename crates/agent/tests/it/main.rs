//! The agent's loop, with hooks that are functions and a model that plays lines.

mod journal;
mod kit;
mod loops;
mod permissions;
mod subagents;
mod troubles;
