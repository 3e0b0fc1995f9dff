//! `tenter hooks test NAME`: run one hook and see stdin, output, time and reply. Nothing is recorded.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tenter_contract::ports::AgentAdapter;
use tenter_contract::{Answer, Event, Handler, HookRun, HookSet, HookSpec, Said, Transcript};
use tenter_host::trust::project::here;
use tenter_host::{Host, assemble};
use tenter_kernel::{Registry, fit, matching};
use tenter_protocol::v1::record::{RecordV1, RecordedHook};
use tenter_runtime::kit::{MemorySessions, MemoryTrail};
use tenter_runtime::{Desks, InForce, MemoryRegister, Runtime};

use super::{payload, sample};
use crate::arguments::TestArguments;
use crate::commands::{Ended, agent, json_line};
use crate::error::{CliError, exit};
use crate::listing::indented;
use crate::printer::{Printer, Tone};
use crate::progress;

/// Runs the hook and shows everything about it. A failed hook makes the exit code 1.
pub(crate) fn run(arguments: &TestArguments, printer: &Printer) -> Ended {
    let mut host = assemble(&arguments.config.places(), here().as_deref());
    let hook = super::find(&super::layers(&arguments.config)?, &arguments.hook)?;
    let agent = agent(&arguments.agent)?;
    let event = match &arguments.payload {
        Some(path) => from_payload(path, &hook, agent, &host)?,
        None => from_sample(&hook, agent, &host)?,
    };
    if !matching::concerns(&hook, &event) {
        return Err(CliError::NotConcerned {
            hook: hook.id.to_string(),
            event: event.kind.to_string(),
            agent: agent.name().to_string(),
        });
    }
    host.runtime.onlooker = progress::on_terminal().filter(|_| !arguments.json);
    let tried = try_out(&hook, &event, agent, host);
    if arguments.json {
        printer.line(json_line(&tried.as_json(&hook, &event)));
    } else {
        tried.tell(&hook, &event, agent, printer);
    }
    let failed = matches!(&tried.run, Some(HookRun { said: Said::Failure(_), .. }));
    Ok(if failed { exit::FINDING } else { 0 })
}

fn from_payload(
    path: &Path,
    hook: &HookSpec,
    agent: &dyn AgentAdapter,
    host: &Host,
) -> Result<Event, CliError> {
    let mut event = host.runtime.locate(payload::of_agent(path, agent, host)?).event;
    host.runtime.look_around(std::iter::once(hook), &mut event);
    Ok(event)
}

fn from_sample(hook: &HookSpec, agent: &dyn AgentAdapter, host: &Host) -> Result<Event, CliError> {
    let cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    let of = |agent: &dyn AgentAdapter| sample::event_for(hook, agent, &host.runtime, cwd.as_deref());
    of(agent).ok_or_else(|| {
        let name = hook.id.to_string();
        let others = tenter_adapters::names().filter_map(|other| tenter_adapters::by_name(other.as_str()));
        match others.into_iter().find(|other| of(*other).is_some()) {
            Some(other) => CliError::ForOthers {
                hook: name,
                agent: agent.name().to_string(),
                other: other.name().to_string(),
            },
            None => CliError::NoSample { hook: name },
        }
    })
}

/// What came of it.
struct Tried {
    run: Option<HookRun>,
    recorded: Option<RecordedHook>,
    answer: Answer,
}

/// What a hook was given, as JSON if it is; nothing if it was given nothing.
fn given(transcript: &Transcript) -> Option<Value> {
    let text = || Value::from(String::from_utf8_lossy(&transcript.sent));
    let sent = Some(&transcript.sent).filter(|sent| !sent.is_empty());
    sent.map(|sent| serde_json::from_slice(sent).unwrap_or_else(|_| text()))
}

/// How a hook is given something.
fn given_as(handler: &Handler) -> &'static str {
    match handler {
        Handler::Http(_) => "it was sent",
        Handler::Mcp(_) => "it was asked with",
        Handler::Python(_) => "it was called with",
        _ => "it read on stdin",
    }
}

fn try_out(hook: &Arc<HookSpec>, event: &Event, agent: &dyn AgentAdapter, host: Host) -> Tried {
    // Whoever tries a hook wants to see it run, whichever event it would be in a session.
    let alone = HookSpec { every: None, ..(**hook).clone() };
    let hooks = InForce { registry: Registry::of([alone]), ..InForce::default() };
    let runtime = Runtime {
        trail: Box::new(MemoryTrail::default()),
        sessions: Box::new(MemorySessions::default()),
        // Trying a hook bothers nobody.
        desks: Desks::default(),
        hooks: Box::new(HookSet::default()),
        approvals: Box::new(MemoryRegister::default()),
        ..host.runtime
    };
    let abilities = agent.abilities(event);
    let outcome = runtime.decide(event.clone(), &hooks, &abilities);
    let (fitted, _) = fit(&outcome, &abilities);
    let record = tenter_contract::EventRecord {
        outcome: outcome.clone(),
        problems: Vec::new(),
        took: std::time::Duration::ZERO,
    };
    let body = tenter_contract::RecordBody::Event(Box::new(record));
    Tried {
        recorded: RecordV1::from_body(0, "", &body).hooks.into_iter().next(),
        run: outcome.runs.into_iter().next(),
        answer: agent.encode(&fitted),
    }
}

/// What the event is about, where that fits on a line: ` Bash: git push`.
pub(in crate::commands) fn subject(event: &Event) -> String {
    let Some(tool) = &event.tool else { return String::new() };
    let about = tool.command.as_ref().or(tool.paths.first());
    match about.and_then(|text| text.lines().next()) {
        Some(line) => format!(" {}: {line}", tool.name),
        None => format!(" {}", tool.name),
    }
}

impl Tried {
    fn as_json(&self, hook: &HookSpec, event: &Event) -> Value {
        let transcript = self.run.as_ref().map(|run| &run.transcript);
        json!({
            "hook": hook.id.address(),
            "event": event.kind.as_str(),
            "stdin": transcript.and_then(given),
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

    fn tell(&self, hook: &HookSpec, event: &Event, agent: &dyn AgentAdapter, printer: &Printer) {
        let title = |text: &str| printer.line(printer.tone(Tone::Heading, text));
        title(&format!("{} at {}{}", hook.id.address(), event.kind, subject(event)));
        if let Some(run) = &self.run {
            let transcript = &run.transcript;
            if let Some(command) = &transcript.command {
                if let Some(given) = given(transcript) {
                    title(given_as(&hook.handler));
                    let text = match &given {
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
            printer.line(format!("  {}", self.understood()));
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

    fn understood(&self) -> String {
        let Some(recorded) = &self.recorded else { return "nothing: the hook was not asked".to_owned() };
        crate::commands::explain::said(recorded)
    }
}
