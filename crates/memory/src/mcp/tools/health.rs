//! Whether the server and its store work.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::server::ToolRequest;
use super::{Access, Tool};
use crate::error::MemoryError;
use crate::store::health::Condition;

/// An agent waits for this, so a large store is checked only in part.
const LOOKS: Duration = Duration::from_millis(200);

pub(super) const PING: Tool = Tool {
    name: "ping",
    title: "Is the memory there?",
    description: "Whether the server works and its store can be read and written, which project it is about and to which session it belongs. `status` is `healthy` or `degraded`; then `problem` says what is wrong and what the user should type. Call it when another tool behaves unexpectedly.",
    access: Access::Read,
    takes: || Vec::new(),
    call: |call: &ToolRequest<'_>| -> Result<Value, MemoryError> {
        let health = call.memory.health(Some(&call.caller.project), LOOKS);
        let problem = health.problem();
        let mut result = json!({
            "status": if problem.is_none() { "healthy" } else { "degraded" },
            "server": "tenter",
            "version": env!("CARGO_PKG_VERSION"),
            "project": call.caller.project.as_str(),
            "session_id": call.caller.who.session.as_str(),
            "store": {
                "path": health.path,
                "is_there": health.condition != Condition::Missing,
                "bytes": health.bytes,
                "waiting": health.waiting,
            },
        });
        if let Some(problem) = problem {
            result["problem"] = json!(problem);
        }
        Ok(result)
    },
};
