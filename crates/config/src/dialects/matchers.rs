//! Their matchers in our words. Each rule is exact; where one of theirs can be said here only by a word that
//! also means something else, that is reported.

use tenter_contract::{Pattern, ToolKind};

/// What becomes of a matcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Became {
    /// It matches everything.
    Everything,
    /// A matcher of ours.
    Matcher(String),
    /// It matches nothing there, and so it would here.
    Nothing,
}

/// Claude Code: nothing or `*` is everything; letters, digits, `_ | , -` and spaces are a list of exact names;
/// everything else is a regular expression that may match inside.
pub(super) fn claude(matcher: &str) -> Became {
    if matcher.is_empty() || matcher == "*" {
        return Became::Everything;
    }
    let listed = |c: char| c.is_ascii_alphanumeric() || "_|,- ".contains(c);
    if !matcher.chars().all(listed) {
        return Became::Matcher(format!("/{matcher}/"));
    }
    either(matcher.split(['|', ',']).map(str::trim))
}

/// Gemini CLI: a regular expression that may match inside.
pub(super) fn gemini(matcher: &str) -> Became {
    match matcher {
        "" | "*" => Became::Everything,
        word if word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            // Plain enough to be a glob, which costs less.
            Became::Matcher(format!("*{word}*"))
        }
        expression => Became::Matcher(format!("/{expression}/")),
    }
}

/// Amplifier's hook-shell: a regular expression over the whole name in any case; what is none is the name
/// itself.
pub(super) fn hook_shell(matcher: &str) -> Became {
    if matcher.is_empty() || matcher == "*" {
        return Became::Everything;
    }
    let whole = format!("/^(?i:{matcher})$/");
    if Pattern::parse(&whole).is_ok() {
        return Became::Matcher(whole);
    }
    Became::Matcher(format!("/^(?i:{})$/", escaped(matcher)))
}

/// MassGen: pieces between `|`, each matched by Python's `fnmatch`; nothing at all is everything, and nothing
/// between bars is nothing. Parentheses mean nothing.
pub(super) fn massgen(matcher: &str) -> Became {
    if matcher.is_empty() {
        return Became::Everything;
    }
    let pieces: Vec<&str> = matcher.split('|').map(str::trim).filter(|piece| !piece.is_empty()).collect();
    if pieces.contains(&"*") {
        return Became::Everything;
    }
    if pieces.iter().any(|piece| piece.contains(['(', ')', '/'])) {
        let pieces: Vec<String> = pieces.iter().map(|piece| fnmatch(piece)).collect();
        return Became::Matcher(format!("/^(?:{})$/", pieces.join("|")));
    }
    let pieces: Vec<String> = pieces.into_iter().map(caret).collect();
    either(pieces.iter().map(String::as_str))
}

/// To `fnmatch` a caret at the beginning of a class is a member of it; to us it negates. At the end it is a
/// member to both.
fn caret(text: &str) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[^") {
        done.push_str(before);
        // A `]` right behind the opening is a member, too.
        let skip = usize::from(after.starts_with(']'));
        if let Some(close) = after[skip..].find(']').map(|at| at + skip) {
            done.extend(["[", &after[..close], "^"]);
            rest = &after[close..];
        } else {
            done.push_str("[^");
            rest = after;
        }
    }
    done + rest
}

/// A glob of Python's `fnmatch` as a regular expression.
fn fnmatch(glob: &str) -> String {
    let mut expression = String::new();
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => expression.push_str(".*"),
            '?' => expression.push('.'),
            '[' => {
                let skip = usize::from(rest.starts_with('!'))
                    + usize::from(rest.trim_start_matches('!').starts_with(']'));
                let Some(close) = rest.get(skip..).and_then(|tail| tail.find(']')).map(|at| at + skip) else {
                    expression.push_str("\\[");
                    continue;
                };
                let members = &rest[..close];
                let (negation, members) = members.strip_prefix('!').map_or(("", members), |it| ("^", it));
                let members = members.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
                let members = members.strip_prefix('^').map_or(members.clone(), |it| format!("\\^{it}"));
                expression.extend(["[", negation, &members, "]"]);
                rest = &rest[close + 1..];
            }
            other => expression.push_str(&escaped(other.encode_utf8(&mut [0; 4]))),
        }
    }
    expression
}

/// Amazon Q: one glob over the names of tools, or `@builtin`, `@server`, `@server/tool`. Its own names get the
/// kind of the tool beside them, so that the hook is asked under other agents, too.
pub(super) fn amazonq(matcher: &str) -> Became {
    if matcher.is_empty() || matcher == "*" {
        return Became::Everything;
    }
    let kinds = |glob: &str| {
        let glob = Pattern::parse(glob).ok()?;
        let of = |tool: &&str| kinds_of(tool).filter(|_| glob.matches(tool));
        let kinds: Vec<&str> =
            ["execute_bash", "execute_cmd", "fs_write", "fs_read"].iter().filter_map(of).collect();
        let mut distinct: Vec<&str> = Vec::new();
        distinct.extend(
            kinds.iter().enumerate().filter(|(at, kind)| !kinds[..*at].contains(kind)).map(|(_, kind)| *kind),
        );
        (!distinct.is_empty()).then(|| format!("{}|{}", glob.as_str(), distinct.join("|")))
    };
    Became::Matcher(match matcher.strip_prefix('@') {
        Some("builtin") => "shell|write|edit|read|search|fetch|task|other".to_owned(),
        Some(server) => match server.split_once('/') {
            Some((server, tool)) => format!("@{server}/{tool}|mcp__{server}__{tool}"),
            None => format!("@{server}/*|mcp__{server}__*"),
        },
        None => kinds(matcher).unwrap_or_else(|| matcher.to_owned()),
    })
}

