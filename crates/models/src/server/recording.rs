//! Requests and their replies as numbered files. Headers are not recorded: they contain keys.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::http::Request;
use super::script_state::{ScriptStep, ScriptedReply};
use crate::Api;

#[derive(Clone, Debug)]
pub(super) struct Recording {
    folder: PathBuf,
}

/// The kind of answer that a request received.
pub(super) enum RecordEntry<'a> {
    Reply(&'a ScriptedReply),
    /// An answer that is not part of the script: `probe`, `count`, `unknown`.
    Other(&'static str),
}

impl Recording {
    pub(super) fn create(folder: PathBuf) -> std::io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Writes one request. The error names the file.
    pub(super) fn write(
        &self,
        number: usize,
        api: Option<Api>,
        request: &Request,
        body: &Value,
        entry: &RecordEntry<'_>,
    ) -> Result<(), String> {
        let mut record = json!({
            "v": 1, "number": number, "api": api.map(Api::name), "method": request.method,
            "path": request.path,
        });
        match entry {
            RecordEntry::Reply(reply) => {
                let (part, turn) = match reply.step {
                    ScriptStep::Turn(turn) => ("turn", Some(turn)),
                    ScriptStep::Mismatch(turn) => ("mismatch", Some(turn)),
                    ScriptStep::SideRequest => ("side_request", None),
                    ScriptStep::AfterEnd => ("after_end", None),
                };
                record["part"] = part.into();
                record["turn"] = turn.into();
                let calls = reply.calls.iter().map(|call| json!({"tool": call.tool, "input": call.input}));
                record["reply"] = json!({"say": reply.say, "call": calls.collect::<Vec<_>>()});
                if let Some(fails) = &reply.fails {
                    record["fails"] = fails.key().into();
                }
            }
            RecordEntry::Other(part) => record["part"] = (*part).into(),
        }
        record["request"] = body.clone();
        let path = self.folder.join(format!("{number:03}.json"));
        let text = format!("{record:#}\n");
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}
