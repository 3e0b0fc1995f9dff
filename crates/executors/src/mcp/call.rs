//! One request to an MCP server, from start to report.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use tenter_contract::{
    Arguments, Event, Handler, HookFailure, HookOutput, HookReport, HookSpec, Mcp, McpTransport, McpWanted,
    NoValue, Transcript,
};

use super::content::{self, Content};
use super::conversation::{self, MESSAGE_LIMIT, McpRequest};
use super::{stdio, streamable};
use crate::command::{interpret, per_path};
use crate::hook_run::HookRun;
use crate::http::client::{Deadline, redact_failure};
use crate::secrets::Secrets;
use crate::supervise::{Head, ProcessTree};
use crate::{missing, without_value};

/// The result of a request.
pub(super) type McpResult = Map<String, Value>;

/// Asks a server once, or once per path if an argument names one and the event has several. All requests share the hook's
/// timeout.
pub(super) fn run(
    hook: &HookSpec,
    event: &Event,
    ours: &[(OsString, OsString)],
    process_tree: ProcessTree,
    stop: Option<&AtomicBool>,
) -> HookReport {
    let Handler::Mcp(mcp) = &hook.handler else {
        return HookReport::new(missing(format!("`{}` is not an MCP server", hook.handler.kind())));
    };
    let call = McpCall { run: HookRun::new(hook, event, ours, process_tree, stop), mcp };
    per_path::run_each(hook, event, |path| call.once(path))
}

/// The values that all requests of one call share.
struct McpCall<'a> {
    run: HookRun<'a>,
    mcp: &'a Mcp,
}

impl McpCall<'_> {
    fn once(&self, path: Option<&str>) -> HookReport {
        let mut secrets = Secrets::default();
        let mut transcript = Transcript::default();
        let output = match self.send(path, &mut secrets, &mut transcript) {
            Ok(result) => self.interpret(&result, &secrets, &mut transcript),
            Err(output) => {
                transcript.stdout = secrets.hide(&transcript.stdout);
                // A guard that denies through an error has denied.
                let is_tool = matches!(self.mcp.wanted, McpWanted::Tool { .. });
                let stop = is_tool.then(|| self.stop_in(&transcript.stdout.clone(), &mut transcript));
                stop.flatten().unwrap_or(output)
            }
        };
        transcript.stderr = secrets.hide(&transcript.stderr);
        let output = match output {
            HookOutput::Failure(failure) => HookOutput::Failure(redact_failure(failure, &secrets)),
            output => output,
        };
        HookReport { output, transcript }
    }

    fn send(
        &self,
        path: Option<&str>,
        secrets: &mut Secrets,
        transcript: &mut Transcript,
    ) -> Result<McpResult, HookOutput> {
        let request = self.request(path)?;
        transcript.sent = serde_json::to_vec(&request.params).unwrap_or_default();
        match &self.mcp.server.transport {
            McpTransport::Stdio { command, env } => {
                stdio::ask(&self.run, (command, env), request, secrets, transcript)
            }
            McpTransport::Http { url, headers } => {
                let HookRun { hook, ours, deadline: until, .. } = self.run;
                let deadline = Deadline { until, timeout: hook.timeout };
                let setting = streamable::Setting { url, headers, ours, deadline, most: MESSAGE_LIMIT };
                streamable::ask(&setting, request, secrets, transcript)
            }
        }
    }

    /// The request for one path of the event.
    fn request(&self, path: Option<&str>) -> Result<McpRequest, HookOutput> {
        let event = per_path::event_with_path(self.run.event, path);
        let named = |name: &str, arguments: &Arguments| {
            let arguments = arguments.filled(&event);
            Map::from_iter([
                ("name".to_owned(), Value::from(name)),
                ("arguments".to_owned(), Value::from(arguments)),
            ])
        };
        Ok(match &self.mcp.wanted {
            McpWanted::Tool { name, arguments } => {
                McpRequest { method: "tools/call", params: named(name, arguments) }
            }
            McpWanted::Prompt { name, arguments } => {
                McpRequest { method: "prompts/get", params: named(name, arguments) }
            }
            McpWanted::Resource { uri } => {
                let uri = uri.url(&event);
                let uri = uri.map_err(|NoValue(value)| without_value(self.run.hook, value))?;
                McpRequest {
                    method: "resources/read",
                    params: Map::from_iter([("uri".to_owned(), uri.into())]),
                }
            }
        })
    }

    /// A tool's text counts like the output of a command; a resource or a prompt is context and never a reply.
    fn interpret(&self, result: &McpResult, secrets: &Secrets, transcript: &mut Transcript) -> HookOutput {
        let (Content { text, notices }, is_reply) = match &self.mcp.wanted {
            McpWanted::Tool { name, .. } => match content::parse_tool_result(result) {
                Ok(content) => (content, true),
                Err(text) => {
                    transcript.stdout = secrets.hide(&text);
                    let structured = result.get("structuredContent").map(|it| secrets.hide(&it.to_string()));
                    for text in [Some(transcript.stdout.clone()), structured].into_iter().flatten() {
                        if let Some(stop) = self.stop_in(&text, transcript) {
                            return stop;
                        }
                    }
                    let text = conversation::shortened(&text);
                    let text = if text.is_empty() { "no reason given".to_owned() } else { text };
                    return HookOutput::Failure(HookFailure::Failed {
                        detail: format!("the tool `{name}` says: {text}"),
                    });
                }
            },
            McpWanted::Resource { .. } => (content::parse_resource(result), false),
            McpWanted::Prompt { .. } => (content::parse_prompt(result), false),
        };
        let text = secrets.hide(&text);
        transcript.stdout.clone_from(&text);
        transcript.notices.extend(notices);
        let interpreted = if is_reply {
            let mut output = Head::with_limit(self.run.hook.max_output);
            output.take(text.as_bytes());
            transcript.cut = output.cut;
            interpret::interpret_text(output, self.run.hook, &self.run.event.kind)
        } else {
            interpret::interpret_context(text, self.run.hook, &self.run.event.kind)
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
        let stop = interpret::find_stop_in_text(text.as_bytes(), &self.run.event.kind)?;
        transcript.notices.extend(stop.notices);
        Some(stop.output)
    }
}
