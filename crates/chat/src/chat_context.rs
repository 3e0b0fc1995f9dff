//! Builds tenter's own agent: hooks, model, tools and workspace.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tenter_agent::tools::{self, Toolbox, Workspace};
use tenter_agent::{AgentParts, Observer, OpenSession, Permission, SharedConversation};
use tenter_contract::ports::{Approver, HookExecutor, ProgressObserver};
use tenter_contract::{Event, HookId, Level};
use tenter_coordinator::{SessionCoordinator, Shown, UserDisplay};
use tenter_host::trust::project::here;
use tenter_host::{Places, assemble_program, set_stop_flag};
use tenter_models::client::{Model, ModelSpec};
use tenter_store::StateFolder;

use crate::approver::InterruptibleApprover;
use crate::arguments::ChatArguments;
use crate::contributions::{Contributions, Noted};
use crate::error::{self, KEYS};
use crate::instruction_files::InstructionFiles;
use crate::interrupts::Interrupts;
use crate::keys::{Keys, environment};
use crate::live_hooks::LiveHooks;
use crate::memory_tools;
use crate::notifications::Notifier;
use crate::redacting::{DiscreetDisplay, RedactingExecutor};
use crate::saved_session::{SavedSessions, lasting};
use crate::screen::Screen;
use crate::stream::Stream;
use tenter_console::error::CliError;
use tenter_console::hooks;
use tenter_console::listing::{typed, visible};

/// The agent's name in events and records.
const AGENT: &str = "tenter";
/// Conversation size at which it is compacted, in tokens. Leaves room for one more turn in the windows of current
/// models.
const WINDOW: u64 = 150_000;

pub(crate) struct ChatContext {
    pub(crate) hooks: LiveHooks,
    pub(crate) kept: SavedSessions,
    pub(crate) state: StateFolder,
    pub(crate) contributions: Contributions,
    places: Places,
    project: Option<PathBuf>,
    place: Arc<Workspace>,
    keys: Keys,
    /// Instructions from the user's and the project's files.
    pub(crate) instructions: InstructionFiles,
    offers_memory: bool,
    /// `mcpServers` of the file passed with `--mcp`. Files of a project are not read: their servers are programs that
    /// the user has not approved.
    servers: Map<String, Value>,
}

#[derive(Clone)]
pub(crate) struct ChatUi {
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) display: Arc<dyn UserDisplay>,
    pub(crate) screen: Option<Arc<Screen>>,
    pub(crate) stream: Option<Arc<Stream>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) interrupts: Interrupts,
}

impl ChatContext {
    pub(crate) fn here(arguments: &ChatArguments) -> Result<Self, CliError> {
        // First of all, because the program begins once more if it has any.
        let keys = Keys::take_from_environment().map_err(error::keys_exposed)?;
        if let Some(folder) = &arguments.cd {
            let bad = |cause| error::chat_folder(&folder.display().to_string(), cause);
            std::env::set_current_dir(folder).map_err(bad)?;
        }
        if let Some(file) = arguments.config.config.as_deref().filter(|file| !file.exists()) {
            // What was named as a guard is not to be missing in silence while an agent works.
            return Err(CliError::bad_input(
                file.display().to_string(),
                "there is no such hook file",
                "check the path after `--config`",
            ));
        }
        let servers = arguments.mcp.as_deref().map(servers).transpose()?.unwrap_or_default();
        let project = here();
        let cwd = std::env::current_dir();
        let cwd = cwd.map_err(|cause| error::chat_folder(".", cause))?;
        let places = arguments.config.places();
        let used = places.outside(project.as_deref());
        if let Some(name) = arguments.config.profile.as_deref().filter(|it| *it != tenter_host::profile::NONE)
        {
            hooks::check_profile(&used, name)?;
        }
        let state = used.state_folder.clone().ok_or(CliError::no_state())?;
        let root = project.clone().unwrap_or_else(|| cwd.clone());
        let spills = state.join("chats").join("outputs");
        // Who starts in a folder of the project means that folder.
        let mut place = Workspace::new(root.clone(), environment(), spills);
        place.cwd = Mutex::new(cwd.clone());
        place.keys = keys.hidden();
        let state = StateFolder::new(state);
        let instructions = if arguments.no_instructions {
            InstructionFiles::default()
        } else {
            InstructionFiles::find(&own_instructions(&used), &root, &cwd)
        };
        Ok(Self {
            hooks: LiveHooks::new(places.clone(), project.clone()),
            kept: SavedSessions::new(&state, root.to_string_lossy().into_owned()),
            state,
            contributions: Contributions::default(),
            places,
            project,
            place: Arc::new(place),
            keys,
            instructions,
            offers_memory: !arguments.no_memory,
            servers,
        })
    }

