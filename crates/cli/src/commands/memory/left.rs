//! What is left of something that was forgotten: agents were told of it, and what they are told is recorded.

use serde_json::{Value, json};
use tenter_store::{StateFolder, Trace, traces};

use super::super::state;
use crate::error::CliError;
use crate::listing::{counted, visible};
use crate::printer::{self, Printer, Tone};

/// A text of fewer characters says too little to be looked for: others have it too.
const TELLING: usize = 20;

/// Where it still stands.
pub(super) struct Left {
    state: StateFolder,
    /// None if that could not be looked up.
    traces: Option<Vec<Trace>>,
}

impl Left {
    /// Looks for ids, with which things are cited, and for their words.
    pub(super) fn of(forgotten: &[(&str, String)]) -> Result<Self, CliError> {
        let ids = forgotten.iter().map(|(id, _)| *id);
        let texts = forgotten.iter().map(|(_, text)| text.trim());
        let texts = texts.filter(|text| text.chars().count() >= TELLING);
        let state = state()?;
        let found = traces(&state, &ids.chain(texts).collect::<Vec<_>>());
        if let Err(cause) = &found {
            printer::write_error(&format!(
                "warning: it is forgotten, but whether records of it are left cannot be looked up: {cause}\n"
            ));
        }
        Ok(Self { state, traces: found.ok() })
    }

    /// The files, for programs.
    pub(super) fn json(&self) -> Value {
        let file = |trace: &Trace| json!({"file": trace.path, "lines": trace.lines});
        self.traces.as_ref().map_or(Value::Null, |traces| traces.iter().map(file).collect())
    }

    /// Where it stands, for how long, and how to be rid of it there.
    pub(super) fn tell(&self, printer: &Printer) {
        let traces = self.traces.as_deref().unwrap_or_default();
        let (trail, sessions): (Vec<&Trace>, Vec<&Trace>) =
            traces.iter().partition(|trace| trace.is_of_trail(&self.state));
        let folder = self.state.path().join("audit").display().to_string();
        let rid_of_trail = format!(
            "nothing can be cut out of that chain; remove the folder `{folder}` as a whole while no agent runs, and a new one begins"
        );
        let say = |files: &[&Trace], what: &str, rid: &str| {
            if files.is_empty() {
                return;
            }
            printer.line(printer.tone(Tone::Caution, format!("it still stands in {what}:")));
            for trace in files {
                let lines = counted(trace.lines, "line");
                printer.line(format!("  {}  {lines}", visible(&trace.path.display().to_string())));
            }
            printer.line(printer.tone(Tone::Quiet, visible(rid)));
        };
        say(&trail, "the audit trail, which keeps what agents were told until you remove it", &rid_of_trail);
        say(
            &sessions,
            "the files of sessions, which stay until you remove them",
            "one can be removed when its session is over",
        );
    }
}
