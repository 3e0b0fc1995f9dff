//! Their matchers in our words. Each rule is exact; where one of theirs can be stated here only by a word that
//! also means something else, that is reported.

use tenter_contract::{Negation, Pattern, ToolKind};

use super::tool_names::{self, Row, rows_where};

/// What becomes of a matcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Translation {
    /// It matches everything.
    Everything,
    /// A matcher of ours.
    Matcher(String),
    /// A matcher of ours that names tools by what they are called here, too.
    Translated(String),
    /// It has look-around or a back-reference that the engine does not know, so it matches everything.
    Unknowable,
    /// It matches nothing there, and so it would here.
    Nothing,
}

/// Claude Code: nothing or `*` is everything; letters, digits, `_ | , -` and spaces are a list of exact names;
/// everything else is a regular expression that may match inside.
pub(super) fn claude(matcher: &str) -> Translation {
    if matcher.is_empty() || matcher == "*" {
        return Translation::Everything;
    }
    let listed = |c: char| c.is_ascii_alphanumeric() || "_|,- ".contains(c);
    if !matcher.chars().all(listed) {
        return expression(matcher, &tool_names::written_in(matcher));
    }
    let names: Vec<&str> = matcher.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Translation::Nothing;
    }
    let written: Vec<String> = names.iter().map(|name| exact(name)).collect();
    let rows = rows_where(tool_names::ALL, |native| names.contains(&native));
    listed_with(written.join("|"), &words(&rows))
}

/// The name of one tool, and not the kind that has the same word here.
fn exact(name: &str) -> String {
    match (ToolKind::parse(name), name.split_at_checked(1)) {
        (Some(_), Some((first, rest))) => format!("[{first}]{rest}"),
        _ => name.to_owned(),
    }
}

/// Gemini CLI: a regular expression that may match inside, over its own names of tools.
pub(super) fn gemini(matcher: &str) -> Translation {
    match matcher {
        "" | "*" | ".*" => Translation::Everything,
        word if word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !word.contains("mcp_") => {
            // Plain enough to be a glob, which costs less.
            let rows = rows_where(tool_names::GEMINI, |native| native.contains(word));
            listed_with(format!("*{word}*"), &words(&rows))
        }
        own => {
            let translation = expression(own, &rows_where(tool_names::GEMINI, |_| true));
            let servers = own.contains("mcp_").then(|| own.replace("__", "_").replace('_', "__?"));
            match servers.map(|servers| format!("/(?:{own})|(?:{servers})/")) {
                // Its names of servers' tools have one `_` where ours have two.
                Some(both) if Pattern::parse(&both).is_ok() => Translation::Translated(both),
                _ => translation,
            }
        }
    }
}

/// The words of these rows, each once.
fn words(rows: &[Row]) -> Vec<&'static str> {
    let mut words = Vec::new();
    for word in rows.iter().flat_map(|(_, word)| word.split('|')) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn listed_with(matcher: String, words: &[&str]) -> Translation {
    if words.is_empty() {
        Translation::Matcher(matcher)
    } else {
        Translation::Translated(format!("{matcher}|{}", words.join("|")))
    }
}

/// A regular expression over names of tools: those that it matches are named by their words here as well, and those
/// that a look-ahead leaves out are left out under these, too.
fn expression(own: &str, rows: &[Row]) -> Translation {
    let written = format!("/{own}/");
    let pattern = match Pattern::parse(&written) {
        Ok(pattern) => pattern,
        Err(error) if is_unsupported(&error.detail) => return Translation::Unknowable,
        // The same problem is reported for every expression that is none.
        Err(_) => return Translation::Matcher(written),
    };
    let words_where = |holds: &dyn Fn(&str) -> bool| {
        words(&rows.iter().filter(|(native, _)| holds(native)).copied().collect::<Vec<_>>())
    };
    let matched = words_where(&|native| pattern.matches(native));
    let Some(negation) = Negation::parse(own) else {
        if matched.is_empty() {
            return Translation::Matcher(written);
        }
        return Translation::Translated(format!("/(?:{own})|^(?:{})$/", matched.join("|")));
    };
    let mut refused = words_where(&|native| pattern.refuses(native));
    refused.retain(|word| !matched.contains(word));
    if refused.is_empty() && matched.is_empty() {
        return Translation::Matcher(written);
    }
    let refusal = |inside: &str| format!("(?!{inside})");
    let mut refusals: String = negation.refused.iter().map(|inside| refusal(inside)).collect();
    if !refused.is_empty() {
        refusals += &refusal(&format!("(?:{})$", refused.join("|")));
    }
    let rest = match matched.as_slice() {
        [] => negation.rest.to_owned(),
        some => format!("(?:{}|(?:{})$)", negation.rest, some.join("|")),
    };
    Translation::Translated(format!("/^{refusals}{rest}/"))
}

