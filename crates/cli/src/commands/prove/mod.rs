//! `tenter prove AGENT`: runs the real agent, headless, against a scripted model, and shows that each hook
//! fires and what it says has its effect.
//!
//! Everything is thrown away afterwards: home, project, trail. The agent gets no key, and no network but
//! loopback where the kernel allows that.

mod subject;
mod claude;
mod gemini;
mod isolation;
mod world;
mod process;
mod observed;

use std::env;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_contract::similar;

use self::isolation::Network;
use self::observed::Row;
use self::process::End;
use self::subject::{Subject, subjects};
use self::world::World;
use super::{Ended, json_line};
use crate::arguments::ProveArguments;
use crate::error::{CliError, exit};
use crate::listing::{columns, indented};
use crate::printer::{Printer, Tone};

/// How long the agent may take.
const LIMIT: Duration = Duration::from_secs(45);
/// How long it may take to say which version it is.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// How many lines of the agent's own words are shown when something is missing.
const LAST_WORDS: usize = 10;

/// Runs the agent and shows what was seen.
pub(crate) fn run(arguments: &ProveArguments, printer: &Printer) -> Ended {
    let subject = subject(&arguments.agent)?;
    let program = program(subject, arguments.agent_path.as_deref())?;
    let network = isolation::enter(arguments.as_is)?;
    let started = Instant::now();
    let mut world = World::create(subject)?;
    let kept = arguments.keep.then(|| world.keep().to_path_buf());
    let model = world.model(subject)?;
    let attempt = |arguments: &[&str], limit| {
        let mut command = world.agent(subject, &program, &model.url())?;
        command.args(arguments);
        process::run(command, limit)
            .map_err(|error| CliError::Prove { what: format!("{}: {error}", program.display()) })
    };
    let asked = attempt(&["--version"], VERSION_LIMIT)?;
    let version = world.text("stdout.txt").lines().next().map_or("unknown", str::trim).to_owned();
    let end = if asked == End::Interrupted { asked } else { attempt(subject.arguments, LIMIT)? };
    let report = model.finish();
    let proof = Proof {
        subject,
        version,
        program,
        network,
        end,
        model: report.to_string(),
        rows: observed::look(&world)?,
        took: started.elapsed(),
        kept,
    };
    if arguments.json {
        printer.line(json_line(&proof.json()));
    } else {
        proof.show(&world, printer);
    }
    Ok(if proof.is_complete() { 0 } else { exit::FINDING })
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
    took: Duration,
    kept: Option<PathBuf>,
}

impl Proof {
    fn is_complete(&self) -> bool {
        self.end == End::Exited(Some(0)) && self.rows.iter().all(Row::is_proven)
    }

    fn json(&self) -> serde_json::Value {
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
            "ms": self.took.as_millis(),
            "kept": self.kept,
        })
    }

    fn show(&self, world: &World, printer: &Printer) {
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
    let heads = [
        "event",
        "fired",
        "context reached the model",
        "deny stopped the tool",
        "rewrite took effect",
        "stop was continued",
        "ms",
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
            mark(row.rewrite_took_effect),
            mark(row.stop_was_continued),
            row.ms.map_or("–".to_owned(), |ms| format!("{ms:.1}")),
        ]
    };
    std::iter::once(heads.map(str::to_owned).to_vec()).chain(rows.iter().map(cells)).collect()
}

fn last_words(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_WORDS)..].join("\n")
}

fn subject(name: &str) -> Result<&'static Subject, CliError> {
    subjects().find(|subject| subject.agent == name).ok_or_else(|| {
        let known: Vec<String> = subjects().map(|subject| subject.agent.to_owned()).collect();
        let suggestion = similar::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        CliError::UnknownAgent { name: name.to_owned(), suggestion, known }
    })
}

/// The agent's program: the one that was named, or the first of that name on `PATH`.
fn program(subject: &Subject, named: Option<&Path>) -> Result<PathBuf, CliError> {
    let missing = |program: &Path| CliError::NoProgram {
        agent: subject.title.to_owned(),
        program: program.display().to_string(),
    };
    if let Some(path) = named {
        return path.canonicalize().ok().filter(|path| path.is_file()).ok_or_else(|| missing(path));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    // Not resolved further: what a link is called may decide what it does.
    env::split_paths(&path)
        .map(|folder| folder.join(subject.program))
        .find(|candidate| candidate.is_absolute() && candidate.is_file())
        .ok_or_else(|| missing(Path::new(subject.program)))
}
