//! Secrets in commands that store a secret: all of their values are secrets, by any name.

use super::patterns::{COMMAND, Span, command_before, looked_at, run};

/// Words of commands whose `name=value` and `<<< value` are secrets.
const STORES: &str = "create secret|secrets set|secret set|secret put|secrets:set|kv put|config:set|config set --secret\
    |--with-token|--password-stdin|pass insert|secret-tool store|add-generic-password|variables --set";

/// Options and programs that read a secret from a pipe.
const PIPED: [&[u8]; 4] = [b"--password-stdin", b"--with-token", b"-S", b"passwd"];

/// `kubectl create secret generic x --from-literal=name=X`, `vault kv put secret/x name=X`.
pub(super) fn assigned(text: &[u8], at: usize) -> Option<Span> {
    let (from, to) = word(text, at + 1)?;
    let value = &text[from..to];
    let is_value = value.len() >= 6 && !b"$<[{@/.".contains(&value[0]) && !value.contains(&b'=');
    let name = text[..at].iter().rev().take(40).take_while(|byte| !byte.is_ascii_whitespace()).count();
    let is_option =
        text[at - name..].starts_with(b"--") && !text[at - name..].starts_with(b"--from-literal=");
    (is_value && !is_option && is_stored(command_before(text, at))).then_some((from, to, "secret"))
}

/// `gh auth login --with-token <<< X`.
pub(super) fn here_string(text: &[u8], at: usize) -> Option<Span> {
    if !text[at..].starts_with(b"<<<") {
        return None;
    }
    let spaces = run(looked_at(text, at + 3, 16), |byte| byte == b' ');
    let (from, to) = word(text, at + 3 + spaces)?;
    let is_value = to - from >= 4 && !b"$".contains(&text[from]);
    (is_value && is_stored(command_before(text, at))).then_some((from, to, "secret"))
}

/// `echo X | docker login --password-stdin`, `echo X | sudo -S …`, `echo user:X | chpasswd`.
pub(super) fn piped(text: &[u8], at: usize) -> Option<Span> {
    let option = PIPED.iter().find(|option| text[at..].starts_with(option))?;
    let before = &text[at.saturating_sub(COMMAND)..at];
    let line = before.iter().rposition(|byte| matches!(byte, b'\n' | b';')).map_or(0, |end| end + 1);
    let pipe = line + before[line..].iter().rposition(|byte| *byte == b'|')?;
    let reads = match *option {
        b"passwd" => before.ends_with(b"ch"),
        b"-S" => before[pipe..].windows(5).any(|part| part == b"sudo "),
        _ => true,
    };
    let source = before[line..pipe].trim_ascii_end();
    let is_printed =
        source.windows(5).any(|part| part == b"echo ") || source.windows(7).any(|part| part == b"printf ");
    if !(reads && is_printed) {
        return None;
    }
    let is_inside = |byte: u8| !byte.is_ascii_whitespace() && !b"\"'\\".contains(&byte);
    let inside =
        source.len() - run(&source.iter().rev().copied().collect::<Vec<_>>(), |byte| !is_inside(byte));
    let length = source[..inside].iter().rev().take_while(|byte| is_inside(**byte)).count();
    let end = at - before.len() + line + inside;
    let value = &text[end - length..end];
    let user =
        value.iter().position(|byte| *byte == b':').filter(|_| *option == b"passwd").map_or(0, |at| at + 1);
    let is_value = value.len() - user >= 4 && !b"$-".contains(&value[user]);
    is_value.then_some((end - length + user, end, "password"))
}

fn is_stored(command: &[u8]) -> bool {
    STORES.split('|').any(|words| command.windows(words.len()).any(|part| part == words.as_bytes()))
}

/// The word that begins here, without its quotes.
fn word(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let escapes = run(looked_at(text, from, 4), |byte| byte == b'\\');
    let quoted = text.get(from + escapes).is_some_and(|byte| matches!(byte, b'"' | b'\''));
    let from = if quoted { from + escapes + 1 } else { from };
    let ends = |byte: u8| byte.is_ascii_whitespace() || b"\"'`;|&<>()\\,".contains(&byte);
    let length = run(looked_at(text, from, 4096), |byte| !ends(byte));
    (length > 0).then_some((from, from + length))
}
