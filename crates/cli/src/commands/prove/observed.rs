//! Collects evidence from the trail, the requests to the model, and the project.

use std::fs;

use serde::Serialize;
use serde_json::Value;
use tenter_protocol::v1::record::RecordV1;
use tenter_store::audit::read::Filter;

use crate::commands::prove::provable_agent::ProvableAgent;
use crate::commands::prove::sandbox::Sandbox;
use crate::error::CliError;
use crate::trail;

/// One event and the results of its hooks; `None` for what was not tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Row {
    pub(crate) event: &'static str,
    pub(crate) fired: bool,
    pub(crate) context_reached_the_model: Option<bool>,
    /// Whether a deny stopped the tool, and the model received the reason.
    pub(crate) deny_stopped_the_tool: Option<bool>,
    /// Whether a deny withheld the result, and the model received the reason.
    pub(crate) deny_withheld_the_result: Option<bool>,
    pub(crate) rewrite_took_effect: Option<bool>,
    /// Whether a call was denied because the agent takes no rewritten input, and the model received the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rewrite_was_denied: Option<bool>,
    /// Whether an agent that wanted to stop went on.
    pub(crate) stop_was_continued: Option<bool>,
    pub(crate) ms: Option<f64>,
}

impl Row {
    pub(crate) fn is_proven(&self) -> bool {
        let tried = [
            self.context_reached_the_model,
            self.deny_stopped_the_tool,
            self.deny_withheld_the_result,
            self.rewrite_took_effect,
            self.rewrite_was_denied,
            self.stop_was_continued,
        ];
        self.fired && !tried.contains(&Some(false))
    }
}

/// Checks everything that the agent can be expected to do.
pub(crate) fn observe(sandbox: &Sandbox, target: &ProvableAgent) -> Result<Vec<Row>, CliError> {
    let records: Vec<RecordV1> =
        trail::records_in(&sandbox.state(), Filter::default())?.collect::<Result<_, _>>()?;
    let requests = requests(sandbox);
    let seen = |mark: &str| Some(requests.iter().any(|request| request.contains(mark)));
    let row = |event: &'static str, hooks: &[&str]| {
        let of_event: Vec<&RecordV1> = records.iter().filter(|record| record.event == event).collect();
        let asked = |hook: &str| {
            let address = format!("user/{hook}");
            of_event.iter().any(|record| record.hooks.iter().any(|asked| asked.hook == address))
        };
        Row {
            event,
            fired: hooks.iter().all(|hook| asked(hook)),
            ms: of_event.iter().filter_map(|record| record.took_ms).reduce(f64::max),
            ..Row::default()
        }
    };
    // If a deny ends the run, the model receives nothing more.
    let received = |mark: &str| !target.reports_reason() || seen(mark) == Some(true);
    let denied = !sandbox.path("project/denied.txt").exists() && received("tenter-proof denied");
    let rewritten = sandbox.text("project/rewritten.txt");
    let takes_rewrites = target.takes_rewrites();
    let refused = || rewritten.is_empty() && seen("rewrite rewrites the tool input") == Some(true);
    // The two words are not adjacent in the call itself.
    let withheld = seen("tenter-proof result") == Some(false) && received("tenter-proof withheld");
    let rows = vec![
        Row {
            context_reached_the_model: seen("tenter-proof session-context"),
            ..row("session:start", &["session-context"])
        },
        Row {
            context_reached_the_model: seen("tenter-proof prompt-context"),
            ..row("prompt:submit", &["prompt-context"])
        },
        Row {
            deny_stopped_the_tool: Some(denied),
            rewrite_took_effect: takes_rewrites.then(|| rewritten == "rewritten\n"),
            rewrite_was_denied: (!takes_rewrites).then(refused),
            ..row("tool:pre", &["deny", "rewrite"])
        },
        Row {
            context_reached_the_model: seen("tenter-proof feedback"),
            deny_withheld_the_result: Some(withheld),
            ..row("tool:post", &["feedback", "withhold"])
        },
        Row {
            stop_was_continued: seen("tenter-proof go-on").filter(|_| target.continues_after_stop()),
            ..row("orchestrator:complete", &["go-on"])
        },
    ];
    Ok(rows.into_iter().filter(|row| !target.not_headless.contains(&row.event)).collect())
}

pub(crate) fn offers_memory(sandbox: &Sandbox) -> bool {
    requests(sandbox).iter().any(|request| names_memory(request))
}

/// By a tool or, in agents whose model searches for tools first (Codex from 0.169 on), by the name of the server. Nothing
/// else in these requests has either.
fn names_memory(request: &str) -> bool {
    request.contains("start_ghap") || request.contains("- mcp__tenter:")
}

/// The requests of the conversation as text. The script of the model has none of the marks.
pub(crate) fn requests(sandbox: &Sandbox) -> Vec<String> {
    let files = fs::read_dir(sandbox.path("requests")).into_iter().flatten().flatten();
    files
        .filter_map(|file| serde_json::from_slice::<Value>(&fs::read(file.path()).ok()?).ok())
        .filter(|record| record["part"] == "turn")
        .map(|record| record["request"].to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::names_memory;

    #[test]
    fn deferred_tools_are_offered_too() {
        for (request, expected) in [
            (r#"{"tools":[{"name":"mcp__tenter__start_ghap"}]}"#, true),
            (r#"{"input":"<tools>\nDeferred tool namespaces:\n- mcp__tenter: tenter remembers …"}"#, true),
            (r#"{"input":"tenter-proof session-context"}"#, false),
        ] {
            assert_eq!(names_memory(request), expected, "{request}");
        }
    }
}