/// Whether an expression is one, and only our engine does not know it.
fn is_unsupported(detail: &str) -> bool {
    detail.contains("look-around") || detail.contains("backreferences")
}

/// Amplifier's hook-shell: a regular expression over the whole name in any case; what is none is the name
/// itself.
pub(super) fn hook_shell(matcher: &str) -> Translation {
    if matcher.is_empty() || matcher == "*" {
        return Translation::Everything;
    }
    let anchored = format!("^{}", matcher.trim_start_matches('^'));
    let whole = match Negation::parse(&anchored) {
        Some(Negation { refused, rest }) => {
            format!("/^(?!(?i:{}))(?i:{rest})$/", refused.join("|"))
        }
        None => format!("/^(?i:{matcher})$/"),
    };
    match Pattern::parse(&whole) {
        Ok(_) => {}
        Err(error) if is_unsupported(&error.detail) => return Translation::Unknowable,
        Err(_) => return Translation::Matcher(format!("/^(?i:{})$/", escaped(matcher))),
    }
    let rows = tool_names::written_in(matcher);
    match words(&rows).as_slice() {
        [] => Translation::Matcher(whole),
        _ if Negation::parse(&anchored).is_some() => Translation::Matcher(whole),
        words => Translation::Translated(format!("/^(?i:{matcher})$|^(?:{})$/", words.join("|"))),
    }
}

