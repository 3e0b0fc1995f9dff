//! One question to an MCP server, from start to report.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use tenter_contract::{
    Arguments, Event, Handler, HookFailure, HookOutput, HookReport, HookSpec, Mcp, McpTransport, McpWanted,
    NoValue, Transcript,
};

use super::content::{self, Content};
use super::talk::{self, MESSAGE_LIMIT, Question};
use super::{stdio, streamable};
use crate::command::{interpret, per_path};
use crate::deadline_of;
use crate::http::client::{Deadline, redact_failure};
use crate::secrets::Secrets;
use crate::supervise::{Head, ProcessTree};

/// The result of a request, as the server gave it.
pub(super) type Answered = Map<String, Value>;

/// Asks a server once, or once per path if an argument names one and the event has several. All share the hook's
/// time.
pub(super) fn run(
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
    process_tree: ProcessTree,
    stop: Option<&AtomicBool>,
) -> HookReport {
    let Handler::Mcp(mcp) = &hook.handler else {
        let detail = format!("`{}` is no MCP server", hook.handler.kind());
        return HookReport::new(HookOutput::Failure(HookFailure::Missing { detail }));
    };
    let deadline = Deadline { until: deadline_of(hook), timeout: hook.timeout };
    let call = Call { hook, mcp, event, ours, process_tree, stop, deadline };
    per_path::run_each(per_path::paths(event, hook.handler.takes_one_path()), hook.on_failure, |path| {
        call.once(path)
    })
}

/// The values that all requests of one call share.
struct Call<'a> {
    hook: &'a HookSpec,
    mcp: &'a Mcp,
    event: &'a Event,
    ours: &'a [(OsString, OsString)],
    process_tree: ProcessTree,
    stop: Option<&'a AtomicBool>,
    deadline: Deadline,
}

impl Call<'_> {
    fn once(&self, path: Option<&str>) -> HookReport {
        let mut secrets = Secrets::default();
        let mut transcript = Transcript::default();
        let said = match self.asked(path, &mut secrets, &mut transcript) {
            Ok(result) => self.understood(&result, &secrets, &mut transcript),
            Err(said) => {
                transcript.stdout = secrets.hide(&transcript.stdout);
                // A guard that denies through an error has denied.
                let is_tool = matches!(self.mcp.wanted, McpWanted::Tool { .. });
                let stop = is_tool.then(|| self.stop_in(&transcript.stdout.clone(), &mut transcript));
                stop.flatten().unwrap_or(said)
            }
        };
        transcript.stderr = secrets.hide(&transcript.stderr);
        let said = match said {
            HookOutput::Failure(failure) => HookOutput::Failure(redact_failure(failure, &secrets)),
            said => said,
        };
        HookReport { output: said, transcript }
    }

    fn asked(
        &self,
        path: Option<&str>,
        secrets: &mut Secrets,
        transcript: &mut Transcript,
    ) -> Result<Answered, HookOutput> {
        let question = self.question(path)?;
        transcript.sent = serde_json::to_vec(&question.params).unwrap_or_default();
        match &self.mcp.server.transport {
            McpTransport::Stdio { command, env } => {
                let Self { hook, event, ours, process_tree, stop, deadline, .. } = *self;
                let setting = stdio::Setting { hook, event, ours, process_tree, stop, deadline };
                stdio::ask(&setting, (command, env), question, secrets, transcript)
            }
            McpTransport::Http { url, headers } => {
                let (most, ours, deadline) = (MESSAGE_LIMIT, self.ours, self.deadline);
                let setting = streamable::Setting { url, headers, ours, deadline, most };
                streamable::ask(&setting, question, secrets, transcript)
            }
        }
    }

    /// The question about one path of the event.
    fn question(&self, path: Option<&str>) -> Result<Question, HookOutput> {
        let about;
        let event = match (path, &self.event.tool) {
            (Some(path), Some(tool)) => {
                let mut tool = tool.clone();
                tool.paths = vec![path.to_owned()];
                about = Event { tool: Some(tool), ..self.event.clone() };
                &about
            }
            _ => self.event,
        };
        let named = |name: &str, arguments: &Arguments| {
            let arguments = arguments.filled(event);
            Map::from_iter([
                ("name".to_owned(), Value::from(name)),
                ("arguments".to_owned(), Value::from(arguments)),
            ])
        };
        Ok(match &self.mcp.wanted {
            McpWanted::Tool { name, arguments } => {
                Question { method: "tools/call", params: named(name, arguments) }
            }
            McpWanted::Prompt { name, arguments } => {
                Question { method: "prompts/get", params: named(name, arguments) }
            }
            McpWanted::Resource { uri } => {
                let uri = uri.url(event).map_err(|NoValue(value)| crate::without_value(self.hook, value))?;
                Question {
                    method: "resources/read",
                    params: Map::from_iter([("uri".to_owned(), uri.into())]),
                }
            }
        })
    }

    /// A tool's text counts like the output of a command; a resource or a prompt is context and never a reply.
    fn understood(&self, result: &Answered, secrets: &Secrets, transcript: &mut Transcript) -> HookOutput {
        let (Content { text, notices }, is_reply) = match &self.mcp.wanted {
            McpWanted::Tool { name, .. } => match content::of_tool(result) {
                Ok(content) => (content, true),
                Err(words) => {
                    transcript.stdout = secrets.hide(&words);
                    let structured = result.get("structuredContent").map(|it| secrets.hide(&it.to_string()));
                    for text in [Some(transcript.stdout.clone()), structured].into_iter().flatten() {
                        if let Some(stop) = self.stop_in(&text, transcript) {
                            return stop;
                        }
                    }
                    let words = talk::shortened(&words);
                    let words = if words.is_empty() { "no reason given".to_owned() } else { words };
                    return HookOutput::Failure(HookFailure::Failed {
                        detail: format!("the tool `{name}` says: {words}"),
                    });
                }
            },
            McpWanted::Resource { .. } => (content::of_resource(result), false),
            McpWanted::Prompt { .. } => (content::of_prompt(result), false),
        };
        let text = secrets.hide(&text);
        transcript.stdout.clone_from(&text);
        transcript.notices.extend(notices);
        let interpreted = if is_reply {
            let mut output = Head::with_limit(self.hook.max_output);
            output.take(text.as_bytes());
            transcript.cut = output.cut;
            interpret::interpret_text(output, self.hook, &self.event.kind)
        } else {
            interpret::interpret_context(text, self.hook, &self.event.kind)
        };
        transcript.notices.extend(interpreted.notices);
        // A tool may repeat its text as an object.
        let structured = result.get("structuredContent").filter(|_| is_reply);
        structured
            .and_then(|object| self.stop_in(&secrets.hide(&object.to_string()), transcript))
            .filter(|_| !interpret::is_stop(&interpreted.output))
            .unwrap_or(interpreted.output)
    }

    fn stop_in(&self, text: &str, transcript: &mut Transcript) -> Option<HookOutput> {
        let stop = interpret::find_stop_in_text(text.as_bytes(), &self.event.kind)?;
        transcript.notices.extend(stop.notices);
        Some(stop.output)
    }
}
