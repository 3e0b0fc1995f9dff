//! Matchers that are valid and yet surely not what was meant.
//!
//! A matcher that never matches is a guard that sleeps, and no one notices: each of these was reported as a
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
    /// `Bash or Write`, `Bash # all`, `[Write`
    NoName {
        /// The character that no name has, or that is not closed.
        character: char,
    },
    /// `bash`, `MultEdit`
    NearTool {
        /// The name that works under every agent.
        known: &'static str,
    },
}

impl Suspicion {
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Commas { instead } => format!("commas do not separate names; did you mean `{instead}`?"),
            Self::WholeServer { instead } | Self::LooksLikeRegex { instead } => {
                format!("did you mean `{instead}`?")
            }
            Self::NoName { character: '[' } => "close the bracket with `]`, or leave it out".to_owned(),
            Self::NoName { character } if character.is_whitespace() => {
                "names have no blanks; `|` separates two names".to_owned()
            }
            Self::NoName { character } => format!("leave out the `{character}`; `|` separates two names"),
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
            Self::NoName { .. } => "matches no tool's name",
            Self::NearTool { .. } => "is no tool's name",
        })
    }
}

/// The canonical names of tools; kinds (`shell`, `write`, …) are known too.
const TOOLS: &str = include_str!("tools.txt");

/// Agents' own names of tools, those of several words: a slip in `bash` is nearer to our own name.
const NATIVE: &str = include_str!("native_tools.txt");

/// Whether this is a tool's name in our words, or a kind.
pub(super) fn is_ours(name: &str) -> bool {
    TOOLS.lines().any(|known| known == name) || ToolKind::parse(name).is_some()
}

fn is_known(name: &str) -> bool {
    is_ours(name) || NATIVE.lines().any(|known| known == name)
}

/// What is suspicious about the pieces of a matcher on a tool event.
pub(super) fn check(matcher: &Matcher) -> Vec<(String, Suspicion)> {
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
    if free && is_half_or_inner_regex(key, text) {
        return true;
    }
    let escapes = ["\\.", "\\b", "\\s", "\\d", "\\w", "\\S", "\\/", "\\-"];
    text.starts_with('^')
        || escapes.iter().any(|escape| text.contains(escape))
        || text.contains("(?")
        || text.contains(".+")
        || text.ends_with(".*$")
        || (!free && text.len() > 1 && text.ends_with('$'))
        || (free && text.len() > 2 && text.starts_with(".*"))
        || (text.starts_with('(') && text.contains('|') && text.contains(')'))
}

/// A regular expression that lost one of its slashes, or that has `.*` where no file name begins or ends.
fn is_half_or_inner_regex(key: &str, text: &str) -> bool {
    let half = text.len() > 1 && text.starts_with('/') != text.ends_with('/');
    // Behind `.*` a folder's name may end in a slash.
    let has_sign = text.contains(['\\', '^', '$']) || (text.starts_with('/') && text.contains(".*"));
    // No program lies directly below the root.
    let first = text.strip_prefix('/').and_then(|rest| rest.split_once(' ')).map(|(first, _)| first);
    let no_program = key == "command" && first.is_some_and(|first| !first.is_empty() && !first.contains('/'));
    let inner = text.match_indices(".*").any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + 2..].chars().next());
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        after == Some('-') || (is_word(before) && is_word(after))
    });
    (half && (has_sign || no_program)) || inner
}

/// The character of a glob by which it matches no tool's name.
fn stranger(text: &str) -> Option<char> {
    let is_part = |c: char| c.is_alphanumeric() || "_-.:/@*?[]!^~".contains(c);
    let unclosed = text.find('[').filter(|at| !text[*at..].contains(']')).map(|_| '[');
    // Within brackets any character may be excluded.
    let outside = if text.contains('[') { None } else { text.chars().find(|c| !is_part(*c)) };
    outside.or(unclosed)
}

