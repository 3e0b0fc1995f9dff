//! The memory for agents: a server of the Model Context Protocol.
//!
//! [`Server::answer`] takes one message and gives one back; who carries them is somebody else's business
//! ([`serve`] does it over standard input and output). A tool is a row of [`tools::all`]: its name, when to call it,
//! what it takes, and a function over [`crate::Memory`].

mod line;
mod rpc;
mod server;
mod waiting;
mod stdio;
mod caller;
mod arguments;
mod schema;
mod shown;
pub mod tools;
mod resources;
mod prompts;

pub use caller::{Caller, Sessions};
pub use server::{Server, VERSIONS};
pub use stdio::serve;

#[cfg(test)]
mod tests;
