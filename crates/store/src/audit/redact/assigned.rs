//! Values assigned to secret names: `API_KEY=…`, `"password": "…"`, `token: …`.
//!
//! Code is full of such names, and few of them have a secret, so the value must look like one. A value that is hidden
//! without need makes a record harder to read.

use tenter_contract::secret_names::{NAMES, PASSWORD, SecretName, SecretRule};

use super::patterns::{Span, is_word_start, run};
use super::tokens::{is_dense, is_random};

/// Words for a value or its type.
const WORDS: [&[u8]; 8] =
    [b"string", b"undefined", b"optional", b"required", b"redacted", b"disabled", b"example", b"placeholder"];

/// The syntax of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// In quotes of this kind, or as a value of JSON.
    Quoted(u8),
    /// `NAME=value`, as in a shell or an environment.
    Shell,
    /// `name=value` or `name = value`, also as a parameter of a URL.
    Bare,
    /// `name: value`.
    Colon,
    /// On the next line; only a random value counts there.
    NextLine,
}

/// The value that is assigned at this `=` or `:`, if it looks like a secret.
pub(super) fn at(text: &[u8], at: usize) -> Option<Span> {
    let Some((name, is_upper)) = name_before(text, at) else {
        return second_of_pair(text, at).or_else(|| in_secret_of_kubernetes(text, at));
    };
    let (from, to, form) = value_after(text, at, is_upper)?;
    let value = &text[from..to];
    let is_hex = || value.iter().all(u8::is_ascii_hexdigit);
    let fits = match name.rule {
        SecretRule::Value(_) => is_secret(value, name, form),
        SecretRule::Signature => form != Form::Colon && is_parameter(text, at, name) && value.len() >= 16,
        SecretRule::Credentials => super::headers::is_user_and_password(value) || is_upper && is_dense(value),
        SecretRule::AccessToken => is_upper && is_dense(value),
        SecretRule::RandomKey => {
            let is_variable = is_upper && text[at] == b'=';
            let looks_random =
                if is_variable { is_random(value) || value.len() == 32 && is_hex() } else { is_dense(value) };
            value.len() >= 20 && looks_random && !is_public(text, at) && !value.starts_with(b"AAAA")
        }
        SecretRule::WholeWord => {
            let end = text[..at].trim_ascii_end().len();
            let is_whole = end.checked_sub(name.end.len()).is_some_and(|begin| is_word_start(text, begin));
            let is_named = is_whole || text[..at].ends_with(b"SSHPASS");
            let password = SecretName { rule: SecretRule::Value(PASSWORD), ..name };
            is_named && is_secret(value, password, form) && !value.iter().all(u8::is_ascii_digit)
        }
        SecretRule::Session => text[at] == b'=' && (is_dense(value) || value.len() >= 32 && is_hex()),
    };
    fits.then(|| (from, from + length(&text[from..], form), name.rule.kind()))
}

/// `auth=("user", "…")` in Python.
fn second_of_pair(text: &[u8], at: usize) -> Option<Span> {
    let rest = text[at..].strip_prefix(b"=(").filter(|_| text[..at].ends_with(b"auth"))?;
    let comma = run(&rest[..rest.len().min(LOOKED_AT)], |byte| byte != b',' && byte != b')');
    let from = at + 2 + comma + 1 + run(text.get(at + 3 + comma..)?, |byte| byte == b' ' || byte == b'\\');
    let quote = *text.get(from).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let length = length(looked_at(text, from + 1), Form::Quoted(quote));
    (length >= 4).then_some((from + 1, from + 1 + length, PASSWORD))
}

/// How far `kind: Secret` is from a value in a file of Kubernetes.
const MANIFEST: usize = 2048;

/// A value of a secret of Kubernetes, by any name.
fn in_secret_of_kubernetes(text: &[u8], at: usize) -> Option<Span> {
    if text[at] != b':' || text.get(at + 1) != Some(&b' ') {
        return None;
    }
    let value = looked_at(text, at + 2);
    let value = &value[..length(value, Form::Colon)];
    if !(is_dense(value) || value.len() >= 8 && value.ends_with(b"=")) {
        return None;
    }
    let around = &text[at.saturating_sub(MANIFEST)..text.len().min(at + MANIFEST)];
    let is_secret = around.windows(12).any(|part| part == b"kind: Secret");
    is_secret.then_some((at + 2, at + 2 + value.len(), "secret"))
}

/// The kind of secret that an option of this name takes.
pub(super) fn kind_of_option(name: &[u8]) -> Option<&'static str> {
    if [&b"pass"[..], b"pw", b"oauth2-bearer"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return Some(PASSWORD);
    }
    match named(name)?.rule {
        SecretRule::Value(kind) => Some(kind),
        _ => None,
    }
}

/// `?sig=…`, `&X-Amz-Signature=…`.
fn is_parameter(text: &[u8], at: usize, name: SecretName) -> bool {
    let before = &text[at.saturating_sub(name.end.len() + 8)..at - name.end.len().min(at)];
    [&b"?"[..], b"&", b";", b"-Amz-", b"-Goog-", b"u0026"].iter().any(|end| before.ends_with(end))
}

