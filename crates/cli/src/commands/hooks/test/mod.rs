//! `tenter hooks test NAME`: runs one hook and prints stdin, output, time and reply. Nothing is recorded.

mod sample;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{
    Answer, Diagnostics, Event, EventRecord, Handler, HookOutput, HookRun, HookSpec, RecordBody, Transcript,
};
use tenter_host::trust::project::here;
use tenter_host::{Host, assemble};
use tenter_kernel::{Registry, adapt, matching};
use tenter_protocol::v1::record::{RecordV1, RecordedHook};
use tenter_runtime::{ActiveHooks, HookRunner, Runtime};

use crate::arguments::TestArguments;
use crate::error::{CliError, CommandResult, exit};
use crate::hooks::payload;
use crate::listing::indented;
use crate::places::agent;
use crate::printer::{Printer, Tone};
use crate::progress;
use crate::trail::words::describe_reply;

/// Exit code 1 if the hook fails.
pub(crate) fn run(arguments: &TestArguments, printer: &Printer) -> CommandResult {
    let mut host = assemble(&arguments.config.places(), here().as_deref());
    let hook = crate::hooks::find(&crate::hooks::layers(&arguments.config)?, &arguments.hook)?;
    let agent = agent(&arguments.agent)?;
    let event = match &arguments.payload {
        Some(path) => from_payload(path, &hook, agent, &host)?,
        None => from_sample(&hook, agent, &host)?,
    };
    if !matching::concerns(&hook, &event) {
        return Err(CliError::hook_not_matched(&hook.id.to_string(), &event.kind, agent.name().as_str()));
    }
    host.runtime.runner.progress = progress::on_terminal().filter(|_| !arguments.json);
    let test = TestRun::new(&hook, &event, agent, host);
    if arguments.json {
        printer.json(&test.as_json(&hook, &event))?;
    } else {
        test.print(&hook, &event, agent, printer);
    }
    let failed = matches!(&test.run, Some(HookRun { output: HookOutput::Failure(_), .. }));
    Ok(if failed { exit::FINDING } else { 0 })
}

fn from_payload(
    path: &Path,
    hook: &HookSpec,
    agent: &dyn AgentAdapter,
    host: &Host,
) -> Result<Event, CliError> {
    let mut event = host.runtime.locate(payload::from_agent(path, agent, host)?, &mut Diagnostics::default());
    host.runtime.catalog.gather_facts(std::iter::once(hook), &mut event);
    Ok(event)
}

fn from_sample(hook: &HookSpec, agent: &dyn AgentAdapter, host: &Host) -> Result<Event, CliError> {
    let cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    let of = |agent: &dyn AgentAdapter| sample::event_for(hook, agent, &host.runtime, cwd.as_deref());
    of(agent).ok_or_else(|| {
        let name = hook.id.to_string();
        let others = tenter_adapters::names().filter_map(|other| tenter_adapters::by_name(other.as_str()));
        match others.into_iter().find(|other| of(*other).is_some()) {
            Some(other) => CliError::hook_for_other_agent(&name, agent.name(), other.name()),
            None => CliError::no_sample(name),
        }
    })
}

struct TestRun {
    run: Option<HookRun>,
    recorded: Option<RecordedHook>,
    answer: Answer,
}

/// The input of a hook, as JSON if it is JSON.
fn input(transcript: &Transcript) -> Option<Value> {
    let text = || Value::from(String::from_utf8_lossy(&transcript.sent));
    let sent = Some(&transcript.sent).filter(|sent| !sent.is_empty());
    sent.map(|sent| serde_json::from_slice(sent).unwrap_or_else(|_| text()))
}

fn input_title(handler: &Handler) -> &'static str {
    match handler {
        Handler::Http(_) => "it was sent",
        Handler::Mcp(_) => "it was asked with",
        Handler::Python(_) => "it was called with",
        _ => "it read on stdin",
    }
}

/// The subject of the event on one line: ` Bash: git push`.
pub(crate) fn subject(event: &Event) -> String {
    let Some(tool) = &event.tool else { return String::new() };
    let about = tool.command.as_ref().or(tool.paths.first());
    match about.and_then(|text| text.lines().next()) {
        Some(line) => format!(" {}: {line}", tool.name),
        None => format!(" {}", tool.name),
    }
}

