//! Output as a terminal shows it: without colours and overwritten text.

use tenter_shell::contains_word;

use super::grammars::matches_any;

/// Bytes to read from the end, which has the result.
const LONGEST: usize = 512 * 1024;
/// Bytes to read from the beginning, where a broken run says so.
const LONGEST_HEAD: usize = 64 * 1024;

/// The ends of an output, without colours.
pub(super) fn plain(output: &str) -> String {
    let cut = |at: usize| (at..=output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(output.len());
    if output.len() <= LONGEST + LONGEST_HEAD {
        return without_colours(output);
    }
    let (head, tail) = (cut(LONGEST_HEAD), cut(output.len() - LONGEST));
    format!("{}\n{}", without_colours(&output[..head]), without_colours(&output[tail..]))
}

fn without_colours(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => match rest.next() {
                // `ESC [ … letter`; one that moves to the first column begins a line.
                Some('[') => shown.extend(goes_back(&mut rest).then_some('\n')),
                // `ESC ] … BEL` names the window.
                Some(']') => for _ in rest.by_ref().take_while(|next| *next != '\u{7}') {},
                Some(_) | None => {}
            },
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => shown.push('\n'),
            '\u{a0}' => shown.push(' '),
            next => shown.push(next),
        }
    }
    shown
}

/// Skips a control sequence. Returns whether it moves the cursor to the first column.
fn goes_back(rest: &mut impl Iterator<Item = char>) -> bool {
    let mut parameters = String::new();
    for next in rest {
        if ('@'..='~').contains(&next) {
            return next == 'G' && matches!(parameters.as_str(), "" | "1");
        }
        parameters.push(next);
    }
    false
}

/// Messages of shells and tools that could not start a run. `*` matches any text.
const NEVER_RAN: [&str; 23] = [
    "cd: *no such file*",
    "docker: Error response from daemon: *",
    "Error response from daemon: *",
    "service \"*\" is not running",
    "no such service: *",
    "bundler: command not found: *",
    "Could not locate Gemfile*",
    "Could not open input file: *",
    "Poetry could not find a pyproject.toml*",
    "error: Failed to spawn: *",
    "error: rustup could not choose a version of cargo*",
    "error: toolchain '*",
    "MSBUILD : error MSB1003*",
    "MSBUILD : error MSB1009*",
    "Could not execute because the specified command or file was not found*",
    "exec: *not found*",
    "exec: *No such file*",
    "env: *not found*",
    "env: *No such file*",
    "npm error could not determine executable to run*",
    "Error: Could not find or load main class*",
    "*does not contain a Gradle build*",
    "Can't open *No such file*",
];

/// The line that says why nothing ran.
pub(super) fn never_ran(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let by_shell = ["bash: ", "sh: ", "zsh: ", "/bin/sh: ", "/bin/bash: ", "dash: "]
            .iter()
            .any(|shell| line.starts_with(shell));
        let complains = line.contains("command not found")
            || line.ends_with(": not found")
            || line.contains("cd: ")
            || line.ends_with("Permission denied");
        // Python itself does not find the runner. A module that a test does not find is a failure.
        let module =
            line.split_once(": No module named ").map(|(_, module)| module.trim_matches(['\'', '"']));
        let no_runner = line.contains("python")
            && module.is_some_and(|module| contains_word("pytest unittest nose2 tox django", module));
        by_shell && complains || no_runner || matches_any(line, &NEVER_RAN)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_overwritten_text_are_removed() {
        for (output, expected) in [
            ("\u{1b}[31;1mFAIL\u{1b}[0m\r\nx", "FAIL\nx"),
            ("10%\r20%\rdone", "10%\n20%\ndone"),
            ("\u{1b}]0;title\u{7}ok", "ok"),
            ("   adds\u{1b}[K\u{1b}[1G ✓ adds", "   adds\n ✓ adds"),
            ("\u{1b}[", ""),
            ("\u{1b}", ""),
        ] {
            assert_eq!(plain(output), expected, "{output:?}");
        }
    }

    #[test]
    fn long_text_keeps_its_ends() {
        let long = format!("begin\n{}\nend", "ä".repeat(LONGEST));
        let read = plain(&long);
        assert!(read.starts_with("begin\n") && read.ends_with("\nend") && read.len() < long.len());
    }
}
