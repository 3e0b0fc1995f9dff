//! A hook as a user registered it, checked and complete. `config` makes it from a file.

use crate::spelling::spelled;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::handler::Handler;
use crate::{Event, EventKind, HookId, Layer, Matcher, Pattern, Repeat, Role, Strategy, Template, When};

spelled! {
    /// Allow or deny, where a hook author must choose beforehand.
    #[derive(Default)]
    pub enum Policy {
        /// Go on without it.
        Allow = "allow",
        /// Stop.
        #[default]
        Deny = "deny",
    }
}

/// What each class of failure of a hook means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct OnFailure {
    /// It did not finish in time.
    pub timeout: Policy,
    /// It crashed, or its output is not a valid reply.
    pub error: Policy,
    /// It could not be started.
    pub missing: Policy,
}

impl OnFailure {
    /// The policy of a hook that states none.
    pub fn default_for(layer: Layer, event: &EventKind, handler: &Handler) -> Self {
        let mut on_failure = Self::always(if layer == Layer::Managed { Policy::Deny } else { Policy::Allow });
        // A guard written in Python that cannot be imported would otherwise be off in silence.
        let judges = matches!(event, EventKind::ToolPre | EventKind::PermissionRequest);
        if judges && matches!(handler, Handler::Python(_)) {
            on_failure.missing = Policy::Deny;
        }
        if judges && matches!(handler, Handler::Builtin(builtin) if builtin.guards()) {
            on_failure = Self::always(Policy::Deny);
        }
        on_failure
    }

    /// The same policy for every class.
    pub fn always(policy: Policy) -> Self {
        Self { timeout: policy, error: policy, missing: policy }
    }

    /// The policy of a class.
    pub fn policy_for(self, class: FailureClass) -> Policy {
        match class {
            FailureClass::Timeout => self.timeout,
            FailureClass::Error => self.error,
            FailureClass::Missing => self.missing,
        }
    }

    /// Whether some failure denies: such a hook is a guard.
    pub fn guards(self) -> bool {
        [self.timeout, self.error, self.missing].contains(&Policy::Deny)
    }
}

spelled! {
    /// The classes for which a policy can be given.
    pub enum FailureClass {
        /// It did not finish in time.
        Timeout = "timeout",
        /// It crashed, or its output is not a valid reply.
        Error = "error",
        /// It could not be started.
        Missing = "missing",
    }

    /// When plain output becomes context.
    #[derive(Default)]
    pub enum InjectOutput {
        /// Unstated: at `session:start` and `prompt:submit` on success, elsewhere never. Exit codes decide verdicts.
        #[default]
        Unstated = "unstated",
        /// Never. Exit codes decide no verdict, as with all stated values.
        Never = "never",
        /// When the program succeeds.
        Success = "success",
        /// When it fails, as linters do.
        Failure = "failure",
        /// In both cases.
        Always = "always",
    }
}

/// How often a hook runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Once {
    /// At every event that matches.
    #[default]
    Unlimited,
    /// Once per session; a failed run does not count.
    Session,
    /// Once per turn; a failed run does not count.
    Turn,
}

impl Once {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Unlimited, Self::Session, Self::Turn];

    /// The spelling in hook files; none for what is not stated there.
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Unlimited => None,
            Self::Session => Some("session"),
            Self::Turn => Some("turn"),
        }
    }
}

/// How long, and for which events, the reply of a hook is cached.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Cache {
    /// How long.
    pub ttl: Duration,
    /// The parts of an event that the reply depends on; all of it if the list is empty.
    pub key: Vec<Template>,
    /// Files that the reply depends on as well: paths and globs from the project root.
    pub files: Vec<String>,
}

/// Whether a hook may run at the same time as others of equal priority, or in the background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum ExecutionMode {
    /// It runs alone and may rewrite.
    #[default]
    Alone,
    /// It may run together with others of equal priority, and may not rewrite.
    Parallel,
    /// It runs in the background. Its output goes to a later event, so it may neither decide nor rewrite.
    Background,
}

impl ExecutionMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Alone, Self::Parallel, Self::Background];
}

/// What happens to processes that a hook leaves behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum LeftoverProcesses {
    /// They are ended with the hook.
    #[default]
    Ended,
    /// They live on: starting them is what the hook is for. The hook itself still keeps to its timeout.
    Detached,
}

