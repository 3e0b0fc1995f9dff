//! The table of built-in hooks: their names, effects, events and settings.
//!
//! Hook files are checked against it, `docs/reference/builtins.md` is made from it, and
//! `executors/src/builtin` has one file per row.

use crate::EventKind;

/// A built-in hook.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinName {
    /// `git.status`
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What it does with an event.
    pub does: Does,
    /// Which binary contains it.
    pub run_by: RunBy,
    /// The events it is made for; if there are none, every event at which it can do anything.
    pub events: &'static [EventKind],
    /// Its settings.
    pub options: &'static [BuiltinOption],
}

impl BuiltinName {
    /// The setting of this name.
    pub fn option(&self, key: &str) -> Option<&'static BuiltinOption> {
        self.options.iter().find(|option| option.key == key)
    }
}

/// Which binary contains a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunBy {
    /// The small binary that agents call, and the full one.
    AnyBinary,
    /// The full binary alone: it needs a database.
    FullBinary,
}

/// What a built-in does with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Puts text into the context.
    Inject,
    /// Denies. It is a guard, as a fixed `deny` is: its own failure denies unless its file says otherwise.
    Guard,
    /// Has an effect outside of the agent.
    SideEffect,
}

/// A setting of a built-in.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinOption {
    /// Its key.
    pub key: &'static str,
    /// Its type.
    pub takes: OptionType,
    /// Whether it may be left out.
    pub presence: Presence,
    /// What it means, and its default.
    pub about: &'static str,
}

/// Whether a setting may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It may.
    Optional,
    /// It is required.
    Required,
}

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// A whole number within these bounds.
    Count {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A text for people or for the agent, in which placeholders are filled in.
    Template,
    /// A text without placeholders.
    Text,
    /// Texts without placeholders.
    Texts,
    /// Yes or no.
    Switch,
    /// A line for the shell, or a program with its arguments; placeholders are filled in.
    Command,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Some of these words, in the order in which they are tried.
    Words(&'static [&'static str]),
    /// Names of environment variables.
    Variables,
    /// Globs of paths.
    Globs,
    /// Files for the context: paths and globs from the project root, or whole ones where that is allowed.
    Files,
}

impl OptionType {
    /// As the documentation calls it.
    pub fn describe(self) -> String {
        let listed =
            |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::Count { least, most } => format!("number, {least} to {most}"),
            Self::Template => "text with placeholders".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Texts => "list of texts".to_owned(),
            Self::Switch => "`true` or `false`".to_owned(),
            Self::Command => "text or list, as `command` of a hook".to_owned(),
            Self::Word(words) => format!("one of {}", listed(words)),
            Self::Words(words) => format!("list of {}", listed(words)),
            Self::Variables => "list of names".to_owned(),
            Self::Globs => "list of globs".to_owned(),
            Self::Files => "list of paths and globs".to_owned(),
        }
    }
}

const fn option(key: &'static str, takes: OptionType, about: &'static str) -> BuiltinOption {
    BuiltinOption { key, takes, presence: Presence::Optional, about }
}

const fn required(key: &'static str, takes: OptionType, about: &'static str) -> BuiltinOption {
    BuiltinOption { key, takes, presence: Presence::Required, about }
}

const fn count(least: u32, most: u32) -> OptionType {
    OptionType::Count { least, most }
}

/// Where feedback about a written file comes from.
const AFTER_A_TOOL: &[EventKind] = &[EventKind::ToolPost];

/// What `context` in a hook file becomes.
pub const CONTEXT_FILES: &str = "context.files";

/// Protects tenter's own files from agents.
pub const PROTECT_CONFIG: &str = "protect.config";

/// Starts a session of the memory and injects what it knows.
pub const MEMORY_SESSION_START: &str = "memory.session_start";

/// Recalls what is relevant to a prompt.
pub const MEMORY_RECALL: &str = "memory.recall";

/// Reminds an agent of its prediction.
pub const MEMORY_CHECK_IN: &str = "memory.check_in";

/// Compares the outcome with the prediction.
pub const MEMORY_OUTCOME: &str = "memory.outcome";

/// Ends a session of the memory.
pub const MEMORY_SESSION_END: &str = "memory.session_end";

