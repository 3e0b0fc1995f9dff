//! Whether somebody is there.

use serde_json::{Value, json};

use super::super::schema::object;
use super::super::server::Call;
use super::{Does, Tool};
use crate::error::MemoryError;

pub(super) const PING: Tool = Tool {
    name: "ping",
    title: "Is the memory there?",
    description: "Whether the server works, which project it is about and to which session it belongs. Call it when another tool behaves unexpectedly.",
    does: Does::Look,
    takes: || object(Vec::new()),
    call: |call: &Call<'_>| -> Result<Value, MemoryError> {
        Ok(json!({
            "status": "healthy",
            "server": "tenter",
            "version": env!("CARGO_PKG_VERSION"),
            "project": call.caller.project.as_str(),
            "session_id": call.caller.who.session.as_str(),
        }))
    },
};
