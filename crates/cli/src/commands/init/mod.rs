//! `tenter init [AGENT]…`: plan, ask, write, report. A dry run stops after the plan.

mod agent;
mod hook_file;
mod limits;
mod notes;
mod screen;

use serde_json::{Value, json};
use tenter_host::program::{called_program, passing_place};
use tenter_host::{Places, installation};

use self::agent::AgentReport;
use self::hook_file::HookFile;
use super::moved_folders;
use super::several::{self, Target};
use super::summary::Summary;
use crate::arguments::InitArguments;
use crate::commands::{Ended, json_line};
use crate::error::{CliError, exit};
use crate::printer::Printer;

/// One agent, and what `init` does or did for it.
struct Agent {
    title: String,
    /// For programs, where there is no report.
    named: Value,
    report: Result<AgentReport, CliError>,
}

/// Runs the command.
pub(crate) fn run(arguments: &InitArguments, printer: &Printer) -> Ended {
    moved_folders::refuse()?;
    let targets = several::to_install(&arguments.settings)?;
    let (program, slower) = program(arguments)?;
    let places = Places::of_process();
    let installation = installation(&places)?;
    let prepare = |write: bool| {
        let agents: Vec<Agent> = targets
            .iter()
            .map(|target| prepare(target, (&program, &installation), arguments, write))
            .collect();
        // With no agent to call tenter, its hooks would do nothing.
        let wanted = agents.iter().any(|agent| agent.report.is_ok());
        let mut hook_file = HookFile::prepare(arguments, write && wanted);
        hook_file.warnings.extend(slower.clone());
        (agents, hook_file)
    };
    let (mut agents, mut hook_file) = prepare(false);
    // One agent that was named is the whole command.
    if arguments.settings.agents.len() == 1
        && let Some(error) = agents.pop_if(|agent| agent.report.is_err()).and_then(|agent| agent.report.err())
    {
        return Err(error);
    }
    let changes = hook_file.changes() && agents.iter().any(|agent| agent.report.is_ok())
        || agents.iter().any(|agent| agent.report.as_ref().is_ok_and(AgentReport::changes));
    let (people, mut diff) = (!arguments.settings.json, arguments.settings.diff);
    if arguments.settings.dry_run {
        if people {
            screen::plan(&agents, &hook_file, diff, printer);
            screen::dry_run();
        }
    } else if changes {
        if people && !arguments.yes && screen::is_attended() {
            screen::plan(&agents, &hook_file, diff, printer);
            diff = false;
            if !screen::agreed(printer) {
                printer.line("Nothing was written.");
                return Ok(exit::FINDING);
            }
        }
        if let Some(id) = &installation {
            installation::keep(&places, id).map_err(CliError::Settings)?;
        }
        (agents, hook_file) = prepare(true);
    }
    if people && !arguments.settings.dry_run {
        screen::result(&agents, &hook_file, diff, printer);
    }
    if !people {
        printer.line(json_line(&as_json(&agents, &hook_file, &arguments.settings.agents)));
    }
    let code = |agent: &Agent| agent.report.as_ref().map_or_else(CliError::exit_code, AgentReport::code);
    Ok(agents.iter().map(code).max().unwrap_or_default())
}

/// The id of the installation: the known one, else a new one; none without a place to keep it.
fn installation(places: &Places) -> Result<Option<String>, CliError> {
    if places.config_folder.is_none() || places.state_folder.is_none() {
        return Ok(None);
    }
    let unmade = |cause| CliError::NotWritten { what: "the id of the installation".to_owned(), cause };
    installation::id(places).map_or_else(|| installation::new_id().map_err(unmade), Ok).map(Some)
}

fn prepare(
    target: &Target,
    (program, installation): (&str, &Option<String>),
    arguments: &InitArguments,
    write: bool,
) -> Agent {
    let named = json!({"agent": target.agent.name().as_str(), "scope": target.scope.as_str()});
    Agent {
        title: target.title(),
        named,
        report: AgentReport::prepare(target, (program, installation), arguments, write),
    }
}

/// The program that agents call, and a warning if it is not the fast one.
fn program(arguments: &InitArguments) -> Result<(String, Option<String>), CliError> {
    let unusable = |detail: String| CliError::BadInput {
        what: "the path of this program".to_owned(),
        detail,
        hint: "install tenter in an ordinary folder and run it from there".to_owned(),
    };
    let called = called_program().map_err(|error| unusable(error.to_string()))?;
    let shown = called.path.display().to_string();
    if let Some(why) = passing_place(&called.path).filter(|_| !arguments.allow_build_path) {
        return Err(CliError::PassingPlace { program: shown, why });
    }
    let program =
        called.path.into_os_string().into_string().map_err(|_| unusable("it is not UTF-8".to_owned()))?;
    let slower = called.instead_of.map(|why| {
        format!("agents will call the whole tenter, which starts more slowly, because {why}; install both programs of one build into one folder and run `tenter init` again")
    });
    Ok((program, slower))
}

/// An object for the one agent that was named, a list otherwise.
fn as_json(agents: &[Agent], hook_file: &HookFile, named: &[String]) -> Value {
    let object = |agent: &Agent| match &agent.report {
        Ok(report) => {
            let mut all = report.as_json();
            hook_file.as_json().into_iter().for_each(|(key, value)| all[key] = value);
            let of_agent = all["warnings"].as_array().cloned().unwrap_or_default().into_iter();
            all["warnings"] = of_agent.chain(hook_file.warnings.iter().cloned().map(Value::from)).collect();
            all
        }
        Err(error) => {
            let mut all = agent.named.clone();
            all["result"] = json!(Summary::NotWritten(String::new()).as_str());
            all["error"] = json!(error.to_string());
            all
        }
    };
    match (named, agents) {
        ([_], [agent]) => object(agent),
        _ => json!({"agents": agents.iter().map(object).collect::<Vec<_>>()}),
    }
}
