//! Puts our own agent together: hooks, model, tools, and the place where it works.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tenter_agent::tools::{self, Toolbox, Workplace};
use tenter_agent::{Listener, OpenSession, Parts, Permission, Talk};
use tenter_contract::ports::{ApprovalDesk, HookExecutor, Onlooker};
use tenter_contract::{Event, HookId, Level};
use tenter_coordinator::{SessionCoordinator, Shown, UserDisplay};
use tenter_host::trust::project::here;
use tenter_host::{Places, assemble_program, let_stop};
use tenter_models::talk::{Model, ModelSpec};
use tenter_store::StateFolder;

use super::contributions::{Contributions, Noted};
use super::desk::Heeded;
use super::discreet::{Discreet, DiscreetDisplay};
use super::error::{ChatError, KEYS};
use super::instruction_files::InstructionFiles;
use super::interrupts::Interrupts;
use super::kept::{Kept, lasting};
use super::keys::{Keys, environment};
use super::live_hooks::LiveHooks;
use super::memory_tools;
use super::notifications::Notifier;
use super::screen::Screen;
use super::stream::Stream;
use crate::arguments::ChatArguments;
use crate::commands::profile;
use crate::error::CliError;
use crate::listing::{typed, visible};

/// The name that events and records have for our own agent.
const AGENT: &str = "tenter";
/// How long a conversation may grow, in tokens, before it is put into fewer words: what the models of today take, with
/// room for one more turn.
const WINDOW: u64 = 150_000;

/// What an agent is made of here.
pub(super) struct Workshop {
    pub(super) hooks: LiveHooks,
    pub(super) kept: Kept,
    pub(super) state: StateFolder,
    pub(super) contributions: Contributions,
    places: Places,
    project: Option<PathBuf>,
    place: Arc<Workplace>,
    keys: Keys,
    /// What the user's and the project's files want of every agent.
    pub(super) instructions: InstructionFiles,
    offers_memory: bool,
    /// What stands under `mcpServers` in the file that was named. No file of a project is taken by itself: its
    /// servers are programs that nobody has agreed to.
    servers: Map<String, Value>,
}

/// Who sits in front of it.
#[derive(Clone)]
pub(super) struct Front {
    pub(super) listener: Arc<dyn Listener>,
    pub(super) display: Arc<dyn UserDisplay>,
    /// Is shown how far hooks have come.
    pub(super) screen: Option<Arc<Screen>>,
    /// Is told what is asked elsewhere.
    pub(super) stream: Option<Arc<Stream>>,
    /// Answers questions.
    pub(super) desk: Option<Arc<dyn ApprovalDesk>>,
    /// Stops hooks, questions and servers.
    pub(super) interrupts: Interrupts,
}

