//! Model APIs from both sides: [`talk`] asks a model, and the rest of this crate is one that plays a script: a
//! real agent runs against it on loopback, without network and without a key, and what it sent can be looked
//! at.
//!
//! A request to the script goes one way: `http` reads it from a connection, [`apis`] turn it into what was `asked`,
//! the [`stage`] says which turn of the [`script`] answers, the API's file writes that as the agent wants
//! it, and the `record` keeps both.

pub mod script;
mod asked;
mod fitting;
pub mod stage;
pub mod apis;
mod http;
mod record;
pub mod server;
pub mod talk;

pub use apis::Api;
pub use script::Script;
pub use server::{Options, Server};
pub use stage::Report;
