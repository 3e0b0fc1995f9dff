//! Matchers that are valid and yet surely not what was meant.
//!
//! A matcher that never matches is a guard that sleeps, and nobody notices: each of these was reported as a
//! bug by users of other hook systems who believed themselves protected.

use std::fmt;

use tenter_contract::{Matcher, Pattern, Selector, ToolKind};

use crate::suggest;

/// Why a piece of a matcher is suspicious.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// `Bash,PowerShell`
    Commas {
        /// With `|` in place of commas.
        instead: String,
    },
    /// `mcp__brave-search`
    WholeServer {
        /// With a wildcard for its tools.
        instead: String,
    },
    /// `mcp__.*`
    LooksLikeRegex {
        /// As a regular expression.
        instead: String,
    },
    /// `bash`, `MultEdit`
    NearTool {
        /// The name that works under every agent.
        known: &'static str,
    },
}

impl Suspicion {
    /// What to write instead.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Commas { instead } => format!("commas do not separate names; did you mean `{instead}`?"),
            Self::WholeServer { instead } | Self::LooksLikeRegex { instead } => {
                format!("did you mean `{instead}`?")
            }
            Self::NearTool { known } => format!("did you mean `{known}`?"),
        }
    }
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commas { .. } => "is one name that no tool has",
            Self::WholeServer { .. } => "names a server and none of its tools",
            Self::LooksLikeRegex { .. } => "looks like a regular expression but is read as a glob",
            Self::NearTool { .. } => "is no tool's name",
        })
    }
}

/// The canonical names of tools; kinds (`shell`, `write`, …) are known too.
const TOOLS: [&str; 28] = [
    "Bash",
    "BashOutput",
    "KillShell",
    "PowerShell",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "NotebookRead",
    "Glob",
    "Grep",
    "LS",
    "LSP",
    "WebFetch",
    "WebSearch",
    "Task",
    "Agent",
    "TaskCreate",
    "TaskUpdate",
    "TodoWrite",
    "Skill",
    "SlashCommand",
    "ExitPlanMode",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitWorktree",
    "AskUserQuestion",
];

/// Whether some tool has exactly this name or kind.
pub(super) fn is_known(name: &str) -> bool {
    TOOLS.contains(&name) || ToolKind::parse(name).is_some()
}

/// What is suspicious about the pieces of a matcher on a tool event.
pub(super) fn of(matcher: &Matcher) -> Vec<(String, Suspicion)> {
    let mut found = Vec::new();
    for selector in &matcher.selectors {
        let (tool, commands) = match selector {
            Selector::Name(pattern) => (pattern, &[][..]),
            Selector::Call { tool, commands } => (tool, &commands[..]),
        };
        found.extend(suspect(tool).map(|why| (tool.as_str().to_owned(), why)));
        for first in commands.iter().filter_map(|words| words.first()) {
            found.extend(suspect_command(first).map(|why| (first.as_str().to_owned(), why)));
        }
    }
    found
}

/// `git.*` in `Bash(git.*)`: a word of a command is a glob too, and no program has such a name.
fn suspect_command(word: &Pattern) -> Option<Suspicion> {
    let text = word.as_str();
    let name = text.trim_start_matches('^').trim_end_matches('$');
    let glob = name.replace(".*", "*").replace(".+", "*");
    let is_name = !glob.is_empty() && !glob.contains(['$', '^', '\\', '(', '/']);
    (!is_regex(text) && glob != text && is_name).then_some(Suspicion::LooksLikeRegex { instead: glob })
}

/// Whether a condition is written as a regular expression, though only slashes make it one. A glob may have a point
/// before a star (`.env.*`), and a command may end in `$`, so neither is enough.
pub(super) fn is_bare_regex(key: &str, pattern: &Pattern) -> bool {
    let text = pattern.as_str();
    if is_regex(text) {
        return false;
    }
    let free = matches!(key, "command" | "prompt");
    let escapes = ["\\.", "\\b", "\\s", "\\d", "\\w", "\\S", "\\/", "\\-"];
    text.starts_with('^')
        || escapes.iter().any(|escape| text.contains(escape))
        || text.contains("(?")
        || text.ends_with(".*$")
        || (!free && text.len() > 1 && text.ends_with('$'))
        || (free && text.len() > 2 && text.starts_with(".*"))
        || (text.starts_with('(') && text.contains('|') && text.contains(')'))
}

