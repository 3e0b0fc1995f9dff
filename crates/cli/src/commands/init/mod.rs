//! `tenter init [AGENT]…`: plan, ask, apply, report. A dry run does not apply the plan.

mod agent;
mod limits;
mod notes;
mod screen;

use serde_json::{Value, json};
use tenter_host::program::{hook_program, temporary_place};
use tenter_host::{Places, installation};

use crate::arguments::InitArguments;
use crate::commands::init::agent::{AgentPlan, Caller};
use crate::error::{CliError, CommandResult, exit};
use crate::install::settings::nothing_written;
use crate::install::targets::Target;
use crate::install::user_hooks::{HookGroup, Step, UserHooks};
use crate::install::{moved_folders, targets};
use crate::printer::Printer;

pub(crate) fn run(arguments: &InitArguments, printer: &Printer) -> CommandResult {
    moved_folders::refuse()?;
    let targets = targets::to_install(&arguments.settings)?;
    let (program, slower) = program(arguments)?;
    let places = Places::of_process();
    let installation = installation(&places)?;
    let caller = Caller { program: &program, installation: installation.as_deref() };
    let mut plan = Plan::new(targets, caller, arguments);
    plan.hook_file.warnings.extend(slower.clone());
    // If the user named one agent, its error is the error of the command.
    if arguments.settings.agents.len() == 1 {
        plan.agents.pop_if(|agent| agent.plan.is_err()).map_or(Ok(()), |agent| agent.plan.map(drop))?;
    }
    let (people, mut diff) = (!arguments.settings.json, arguments.settings.diff);
    if arguments.settings.dry_run {
        if people {
            screen::plan(&plan, diff, printer);
            nothing_written();
        }
    } else if plan.changes() {
        if people && !arguments.yes && screen::is_attended() {
            screen::plan(&plan, diff, printer);
            diff = false;
            if !screen::confirm(printer) {
                printer.line("Nothing was written.");
                return Ok(exit::FINDING);
            }
        }
        if let Some(id) = &installation {
            installation::keep(&places, id)?;
        }
        plan.apply(caller, arguments);
        plan.hook_file.warnings.extend(slower);
    }
    if !people {
        printer.json(&plan.as_json(&arguments.settings.agents))?;
    } else if !arguments.settings.dry_run {
        screen::result(&plan, diff, printer);
    }
    let code = |agent: &Agent| agent.plan.as_ref().map_or_else(CliError::exit_code, AgentPlan::code);
    Ok(plan.agents.iter().map(code).max().unwrap_or_default())
}

/// Everything that `init` changes.
struct Plan {
    agents: Vec<Agent>,
    hook_file: HookFile,
}

struct Agent {
    target: Target,
    title: String,
    plan: Result<AgentPlan, CliError>,
}

impl Plan {
    fn new(targets: Vec<Target>, caller: Caller<'_>, arguments: &InitArguments) -> Self {
        let agent = |target: Target| {
            let (title, plan) = (target.title(), AgentPlan::new(&target, caller, arguments));
            Agent { target, title, plan }
        };
        Self { agents: targets.into_iter().map(agent).collect(), hook_file: HookFile::new(arguments) }
    }

    fn changes(&self) -> bool {
        !self.hook_file.added().is_empty() && self.agents.iter().any(|agent| agent.plan.is_ok())
            || self.agents.iter().any(|agent| agent.plan.as_ref().is_ok_and(AgentPlan::changes))
    }

    fn apply(&mut self, caller: Caller<'_>, arguments: &InitArguments) {
        for Agent { target, plan, .. } in &mut self.agents {
            // An agent that was written before may call tenter for this one.
            *plan = AgentPlan::new(target, caller, arguments).and_then(|mut plan| {
                plan.apply(target, caller, arguments)?;
                Ok(plan)
            });
        }
        self.hook_file = HookFile::new(arguments);
        // With no agent that calls tenter, its hooks would do nothing.
        if self.agents.iter().any(|agent| agent.plan.is_ok()) {
            self.hook_file.apply();
        }
    }

    fn as_json(&self, named: &[String]) -> Value {
        let object = |agent: &Agent| match &agent.plan {
            Ok(plan) => {
                let mut all = plan.as_json();
                self.hook_file.as_json().into_iter().for_each(|(key, value)| all[key] = value);
                let of_agent = all["warnings"].as_array().cloned().unwrap_or_default().into_iter();
                all["warnings"] =
                    of_agent.chain(self.hook_file.warnings.iter().cloned().map(Value::from)).collect();
                all
            }
            Err(error) => agent.target.error_as_json(error),
        };
        match (named, self.agents.as_slice()) {
            ([_], [agent]) => object(agent),
            (_, agents) => json!({"agents": agents.iter().map(object).collect::<Vec<_>>()}),
        }
    }
}

/// The plan for the user's hook file. An error is only a warning, because agents call tenter in any case.
struct HookFile {
    plan: Option<UserHooks>,
    warnings: Vec<String>,
}

impl HookFile {
    fn new(arguments: &InitArguments) -> Self {
        let declined = [arguments.without.no_protect, arguments.without.no_memory];
        let groups = [HookGroup::Protection, HookGroup::Memory].into_iter().zip(declined);
        let wanted: Vec<HookGroup> =
            groups.filter(|(_, declined)| !declined).map(|(group, _)| group).collect();
        match if wanted.is_empty() { Ok(None) } else { UserHooks::to_add(&wanted) } {
            Ok(plan) => {
                let warnings = plan.iter().flat_map(UserHooks::by_hand).cloned().collect();
                Self { plan, warnings }
            }
            Err(error) => Self::failed(&error),
        }
    }

    fn failed(error: &CliError) -> Self {
        let warning = format!("the hooks of tenter could not be added to your hook file: {error}");
        Self { plan: None, warnings: vec![warning] }
    }

    fn apply(&mut self) {
        if let Some(Err(error)) = self.plan.as_mut().map(UserHooks::apply) {
            *self = Self::failed(&error);
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

    fn as_json(&self) -> [(&'static str, Value); 2] {
        [("protection", HookGroup::Protection), ("memory_hooks", HookGroup::Memory)].map(|(key, group)| {
            let state = self.plan.as_ref().and_then(|plan| plan.as_json(group));
            (key, state.unwrap_or_else(|| json!({"state": "declined"})))
        })
    }
}

/// The id of the installation, new if there is none; `None` without a folder to keep it in.
fn installation(places: &Places) -> Result<Option<String>, CliError> {
    if places.config_folder.is_none() || places.state_folder.is_none() {
        return Ok(None);
    }
    let not_written = |cause| CliError::not_written("the id of the installation", cause);
    installation::id(places).map_or_else(|| installation::new_id().map_err(not_written), Ok).map(Some)
}

/// The program that agents call, and a warning if it is not the fast one.
fn program(arguments: &InitArguments) -> Result<(String, Option<String>), CliError> {
    let unusable = |detail: String| {
        let hint = "install tenter in an ordinary folder and run it from there";
        CliError::bad_input("the path of this program", detail, hint)
    };
    let called = hook_program().map_err(|error| unusable(error.to_string()))?;
    if let Some(why) = temporary_place(&called.path).filter(|_| !arguments.allow_build_path) {
        return Err(CliError::not_installed(called.path.display(), why));
    }
    let program =
        called.path.into_os_string().into_string().map_err(|_| unusable("it is not UTF-8".to_owned()))?;
    let slower = called.instead_of.map(|why| {
        format!("agents will call the full tenter binary, which starts more slowly, because {why}; install both programs of one build into one folder and run `tenter init` again")
    });
    Ok((program, slower))
}