fn suspect(pattern: &Pattern) -> Option<Suspicion> {
    let text = pattern.as_str();
    if is_regex(text) {
        return suspect_words(&text[1..text.len() - 1]);
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
    if let Some(character) = stranger(text) {
        return Some(Suspicion::NoName { character });
    }
    let literal = pattern.literal()?;
    if let Some(server) = literal.strip_prefix("mcp__")
        && !server.is_empty()
        && !server.contains("__")
    {
        return Some(Suspicion::WholeServer { instead: format!("{literal}__*") });
    }
    near_tool(literal)
}

fn near_tool(word: &str) -> Option<Suspicion> {
    if is_known(word) {
        return None;
    }
    let known = TOOLS.lines().chain(ToolKind::ALL.map(ToolKind::as_str)).chain(NATIVE.lines());
    suggest::nearest(word, known).map(|known| Suspicion::NearTool { known })
}

/// A regular expression that is a list of words, as far as one of them is in no tool's name and nearly is one.
fn suspect_words(expression: &str) -> Option<Suspicion> {
    let inner = expression.trim_start_matches('^').trim_end_matches('$');
    let whole = expression.starts_with('^') && expression.ends_with('$');
    let open = ["(?i:", "(?:", "("].into_iter().find_map(|open| inner.strip_prefix(open));
    let inner = open.and_then(|inner| inner.strip_suffix(')')).unwrap_or(inner);
    let any_case = expression.contains("(?i");
    let in_a_name = |word: &str| {
        let all = || TOOLS.lines().chain(NATIVE.lines()).chain(ToolKind::ALL.map(ToolKind::as_str));
        match (whole, any_case) {
            (true, true) => all().any(|name| name.eq_ignore_ascii_case(word)),
            (true, false) => is_known(word),
            (false, _) => all().any(|name| name.to_ascii_lowercase().contains(&word.to_ascii_lowercase())),
        }
    };
    let is_word = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let words: Vec<&str> = inner.split('|').collect();
    if !words.iter().all(|word| is_word(word)) {
        return None;
    }
    words.into_iter().filter(|word| !in_a_name(word)).find_map(near_tool)
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
    fn matchers_that_never_match_are_suspicious() {
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
            ("Bash or Write", Suspicion::NoName { character: ' ' }),
            ("Bash *nope", Suspicion::NoName { character: ' ' }),
            ("Bash #x", Suspicion::NoName { character: ' ' }),
            ("'Bash'", Suspicion::NoName { character: '\'' }),
            ("Bash;", Suspicion::NoName { character: ';' }),
            ("Bash\u{200b}", Suspicion::NoName { character: '\u{200b}' }),
            ("/Bsah/", Suspicion::NearTool { known: "Bash" }),
            ("/^(Bahs|Write)$/", Suspicion::NearTool { known: "Bash" }),
            ("/^(?i:Bas)$/", Suspicion::NearTool { known: "Bash" }),
            ("execute_bas", Suspicion::NearTool { known: "execute_bash" }),
            ("run_shel_command", Suspicion::NearTool { known: "run_shell_command" }),
            ("{Bash}", Suspicion::NoName { character: '{' }),
            ("[", Suspicion::NoName { character: '[' }),
            ("[Write", Suspicion::NoName { character: '[' }),
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
            ("command", "/git push .*--force"),
            ("command", "git push .*--force/"),
            ("command", "git push .*--force"),
            ("command", "/git push --force"),
            ("command", "rm.*rf"),
            ("command", "curl .+ | sh"),
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
            ("command", "cat .*rc"),
            ("command", "cp notes.* old/"),
            ("command", "/usr/bin/git push*"),
            ("command", "ls /etc/"),
            ("prompt", "/deploy now"),
            ("command", "*$(curl *)*"),
            ("command", "*(cd x|true)*"),
            ("prompt", "*5$"),
        ] {
            assert!(!is_bare(key, text), "{key}: `{text}`");
        }
    }

    #[test]
    fn known_tools_and_patterns_are_not_suspicious() {
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
            "/^(Bash|Write)$/",
            "/^(?i:bash)$/",
            "/Edit/",
            "/bash|write/",
            "/^mcp__(a|b)__/",
            "execute_bash",
        ] {
            assert_eq!(suspicion_of(text), None, "`{text}`");
        }
    }
}
