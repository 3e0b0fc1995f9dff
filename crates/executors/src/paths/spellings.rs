//! Texts that a tool may expand before it opens them: variables, and the alternatives of a glob.

use tenter_contract::PathBase;

/// Further alternatives count as a wildcard.
const MOST_ALTERNATIVES: usize = 64;
/// Variables that editors know, for the folder of the project.
const PROJECT: [&str; 4] = ["PWD", "workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR"];

/// The text with its variables (`$NAME`, `${NAME}`) expanded; unknown ones are empty.
pub(super) fn with_variables(text: &str, base: &PathBase) -> Vec<String> {
    if !text.contains('$') {
        return Vec::new();
    }
    let folders = [&base.cwd, &base.root].into_iter().flatten().map(Some).chain([None]);
    let mut found: Vec<String> = Vec::new();
    for folder in folders {
        let expanded = expanded(text, folder);
        if expanded != text && !expanded.is_empty() && !found.contains(&expanded) {
            found.push(expanded);
        }
    }
    found
}

fn expanded(text: &str, folder: Option<&String>) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        whole.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let braced = behind.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let (name, after) = braced.unwrap_or_else(|| {
            let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            behind.split_at(end.unwrap_or(behind.len()))
        });
        if name.is_empty() {
            whole.push('$');
        }
        // `${NAME:-else}`
        let name = name.split(':').next().unwrap_or(name);
        let value = folder.filter(|_| PROJECT.contains(&name)).cloned();
        whole.extend(value.or_else(|| std::env::var(name).ok()));
        rest = after;
    }
    whole + rest
}

/// The alternatives of `{a,b}`. `@(a|b)` and its siblings become a wildcard.
pub(super) fn brace_alternatives(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![without_extended_globs(text)];
    while let Some(text) = open.pop() {
        match innermost(&text) {
            Some((before, _, after)) if done.len() + open.len() >= MOST_ALTERNATIVES => {
                open.push(format!("{before}*{after}"));
            }
            Some((before, inner, after)) => {
                open.extend(inner.split(',').map(|part| format!("{before}{part}{after}")));
            }
            None => done.push(text),
        }
    }
    done
}

/// The text before, in and after the first `{…}` with a comma and without inner braces.
fn innermost(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('{').find_map(|(at, _)| {
        let (inner, after) = text[at + 1..].split_once('}')?;
        (inner.contains(',') && !inner.contains('{')).then_some((&text[..at], inner, after))
    })
}

fn without_extended_globs(text: &str) -> String {
    let mut text = text.to_owned();
    let start = |text: &str| ["@(", "+(", "?(", "*(", "!("].iter().filter_map(|start| text.find(start)).min();
    while let Some(at) = start(&text)
        && let Some(end) = text[at..].find(')')
    {
        text.replace_range(at..=at + end, "*");
    }
    text
}