fn is_public(text: &[u8], at: usize) -> bool {
    let name = text[at.saturating_sub(24)..at].trim_ascii_end();
    let name = name.strip_suffix(b"\"").unwrap_or(name).to_ascii_lowercase();
    let word = &name[..name.len().saturating_sub(4)];
    let mut public = "public cache primary foreign object idempotency sort partition host dedup".split(' ');
    public.any(|known| word.ends_with(known.as_bytes()))
}

/// The kind of secret that a field of this name holds, if its value looks like one.
pub(super) fn of_field(name: &str, value: &str) -> Option<&'static str> {
    let bytes = value.as_bytes();
    if ["cookie", "set-cookie", "cookies"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return super::headers::is_cookie(bytes).then_some("cookie");
    }
    if name.eq_ignore_ascii_case("auth") || name.eq_ignore_ascii_case("_auth") {
        return super::headers::is_user_and_password(bytes).then_some("basic");
    }
    let name = named(name.as_bytes()).filter(|name| matches!(name.rule, SecretRule::Value(_)))?;
    is_secret(bytes, name, Form::Quoted(b'"')).then_some(name.rule.kind())
}

/// The name before a separator, and whether it is in capitals. Code and JSON are full of separators, so the byte before
/// them excludes most.
fn name_before(text: &[u8], at: usize) -> Option<(SecretName, bool)> {
    let last = *text.get(at.checked_sub(1)?)?;
    if !ends_a_name(last) && !b" \t\"'`]:".contains(&last) {
        return None;
    }
    let mut before = text[..at].trim_ascii_end();
    if text[at] == b'=' {
        before = before.strip_suffix(b":").unwrap_or(before).trim_ascii_end();
    }
    // `<add key="Password" value="…"/>`
    if let Some(attribute) = before.strip_suffix(b"value") {
        before = attribute.trim_ascii_end();
        if !before.ends_with(b"\"") {
            return None;
        }
    }
    // `config["password"] = …`
    before = before.strip_suffix(b"]").unwrap_or(before);
    if let Some((b'"' | b'\'' | b'`', rest)) = before.split_last() {
        before = rest;
        while let Some((b'\\', rest)) = before.split_last() {
            before = rest;
        }
    }
    let name = named(before)?;
    Some((name, !before[before.len() - name.end.len()..].iter().any(u8::is_ascii_lowercase)))
}

/// Whether one of the names ends with this letter.
fn ends_a_name(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'd' | b'e' | b't' | b'n' | b'y' | b's' | b'l' | b'g' | b'h' | b'k')
}

/// The last two letters of the names; they exclude most keys of a record.
const ENDS: [[u8; 2]; NAMES.len()] = {
    let mut ends = [[0; 2]; NAMES.len()];
    let mut at = 0;
    while at < NAMES.len() {
        if let Some(end) = NAMES[at].end.as_bytes().last_chunk() {
            ends[at] = *end;
        }
        at += 1;
    }
    ends
};

/// The name that these bytes end with.
fn named(bytes: &[u8]) -> Option<SecretName> {
    let end = bytes.last_chunk::<2>()?.map(|byte| byte.to_ascii_lowercase());
    if !ENDS.contains(&end) {
        return None;
    }
    let is_at_end = |name: &&SecretName| {
        let begin = bytes.len().checked_sub(name.end.len());
        name.end.as_bytes().ends_with(&end)
            && begin.is_some_and(|begin| is_like(&bytes[begin..], name.end.as_bytes()))
    };
    NAMES.iter().find(is_at_end).copied()
}

fn is_like(bytes: &[u8], name: &[u8]) -> bool {
    bytes.iter().zip(name).all(|(byte, known)| match byte {
        b'-' => *known == b'_',
        byte => byte.eq_ignore_ascii_case(known),
    })
}

/// The value behind a separator, and its syntax.
fn value_after(text: &[u8], at: usize, is_upper: bool) -> Option<(usize, usize, Form)> {
    let is_arrow = text[at..].starts_with(b"=>");
    let mut from = at + if is_arrow { 2 } else { 1 };
    let spaces = run(&text[from..], |byte| byte == b' ' || byte == b'\t');
    from += spaces;
    let ansi = usize::from(text[from..].starts_with(b"$'"));
    from += ansi;
    let next_line = behind_line_end(text, from, text[at] == b':');
    let is_next_line = next_line.is_some_and(|next| next != from);
    from = next_line.unwrap_or(from);
    let escapes = run(&text[from..], |byte| byte == b'\\');
    if let Some(quote @ (b'"' | b'\'' | b'`')) = text.get(from + escapes) {
        from += escapes + 1;
        let form = Form::Quoted(*quote);
        return Some((from, from + length(looked_at(text, from), form), form));
    }
    let form = match text[at] {
        _ if is_next_line => Form::NextLine,
        b'=' if spaces == 0 && is_upper => Form::Shell,
        b'=' => Form::Bare,
        _ => Form::Colon,
    };
    let to = from + length(looked_at(text, from), form);
    let ends = match (text.get(to), form) {
        // A call or an element.
        (Some(b'(' | b'[' | b'{' | b'<'), _) => false,
        (Some(b';' | b')'), Form::Bare | Form::Colon) => text[at] == b'=' && spaces == 0,
        _ => true,
    };
    (ends && !is_arrow).then_some((from, to, form))
}

