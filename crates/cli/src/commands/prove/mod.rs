//! `tenter prove [AGENT]…`: runs the real agent, headless, against a scripted model, and shows that each hook
//! fires and what it says has its effect.
//!
//! Everything is thrown away afterwards: home, project, trail. The agent gets no key, and no network but
//! loopback where the kernel allows that. Its settings are what `tenter init` writes; whether the user's own
//! say the same is told beside the proof.

mod subject;
mod chosen;
mod error;
mod claude;
mod cline;
mod codex;
mod copilot;
mod gemini;
mod kilo;
mod opencode;
mod qwen;
mod memory;
pub(super) mod isolation;
mod world;
pub(super) mod process;
mod observed;
mod matrix;
mod own_settings;

use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::ports::{IfGone, Scope, Wiring};
use tenter_host::program::called_program;

pub(crate) use self::error::ProofError;

use self::chosen::Chosen;
use self::isolation::Network;
use self::observed::Row;
use self::own_settings::OwnSettings;
use self::process::End;
use self::subject::Subject;
use self::world::World;
use super::{Ended, json_line};
use crate::arguments::ProveArguments;
use crate::error::{CliError, exit};
use crate::listing::{columns, indented};
use crate::printer::{Printer, Tone};

/// How long the agent may take. OpenCode and Kilo need most of a minute on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);
/// How long it may take to say which version it is.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// How many lines of the agent's own words are shown when something is missing.
const LAST_WORDS: usize = 10;

/// Runs every agent that was named, one after the other, and shows what was seen.
pub(crate) fn run(arguments: &ProveArguments, printer: &Printer) -> Ended {
    let path = env::var_os("PATH").unwrap_or_default();
    let chosen = chosen::choose(&arguments.agents, arguments.agent_path.as_deref(), &path)?;
    let network = isolation::enter(arguments.as_is)?;
    let wiring = wiring()?;
    if arguments.play.memory {
        let mut each = chosen.into_iter().map(|one| memory::run(one, &network, &wiring, arguments, printer));
        return each.try_fold(0, |code, one| Ok(code.max(one?)));
    }
    let mut code = 0;
    let mut proofs: Vec<Proof> = Vec::new();
    for (index, Chosen { subject, program }) in chosen.into_iter().enumerate() {
        let mut world = World::create(subject, &wiring)?;
        let kept = arguments.keep.then(|| world.keep().to_path_buf());
        let proof = prove(subject, program, network.clone(), &world, kept)?;
        let own = OwnSettings::look(subject, &wiring);
        if arguments.json {
            printer.line(json_line(&proof.json(&own)));
        } else {
            if index > 0 {
                printer.gap();
            }
            proof.show(&world, &own, printer);
        }
        if !proof.is_complete() || own.is_dead() {
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

/// What `init` would write: the program that agents are to call.
fn wiring() -> Result<Wiring, CliError> {
    let called =
        called_program().map_err(|error| CliError::Prove { what: format!("the path of tenter: {error}") })?;
    Ok(Wiring {
        program: called.path.to_string_lossy().into_owned(),
        if_gone: IfGone::GoOn,
        scope: Scope::User,
        installation: None,
    })
}

fn prove(
    subject: &'static Subject,
    program: PathBuf,
    network: Network,
    world: &World,
    kept: Option<PathBuf>,
) -> Result<Proof, CliError> {
    let started = Instant::now();
    let model = world.model(subject.script)?;
    let attempt = |arguments: &[&str], limit| {
        let mut command = world.agent(subject, &program, &model.url())?;
        command.args(arguments);
        process::run(command, limit)
            .map_err(|error| CliError::Prove { what: format!("{}: {error}", program.display()) })
    };
    let asked = attempt(&["--version"], VERSION_LIMIT)?;
    let version = world.text("stdout.txt").lines().next().map_or("unknown", str::trim).to_owned();
    let mut end = asked;
    for _ in 0..subject.runs {
        if end != End::Interrupted {
            end = attempt(subject.arguments, LIMIT)?;
        }
    }
    let model = model.finish().to_string();
    let rows = observed::look(world, subject)?;
    let memory = observed::offers_memory(world);
    Ok(Proof { subject, version, program, network, end, model, rows, memory, took: started.elapsed(), kept })
}

/// What came of it.
struct Proof {
    subject: &'static Subject,
    version: String,
    program: PathBuf,
    network: Network,
    end: End,
    model: String,
    rows: Vec<Row>,
    /// Whether the model was told of the memory's tools.
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
            "agent": self.subject.agent,
            "version": self.version,
            "program": self.program,
            "proven": self.is_complete(),
            "network": if self.network.is_open() { "open" } else { "loopback" },
            "ended": self.ended(),
            "model": self.model,
            "events": self.rows,
            "memory_reached_the_model": self.memory,
            "not_headless": self.subject.not_headless,
            "own_settings": own,
            "ms": self.took.as_millis(),
            "kept": self.kept,
        })
    }

    fn show(&self, world: &World, own: &OwnSettings, printer: &Printer) {
        printer.line(printer.tone(Tone::Heading, self.subject.title));
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
        for line in columns(&table(&self.rows)) {
            printer.line(line);
        }
        for event in self.subject.not_headless {
            let title = self.subject.title;
            printer.line(format!("{event} was not tried: {title} tells of it only at a terminal"));
        }
        if !self.subject.tells_why() {
            let title = self.subject.title;
            printer.line(format!("a deny ends the run of {title}, so that the model is not told why"));
        }
        if !self.subject.goes_on() {
            let title = self.subject.title;
            printer.line(format!("no stop was to be continued: headless, {title} ends with its prompt"));
        }
        printer.line(if self.memory {
            "the model was told of the memory's tools"
        } else {
            "the model was NOT told of the memory's tools"
        });
        printer.gap();
        let seconds = self.took.as_secs_f64();
        if self.is_complete() {
            let text = format!("Every hook fired and had its effect; {seconds:.1} seconds.");
            printer.line(printer.tone(Tone::Good, text));
        } else {
            let text = format!("Something is missing; {seconds:.1} seconds.");
            printer.line(printer.tone(Tone::Bad, text));
            printer.line(format!("the agent {}", self.ended()));
            printer.line(format!("the model: {}", self.model.replace('\n', "; ")));
            for name in ["stdout.txt", "stderr.txt"] {
                let words = last_words(&world.text(name));
                if !words.is_empty() {
                    printer.line(format!(
                        "its {}:\n{}",
                        name.trim_end_matches(".txt"),
                        indented(&words, "    ")
                    ));
                }
            }
        }
        own.show(printer);
        if let Some(kept) = &self.kept {
            printer.line(format!("Its home, project, trail and requests stay in {}", kept.display()));
        }
    }

    fn ended(&self) -> String {
        match self.end {
            End::Exited(Some(code)) => format!("ended with exit code {code}"),
            End::Exited(None) => "was killed".to_owned(),
            End::TookTooLong => format!("took more than {} seconds and was killed", LIMIT.as_secs()),
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

fn last_words(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_WORDS)..].join("\n")
}
