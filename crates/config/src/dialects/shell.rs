//! Command lines that were written for another program.

use crate::place::Place;
use crate::tree::Node;

use super::nodes;

/// A line for bash, which is what these systems run it with; `sh` may be another shell.
pub(super) fn bash(place: Place, line: &str) -> Node {
    nodes::texts(place, ["bash", "-c", line])
}

/// Whether a command leaves something running on purpose.
pub(super) fn leaves_something_running(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| c.is_whitespace() || ")};".contains(c));
    let starts = |word: &str| {
        line.split(|c: char| c.is_whitespace() || ";&|({`".contains(c))
            .any(|it| it.rsplit('/').next() == Some(word))
    };
    (line.ends_with('&') && !line.ends_with("&&")) || starts("nohup") || starts("setsid")
}

/// Whether a command is the one that `tenter init` writes: hooks that call us are not ours to call.
pub(super) fn is_ours(line: &str) -> bool {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || "'\";".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let program = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    words.iter().any(|word| program(word) == "tenter-hook")
        || words.windows(2).any(|pair| program(pair[0]) == "tenter" && pair[1] == "hook")
}

/// The path of a program as a word of a command line; `~` stays what it is.
pub(super) fn word(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,~".contains(c);
    if path.chars().all(plain) {
        return path.to_owned();
    }
    match path.strip_prefix("~/") {
        Some(rest) => format!("~/{}", tenter_contract::template::shell_quote(rest)),
        None => tenter_contract::template::shell_quote(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detached_commands_are_recognised() {
        for (line, expected) in [
            ("nohup watch.sh", true),
            ("server &", true),
            ("(server &)", true),
            ("setsid -f x", true),
            ("cd x; /usr/bin/nohup y", true),
            ("make && make test", false),
            ("make &&", false),
            ("echo nohupper", false),
        ] {
            assert_eq!(leaves_something_running(line), expected, "{line}");
        }
    }

    #[test]
    fn our_own_entries_are_recognised() {
        for (line, expected) in [
            (
                "[ -x '/usr/bin/tenter-hook' ] || exit 0; exec '/usr/bin/tenter-hook' claude --within 600s",
                true,
            ),
            ("/opt/tenter hook claude", true),
            ("tenter hook gemini", true),
            ("my-tenter hook", false),
            ("echo tenter", false),
        ] {
            assert_eq!(is_ours(line), expected, "{line}");
        }
    }

    #[test]
    fn a_path_becomes_one_word() {
        for (path, expected) in [
            (".claude/hooks/a.sh", ".claude/hooks/a.sh"),
            ("~/my hooks/a.sh", "~/'my hooks/a.sh'"),
            ("a;b.sh", "'a;b.sh'"),
        ] {
            assert_eq!(word(path), expected);
        }
    }
}
