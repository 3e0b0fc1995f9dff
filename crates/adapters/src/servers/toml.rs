//! Servers as tables of a TOML file, found by their lines.
//!
//! Not a reader of TOML: a table of our own is added at the end and taken out again, and everything else is as it was.

use tenter_contract::ports::SettingsError;

use super::{SERVER, program_of, taken};

pub(super) fn register(settings: Option<&str>, program: &str) -> Result<String, SettingsError> {
    let text = settings.unwrap_or_default();
    if registered(text).as_deref() == Some(program) {
        return Ok(text.to_owned());
    }
    if let Some(line) = text.lines().map(str::trim).find(|line| is_inline(line)) {
        let detail =
            format!("`{line}` leaves no room for a table; write its servers as `[mcp_servers.NAME]`");
        return Err(SettingsError::NotToml { detail });
    }
    let rest = if registered(text).is_some() { cut(text) } else { text.to_owned() };
    if ours(&rest).is_some() {
        return Err(taken());
    }
    let newline = if rest.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match rest.as_str() {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    let lines = [heading(), format!("command = {}", quoted(program)), "args = [\"mcp\"]".to_owned()];
    Ok(format!("{rest}{gap}{}{newline}", lines.join(newline)))
}

/// The text without our table and the empty line before it. Only the text from before shows whether the file
/// ended with a line end.
pub(super) fn cut(text: &str) -> String {
    let Some((start, end)) = ours(text) else { return text.to_owned() };
    let before = &text[..start];
    let before = before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n')).unwrap_or(before);
    format!("{before}{}", &text[end..])
}

pub(super) fn registered(text: &str) -> Option<String> {
    let (start, end) = ours(text)?;
    let mut words = Vec::new();
    for line in text[start..end].lines().skip(1).map(str::trim).filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once('=')?;
        match (key.trim(), value.trim()) {
            ("command", value) => words.insert(0, unquoted(value)?),
            ("args", value) => {
                let inside = value.strip_prefix('[')?.strip_suffix(']')?;
                for word in inside.split(',').map(str::trim).filter(|word| !word.is_empty()) {
                    words.push(unquoted(word)?);
                }
            }
            // What its user added, such as a time.
            _ => {}
        }
    }
    program_of(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// From our heading to the next one, or to the end; the empty line before that belongs to what follows.
fn ours(text: &str) -> Option<(usize, usize)> {
    let (mut at, mut start) = (0, None);
    let mut end = text.len();
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            if start.is_some() {
                end = at;
                break;
            }
            if trimmed.split('#').next().unwrap_or_default().replace([' ', '"', '\''], "") == heading() {
                start = Some(at);
            }
        }
        at += line.len();
    }
    let start = start?;
    let mut last = text[start..end].trim_end().len() + start;
    // Our own last line end goes with us.
    for newline in ["\r\n", "\n"] {
        if text[last..end].starts_with(newline) {
            last += newline.len();
            break;
        }
    }
    Some((start, last))
}

fn heading() -> String {
    format!("[mcp_servers.{SERVER}]")
}

/// `mcp_servers = { … }` or `mcp_servers.tenter = …`, which a table of that name would contradict.
fn is_inline(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim().replace(' ', "");
        key == "mcp_servers" || key.starts_with(&format!("mcp_servers.{SERVER}"))
    })
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn unquoted(value: &str) -> Option<String> {
    match value.strip_prefix('\'') {
        Some(rest) => rest.strip_suffix('\'').map(str::to_owned),
        None => serde_json::from_str(value).ok(),
    }
}
