//! `tenter prove [AGENT]…`: runs the real agent, headless, against a scripted model, and checks that each hook runs and
//! its reply has an effect.
//!
//! Home, project and trail are temporary. The agent gets no key, and no network but loopback where the kernel allows
//! that. Its settings are those that `tenter init` writes; the report compares them with the user's own.

mod agents;
mod error;
mod provable_agent;
mod memory;
mod observed;
mod matrix;
mod own_settings;
pub(crate) mod sandbox;
pub(crate) mod selection;

use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::ports::{IfGone, Scope, Wiring};
use tenter_host::program::hook_program;

use crate::arguments::ProveArguments;
use crate::commands::prove::observed::Row;
use crate::commands::prove::own_settings::OwnSettings;
use crate::commands::prove::provable_agent::ProvableAgent;
use crate::commands::prove::sandbox::Sandbox;
use crate::commands::prove::selection::Chosen;
use crate::error::{CliError, CommandResult, exit};
use crate::listing::{columns, indented};
use crate::printer::{Printer, Tone, json_line};
use crate::process::isolation::{self, Network};
use crate::process::{self, End};

/// How long the agent may take. OpenCode and Kilo need most of a minute on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);
/// How long it may take to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// How many lines of the agent's output are shown when something is missing.
const OUTPUT_LINES: usize = 10;

pub(crate) fn run(arguments: &ProveArguments, printer: &Printer) -> CommandResult {
    let path = env::var_os("PATH").unwrap_or_default();
    let chosen = selection::choose(&arguments.agents, arguments.agent_path.as_deref(), &path)?;
    let network = isolation::enter(arguments.as_is)?;
    let wiring = wiring()?;
    if arguments.play.memory {
        let mut each = chosen.into_iter().map(|one| memory::run(one, &network, &wiring, arguments, printer));
        return each.try_fold(0, |code, one| Ok(code.max(one?)));
    }
    let mut code = 0;
    let mut proofs: Vec<Proof> = Vec::new();
    for (index, Chosen { target, program }) in chosen.into_iter().enumerate() {
        let mut sandbox = Sandbox::create(target, &wiring)?;
        let kept = arguments.keep.then(|| sandbox.keep().to_path_buf());
        let proof = prove(target, program, network.clone(), &sandbox, kept)?;
        let own = OwnSettings::read(target, &wiring);
        if arguments.json {
            printer.line(json_line(&proof.json(&own)));
        } else {
            if index > 0 {
                printer.gap();
            }
            proof.print(&sandbox, &own, printer);
        }
        if !proof.is_complete() || own.is_ineffective() {
            code = exit::FINDING;
        }
        let interrupted = proof.end == End::Interrupted;
        proofs.push(proof);
        if interrupted {
            break;
        }
    }
    if proofs.len() > 1 && !arguments.json {
        printer.gap();
        printer.line(printer.tone(Tone::Heading, "The same hooks under every agent"));
        let lines = columns(&matrix::matrix(&proofs));
        let explained = lines.iter().any(|line| line.contains('–') || line.contains("denied "));
        for line in &lines {
            printer.line(line);
        }
        if explained {
            printer.line(printer.tone(Tone::Quiet, matrix::LEGEND));
        }
    }
    Ok(code)
}

/// The wiring that `init` would write.
fn wiring() -> Result<Wiring, CliError> {
    let called =
        hook_program().map_err(|error| CliError::proof_failed(format!("the path of tenter: {error}")))?;
    Ok(Wiring {
        program: called.path.to_string_lossy().into_owned(),
        if_gone: IfGone::GoOn,
        scope: Scope::User,
        installation: None,
    })
}

fn prove(
    target: &'static ProvableAgent,
    program: PathBuf,
    network: Network,
    sandbox: &Sandbox,
    kept: Option<PathBuf>,
) -> Result<Proof, CliError> {
    let started = Instant::now();
    let model = sandbox.model(target.script)?;
    let attempt = |arguments: &[&str], limit| {
        let mut command = sandbox.agent(target, &program, &model.url())?;
        command.args(arguments);
        process::run(command, limit)
            .map_err(|error| CliError::proof_failed(format!("{}: {error}", program.display())))
    };
    let mut end = attempt(&["--version"], VERSION_LIMIT)?;
    let version = sandbox.text("stdout.txt").lines().next().map_or("unknown", str::trim).to_owned();
    for _ in 0..target.runs {
        if end != End::Interrupted {
            end = attempt(target.arguments, LIMIT)?;
        }
    }
    let model = model.finish().to_string();
    let rows = observed::observe(sandbox, target)?;
    let memory = observed::offers_memory(sandbox);
    Ok(Proof { target, version, program, network, end, model, rows, memory, took: started.elapsed(), kept })
}

struct Proof {
    target: &'static ProvableAgent,
    version: String,
    program: PathBuf,
    network: Network,
    end: End,
    model: String,
    rows: Vec<Row>,
    /// Whether the model received the memory tools.
    memory: bool,
    took: Duration,
    kept: Option<PathBuf>,
}

