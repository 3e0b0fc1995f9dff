//! The one table of what comes with tenter: names, what each does, and the settings it takes.

/// Something that comes with tenter, as a hook file names it.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinName {
    /// `git.status`
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The settings it takes beside its name.
    pub options: &'static [&'static str],
}

/// All of them, in the order of the documentation.
pub const BUILTINS: [BuiltinName; 10] = [
    BuiltinName {
        name: "git.status",
        about: "injects branch, changed files and last commits; says nothing outside a repository",
        options: &["commits", "limit"],
    },
    BuiltinName {
        name: "project.info",
        about: "injects what the project is: root, languages, how it is built and tested",
        options: &[],
    },
    BuiltinName { name: "env", about: "injects the variables that are named", options: &["names"] },
    BuiltinName { name: "date", about: "injects date, time and time zone", options: &["format"] },
    BuiltinName {
        name: "notify",
        about: "shows a notification on the desktop",
        options: &["title", "text", "urgency"],
    },
    BuiltinName {
        name: "todo.reminder",
        about: "reminds the agent of its list of tasks after so many tool calls without a look at it",
        options: &["every", "text"],
    },
    BuiltinName {
        name: "lint.feedback",
        about: "injects what the linter of the written file says: ruff, eslint, clippy or shellcheck",
        options: &["tools"],
    },
    BuiltinName {
        name: "types.feedback",
        about: "injects what the type checker of the written file says: mypy, pyright or tsc",
        options: &["tools"],
    },
    BuiltinName {
        name: "tests.feedback",
        about: "runs the tests that belong to the written file and injects what fails",
        options: &["command", "limit"],
    },
    BuiltinName {
        name: "protect.config",
        about: "denies changes to tenter's own files and to the agents' hook settings",
        options: &["paths"],
    },
];

/// The row of a name.
pub fn find(name: &str) -> Option<&'static BuiltinName> {
    BUILTINS.iter().find(|row| row.name == name)
}