/// The begin of a value on the next line: behind a backslash, or under a name of YAML or JSON.
fn behind_line_end(text: &[u8], from: usize, is_colon: bool) -> Option<usize> {
    let line_end = |rest: &[u8]| match rest {
        // In JSON it is an escape of two bytes.
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => Some(2),
        [b'\n', ..] => Some(1),
        [b'\\', b'r', b'\\', b'n', ..] => Some(4),
        _ => None,
    };
    let mark = if is_colon { run(looked_at(text, from), |byte| b"|>-".contains(&byte)) } else { 0 };
    let goes_on =
        usize::from(!is_colon && text.get(from) == Some(&b'\\') && line_end(&text[from..]).is_none());
    if !is_colon && goes_on == 0 {
        return None;
    }
    let mut next = from + mark + goes_on;
    next += line_end(text.get(next..)?)?;
    Some(next + run(looked_at(text, next), |byte| byte == b' ' || byte == b'\t'))
}

/// The bytes of a value that are read. A name may precede every word of a text, so this is bounded.
const LOOKED_AT: usize = 512;

fn looked_at(text: &[u8], from: usize) -> &[u8] {
    &text[from..text.len().min(from + LOOKED_AT)]
}

/// The length of the value at the start of a text.
fn length(text: &[u8], form: Form) -> usize {
    match form {
        Form::Quoted(quote) => run(text, |byte| byte != quote && byte != b'\\' && byte != b'\n'),
        Form::Shell | Form::Bare => {
            run(text, |byte| !byte.is_ascii_whitespace() && !b"\"'`;,&|<>(){}[]\\".contains(&byte))
        }
        Form::Colon | Form::NextLine => {
            run(text, |byte| !byte.is_ascii_whitespace() && !b"\"'`;,<>(){}[]\\".contains(&byte))
        }
    }
}

fn is_secret(value: &[u8], name: SecretName, form: Form) -> bool {
    let Some(first) = value.first() else { return false };
    let is_password = name.rule == SecretRule::Value(PASSWORD);
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let is_word = value.iter().all(u8::is_ascii_alphabetic);
    // A variable, a placeholder, a tag of YAML, a comparison, or a hidden value.
    let signs: &[u8] = match form {
        Form::Quoted(_) if is_password => b"${<[",
        _ => b"$%{<[(*&!|@?=",
    };
    let is_placeholder = signs.contains(first)
        || named(value).is_some_and(|name| is_variable(value, name))
        || WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
        || value.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"your"))
        || value.iter().all(|byte| byte == first);
    let is_place = value.windows(3).any(|part| part == b"://")
        || (value.starts_with(b"/") || value.starts_with(b"~/") || value.starts_with(b"./"))
            && !value.iter().any(|byte| b"+=".contains(byte))
            && !(value.len() >= 32 && is_random(value) && !value.contains(&b'.'));
    if is_placeholder || is_place || value.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    if value.iter().all(u8::is_ascii_digit) {
        return is_password && value.len() >= 4;
    }
    let least = if is_password { 6 } else { 8 };
    match form {
        // `"password": "Passwort"` is a label, and `"secret": "of-the-shop"` the name of a secret.
        Form::Quoted(_) if is_password => value.len() >= least && !(is_word && first.is_ascii_uppercase()),
        Form::Quoted(_) => value.len() >= least && has_digit || value.len() >= 20 && is_word,
        Form::Shell => value.len() >= if has_digit { 6 } else { 8 },
        Form::Bare | Form::Colon => value.len() >= least && has_digit,
        Form::NextLine => is_dense(value),
    }
}

/// Whether a value that ends like a secret name is a variable, `db_password`, and not a secret, `hunter2secret`.
fn is_variable(value: &[u8], name: SecretName) -> bool {
    let before = &value[..value.len() - name.end.len()];
    !before.last().is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use tenter_contract::secret_names::looks_secret;

    use super::*;

    #[test]
    fn name_is_found_by_its_end() {
        for name in NAMES {
            assert!(named(name.end.as_bytes()).is_some(), "{}", name.end);
            assert!(ends_a_name(name.end.as_bytes()[name.end.len() - 1]), "{}", name.end);
        }
    }

    #[test]
    fn trail_hides_every_variable_with_a_secret_name() {
        for name in NAMES {
            let variable = format!("MY_{}", name.end.trim_start_matches('_').to_uppercase());
            let text = format!("{variable}=aB3dE5fG7hI9jK1lM3nO5pQ7");
            let hidden = at(text.as_bytes(), variable.len()).is_some();
            assert!(hidden || !looks_secret(&variable), "{text}");
        }
    }
}
