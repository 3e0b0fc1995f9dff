//! `tenter init [AGENT]…`: plan, ask, write, report. A dry run stops after the plan.

mod agent;
mod limits;
mod notes;
mod screen;

use serde_json::{Value, json};
use tenter_host::program::{hook_program, temporary_place};
use tenter_host::{Places, installation};

use crate::arguments::InitArguments;
use crate::commands::init::agent::AgentReport;
use crate::error::{CliError, CommandResult, exit};
use crate::install::settings::nothing_written;
use crate::install::summary::Summary;
use crate::install::targets::Target;
use crate::install::user_hooks::{HookGroup, Step, UserHooks};
use crate::install::{moved_folders, targets};
use crate::printer::{Printer, json_line};

struct Agent {
    title: String,
    /// For programs, where there is no report.
    named: Value,
    report: Result<AgentReport, CliError>,
}

pub(crate) fn run(arguments: &InitArguments, printer: &Printer) -> CommandResult {
    moved_folders::refuse()?;
    let targets = targets::to_install(&arguments.settings)?;
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
    let changes = !hook_file.added().is_empty() && agents.iter().any(|agent| agent.report.is_ok())
        || agents.iter().any(|agent| agent.report.as_ref().is_ok_and(AgentReport::changes));
    let (people, mut diff) = (!arguments.settings.json, arguments.settings.diff);
    if arguments.settings.dry_run {
        if people {
            screen::plan(&agents, &hook_file, diff, printer);
            nothing_written();
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
            installation::keep(&places, id)?;
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

/// The plan for the user's hook file. An error is a warning: agents call tenter all the same.
struct HookFile {
    plan: Option<UserHooks>,
    warnings: Vec<String>,
}

impl HookFile {
    fn prepare(arguments: &InitArguments, write: bool) -> Self {
        let declined = [arguments.without.no_protect, arguments.without.no_memory];
        let groups = [HookGroup::Protection, HookGroup::Memory].into_iter().zip(declined);
        let wanted: Vec<HookGroup> =
            groups.filter(|(_, declined)| !declined).map(|(group, _)| group).collect();
        let planned = if wanted.is_empty() { Ok(None) } else { UserHooks::to_add(&wanted) };
        let planned = planned.and_then(|mut plan| {
            plan.as_mut().filter(|_| write).map(UserHooks::apply).transpose()?;
            Ok(plan)
        });
        match planned {
            Ok(plan) => {
                let warnings = plan.iter().flat_map(UserHooks::by_hand).cloned().collect();
                Self { plan, warnings }
            }
            Err(error) => {
                let warning = format!("the hooks of tenter are missing in your hook file: {error}");
                Self { plan: None, warnings: vec![warning] }
            }
        }
    }

    fn added(&self) -> Vec<[&'static str; 2]> {
        let all = [
            (
                HookGroup::Protection,
                ["protect-config", "prevents agents from changing tenter's files and hook settings"],
            ),
            (
                HookGroup::Memory,
                ["memory hooks", "recall what earlier sessions learned; stored on this machine only"],
            ),
        ];
        let adds = |group| self.plan.as_ref().and_then(|plan| plan.step(group)) == Some(&Step::Add);
        all.into_iter().filter(|(group, _)| adds(*group)).map(|(_, row)| row).collect()
    }

    /// For programs: keys of an agent's object.
    fn as_json(&self) -> [(&'static str, Value); 2] {
        [("protection", HookGroup::Protection), ("memory_hooks", HookGroup::Memory)].map(|(key, group)| {
            let state = self.plan.as_ref().and_then(|plan| plan.as_json(group));
            (key, state.unwrap_or_else(|| json!({"state": "declined"})))
        })
    }
}

/// The id of the installation: the known one, else a new one; none without a place to keep it.
fn installation(places: &Places) -> Result<Option<String>, CliError> {
    if places.config_folder.is_none() || places.state_folder.is_none() {
        return Ok(None);
    }
    let unmade = |cause| CliError::not_written("the id of the installation", cause);
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
    let unusable = |detail: String| {
        CliError::bad_input(
            "the path of this program",
            detail,
            "install tenter in an ordinary folder and run it from there",
        )
    };
    let called = hook_program().map_err(|error| unusable(error.to_string()))?;
    let shown = called.path.display().to_string();
    if let Some(why) = temporary_place(&called.path).filter(|_| !arguments.allow_build_path) {
        return Err(CliError::not_installed(shown, why));
    }
    let program =
        called.path.into_os_string().into_string().map_err(|_| unusable("it is not UTF-8".to_owned()))?;
    let slower = called.instead_of.map(|why| {
        format!("agents will call the whole tenter, which starts more slowly, because {why}; install both programs of one build into one folder and run `tenter init` again")
    });
    Ok((program, slower))
}

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
