//! A command as one line, where an agent sends it as a list of words.

use serde_json::Value;

use crate::template::shell_quote;

/// The line: a text as it is, words as a shell would have to be given them. Of a shell that is given a text to run
/// (`bash -lc TEXT`) it is that text, because that is what guards are written about. None if it is neither.
pub(crate) fn of(command: &Value) -> Option<String> {
    match command {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
            match words.as_slice() {
                [] => None,
                [shell, option, text] if runs_text(shell, option) => Some((*text).to_owned()),
                words => Some(words.iter().map(|word| word_of_line(word)).collect::<Vec<_>>().join(" ")),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Another line in the place of these words: run by the same shell, or by one.
pub(crate) fn words(old: &[Value], line: &str) -> Value {
    let texts: Vec<&str> = old.iter().filter_map(Value::as_str).collect();
    match texts.as_slice() {
        [shell, option, _] if runs_text(shell, option) => Value::from(vec![*shell, *option, line]),
        _ => Value::from(vec!["sh", "-c", line]),
    }
}

/// Whether a program runs the text after this option: `bash -lc`, `/bin/sh -c`, `pwsh -Command`.
fn runs_text(program: &str, option: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    match name.strip_suffix(".exe").unwrap_or(name) {
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" | "fish" => {
            option.strip_prefix('-').is_some_and(|letters| {
                letters.ends_with('c') && letters.bytes().all(|letter| letter.is_ascii_lowercase())
            })
        }
        "pwsh" | "powershell" => ["-Command", "-c"].iter().any(|own| own.eq_ignore_ascii_case(option)),
        _ => false,
    }
}

/// A word that says the same to a shell with and without quotes stands without them, as people write it.
fn word_of_line(word: &str) -> String {
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&letter);
    if !word.is_empty() && word.bytes().all(plain) { word.to_owned() } else { shell_quote(word) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_the_line_that_people_would_type() {
        for (command, line) in [
            (json!("ls -l"), Some("ls -l")),
            (json!(["git", "push", "--force"]), Some("git push --force")),
            (json!(["rm", "a b", "it's", ""]), Some("rm 'a b' 'it'\\''s' ''")),
            (json!(["bash", "-lc", "git push"]), Some("git push")),
            (json!(["/bin/sh", "-c", "a && b"]), Some("a && b")),
            (json!(["pwsh.exe", "-Command", "dir"]), Some("dir")),
            (json!(["bash", "-lc", "echo $0", "x"]), Some("bash -lc 'echo $0' x")),
            (json!(["env", "A=1", "bash", "-c", "x y"]), Some("env A=1 bash -c 'x y'")),
            (json!(["bash", "--norc", "x"]), Some("bash --norc x")),
            (json!([]), None),
            (json!(["ls", 7]), None),
            (json!({"line": "ls"}), None),
            (json!(7), None),
        ] {
            assert_eq!(of(&command).as_deref(), line, "{command}");
        }
    }

    #[test]
    fn another_line_is_run_as_the_first_was() {
        for (old, new) in [
            (json!(["bash", "-lc", "x"]), json!(["bash", "-lc", "a b"])),
            (json!(["git", "push"]), json!(["sh", "-c", "a b"])),
        ] {
            assert_eq!(words(old.as_array().unwrap(), "a b"), new, "{old}");
        }
    }
}
