//! Model APIs from both sides. [`client`] asks a model. [`server`] is a scripted model on loopback: a real agent runs
//! against it without network and without a key, and its requests can be recorded.

mod api;
pub mod client;
pub mod script;
pub mod server;

pub use api::Api;
pub use script::Script;
pub use server::{ScriptReport, ScriptServer, ServerOptions};