    /// The project root, or the working folder outside of a project.
    pub(crate) fn root(&self) -> PathBuf {
        self.place.root.clone()
    }

    /// Warns if the session began in another project: it remembers files of that one.
    pub(crate) fn warn_about_other_project(&self, project: &str, display: &dyn UserDisplay) {
        let here = self.root();
        if project == here.to_string_lossy() {
            return;
        }
        let text = format!(
            "this session began in another project, {project}; the agent works in {} now, where the files it remembers \
may be others (`cd {}` first to go on there)",
            here.display(),
            typed(project)
        );
        display.show(&Shown { text, level: Level::Warning, source: AGENT.to_owned() });
    }

    /// Connects to the model from the command line, the environment or the resumed session.
    pub(crate) fn model(&self, named: Option<&str>, of_session: Option<&str>) -> Result<Chosen, CliError> {
        let of_environment = std::env::var("TENTER_MODEL").ok().filter(|spec| !spec.trim().is_empty());
        let is_of_session = named.is_none() && of_environment.is_none();
        let before = || of_session.map(str::to_owned);
        let spec = named.map(str::to_owned).or(of_environment).or_else(before).ok_or_else(|| {
            error::chat_without_model(
                &KEYS
                    .map(|(variable, _)| variable)
                    .into_iter()
                    .filter(|it| self.keys.has(it))
                    .collect::<Vec<_>>(),
            )
        })?;
        let spec = ModelSpec::parse(&spec).map_err(|error| error::model(&error))?;
        let connected = spec.connect(&self.keys.with_environment());
        let model: Arc<dyn Model> = connected.map(Arc::from).map_err(|error| error::model(&error))?;
        let why = if is_of_session {
            Some("with which the session began".to_owned())
        } else if model.name() != spec.to_string() {
            Some(
                "the first model of that server that talks; one behind `#` would be taken instead".to_owned(),
            )
        } else {
            let other = of_session.filter(|before| named.is_none() && *before != lasting(model.name()));
            other.map(|before| format!("as TENTER_MODEL says; the session began with {before}"))
        };
        Ok(Chosen { model, why })
    }

    pub(crate) fn parts(
        &self,
        model: Arc<dyn Model>,
        ui: ChatUi,
        permission: Permission,
        session: &str,
    ) -> AgentParts {
        let mut tools = tools::own();
        let warn = |text: String| {
            ui.display.show(&Shown { text, level: Level::Warning, source: AGENT.to_owned() });
        };
        if self.offers_memory {
            match memory_tools::memory_tools(session) {
                Ok(offered) => tools.extend(offered),
                Err(error) => warn(format!("the model works without the memory: {}", error.happened())),
            }
        }
        for (path, why) in &self.instructions.left_out {
            warn(format!("{} is not given to the model: {why}", visible(&path.to_string_lossy())));
        }
        let mut instructions = self.instructions.framed();
        self.place.keys.hide(&mut instructions);
        AgentParts {
            attended: ui.approver.is_some(),
            observer: Arc::clone(&ui.observer),
            sessions: self.sessions(ui),
            model,
            tools: Arc::new(Toolbox::with_servers(tools, &self.servers, &self.place)),
            place: Arc::clone(&self.place),
            instructions,
            permission,
            window: WINDOW,
        }
    }