impl TestRun {
    fn new(hook: &Arc<HookSpec>, event: &Event, agent: &dyn AgentAdapter, host: Host) -> Self {
        // A test runs the hook at any event, not only at every n-th.
        let alone = HookSpec { every: None, ..(**hook).clone() };
        let hooks = ActiveHooks { registry: Registry::new([alone]), ..ActiveHooks::default() };
        // The runtime in memory records nothing and asks no person.
        let HookRunner { executors, progress, .. } = host.runtime.runner;
        let mut runtime = Runtime::in_memory();
        (runtime.runner.executors, runtime.runner.progress) = (executors, progress);
        runtime.catalog.facts = host.runtime.catalog.facts;
        runtime.clock = host.runtime.clock;
        runtime.deadline = host.runtime.deadline;
        let capabilities = agent.capabilities(event);
        let outcome =
            runtime.decide(Arc::new(event.clone()), &hooks, &capabilities, &mut Diagnostics::default());
        let (adapted, _) = adapt(&outcome, &capabilities);
        let record = EventRecord { outcome: outcome.clone(), problems: Vec::new(), took: Duration::ZERO };
        let body = RecordBody::Event(Box::new(record));
        Self {
            recorded: RecordV1::from_body(0, "", &body).hooks.into_iter().next(),
            run: outcome.runs.into_iter().next(),
            answer: agent.encode(&adapted),
        }
    }

    fn as_json(&self, hook: &HookSpec, event: &Event) -> Value {
        let transcript = self.run.as_ref().map(|run| &run.transcript);
        json!({
            "hook": hook.id.address(),
            "event": event.kind.as_str(),
            "stdin": transcript.and_then(input),
            "command": transcript.and_then(|it| it.command.clone()),
            "exit_code": transcript.and_then(|it| it.exit_code),
            "stdout": transcript.map(|it| it.stdout.clone()),
            "stderr": transcript.map(|it| it.stderr.clone()),
            "reply": self.recorded,
            "answer": {
                "stdout": String::from_utf8_lossy(&self.answer.stdout),
                "stderr": String::from_utf8_lossy(&self.answer.stderr),
                "exit_code": self.answer.exit_code,
            },
        })
    }

    fn print(&self, hook: &HookSpec, event: &Event, agent: &dyn AgentAdapter, printer: &Printer) {
        let title = |text: &str| printer.line(printer.tone(Tone::Heading, text));
        title(&format!("{} at {}{}", hook.id.address(), event.kind, subject(event)));
        if let Some(run) = &self.run {
            let transcript = &run.transcript;
            if let Some(command) = &transcript.command {
                if let Some(input) = input(transcript) {
                    title(input_title(&hook.handler));
                    let text = match &input {
                        Value::String(text) => text.clone(),
                        json => serde_json::to_string_pretty(json).unwrap_or_default(),
                    };
                    printer.line(indented(&text, "  "));
                }
                title("it ran");
                let exit = transcript.exit_code.map(|code| format!(", exit code {code}")).unwrap_or_default();
                printer
                    .line(format!("  {command}\n  {:.1} ms{exit}", transcript.took.as_secs_f64() * 1000.0));
                for (name, text) in [("it wrote", &transcript.stdout), ("it complained", &transcript.stderr)]
                {
                    if !text.trim().is_empty() {
                        title(name);
                        printer.line(indented(text, "  "));
                    }
                }
            }
            title("tenter understood");
            let recorded = self.recorded.as_ref();
            let reply = recorded.map_or("nothing: the hook was not asked".to_owned(), describe_reply);
            printer.line(format!("  {reply}"));
            for notice in &transcript.notices {
                printer.line(format!("  {}: {notice}", printer.tone(Tone::Caution, "note")));
            }
        }
        title(&format!("{} gets", agent.name()));
        let stdout = String::from_utf8_lossy(&self.answer.stdout);
        let pretty =
            serde_json::from_str::<Value>(&stdout).ok().and_then(|v| serde_json::to_string_pretty(&v).ok());
        let shown = pretty
            .unwrap_or_else(|| if stdout.is_empty() { "nothing".to_owned() } else { stdout.to_string() });
        printer.line(indented(&shown, "  "));
    }
}