impl Proof {
    fn is_complete(&self) -> bool {
        self.end == End::Exited(Some(0)) && self.rows.iter().all(Row::is_proven) && self.memory
    }

    fn json(&self, own: &OwnSettings) -> serde_json::Value {
        json!({
            "v": 1,
            "agent": self.target.agent,
            "version": self.version,
            "program": self.program,
            "proven": self.is_complete(),
            "network": if self.network.is_open() { "open" } else { "loopback" },
            "ended": self.ended(),
            "model": self.model,
            "events": self.rows,
            "memory_reached_the_model": self.memory,
            "not_headless": self.target.not_headless,
            "own_settings": own,
            "ms": self.took.as_millis(),
            "kept": self.kept,
        })
    }

    fn print(&self, sandbox: &Sandbox, own: &OwnSettings, printer: &Printer) {
        printer.line(printer.tone(Tone::Heading, self.target.title));
        printer.line(format!("program: {}", self.program.display()));
        printer.line(format!("version: {}", self.version));
        match &self.network {
            Network::Loopback => printer.line("network: loopback alone"),
            Network::Open { why } => {
                let open = "network: not cut off; the agent was given no key and a model on loopback";
                printer.line(printer.tone(Tone::Caution, open));
                printer.line(indented(why, "    "));
            }
        }
        printer.gap();
        printer.table(&table(&self.rows));
        for event in self.target.not_headless {
            let title = self.target.title;
            printer.line(format!("{event} was not tried: {title} sends it only at a terminal"));
        }
        if !self.target.reports_reason() {
            let title = self.target.title;
            printer.line(format!("a deny ends the run of {title}, so the model does not learn why"));
        }
        if !self.target.continues_after_stop() {
            let title = self.target.title;
            printer.line(format!("no stop was to be continued: headless, {title} ends with its prompt"));
        }
        printer.line(if self.memory {
            "the model received the memory tools"
        } else {
            "the model did NOT receive the memory tools"
        });
        printer.gap();
        let seconds = self.took.as_secs_f64();
        if self.is_complete() {
            let text = format!("Every hook ran and had its effect; {seconds:.1} seconds.");
            printer.line(printer.tone(Tone::Good, text));
        } else {
            let text = format!("Something is missing; {seconds:.1} seconds.");
            printer.line(printer.tone(Tone::Bad, text));
            printer.line(format!("the agent {}", self.ended()));
            print_output(sandbox, &self.model, printer);
        }
        own.print(printer);
        if let Some(kept) = &self.kept {
            printer.line(format!("Its home, project, trail and requests stay in {}", kept.display()));
        }
    }

    fn ended(&self) -> String {
        match self.end {
            End::Exited(Some(code)) => format!("ended with exit code {code}"),
            End::Exited(None) => "was killed".to_owned(),
            End::TimedOut => format!("took more than {} seconds and was killed", LIMIT.as_secs()),
            End::Interrupted => "was interrupted".to_owned(),
        }
    }
}

fn table(rows: &[Row]) -> Vec<Vec<String>> {
    // Three lines of heads: the table fits a terminal of a hundred columns.
    let heads = [
        ["", "", "context", "deny", "deny", "rewrite", "stop", ""],
        ["", "", "reached", "stopped", "withheld", "took", "was", ""],
        ["event", "fired", "the model", "the tool", "the result", "effect", "continued", "ms"],
    ];
    let mark = |seen: Option<bool>| match seen {
        Some(true) => "yes".to_owned(),
        Some(false) => "NO".to_owned(),
        None => "–".to_owned(),
    };
    let cells = |row: &Row| {
        vec![
            row.event.to_owned(),
            mark(Some(row.fired)),
            mark(row.context_reached_the_model),
            mark(row.deny_stopped_the_tool),
            mark(row.deny_withheld_the_result),
            match row.rewrite_was_denied {
                Some(true) => "denied".to_owned(),
                seen => mark(seen.or(row.rewrite_took_effect)),
            },
            mark(row.stop_was_continued),
            row.ms.map_or("–".to_owned(), |ms| format!("{ms:.1}")),
        ]
    };
    heads.iter().map(|head| head.map(str::to_owned).to_vec()).chain(rows.iter().map(cells)).collect()
}

/// Prints the model's report and the end of the agent's output.
fn print_output(sandbox: &Sandbox, model: &str, printer: &Printer) {
    printer.line(format!("the model: {}", model.replace('\n', "; ")));
    for name in ["stdout", "stderr"] {
        let text = sandbox.text(&format!("{name}.txt"));
        let lines: Vec<&str> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(OUTPUT_LINES)..].join("\n");
        if !last.is_empty() {
            printer.line(format!("its {name}:\n{}", indented(&last, "    ")));
        }
    }
}