    fn sessions(&self, ui: ChatUi) -> Arc<OpenSession> {
        let (places, project, hooks) = (self.places.clone(), self.project.clone(), self.hooks.clone());
        let (noted, keys) = (self.contributions.clone(), self.keys.hidden());
        Arc::new(move |id: &str, talk: Arc<SharedConversation>| {
            let notifier = Notifier::default();
            let mut runtime = assemble_program(&places, project.as_deref()).runtime;
            runtime.catalog.source = Box::new(hooks.clone());
            let redacting = |inner| -> Box<dyn HookExecutor> {
                Box::new(RedactingExecutor { inner, keys: keys.clone() })
            };
            runtime.runner.executors = runtime.runner.executors.into_iter().map(redacting).collect();
            set_stop_flag(&mut runtime, ui.interrupts.hook_flag());
            runtime.runner.progress =
                ui.screen.clone().map(|screen| Box::new(ScreenProgress(screen)) as Box<dyn ProgressObserver>);
            if let Some(approver) = &ui.approver {
                // Behind what the hook file decides alone; before those who watch elsewhere, who see it too.
                let behind_policy = runtime.approvals.approvers.before_host.len().min(1);
                runtime.approvals.approvers.before_host.insert(behind_policy, Box::new(Arc::clone(approver)));
            }
            let interruptible = |approver| -> Box<dyn Approver> {
                let (interrupts, stream) = (ui.interrupts.clone(), ui.stream.clone());
                Box::new(InterruptibleApprover { approver, interrupts, stream, notifier: notifier.clone() })
            };
            for approvers in
                [&mut runtime.approvals.approvers.before_host, &mut runtime.approvals.approvers.after_host]
            {
                *approvers = std::mem::take(approvers).into_iter().map(interruptible).collect();
            }
            let session = SessionCoordinator::builder(AGENT).runtime(runtime).session(id);
            // What a sub-agent is reported is not part of what the user said.
            let contributions = if is_of_subagent(id) { Contributions::default() } else { noted.clone() };
            let display = DiscreetDisplay { inner: Arc::clone(&ui.display), keys: keys.clone() };
            let context = Noted { talk, contributions, keys: keys.clone() };
            let session = Arc::new(session.context(context).display(display).build());
            notifier.belongs_to(&session);
            session
        })
    }
}

/// Candidates for the user's own instructions; the first that exists is used.
fn own_instructions(places: &Places) -> Vec<PathBuf> {
    let ours = places.config_folder.as_ref().map(|folder| folder.join("AGENTS.md"));
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    ours.into_iter().chain(home.map(|home| home.join(".claude/CLAUDE.md"))).collect()
}

fn servers(file: &Path) -> Result<Map<String, Value>, CliError> {
    let bad = |detail: String| {
        CliError::bad_input(
            file.display().to_string(),
            detail,
            r#"write it as {"mcpServers": {"docs": {"command": "docs-server"}}}"#.to_owned(),
        )
    };
    let text = tenter_console::input_file::read_text(file).map_err(|error| {
        CliError::bad_input(file.display().to_string(), error.to_string(), "check the path after `--mcp`")
    })?;
    let mut read: Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    match read.get_mut("mcpServers").map(Value::take) {
        Some(Value::Object(servers)) => Ok(servers),
        Some(_) | None => Err(bad("it has no object `mcpServers`".to_owned())),
    }
}

/// Whether a session id is of a sub-agent, which has its parent's id as a prefix.
fn is_of_subagent(id: &str) -> bool {
    id.contains("-task-")
}

pub(crate) struct Chosen {
    pub(crate) model: Arc<dyn Model>,
    /// Why this model was chosen, if the user did not just name it.
    pub(crate) why: Option<String>,
}

impl Chosen {
    pub(crate) fn in_words(&self) -> String {
        let why = self.why.iter().map(|why| format!(", {why}"));
        visible(&why.fold(self.model.name().to_owned(), |name, why| name + &why))
    }

    pub(crate) fn show(&self, display: &dyn UserDisplay) {
        if self.why.is_some() {
            let text = format!("asking {}", self.in_words());
            display.show(&Shown { text, level: Level::Info, source: AGENT.to_owned() });
        }
    }
}

struct ScreenProgress(Arc<Screen>);

impl ProgressObserver for ScreenProgress {
    fn begins(&self, event: &Event, hooks: usize) {
        self.0.begins(event, hooks);
    }

    fn started(&self, event: &Event, hook: &HookId) {
        self.0.started(event, hook);
    }

    fn finished(&self, event: &Event, hook: &HookId) {
        self.0.finished(event, hook);
    }

    fn ends(&self, event: &Event) {
        self.0.ends(event);
    }
}
