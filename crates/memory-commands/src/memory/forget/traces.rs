//! Finds copies of forgotten texts in the audit trail and in the agents' sessions, where the memory cannot delete
//! them.

use serde_json::{Value, json};
use tenter_store::{StateFolder, Trace, traces};

use tenter_console::error::CliError;
use tenter_console::listing::{counted, visible};
use tenter_console::places::state;
use tenter_console::printer;
use tenter_console::printer::{Printer, Tone};

/// Shorter texts are not searched for: unrelated records contain them too.
const TELLING: usize = 20;

pub(crate) struct Left {
    state: StateFolder,
    /// None if the search failed.
    traces: Option<Vec<Trace>>,
}

impl Left {
    /// Searches for ids and texts.
    pub(crate) fn find(forgotten: &[(&str, String)]) -> Result<Self, CliError> {
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

    pub(crate) fn json(&self) -> Value {
        let file = |trace: &Trace| json!({"file": trace.path, "lines": trace.lines});
        self.traces.as_ref().map_or(Value::Null, |traces| traces.iter().map(file).collect())
    }

    pub(crate) fn print(&self, printer: &Printer) {
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
            printer.line(printer.tone(Tone::Caution, format!("it is still in {what}:")));
            for trace in files {
                let lines = counted(trace.lines, "line");
                printer.line(format!("  {}  {lines}", visible(&trace.path.display().to_string())));
            }
            printer.line(printer.tone(Tone::Quiet, visible(rid)));
        };
        say(&trail, "the audit trail, which keeps injected texts until you remove it", &rid_of_trail);
        say(
            &sessions,
            "the files of sessions, which stay until you remove them",
            "one can be removed when its session is over",
        );
    }
}
