//! Recognises shell commands that call tenter: today's form, older ones, and those that people wrote.

use crate::by_name;

/// The program of a command that does nothing but call us for this agent, whatever its path and the options.
/// A pipeline of which we are only a part belongs to its user.
pub(crate) fn tenter_program(command: &str, agent: &str) -> Option<String> {
    let commands = simple_commands(command)?;
    let (calls, others): (Vec<_>, Vec<_>) =
        commands.iter().partition(|words| program_of_call(words, agent).is_some());
    let harmless = others.iter().all(|words| does_nothing_else(words));
    calls.first().filter(|_| harmless).and_then(|words| program_of_call(words, agent)).map(str::to_owned)
}

/// `exec /usr/local/bin/tenter hook claude --within 600s`
fn program_of_call<'w>(words: &'w [String], agent: &str) -> Option<&'w str> {
    let is_prefix = |word: &String| matches!(word.as_str(), "exec" | "env") || is_assignment(word);
    let mut words = words.iter().skip_while(|word| is_prefix(word));
    let program = words.next()?;
    let name = match program.rsplit('/').next() {
        Some("tenter") if words.next().is_some_and(|word| word == "hook") => words.next(),
        Some("tenter-hook") => words.next(),
        Some(_) | None => None,
    };
    let adapter = name.and_then(|name| by_name(name))?;
    (adapter.name().as_str() == agent).then_some(program)
}

/// Whether a command next to the call only guards it.
fn does_nothing_else(words: &[String]) -> bool {
    words.first().is_none_or(|word| {
        matches!(word.as_str(), "[" | "test" | "command" | "echo" | "printf" | "exit" | "true" | ":")
    })
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// The simple commands of a line and their words, as a shell would take them apart; none if a quote is not
/// closed or there is a pipe, which makes the line its user's own.
fn simple_commands(line: &str) -> Option<Vec<Vec<String>>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '\\' if letter == '"' => text.push(letters.next()?),
                        other => text.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            '|' if letters.peek() != Some(&'|') => return None,
            '&' if word.as_deref().is_some_and(|word| word.ends_with('>')) => {
                word.get_or_insert_default().push('&');
            }
            ';' | '\n' | '&' | '|' => {
                if letter == '|' {
                    letters.next();
                }
                commands.last_mut()?.extend(word.take());
                commands.push(Vec::new());
            }
            space if space.is_whitespace() => commands.last_mut()?.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    commands.last_mut()?.extend(word);
    Some(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, ours: bool) {
        assert_eq!(tenter_program(command, "claude").is_some(), ours, "{command}");
    }

    #[test]
    fn calls_of_tenter_are_recognised() {
        check("tenter hook claude", true);
        check("exec tenter hook claude", true);
        check("/usr/local/bin/tenter hook claude --within 600s", true);
        check("\"/home/jo doe/bin/tenter\" hook claude-code", true);
        check("'/home/jo'\\''s/tenter' hook claude --config x.yaml", true);
        check("[ -x '/opt/tenter' ] || exit 0; exec '/opt/tenter' hook claude --within 5s", true);
        check(
            "[ -x /t/tenter ] || echo gone >&2; [ -x /t/tenter ] || exit 2; exec /t/tenter hook claude",
            true,
        );
        check("command -v tenter >/dev/null 2>&1 || exit 0; tenter hook claude", true);
        check("TENTER_PROFILE=work tenter hook claude || true", true);
        check("/opt/tenter-hook claude", true);
    }

    #[test]
    fn program_of_a_call_is_unquoted() {
        let line = "[ -x '/o'\\''x/tenter' ] || exit 0; exec '/o'\\''x/tenter' hook claude --within 5s";
        assert_eq!(tenter_program(line, "claude").as_deref(), Some("/o'x/tenter"));
        assert_eq!(tenter_program("tenter hook claude", "gemini"), None);
    }

    #[test]
    fn other_commands_belong_to_the_user() {
        check("", false);
        check("tenter", false);
        check("tenter audit verify", false);
        check("tenter hook gemini", false);
        check("tenter hook", false);
        check("my-tenter hook claude", false);
        check("tee log.jsonl | tenter hook claude", false);
        check("notify-send done; tenter hook claude", false);
        check("sh -c 'tenter hook claude'", false);
        check("tenter hook 'claude", false);
        check("npx prettier --write", false);
    }
}
