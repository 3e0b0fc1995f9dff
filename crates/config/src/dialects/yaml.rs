//! Drafts as a hook file in YAML.

use std::fmt::Write;

use super::draft::Converted;
use super::report::{ImportedHook, NoteKind, State};
use crate::problem::{Problem, Severity};
use crate::tree::{Key, Node, Value};

/// The whole file. Hooks that could not be kept are in it as comments only, where they would have been.
pub(super) fn write(
    file: &str,
    converted: &Converted,
    hooks: &[ImportedHook],
    problems: &[Problem],
) -> String {
    let mut text = String::new();
    let name: String = file.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(text, "# Imported from {}: {name}", converted.dialect.title());
    text.push_str("version: 1\n");
    if !converted.servers.is_empty() {
        text.push_str("mcp_servers:\n");
        table(&mut text, &converted.servers, 1);
    }
    let drafts: Vec<_> = converted.drafts.iter().zip(hooks).collect();
    let mut events: Vec<&str> = Vec::new();
    for (_, hook) in &drafts {
        if hook.state != State::NotKept && !events.contains(&hook.event.as_str()) {
            events.push(&hook.event);
        }
    }
    text.push_str(if events.is_empty() { "hooks: {}\n" } else { "hooks:\n" });
    for event in &events {
        let _ = writeln!(text, "  {}:", scalar(event));
        for (draft, hook) in drafts.iter().filter(|(_, hook)| hook.event == *event) {
            notes(&mut text, hook, "    ");
            refused(&mut text, hook, problems, "    ");
            if hook.state == State::NotKept {
                continue;
            }
            let node = draft.node(&hook.name, converted.dialect);
            text.push_str("    - ");
            let mut body = String::new();
            if let Value::Table(entries) = &node.value {
                table(&mut body, entries, 3);
            }
            text.push_str(body.trim_start());
        }
    }
    for (_, hook) in drafts.iter().filter(|(_, hook)| !events.contains(&hook.event.as_str())) {
        notes(&mut text, hook, "");
        refused(&mut text, hook, problems, "");
    }
    text
}

/// Why the loader does not take a hook, where the hook would have been.
fn refused(text: &mut String, hook: &ImportedHook, problems: &[Problem], indent: &str) {
    let about = |problem: &&Problem| problem.hook.as_deref() == Some(hook.name.as_str());
    let errors = problems.iter().filter(about).filter(|problem| problem.severity() == Severity::Error);
    let lost = hook.notes.iter().any(|note| note.kind == NoteKind::Lost);
    for problem in errors.filter(|_| hook.state == State::NotKept && !lost) {
        let why = format!("NOT KEPT {}: {}\nhint: {}", hook.name, problem.message(), problem.hint());
        for line in why.lines() {
            let _ = writeln!(text, "{indent}# {}", line.replace(|c: char| c.is_control(), " "));
        }
    }
}

/// What a reader of the file should know about a hook.
fn notes(text: &mut String, hook: &ImportedHook, indent: &str) {
    let about = if hook.state == State::NotKept { format!("{}, ", hook.name) } else { String::new() };
    for note in &hook.notes {
        let note = format!("{about}{}, {}: {}", note.kind.as_str(), note.key, note.text);
        let _ = writeln!(text, "{indent}# {}", note.replace(|c: char| c.is_control(), " "));
    }
}

fn table(text: &mut String, entries: &[(Key, Node)], depth: usize) {
    for (key, node) in entries {
        let _ = write!(text, "{}{}:", "  ".repeat(depth), scalar(&key.text));
        match &node.value {
            Value::Table(inner) if !inner.is_empty() => {
                text.push('\n');
                table(text, inner, depth + 1);
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Table(_) => {
                let _ = writeln!(text, " {}", inline(node));
            }
        }
    }
}

fn inline(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Text(text) => scalar(text),
        Value::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Table(entries) => {
            let entry = |(key, node): &(Key, Node)| format!("{}: {}", scalar(&key.text), inline(node));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
                .replace("{  }", "{}")
        }
    }
}

/// A text, in quotes unless it is plainly a word: what a reader could take for a number or a truth value is
/// quoted.
pub(crate) fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && (text.chars().all(plain) || is_event(text))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    let duration = text.strip_suffix('s').is_some_and(|rest| {
        let digits = rest.strip_suffix('m').unwrap_or(rest);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    });
    if word || duration { text.to_owned() } else { quoted(text) }
}

/// `tool:pre`: a colon without a space behind it is part of a word.
fn is_event(text: &str) -> bool {
    text.split_once(':').is_some_and(|(namespace, name)| {
        let letters =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        letters(namespace) && letters(name)
    })
}

/// Double quotes with JSON's escapes, which YAML shares; what JSON leaves bare and YAML does not is escaped too.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.chars().fold(String::with_capacity(json.len()), |mut quoted, c| {
        if c.is_control()
            || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}'..='\u{ffff}')
        {
            let _ = write!(quoted, "\\u{:04X}", c as u32);
        } else {
            quoted.push(c);
        }
        quoted
    })
}
