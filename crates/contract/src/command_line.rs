//! A command as one line, where an agent sends it as a list of words.

use serde_json::Value;

use crate::template::shell_quote;

/// The line: a text as it is, words as a shell would have to be given them. Of a shell that is given a text to run
/// (`bash -lc TEXT`) it is that text, because guards are written for it. With further arguments, a second line has
/// the whole command. `None` if it is neither text nor words.
pub(crate) fn from_json(command: &Value) -> Option<String> {
    match command {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
            let whole = || words.iter().map(|word| word_of_line(word)).collect::<Vec<_>>().join(" ");
            match text_at(&words) {
                None if words.is_empty() => None,
                None => Some(whole()),
                Some(at) if is_all(&words, at) => Some(words[at].to_owned()),
                Some(at) => Some(format!("{}\n{}", words[at], whole())),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Another line in the place of these words: run by the same shell, or by one.
#[inline(never)]
pub(crate) fn words(old: &[Value], line: &str) -> Value {
    let mut words: Vec<&str> = old.iter().filter_map(Value::as_str).collect();
    match text_at(&words).filter(|at| is_all(&words, *at)) {
        Some(at) => {
            words[at] = line;
            Value::from(words)
        }
        None => Value::from(vec!["sh", "-c", line]),
    }
}

/// The index of the text that a shell runs: `bash -lc TEXT`, `/bin/sh -e -c TEXT`, `pwsh -Command TEXT`.
fn text_at(words: &[&str]) -> Option<usize> {
    let (program, rest) = words.split_first()?;
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let is_option: fn(&str) -> bool = match name.strip_suffix(".exe").unwrap_or(name) {
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" | "fish" => |word| {
            word.strip_prefix('-').is_some_and(|letters| {
                letters.ends_with('c') && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
            })
        },
        "pwsh" | "powershell" => |word| ["-Command", "-c"].iter().any(|own| own.eq_ignore_ascii_case(word)),
        _ => return None,
    };
    let at = rest.iter().position(|word| is_option(word))? + 2;
    (at < words.len()).then_some(at)
}

/// Whether the command has nothing but the shell, its options and the text.
fn is_all(words: &[&str], at: usize) -> bool {
    at + 1 == words.len() && words[1..at].iter().all(|word| word.starts_with('-'))
}

/// Quotes a word only if a shell needs the quotes.
fn word_of_line(word: &str) -> String {
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&letter);
    if !word.is_empty() && word.bytes().all(plain) { word.to_owned() } else { shell_quote(word) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_become_a_command_line() {
        for (command, line) in [
            (json!("ls -l"), Some("ls -l")),
            (json!(["git", "push", "--force"]), Some("git push --force")),
            (json!(["rm", "a b", "it's", ""]), Some("rm 'a b' 'it'\\''s' ''")),
            (json!(["bash", "-lc", "git push"]), Some("git push")),
            (json!(["/bin/sh", "-c", "a && b"]), Some("a && b")),
            (json!(["pwsh.exe", "-Command", "dir"]), Some("dir")),
            (json!(["bash", "--norc", "-e", "-c", "git push"]), Some("git push")),
            (json!(["bash", "-lc", "\"$@\"", "_", "rm"]), Some("\"$@\"\nbash -lc '\"$@\"' _ rm")),
            (json!(["bash", "a.sh", "-c", "x"]), Some("x\nbash a.sh -c x")),
            (json!(["bash", "-c"]), Some("bash -c")),
            (json!(["env", "A=1", "bash", "-c", "x y"]), Some("env A=1 bash -c 'x y'")),
            (json!(["bash", "--norc", "x"]), Some("bash --norc x")),
            (json!([]), None),
            (json!(["ls", 7]), None),
            (json!({"line": "ls"}), None),
            (json!(7), None),
        ] {
            assert_eq!(from_json(&command).as_deref(), line, "{command}");
        }
    }

    #[test]
    fn new_line_keeps_the_shell() {
        for (old, new) in [
            (json!(["bash", "-lc", "x"]), json!(["bash", "-lc", "a b"])),
            (json!(["bash", "-e", "-c", "x"]), json!(["bash", "-e", "-c", "a b"])),
            (json!(["bash", "-c", "x", "y"]), json!(["sh", "-c", "a b"])),
            (json!(["git", "push"]), json!(["sh", "-c", "a b"])),
        ] {
            assert_eq!(words(old.as_array().unwrap(), "a b"), new, "{old}");
        }
    }
}