fn suspect(pattern: &Pattern) -> Option<Suspicion> {
    let text = pattern.as_str();
    if is_regex(text) {
        return None;
    }
    if text.contains(',') {
        let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        return Some(Suspicion::Commas { instead: names.join("|") });
    }
    if text.contains(".*")
        || text.contains('\\')
        || text.contains('^') && !text.contains('[')
        || text.contains('$')
    {
        return Some(Suspicion::LooksLikeRegex { instead: format!("/{}/", text.trim_matches('/')) });
    }
    let literal = pattern.literal()?;
    if let Some(server) = literal.strip_prefix("mcp__")
        && !server.is_empty()
        && !server.contains("__")
    {
        return Some(Suspicion::WholeServer { instead: format!("{literal}__*") });
    }
    if is_known(literal) {
        return None;
    }
    let known = TOOLS.into_iter().chain(ToolKind::ALL.map(ToolKind::as_str));
    suggest::nearest(literal, known).map(|known| Suspicion::NearTool { known })
}

fn is_regex(text: &str) -> bool {
    text.len() > 2 && text.starts_with('/') && text.ends_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suspicion_of(text: &str) -> Option<Suspicion> {
        suspect(&Pattern::parse(text).unwrap())
    }

    #[test]
    fn matchers_that_sleep_are_suspicious() {
        let instead = str::to_owned;
        for (text, expected) in [
            ("Bash,PowerShell", Suspicion::Commas { instead: instead("Bash|PowerShell") }),
            ("Write, Edit,", Suspicion::Commas { instead: instead("Write|Edit") }),
            ("mcp__brave-search", Suspicion::WholeServer { instead: instead("mcp__brave-search__*") }),
            ("mcp__.*", Suspicion::LooksLikeRegex { instead: instead("/mcp__.*/") }),
            ("^Bash$", Suspicion::LooksLikeRegex { instead: instead("/^Bash$/") }),
            ("bash", Suspicion::NearTool { known: "Bash" }),
            ("MultEdit", Suspicion::NearTool { known: "MultiEdit" }),
            ("Shell", Suspicion::NearTool { known: "shell" }),
        ] {
            assert_eq!(suspicion_of(text), Some(expected), "`{text}`");
        }
    }

    #[test]
    fn regular_expressions_in_command_words_are_suspicious() {
        for (text, instead) in [("git.*", "git*"), ("^rm$", "rm"), ("^npm.*", "npm*")] {
            let instead = Suspicion::LooksLikeRegex { instead: instead.to_owned() };
            assert_eq!(suspect_command(&Pattern::parse(text).unwrap()), Some(instead), "`{text}`");
        }
        for text in ["git", "*", "./run.sh", "/^git$/", "pytest*", "[^a]*", "$EDITOR"] {
            assert_eq!(suspect_command(&Pattern::parse(text).unwrap()), None, "`{text}`");
        }
    }

    #[test]
    fn bare_regular_expressions_in_conditions_are_suspicious() {
        let is_bare = |key: &str, text: &str| is_bare_regex(key, &Pattern::parse(text).unwrap());
        for (key, text) in [
            ("path", "^src/.*"),
            ("path", r".*\.env"),
            ("path", "secrets/.*$"),
            ("path", "(src|lib)/**"),
            ("branch", "^main$"),
            ("branch", "main$"),
            ("command", "^git push"),
            ("command", r"\brm\b"),
            ("command", ".*--force.*"),
            ("command", "(rm|mv) *"),
            ("command", "(?i)drop table"),
            ("prompt", "^deploy"),
            ("env", "^true$"),
        ] {
            assert!(is_bare(key, text), "{key}: `{text}`");
        }
        for (key, text) in [
            ("path", "src/**"),
            ("path", ".env.*"),
            ("path", ".*"),
            ("path", ".*rc"),
            ("path", "**/.*"),
            ("path", "[^a]*.rs"),
            ("path", "/^src/"),
            ("path", "/etc/**"),
            ("command", "git push*"),
            ("command", "echo $"),
            ("command", "rm -rf .*"),
            ("command", "*$(curl *)*"),
            ("command", "*(cd x|true)*"),
            ("prompt", "*5$"),
        ] {
            assert!(!is_bare(key, text), "{key}: `{text}`");
        }
    }

    #[test]
    fn names_of_tools_and_patterns_are_not() {
        for text in [
            "Bash",
            "shell",
            "mcp__*",
            "mcp__brave-search__*",
            "mcp__brave-search__web",
            "*Edit*",
            "/^mcp__.*/",
            "run_shell_command",
            "write_file",
            "apply_patch",
            "[!a]*",
            "[^a]*",
            "LSP",
        ] {
            assert_eq!(suspicion_of(text), None, "`{text}`");
        }
    }
}