/// MassGen: pieces between `|`, each matched by Python's `fnmatch`; nothing at all is everything, and nothing
/// between bars is nothing. Parentheses mean nothing.
pub(super) fn massgen(matcher: &str) -> Translation {
    if matcher.is_empty() {
        return Translation::Everything;
    }
    let pieces: Vec<&str> = matcher.split('|').map(str::trim).filter(|piece| !piece.is_empty()).collect();
    if pieces.contains(&"*") {
        return Translation::Everything;
    }
    if pieces.iter().any(|piece| piece.contains(['(', ')', '/'])) {
        let pieces: Vec<String> = pieces.iter().map(|piece| fnmatch(piece)).collect();
        return Translation::Matcher(format!("/^(?:{})$/", pieces.join("|")));
    }
    if pieces.is_empty() {
        return Translation::Nothing;
    }
    let rows = rows_where(tool_names::ALL, |native| pieces.contains(&native));
    let pieces: Vec<String> = pieces.into_iter().map(caret).collect();
    listed_with(pieces.join("|"), &words(&rows))
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
/// kind of the tool next to them, so that the hook is asked under other agents, too.
pub(super) fn amazonq(matcher: &str) -> Translation {
    if matcher.is_empty() || matcher == "*" {
        return Translation::Everything;
    }
    let kinds = |glob: &str| {
        let glob = Pattern::parse(glob).ok()?;
        let own = ["execute_bash", "execute_cmd", "fs_write", "fs_read"];
        let kinds = words(&rows_where(tool_names::KIRO, |tool| own.contains(&tool) && glob.matches(tool)));
        (!kinds.is_empty()).then(|| format!("{}|{}", glob.as_str(), kinds.join("|")))
    };
    let ours = match matcher.strip_prefix('@') {
        Some("builtin") => "shell|write|edit|read|search|fetch|task|other".to_owned(),
        Some(server) => match server.split_once('/') {
            Some((server, tool)) => format!("@{server}/{tool}|mcp__{server}__{tool}"),
            None => format!("@{server}/*|mcp__{server}__*"),
        },
        None => kinds(matcher).unwrap_or_else(|| matcher.to_owned()),
    };
    changed(matcher, ours)
}

fn changed(theirs: &str, ours: String) -> Translation {
    if theirs == ours { Translation::Matcher(ours) } else { Translation::Translated(ours) }
}

/// Kiro: a regular expression over the name of a tool, which is one of its own or a kind.
pub(super) fn kiro(matcher: &str) -> Translation {
    if matcher.is_empty() || matcher == "*" || matcher == ".*" {
        return Translation::Everything;
    }
    let words: Vec<&str> = matcher.split('|').collect();
    if words
        .iter()
        .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    {
        let word = |word: &&str| kinds_of(word).map_or((*word).to_owned(), |kinds| format!("{word}|{kinds}"));
        return changed(matcher, words.iter().map(word).collect::<Vec<_>>().join("|"));
    }
    expression(matcher, &rows_where(tool_names::KIRO, |_| true))
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

fn escaped(text: &str) -> String {
    let special = |c: char| c.is_ascii_punctuation() && !"_<>".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(translate: fn(&str) -> Translation, cases: &[(&str, Translation)]) {
        for (matcher, expected) in cases {
            assert_eq!(translate(matcher), *expected, "`{matcher}`");
        }
    }

    fn to(text: &str) -> Translation {
        Translation::Matcher(text.to_owned())
    }

    fn also(text: &str) -> Translation {
        Translation::Translated(text.to_owned())
    }

    #[test]
    fn gemini_clis_names_are_also_those_of_other_agents() {
        check(
            gemini,
            &[
                ("*", Translation::Everything),
                (".*", Translation::Everything),
                ("run_shell_command", also("*run_shell_command*|shell")),
                ("write_file", also("*write_file*|write")),
                ("my_tool", to("*my_tool*")),
                ("write_.*", also("/(?:write_.*)|^(?:write|TodoWrite)$/")),
                (
                    "run_shell_command|write_file",
                    also("/(?:run_shell_command|write_file)|^(?:shell|write)$/"),
                ),
                ("read_(file|many_files)", also("/(?:read_(file|many_files))|^(?:read)$/")),
                (
                    "^(?!run_shell_command$)[a-z_]*_file",
                    also("/^(?!run_shell_command$)(?!(?:shell)$)(?:[a-z_]*_file|(?:write|read|Grep)$)/"),
                ),
                ("mcp_git_.*", also("/(?:mcp_git_.*)|(?:mcp__?git__?.*)/")),
                ("(?<=x)y", Translation::Unknowable),
                ("(", to("/(/")),
            ],
        );
    }

    #[test]
    fn claude_lists_are_exact_and_the_rest_are_regexes() {
        check(
            claude,
            &[
                ("", Translation::Everything),
                ("*", Translation::Everything),
                ("Bash", to("Bash")),
                ("Write|Edit", to("Write|Edit")),
                ("Write, Edit", to("Write|Edit")),
                ("mcp__github", to("mcp__github")),
                ("mcp__github__.*", to("/mcp__github__.*/")),
                ("Edit|Write.*", to("/Edit|Write.*/")),
                ("|", Translation::Nothing),
                ("shell|Bash", to("[s]hell|Bash")),
                ("run_shell_command|Write", also("run_shell_command|Write|shell")),
                ("^run_shell_command$", also("/(?:^run_shell_command$)|^(?:shell)$/")),
                ("^(?!Read$).*", to("/^(?!Read$).*/")),
                ("^(?!(Read|Glob)$)", to("/^(?!(Read|Glob)$)/")),
                ("^(?!read_file$).*", also("/^(?!read_file$)(?!(?:read)$).*/")),
                ("(?!Read).*", Translation::Unknowable),
                ("(?<!Multi)Edit", Translation::Unknowable),
                (r"(E)dit\1", Translation::Unknowable),
            ],
        );
    }

    #[test]
    fn massgens_pieces_are_those_of_fnmatch() {
        check(
            massgen,
            &[
                ("", Translation::Everything),
                ("*", Translation::Everything),
                (" ", Translation::Nothing),
                ("|", Translation::Nothing),
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
                ("*", Translation::Everything),
                ("execute_bash", also("execute_bash|shell")),
                ("fs_*", also("fs_*|write|edit|read|search")),
                ("use_aws", to("use_aws")),
                ("@git", also("@git/*|mcp__git__*")),
                ("@git/status", also("@git/status|mcp__git__status")),
                ("@builtin", also("shell|write|edit|read|search|fetch|task|other")),
            ],
        );
        check(
            kiro,
            &[
                ("shell|write", also("shell|write|edit")),
                ("^fs_", also("/(?:^fs_)|^(?:write|edit|read|search)$/")),
                (".*", Translation::Everything),
            ],
        );
    }

    #[test]
    fn hook_shell_takes_whole_names_in_any_case() {
        check(
            hook_shell,
            &[
                ("*", Translation::Everything),
                ("Edit|Write", to("/^(?i:Edit|Write)$/")),
                ("a(", to("/^(?i:a\\()$/")),
                ("(?!read$).*", to("/^(?!(?i:read$))(?i:.*)$/")),
                ("a(?=b)", Translation::Unknowable),
                ("run_shell_command", also("/^(?i:run_shell_command)$|^(?:shell)$/")),
            ],
        );
    }

    #[test]
    fn tool_kind_in_a_matcher_is_reported() {
        assert_eq!(kinds_named("write|Bash"), ["write"]);
        assert_eq!(kinds_named("Write|Bash"), Vec::<&str>::new());
    }
}
