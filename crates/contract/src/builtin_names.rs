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
        about: "injects branch, changed files and last commits; nothing outside a repository",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[
            option("commits", count(0, 50), "number of commits; 5"),
            option("limit", count(0, 500), "number of changed files; 30"),
        ],
    },
    BuiltinName {
        name: "project.info",
        about: "injects facts about the project: root, languages, build and test commands",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[],
    },
    BuiltinName {
        name: CONTEXT_FILES,
        about: "injects files, each under its name; short form: `context: { files: [ … ] }` at the top level",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::SessionStart],
        options: &[required(
            "files",
            OptionType::Files,
            "files, relative to the project root; outside project layers also `~/…` and `/…`",
        )],
    },
    BuiltinName {
        name: "env",
        about: "injects environment variables; for a secret name, only whether it is set",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[required("names", OptionType::Variables, "variables")],
    },
    BuiltinName {
        name: "date",
        about: "injects weekday, date, time and time zone of this machine",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[option(
            "format",
            OptionType::Text,
            "format of `date` without its `+`; `%A, %Y-%m-%d %H:%M %Z (UTC%z)`",
        )],
    },
    BuiltinName {
        name: "notify",
        about: "shows a desktop notification, or else a message in the agent",
        does: Does::SideEffect,
        run_by: RunBy::AnyBinary,
        events: &[],
        options: &[
            option("title", OptionType::Template, "title; `tenter: {agent}`"),
            option("text", OptionType::Template, "text; the message of the event, or its name"),
            option("urgency", OptionType::Word(&["low", "normal", "critical"]), "urgency; `normal`"),
        ],
    },
    BuiltinName {
        name: "todo.reminder",
        about: "reminds the agent of its task list, and to check a completed task of high priority",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option("every", count(1, 1000), "tool calls between reminders; 20"),
            option("text", OptionType::Template, "text of the reminder"),
        ],
    },
    BuiltinName {
        name: "lint.feedback",
        about: "injects linter findings for a written file: ruff, eslint, clippy or shellcheck",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option(
                "tools",
                OptionType::Words(&["ruff", "eslint", "clippy", "shellcheck"]),
                "permitted tools; all",
            ),
            option("limit", count(1, 200), "maximum number of lines; 40"),
        ],
    },
    BuiltinName {
        name: "types.feedback",
        about: "injects type checker findings for a written file: mypy, pyright or tsc",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option(
                "tools",
                OptionType::Words(&["mypy", "pyright", "tsc"]),
                "permitted tools, of which the first installed one runs; all",
            ),
            option("limit", count(1, 200), "maximum number of lines; 40"),
        ],
    },
    BuiltinName {
        name: "tests.feedback",
        about: "runs the tests of a written file and injects failures: pytest, cargo, vitest, jest or go",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: AFTER_A_TOOL,
        options: &[
            option("command", OptionType::Command, "your own test command; it fails if the tests fail"),
            option("limit", count(1, 200), "maximum number of lines, from the end; 60"),
        ],
    },
    BuiltinName {
        name: PROTECT_CONFIG,
        about: "denies changes to tenter's own files and programs and to the agents' hook settings",
        does: Does::Guard,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::ToolPre, EventKind::PermissionRequest],
        options: &[option("paths", OptionType::Globs, "additional paths, relative to the project root")],
    },
    BuiltinName {
        name: MEMORY_SESSION_START,
        about: "injects the best lessons and latest work of the project, and offers an unresolved entry",
        does: Does::Inject,
        run_by: RunBy::FullBinary,
        events: &[EventKind::SessionStart],
        options: &[
            option(
                "inject_light_context",
                OptionType::Switch,
                "inject lessons and work; `true`. It offers an unresolved entry in any case",
            ),
            option("token_budget", count(50, 10_000), "maximum number of tokens; 500"),
        ],
    },
    BuiltinName {
        name: MEMORY_RECALL,
        about: "injects relevant experiences of earlier sessions, each once per context",
        does: Does::Inject,
        run_by: RunBy::FullBinary,
        events: &[EventKind::PromptSubmit],
        options: &[
            option(
                "context_depth",
                OptionType::Word(&["light", "rich"]),
                "at most five entries (`light`) or twenty; `rich`",
            ),
            option("token_budget", count(50, 10_000), "maximum number of tokens; 2000"),
            option(
                "include_code",
                OptionType::Switch,
                "include code; `true`. It has no effect yet, because this version has no code index",
            ),
        ],
    },
    BuiltinName {
        name: MEMORY_CHECK_IN,
        about: "reminds the agent of its goal, hypothesis and prediction while it tracks one",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::ToolPre],
        options: &[option("frequency", count(1, 1000), "tool calls between reminders; 10")],
    },
    BuiltinName {
        name: MEMORY_OUTCOME,
        about: "compares test and build results with the prediction and asks the agent to resolve its entry",
        does: Does::Inject,
        run_by: RunBy::AnyBinary,
        events: &[EventKind::ToolPost, EventKind::ToolError],
        options: &[
            option(
                "matchers",
                OptionType::Texts,
                "command prefixes, such as `pytest`, `make test` or `./run-tests.sh`; all known runners",
            ),
            option(
                "auto_capture",
                OptionType::Switch,
                "store the run with the entry, which gold needs; `true`",
            ),
        ],
    },
    BuiltinName {
        name: MEMORY_SESSION_END,
        about: "abandons unresolved entries, unless the session continues under another id, and stores pending ones",
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