/// Kiro: a regular expression over the name of a tool, which is one of its own or a kind.
pub(super) fn kiro(matcher: &str) -> Became {
    if matcher.is_empty() || matcher == "*" || matcher == ".*" {
        return Became::Everything;
    }
    let words: Vec<&str> = matcher.split('|').collect();
    if words
        .iter()
        .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    {
        let word = |word: &&str| kinds_of(word).map_or((*word).to_owned(), |kinds| format!("{word}|{kinds}"));
        return Became::Matcher(words.iter().map(word).collect::<Vec<_>>().join("|"));
    }
    Became::Matcher(format!("/{matcher}/"))
}

/// The kinds of tools that Amazon Q's own tools are.
fn kinds_of(tool: &str) -> Option<&'static str> {
    match tool {
        "execute_bash" | "execute_cmd" | "executeBash" => Some("shell"),
        "fs_write" | "fsWrite" => Some("write|edit"),
        "write" => Some("edit"),
        "fs_read" | "fsRead" => Some("read|search"),
        _ => None,
    }
}

/// The kinds whose word a matcher of ours names: there it would be the name of one tool, here it is every tool
/// of the kind.
pub(super) fn kinds_named(matcher: &str) -> Vec<&'static str> {
    let kinds = ToolKind::ALL.map(ToolKind::as_str);
    kinds.into_iter().filter(|kind| matcher.split('|').any(|piece| piece == *kind)).collect()
}

fn either<'a>(pieces: impl Iterator<Item = &'a str>) -> Became {
    let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    if pieces.is_empty() { Became::Nothing } else { Became::Matcher(pieces.join("|")) }
}

fn escaped(text: &str) -> String {
    let special = |c: char| c.is_ascii_punctuation() && !"_<>".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(translate: fn(&str) -> Became, cases: &[(&str, Became)]) {
        for (matcher, expected) in cases {
            assert_eq!(translate(matcher), *expected, "`{matcher}`");
        }
    }

    fn to(text: &str) -> Became {
        Became::Matcher(text.to_owned())
    }

    #[test]
    fn claude_codes_lists_are_exact_and_the_rest_is_a_regular_expression() {
        check(
            claude,
            &[
                ("", Became::Everything),
                ("*", Became::Everything),
                ("Bash", to("Bash")),
                ("Write|Edit", to("Write|Edit")),
                ("Write, Edit", to("Write|Edit")),
                ("mcp__github", to("mcp__github")),
                ("mcp__github__.*", to("/mcp__github__.*/")),
                ("Edit|Write.*", to("/Edit|Write.*/")),
                ("|", Became::Nothing),
            ],
        );
    }

    #[test]
    fn massgens_pieces_are_those_of_fnmatch() {
        check(
            massgen,
            &[
                ("", Became::Everything),
                ("*", Became::Everything),
                (" ", Became::Nothing),
                ("|", Became::Nothing),
                ("Write|Edit", to("Write|Edit")),
                ("Write | | Edit", to("Write|Edit")),
                ("*read_media|*generate_media", to("*read_media|*generate_media")),
                ("[!a]x", to("[!a]x")),
                ("[^a]x", to("[a^]x")),
                // Split inside the parentheses, and no tool is called that.
                ("Bash(pytest|npm test)", to("/^(?:Bash\\(pytest|npm test\\))$/")),
                ("srv/[^x]*", to("/^(?:srv\\/[\\^x].*)$/")),
            ],
        );
    }

    #[test]
    fn amazon_qs_names_of_tools_and_servers() {
        check(
            amazonq,
            &[
                ("*", Became::Everything),
                ("execute_bash", to("execute_bash|shell")),
                ("fs_*", to("fs_*|write|edit|read|search")),
                ("use_aws", to("use_aws")),
                ("@git", to("@git/*|mcp__git__*")),
                ("@git/status", to("@git/status|mcp__git__status")),
                ("@builtin", to("shell|write|edit|read|search|fetch|task|other")),
            ],
        );
        check(
            kiro,
            &[("shell|write", to("shell|write|edit")), ("^fs_", to("/^fs_/")), (".*", Became::Everything)],
        );
    }

    #[test]
    fn hook_shell_takes_whole_names_in_any_case() {
        check(
            hook_shell,
            &[
                ("*", Became::Everything),
                ("Edit|Write", to("/^(?i:Edit|Write)$/")),
                ("a(", to("/^(?i:a\\()$/")),
            ],
        );
    }

    #[test]
    fn a_word_that_is_a_kind_here_is_named() {
        assert_eq!(kinds_named("write|Bash"), ["write"]);
        assert_eq!(kinds_named("Write|Bash"), Vec::<&str>::new());
    }
}