/// Which variables of the agent's environment a hook inherits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum EnvInheritance {
    /// All of them.
    #[default]
    All,
    /// What a program needs to run at all: `PATH`, `HOME`, locale, terminal, temporary folder.
    Minimal,
    /// These and the minimal ones.
    Named(Vec<String>),
}

spelled! {
    /// The system that a hook was written for: what it reads on stdin and in its environment, how its output is
    /// read, and whether its texts have placeholders.
    #[derive(Default, Hash)]
    pub enum Dialect {
        /// Ours, which carries Claude Code's names too.
        #[default]
        Tenter = "tenter",
        /// Claude Code, and agents that read the same settings.
        Claude = "claude",
        /// Gemini CLI, whose settings have Claude Code's form.
        Gemini = "gemini",
        /// Amazon Q and Kiro.
        AmazonQ = "amazonq",
        /// MassGen.
        MassGen = "massgen",
        /// Amplifier, and the hook folders of its `hook-shell`.
        Amplifier = "amplifier",
        /// The hook scripts of the learning memory: goal, hypothesis, action, prediction.
        Ghap = "ghap",
    }
}

impl Dialect {
    /// The name people know it by.
    pub fn title(self) -> &'static str {
        match self {
            Self::Tenter => "tenter",
            Self::Claude => "Claude Code",
            Self::Gemini => "Gemini CLI",
            Self::AmazonQ => "Amazon Q",
            Self::MassGen => "MassGen",
            Self::Amplifier => "Amplifier",
            Self::Ghap => "the GHAP hook scripts",
        }
    }

    /// Whether `{tool.path}` in a command is a placeholder. Other systems have none, so their braces are text.
    pub fn has_placeholders(self) -> bool {
        self == Self::Tenter
    }
}

/// Commands or paths that a hook must and must not match; checked when its file is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examples {
    /// Must match.
    pub matches: Vec<String>,
    /// Must not match.
    pub ignores: Vec<String>,
}

/// A hook, checked and complete.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookSpec {
    /// Its address.
    pub id: HookId,
    /// For people.
    pub description: Option<String>,
    /// The event it is asked about.
    pub event: EventKind,
    /// What it does.
    pub handler: Handler,
    /// Which tools or subjects.
    pub matcher: Matcher,
    /// Further conditions.
    pub when: When,
    /// Which agents; empty means all. One that begins with `!` is left out.
    pub agents: Vec<Pattern>,
    /// The agent whose section of the file has it.
    pub section: Option<String>,
    /// Lower runs earlier; negatives are allowed.
    pub priority: i32,
    /// How long it may take.
    pub timeout: Duration,
    /// How much of a JSON reply is read.
    pub max_output: usize,
    /// When plain output becomes context.
    pub inject_output: InjectOutput,
    /// How often it runs.
    pub once: Once,
    /// If set, it runs at every nth matching event of the session.
    pub every: Option<NonZeroU32>,
    /// The hooks of its event that it waits for: those of its file by name, others by address. It gets their replies
    /// with the event.
    pub after: Vec<String>,
    /// For how long its answers are kept.
    pub cache: Option<Cache>,
    /// Whether it may run at the same time as others.
    pub execution_mode: ExecutionMode,
    /// What becomes of processes it leaves behind.
    pub remains: LeftoverProcesses,
    /// What its failures mean.
    pub on_failure: OnFailure,
    /// Whether it is asked again when a later hook has rewritten the input.
    pub rejudge: bool,
    /// Whether its `allow` lifts the agent's own permission check.
    pub may_allow: bool,
    /// Role of the text it returns.
    pub role: Role,
    /// Place of the text it returns.
    pub strategy: Strategy,
    /// Ephemerality of the text it returns, and whether its own output stays out of the transcript.
    pub defaults: ReplyDefaults,
    /// Variables set for it.
    pub env: Vec<(String, String)>,
    /// Variables it inherits.
    pub inherit_env: EnvInheritance,
    /// Where it runs; the project root if not stated.
    pub cwd: Option<String>,
    /// Further files that trust in it covers: globs below the project root.
    pub trust_files: Vec<String>,
    /// The content that its files must still have when it runs, if it comes from a project.
    pub pins: Vec<Pin>,
    /// The system it was written for.
    pub dialect: Dialect,
    /// Checked at load.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub examples: Examples,
    /// Its file and line.
    pub source: HookSource,
}

