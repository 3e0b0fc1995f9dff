//! What was printed, as it seems on a screen: without colours, and without what a terminal writes over.

/// So much is read, from the end: what decides is there.
const LONGEST: usize = 512 * 1024;
/// And so much from the beginning, where a broken run says so.
const LONGEST_HEAD: usize = 64 * 1024;

/// The text that is read, without colours.
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
                // `ESC [ … letter`; going back to the first column begins a line anew.
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

/// Skips a control sequence up to the letter that ends it; whether it goes back to the first column.
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

pub(super) fn never_ran(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let by_shell = ["bash: ", "sh: ", "zsh: ", "/bin/sh: ", "/bin/bash: ", "dash: "]
            .iter()
            .any(|shell| line.starts_with(shell));
        let complains = line.contains("command not found")
            || line.ends_with(": not found")
            || line.contains("cd: ")
            || line.ends_with("Permission denied");
        by_shell && complains
            || line.starts_with("cd: ") && line.contains("no such file")
            || ["docker: Error response from daemon: ", "Error response from daemon: "]
                .iter()
                .any(|own| line.starts_with(own))
            || line.starts_with("service \"") && line.ends_with("\" is not running")
            || line.starts_with("no such service: ")
            || is_missing_tool(line)
    })
}

fn is_missing_tool(line: &str) -> bool {
    const BEGIN: [&str; 14] = [
        "bundler: command not found: ",
        "Could not locate Gemfile",
        "Could not open input file: ",
        "Poetry could not find a pyproject.toml",
        "error: Failed to spawn: ",
        "error: rustup could not choose a version of cargo",
        "error: toolchain '",
        "MSBUILD : error MSB1003",
        "MSBUILD : error MSB1009",
        "Could not execute because the specified command or file was not found",
        "exec: ",
        "env: ",
        "npm error could not determine executable to run",
        "Error: Could not find or load main class",
    ];
    const OF_PYTHON: [&str; 5] = ["pytest", "unittest", "nose2", "tox", "django"];
    let module = line.split_once(": No module named ").map(|(_, module)| module.trim_matches(['\'', '"']));
    // `exec: "pytest": executable file not found`, `env: ‘pytest’: No such file or directory`
    let of_exec = |begin: &str| {
        !matches!(begin, "exec: " | "env: ") || line.contains("not found") || line.contains("No such file")
    };
    BEGIN.iter().any(|begin| line.starts_with(begin) && of_exec(begin))
        // The interpreter's own word, and not what a test could not import.
        || line.contains("python") && module.is_some_and(|module| OF_PYTHON.contains(&module))
        || line.contains("does not contain a Gradle build")
        || line.starts_with("Can't open ") && line.contains("No such file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_what_is_written_over_are_no_text() {
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
    fn the_ends_of_a_long_text_are_read() {
        let long = format!("begin\n{}\nend", "ä".repeat(LONGEST));
        let read = plain(&long);
        assert!(read.starts_with("begin\n") && read.ends_with("\nend") && read.len() < long.len());
    }
}
