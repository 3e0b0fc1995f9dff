//! The hook files of tenter's rows, all with the same twenty hooks.

use std::fmt::Write;

use crate::Result;
use crate::fifty::loaded;

/// Twenty hooks, none of which is concerned by the payload.
pub(crate) const TWENTY: &str = include_str!("hooks/twenty.yaml");
/// The module of [`python`], in the folder of the hook file.
pub(crate) const MODULE: (&str, &str) = ("bench_hook.py", "def watch(event):\n    return None\n");

/// How often each of the twenty hooks is in [`thousand`].
const COPIES: usize = 50;

/// The twenty, and one for every Bash call; so the difference to the twenty alone is that hook.
pub(crate) fn and_one() -> String {
    and("name: one-that-matches, matcher: Bash, command: \"true\"")
}

/// The twenty, and one whose answer is kept.
pub(crate) fn and_a_cached_one() -> String {
    and("name: one-that-is-kept, matcher: Bash, command: \"true\", cache: 10m")
}

/// The twenty, and a Python function whose process waits for the next event.
pub(crate) fn and_a_python_function() -> String {
    and("name: one-in-python, matcher: Bash, python: { function: bench_hook.watch, keep: 5m }")
}

/// A thousand hooks: the twenty, fifty times.
pub(crate) fn thousand() -> Result<String> {
    let mut events: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut head = String::new();
    for line in TWENTY.lines() {
        match (line.strip_prefix("  "), events.last_mut()) {
            (Some(event), _) if !event.starts_with(' ') => events.push((line, Vec::new())),
            (Some(_), Some((_, hooks))) => hooks.push(line),
            (Some(_) | None, _) => writeln!(head, "{line}")?,
        }
    }
    let mut text = head;
    for (event, hooks) in events {
        writeln!(text, "{event}")?;
        for copy in 1..=COPIES {
            for line in &hooks {
                let name = line.strip_prefix("    - name: ");
                match name {
                    Some(name) => writeln!(text, "    - name: {name}-{copy}")?,
                    None => writeln!(text, "{line}")?,
                }
            }
        }
    }
    match loaded(&text)?.hooks.len() {
        1000 => Ok(text),
        found => Err(format!("the file of a thousand hooks has {found}").into()),
    }
}

fn and(hook: &str) -> String {
    and_at("tool:pre", hook)
}

/// The twenty, and one at this event.
pub(crate) fn and_at(event: &str, hook: &str) -> String {
    let (key, hook) = (format!("  {event}:\n"), format!("    - {{ {hook} }}\n"));
    if TWENTY.contains(&key) {
        TWENTY.replacen(&key, &format!("{key}{hook}"), 1)
    } else {
        format!("{TWENTY}{key}{hook}")
    }
}