/// Switches that apply to every reply of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct ReplyDefaults {
    /// Injected text is not kept in the history.
    pub ephemeral: bool,
    /// The hook's own output stays out of the transcript.
    pub suppress_output: bool,
    /// What becomes of injected text that its context has already.
    pub repeat: Repeat,
}

/// A file, and its content when the user trusted it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Pin {
    /// The file, absolute.
    pub path: String,
    /// The SHA-256 of its content, in hex; none if it did not exist.
    pub sha256: Option<String>,
}

impl HookSource {
    /// The project whose hook file this is, by its path; none for files elsewhere.
    pub fn project_root(&self) -> Option<&str> {
        self.file.rfind("/.tenter/").map(|end| &self.file[..end])
    }
}

/// Where a hook was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookSource {
    /// The file, as the user would type it; empty for hooks registered by a program.
    pub file: String,
    /// The folder of that file, where scripts are looked for.
    pub folder: String,
    /// The line of the hook's entry, counted from 1.
    pub line: u32,
}

/// How long a hook may take if its file does not say.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// How much of a JSON reply is read if the file does not say.
pub const DEFAULT_MAX_OUTPUT: usize = 1024 * 1024;
/// The longest reason that is read from standard error.
pub const PLAIN_TEXT_LIMIT: usize = 10_240;

impl HookSpec {
    /// A hook with every default: what a file with nothing but name, event and handler means.
    pub fn new(id: HookId, event: EventKind, handler: Handler) -> Self {
        let on_failure = OnFailure::default_for(id.layer, &event, &handler);
        let mut hook = Self {
            id,
            description: None,
            event,
            handler,
            matcher: Matcher::default(),
            when: When::default(),
            agents: Vec::new(),
            section: None,
            priority: 0,
            timeout: DEFAULT_TIMEOUT,
            max_output: DEFAULT_MAX_OUTPUT,
            inject_output: InjectOutput::default(),
            once: Once::default(),
            every: None,
            after: Vec::new(),
            cache: None,
            execution_mode: ExecutionMode::default(),
            remains: LeftoverProcesses::default(),
            on_failure,
            rejudge: false,
            may_allow: false,
            role: Role::default(),
            strategy: Strategy::default(),
            defaults: ReplyDefaults::default(),
            env: Vec::new(),
            inherit_env: EnvInheritance::default(),
            cwd: None,
            trust_files: Vec::new(),
            pins: Vec::new(),
            dialect: Dialect::default(),
            examples: Examples::default(),
            source: HookSource::default(),
        };
        hook.rejudge = hook.is_guard();
        hook
    }

    /// The project it belongs to, if that is not the event's but one around it.
    pub fn outer_root(&self, event: &Event) -> Option<&str> {
        match self.id.layer {
            Layer::Project | Layer::Local => {}
            Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => return None,
        }
        let own = self.source.project_root()?;
        let of_event = event.project_root.as_deref()?.trim_end_matches('/');
        (own != of_event && !own.is_empty()).then_some(own)
    }

    /// Whether it waits for that hook. A bare name means a hook of its own layer.
    pub fn waits_for(&self, other: &HookId) -> bool {
        self.after.iter().any(|awaited| match awaited.split_once('/') {
            Some((layer, name)) => layer == other.layer.as_str() && name == other.name,
            None => self.id.layer == other.layer && *awaited == other.name,
        })
    }

    /// Whether it is there to stop something: it denies or asks by itself, its failure denies, or it is managed.
    /// Guards are asked again about a rewrite, and deny what they cannot judge. A background hook stops nothing.
    pub fn is_guard(&self) -> bool {
        if self.execution_mode == ExecutionMode::Background {
            return false;
        }
        matches!(self.handler, Handler::Deny(_) | Handler::Ask(_))
            || matches!(&self.handler, Handler::Builtin(builtin) if builtin.guards())
            || self.on_failure.guards()
            || self.id.layer == Layer::Managed
    }
}