impl Workshop {
    /// Looks at where the command was typed.
    pub(super) fn here(arguments: &ChatArguments) -> Result<Self, CliError> {
        // First of all, because the program begins once more if it has any.
        let keys = Keys::taken().map_err(|cause| CliError::Chat(ChatError::Keys { cause }))?;
        if let Some(folder) = &arguments.cd {
            let bad = |cause| ChatError::Folder { folder: folder.display().to_string(), cause };
            std::env::set_current_dir(folder).map_err(bad).map_err(CliError::Chat)?;
        }
        if let Some(file) = arguments.config.config.as_deref().filter(|file| !file.exists()) {
            // What was named as a guard is not to be missing in silence while an agent works.
            return Err(CliError::BadInput {
                what: file.display().to_string(),
                detail: "there is no such hook file".to_owned(),
                hint: "check the path after `--config`".to_owned(),
            });
        }
        let servers = arguments.mcp.as_deref().map(servers).transpose()?.unwrap_or_default();
        let project = here();
        let cwd = std::env::current_dir();
        let cwd = cwd.map_err(|cause| CliError::Chat(ChatError::Folder { folder: ".".to_owned(), cause }))?;
        let places = arguments.config.places();
        let used = places.outside(project.as_deref());
        if let Some(name) = arguments.config.profile.as_deref().filter(|it| *it != tenter_host::profile::NONE)
        {
            profile::exists(&used, name)?;
        }
        let state = used.state_folder.clone().ok_or(CliError::Chat(ChatError::NoState))?;
        let root = project.clone().unwrap_or_else(|| cwd.clone());
        let spills = state.join("chats").join("outputs");
        // Who starts in a folder of the project means that folder.
        let mut place = Workplace::new(root.clone(), environment(), spills);
        place.cwd = Mutex::new(cwd.clone());
        place.keys = keys.hidden();
        let state = StateFolder::new(state);
        let instructions = if arguments.no_instructions {
            InstructionFiles::default()
        } else {
            InstructionFiles::find(&own_instructions(&used), &root, &cwd)
        };
        Ok(Self {
            hooks: LiveHooks::of(places.clone(), project.clone()),
            kept: Kept::of(&state, root.to_string_lossy().into_owned()),
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

    /// The project, or the folder if there is none around it.
    pub(super) fn root(&self) -> PathBuf {
        self.place.root.clone()
    }

    /// A session may be gone on with anywhere; what it remembers of files is about those of its own project.
    pub(super) fn tell_of_another_project(&self, project: &str, display: &dyn UserDisplay) {
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

    /// The model that is named on the command line, or by the environment, or with which the session began.
    pub(super) fn model(&self, named: Option<&str>, of_session: Option<&str>) -> Result<Chosen, ChatError> {
        let of_environment = std::env::var("TENTER_MODEL").ok().filter(|spec| !spec.trim().is_empty());
        let is_of_session = named.is_none() && of_environment.is_none();
        let before = || of_session.map(str::to_owned);
        let spec = named.map(str::to_owned).or(of_environment).or_else(before).ok_or_else(|| {
            ChatError::NoModel {
                keys: KEYS.map(|(variable, _)| variable).into_iter().filter(|it| self.keys.has(it)).collect(),
            }
        })?;
        let spec = ModelSpec::parse(&spec).map_err(ChatError::Model)?;
        let connected = spec.connect(&self.keys.with_environment());
        let model: Arc<dyn Model> = connected.map(Arc::from).map_err(ChatError::Model)?;
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

    /// The parts of an agent.
    pub(super) fn parts(
        &self,
        model: Arc<dyn Model>,
        front: Front,
        permission: Permission,
        session: &str,
    ) -> Parts {
        let mut tools = tools::own();
        let warn = |text: String| {
            front.display.show(&Shown { text, level: Level::Warning, source: AGENT.to_owned() });
        };
        if self.offers_memory {
            match memory_tools::offered(session) {
                Ok(offered) => tools.extend(offered),
                Err(error) => warn(format!("the model works without the memory: {}", error.happened())),
            }
        }
        for (path, why) in &self.instructions.left_out {
            warn(format!("{} is not given to the model: {why}", visible(&path.to_string_lossy())));
        }
        let mut instructions = self.instructions.framed();
        self.place.keys.hide(&mut instructions);
        Parts {
            attended: front.desk.is_some(),
            listener: Arc::clone(&front.listener),
            sessions: self.sessions(front),
            model,
            tools: Arc::new(Toolbox::with_servers(tools, &self.servers, &self.place)),
            place: Arc::clone(&self.place),
            instructions,
            permission,
            window: WINDOW,
        }
    }

    fn sessions(&self, front: Front) -> Arc<OpenSession> {
        let (places, project, hooks) = (self.places.clone(), self.project.clone(), self.hooks.clone());
        let (noted, keys) = (self.contributions.clone(), self.keys.hidden());
        Arc::new(move |id: &str, talk: Arc<Talk>| {
            let notifier = Notifier::default();
            let mut runtime = assemble_program(&places, project.as_deref()).runtime;
            runtime.hooks = Box::new(hooks.clone());
            let discreet =
                |inner| -> Box<dyn HookExecutor> { Box::new(Discreet { inner, keys: keys.clone() }) };
            runtime.executors = runtime.executors.into_iter().map(discreet).collect();
            let_stop(&mut runtime, front.interrupts.of_hooks());
            runtime.onlooker =
                front.screen.clone().map(|screen| Box::new(Watched(screen)) as Box<dyn Onlooker>);
            if let Some(desk) = &front.desk {
                // Behind what the hook file decides alone; before those who watch elsewhere, who see it too.
                let behind_policy = runtime.desks.before_host.len().min(1);
                runtime.desks.before_host.insert(behind_policy, Box::new(Arc::clone(desk)));
            }
            let heeded = |desk| -> Box<dyn ApprovalDesk> {
                let (interrupts, stream) = (front.interrupts.clone(), front.stream.clone());
                Box::new(Heeded { desk, interrupts, stream, notifier: notifier.clone() })
            };
            for desks in [&mut runtime.desks.before_host, &mut runtime.desks.after_host] {
                *desks = std::mem::take(desks).into_iter().map(heeded).collect();
            }
            let session = SessionCoordinator::builder(AGENT).runtime(runtime).session(id);
            // What a sub-agent is told is not part of what the user said.
            let contributions = if is_of_subagent(id) { Contributions::default() } else { noted.clone() };
            let display = DiscreetDisplay { inner: Arc::clone(&front.display), keys: keys.clone() };
            let context = Noted { talk, contributions, keys: keys.clone() };
            let session = Arc::new(session.context(context).display(display).build());
            notifier.belongs_to(&session);
            session
        })
    }
}

/// Where the user's own instructions lie; the first that is there counts.
fn own_instructions(places: &Places) -> Vec<PathBuf> {
    let ours = places.config_folder.as_ref().map(|folder| folder.join("AGENTS.md"));
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    ours.into_iter().chain(home.map(|home| home.join(".claude/CLAUDE.md"))).collect()
}

/// The servers of a file.
fn servers(file: &Path) -> Result<Map<String, Value>, CliError> {
    let bad = |detail: String| CliError::BadInput {
        what: file.display().to_string(),
        detail,
        hint: r#"write it as {"mcpServers": {"docs": {"command": "docs-server"}}}"#.to_owned(),
    };
    let text = crate::input_file::read_text(file).map_err(|error| CliError::BadInput {
        what: file.display().to_string(),
        detail: error.to_string(),
        hint: "check the path after `--mcp`".to_owned(),
    })?;
    let mut read: Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    match read.get_mut("mcpServers").map(Value::take) {
        Some(Value::Object(servers)) => Ok(servers),
        Some(_) | None => Err(bad("it has no object `mcpServers`".to_owned())),
    }
}

/// Sessions of sub-agents are called after the one that started them.
fn is_of_subagent(id: &str) -> bool {
    id.contains("-task-")
}

/// The model that is asked.
pub(super) struct Chosen {
    pub(super) model: Arc<dyn Model>,
    /// What is to be said about a choice that nobody has made just now.
    pub(super) why: Option<String>,
}

impl Chosen {
    /// Which model is asked, and why that one.
    pub(super) fn in_words(&self) -> String {
        let why = self.why.iter().map(|why| format!(", {why}"));
        visible(&why.fold(self.model.name().to_owned(), |name, why| name + &why))
    }

    /// Says so where nothing else names the model.
    pub(super) fn tell(&self, display: &dyn UserDisplay) {
        if self.why.is_some() {
            let text = format!("asking {}", self.in_words());
            display.show(&Shown { text, level: Level::Info, source: AGENT.to_owned() });
        }
    }
}

/// A screen that several sessions show their hooks on.
struct Watched(Arc<Screen>);

impl Onlooker for Watched {
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
