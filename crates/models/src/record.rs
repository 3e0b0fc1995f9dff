//! Requests and what they got, as numbered files. Headers are not kept: they carry keys.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::apis::Api;
use crate::http::Request;
use crate::stage::{Line, Part};

/// A folder that requests are recorded to.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    folder: PathBuf,
}

/// What a request got.
pub(crate) enum Got<'a> {
    /// A line of the play.
    Line(&'a Line),
    /// Something that has no part in the play.
    Aside(&'static str),
}

impl Recording {
    /// Makes the folder.
    pub(crate) fn to(folder: PathBuf) -> std::io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Writes one request; the error says what could not be written.
    pub(crate) fn write(
        &self,
        number: usize,
        api: Option<Api>,
        request: &Request,
        body: &Value,
        got: &Got<'_>,
    ) -> Result<(), String> {
        let mut record = json!({
            "v": 1, "number": number, "api": api.map(Api::name), "method": request.method,
            "path": request.path,
        });
        match got {
            Got::Line(line) => {
                let (part, turn) = match line.part {
                    Part::Turn(turn) => ("turn", Some(turn)),
                    Part::Unmet(turn) => ("unmet", Some(turn)),
                    Part::Beside => ("beside", None),
                    Part::Beyond => ("beyond", None),
                };
                record["part"] = part.into();
                record["turn"] = turn.into();
                let calls = line.calls.iter().map(|call| json!({"tool": call.tool, "input": call.input}));
                record["reply"] = json!({"say": line.say, "call": calls.collect::<Vec<_>>()});
                if let Some(fails) = &line.fails {
                    record["fails"] = fails.word().into();
                }
            }
            Got::Aside(part) => record["part"] = (*part).into(),
        }
        record["request"] = body.clone();
        let path = self.folder.join(format!("{number:03}.json"));
        let text = format!("{record:#}\n");
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}
