//! Questions that an agent asks its own user. The agent does not report the answer; whether the call has run shows it.

use std::fs;

use tenter_contract::ports::StateError;
use tenter_contract::{ApprovalRequest, Event, EventKind};
use tenter_protocol::v1::approval_request::ApprovalRequestV1;

use super::{ApprovalFolder, new_id, read_json, unusable, write_json};
use crate::place::names_in;
use crate::sessions::SessionFolder;

/// Keeps a question until an event settles it.
pub(super) fn keep(register: &ApprovalFolder, request: &ApprovalRequest) -> Result<(), StateError> {
    let session = SessionFolder::new(&register.state, request.event.session.as_ref());
    let folder = session.join("asked");
    let path = folder.join(format!("{}.json", new_id()));
    let written = session.make(&folder).and_then(|()| write_json(&path, &ApprovalRequestV1::new(request)));
    written.map(drop).map_err(unusable(&path))
}

/// The questions that an event settles: the call has run or failed, or the turn is over without it.
pub(super) fn settled_by(
    register: &ApprovalFolder,
    event: &Event,
) -> Result<Vec<ApprovalRequest>, StateError> {
    let call = event.tool.as_ref().and_then(|tool| tool.call_id.as_deref());
    let settles: &dyn Fn(&ApprovalRequest) -> bool = match event.kind {
        EventKind::ToolPost | EventKind::ToolError if call.is_some() => &|request| {
            request.event.tool.as_ref().and_then(|tool| tool.call_id.as_deref()) == call
                && request.event.agent_id == event.agent_id
        },
        EventKind::PromptSubmit | EventKind::OrchestratorComplete | EventKind::SessionEnd => &|_| true,
        _ => return Ok(Vec::new()),
    };
    let folder = SessionFolder::new(&register.state, event.session.as_ref()).join("asked");
    let read = || {
        let mut settled = Vec::new();
        for name in names_in(&folder)? {
            let path = folder.join(&name);
            if path.extension().is_none() {
                // A draft.
                continue;
            }
            let request: Option<ApprovalRequestV1> = read_json(&path)?;
            let Some(request) = request.and_then(|request| request.request()) else { continue };
            // Of several processes, the one that removes the file settles the question.
            if settles(&request) && fs::remove_file(&path).is_ok() {
                settled.push(request);
            }
        }
        Ok(settled)
    };
    read().map_err(unusable(&folder))
}
