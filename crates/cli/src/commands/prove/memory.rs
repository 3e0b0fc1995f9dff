//! `tenter prove claude --memory`: the example session of the learning memory in the real agent. The agent recalls an
//! earlier session, predicts over MCP, gets a reminder and the outcome, and its lesson is stored for the next session.

use std::io::BufReader;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use tenter_contract::ports::Wiring;
use tenter_ghap::Tier;
use tenter_memory::{EntryFilter, ExperienceQuery, Memory, Project, Scope};

use crate::arguments::ProveArguments;
use crate::commands::prove::sandbox::Sandbox;
use crate::commands::prove::selection::Chosen;
use crate::commands::prove::{LIMIT, observed, print_output};
use crate::error::{CliError, CommandResult, exit};
use crate::install::user_hooks::memory_hook_file;
use crate::printer::{Printer, Tone, json_line};
use crate::process::isolation::Network;
use crate::process::{self, End};

const SCRIPT: &str = include_str!("files/memory/claude.yaml");
const EARLIER: &str = include_str!("files/memory/earlier.jsonl");
const TEST: &str = include_str!("files/memory/test_cache.py");
const PROMPT: &str = "Fix the flaky cache test";
/// Tools that the agent may use without asking: a shell, and the memory tools of the script.
const ALLOWED: [&str; 4] =
    ["Bash", "mcp__tenter__start_ghap", "mcp__tenter__update_ghap", "mcp__tenter__resolve_ghap"];

/// Texts that must be in the requests to the model, in the order of the specification.
const EXPECTED_TEXTS: [(&str, &str); 4] = [
    ("a session begins with lessons and work", "## Session Context"),
    ("a prompt recalls a similar experience", "## Relevant Context"),
    ("after ten tool calls the agent is reminded", "GHAP Check-in (10 tools since last update)"),
    ("a failing test is compared with the prediction", "This falsifies your hypothesis"),
];

pub(crate) fn run(
    chosen: Chosen,
    network: &Network,
    wiring: &Wiring,
    arguments: &ProveArguments,
    printer: &Printer,
) -> CommandResult {
    let Chosen { target, program } = chosen;
    if target.agent != "claude" {
        return Err(CliError::bad_input(
            "`--memory`",
            format!("the example session is written for Claude Code, not for {}", target.title),
            "write `tenter prove claude --memory`",
        ));
    }
    let started = Instant::now();
    let mut sandbox = Sandbox::create(target, wiring)?;
    let kept: Option<PathBuf> = arguments.keep.then(|| sandbox.keep().to_path_buf());
    sandbox.write("home/.config/tenter/hooks.yaml", &memory_hook_file())?;
    sandbox.write("project/test_cache.py", TEST)?;
    let project = Project::from_folder(&sandbox.path("project"));
    let memory = tenter_host::memory::open(sandbox.state());
    memory
        .import(&mut BufReader::new(EARLIER.as_bytes()), Some(&project))
        .map_err(|error| CliError::proof_failed(error.message))?;
    let model = sandbox.model(SCRIPT)?;
    let mut command = sandbox.agent(target, &program, &model.url())?;
    command.args(["-p", PROMPT, "--allowedTools"]).args(ALLOWED);
    let end = process::run(command, LIMIT)
        .map_err(|error| CliError::proof_failed(format!("{}: {error}", program.display())))?;
    let report = model.finish().to_string();

    let requests = observed::requests(&sandbox);
    let received =
        EXPECTED_TEXTS.map(|(effect, mark)| (effect, requests.iter().any(|request| request.contains(mark))));
    let stored = [
        ("what it learned is stored, and gold because tenter saw the run", is_gold(&memory, &project)),
        ("the next session finds it", is_found(&memory, &project)),
    ];
    let effects: Vec<(&str, bool)> = received.into_iter().chain(stored).collect();
    let complete = end == End::Exited(Some(0)) && effects.iter().all(|(_, seen)| *seen);
    let seconds = started.elapsed().as_secs_f64();
    if arguments.json {
        let effects: Vec<_> =
            effects.iter().map(|(effect, seen)| json!({"effect": effect, "seen": seen})).collect();
        printer.line(json_line(&json!({
            "v": 1, "agent": target.agent, "program": program, "proven": complete, "effects": effects,
            "network": if network.is_open() { "open" } else { "loopback" }, "model": report, "kept": kept,
        })));
    } else {
        printer.line(printer.tone(Tone::Heading, format!("Memory in {}", target.title)));
        printer.line(format!("program: {}", program.display()));
        for (effect, seen) in &effects {
            let mark = if *seen { printer.tone(Tone::Good, "yes") } else { printer.tone(Tone::Bad, "NO ") };
            printer.line(format!("  {mark}  {effect}"));
        }
        if complete {
            let text = format!("Every effect of the example session was seen; {seconds:.1} seconds.");
            printer.line(printer.tone(Tone::Good, text));
        } else {
            printer.line(printer.tone(Tone::Bad, format!("Something is missing; {seconds:.1} seconds.")));
            print_output(&sandbox, &report, printer);
        }
        if let Some(kept) = &kept {
            printer.line(format!("Its home, project, trail and requests stay in {}", kept.display()));
        }
    }
    Ok(if complete { 0 } else { exit::FINDING })
}

fn is_gold(memory: &Memory, project: &Project) -> bool {
    let listed = memory.list_entries(&EntryFilter::new(Scope::Project(project.clone())));
    listed.is_ok_and(|entries| {
        entries.iter().any(|entry| entry.goal == PROMPT && entry.confidence_tier == Some(Tier::Gold))
    })
}

fn is_found(memory: &Memory, project: &Project) -> bool {
    let query = ExperienceQuery::new("shared state in tests", Scope::Project(project.clone()));
    memory.search_experiences(&query).is_ok_and(|hits| hits.iter().any(|hit| hit.entry.goal == PROMPT))
}