/// All of them, in the order of the documentation.
pub const BUILTINS: [BuiltinName; 16] = [
    BuiltinName {
        name: "git.status",
        about: "injects branch, changed files and last commits; says nothing outside a repository",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[
            option("commits", count(0, 50), "how many of the last commits; 5"),
            option("limit", count(0, 500), "how many changed files are named; 30"),
        ],
    },
    BuiltinName {
        name: "project.info",
        about: "injects what the project is: root, languages, how it is built and tested",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[],
    },
    BuiltinName {
        name: CONTEXT_FILES,
        about: "injects files, each under its name; `context: { files: [ … ] }` at the top level is short for it",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::SessionStart],
        options: &[required(
            "files",
            OptionType::Files,
            "which files, from the project root; beside a project's own layers also `~/…` and `/…`",
        )],
    },
    BuiltinName {
        name: "env",
        about: "injects the variables that are named; of one whose name sounds secret only whether it is set",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[required("names", OptionType::Variables, "which variables")],
    },
    BuiltinName {
        name: "date",
        about: "injects weekday, date, time and time zone, as this machine has them",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[option(
            "format",
            OptionType::Text,
            "as `date` takes it behind its `+`; `%A, %Y-%m-%d %H:%M %Z (UTC%z)`",
        )],
    },
    BuiltinName {
        name: "notify",
        about: "shows a notification on the desktop, or tells you in the agent where there is none",
        does: Does::SideEffect,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[
            option("title", OptionType::Template, "its title; `tenter: {agent}`"),
            option("text", OptionType::Template, "its text; the message of the event, or its name"),
            option("urgency", OptionType::Word(&["low", "normal", "critical"]), "how urgent; `normal`"),
        ],
    },
    BuiltinName {
        name: "todo.reminder",
        about: "reminds the agent of its list of tasks after so many tool calls without a look at it, and to check a completed task of high priority",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option("every", count(1, 1000), "after how many tool calls; 20"),
            option("text", OptionType::Template, "what it says in place of its own words"),
        ],
    },
    BuiltinName {
        name: "lint.feedback",
        about: "injects what the linter of a written file finds: ruff, eslint, clippy or shellcheck",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option(
                "tools",
                OptionType::Words(&["ruff", "eslint", "clippy", "shellcheck"]),
                "which may be used; all",
            ),
            option("limit", count(1, 200), "how many lines are injected; 40"),
        ],
    },
    BuiltinName {
        name: "types.feedback",
        about: "injects what the type checker of a written file finds: mypy, pyright or tsc",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option(
                "tools",
                OptionType::Words(&["mypy", "pyright", "tsc"]),
                "which may be used, the first that is there; all",
            ),
            option("limit", count(1, 200), "how many lines are injected; 40"),
        ],
    },
    BuiltinName {
        name: "tests.feedback",
        about: "runs the tests that belong to a written file and injects what fails: pytest, cargo, vitest, jest or go",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option("command", OptionType::Command, "what is run in place of all that; fails if the tests do"),
            option("limit", count(1, 200), "how many lines are injected, from the end; 60"),
        ],
    },
    BuiltinName {
        name: PROTECT_CONFIG,
        about: "denies changes to tenter's own files and programs and to the agents' hook settings",
        does: Does::Guard,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::ToolPre, EventKind::PermissionRequest],
        options: &[option("paths", OptionType::Globs, "further paths, from the project root")],
    },
    BuiltinName {
        name: MEMORY_SESSION_START,
        about: "injects the best lessons and the latest work of the project, and offers an entry that a session before left unresolved",
        does: Does::Inject,
        run_by: RunBy::FullBinary,
        events: &[EventKind::SessionStart],
        options: &[
            option(
                "inject_light_context",
                OptionType::Switch,
                "whether lessons and work are injected; `true`. An unresolved entry is offered in any case",
            ),
            option("token_budget", count(50, 10_000), "how many tokens they may have together; 500"),
        ],
    },
    BuiltinName {
        name: MEMORY_RECALL,
        about: "injects what earlier sessions learned about what the prompt asks for, each once in a context; nothing if nothing is relevant",
        does: Does::Inject,
        run_by: RunBy::FullBinary,
        events: &[EventKind::PromptSubmit],
        options: &[
            option(
                "context_depth",
                OptionType::Word(&["light", "rich"]),
                "at most five things, or at most twenty; `rich`",
            ),
            option("token_budget", count(50, 10_000), "how many tokens they may have together; 2000"),
            option(
                "include_code",
                OptionType::Switch,
                "whether code counts too; `true`. This version keeps no index of code, so it changes nothing yet",
            ),
        ],
    },
    BuiltinName {
        name: MEMORY_CHECK_IN,
        about: "reminds the agent of its goal, hypothesis and prediction after so many tool calls; says nothing if it tracks nothing",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::ToolPre],
        options: &[option("frequency", count(1, 1000), "after how many tool calls; 10")],
    },
    BuiltinName {
        name: MEMORY_OUTCOME,
        about: "reads how test and build runs came out, compares it with what the agent predicted and asks it to resolve its entry; of a failure while nothing is tracked it warns once",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::ToolPost, EventKind::ToolError],
        options: &[
            option(
                "matchers",
                OptionType::Texts,
                "how commands begin that count, such as `pytest`, `make test` or `./run-tests.sh`; every known runner",
            ),
            option(
                "auto_capture",
                OptionType::Switch,
                "whether a run is kept with the entry, without which it cannot be gold; `true`",
            ),
        ],
    },
    BuiltinName {
        name: MEMORY_SESSION_END,
        about: "abandons what the session has not resolved, unless it goes on under another id, and stores what waits",
        does: Does::SideEffect,
        run_by: RunBy::FullBinary,
        events: &[EventKind::SessionEnd],
        options: &[],
    },
];

/// The row of a name.
pub fn find(name: &str) -> Option<&'static BuiltinName> {
    BUILTINS.iter().find(|row| row.name == name)
}
