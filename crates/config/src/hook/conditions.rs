//! When a hook is asked: matcher, further conditions, agents.

use tenter_contract::{EventKind, HookSpec, Layer, Pattern, When, agent_names};

use super::{matcher, settings, suspicion};
use crate::fields::{Field, Fields};
use crate::problem::{Finding, Findings, ProblemKind};
use crate::suggest;
use crate::values;

pub(super) const WHEN_KEYS: &str = "path command prompt cwd agent exit_code branch env file_exists layer";

pub(super) fn read(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    if let Some(field) = fields.get("matcher")
        && let Some(matcher) = findings.keep(matcher::read(&field))
    {
        if is_about_a_tool(&hook.event) {
            for (piece, suspicion) in suspicion::check(&matcher) {
                findings.add(field.node.place, ProblemKind::SuspiciousMatcher { piece, suspicion });
            }
        }
        hook.matcher = matcher;
    }
    if let Some(field) = fields.get("when") {
        hook.when = when(&field, findings);
    }
    hook.agents = patterns(fields, "agents", findings);
}

/// The patterns of one key, with a warning about those that are regular expressions without slashes.
fn patterns(fields: &Fields<'_>, key: &str, findings: &mut Findings) -> Vec<Pattern> {
    let Some(field) = fields.get(key) else { return Vec::new() };
    let read = match key {
        "command" | "prompt" | "branch" => values::text_patterns,
        _ => values::patterns,
    };
    let patterns = findings.keep(read(&field)).unwrap_or_default();
    warn_of_bare_regex(&field, key, &patterns, findings);
    if matches!(key, "agent" | "agents") {
        for pattern in &patterns {
            let found = pattern.as_str().trim_start_matches('!');
            if let Some(known) = agent_names::meant_by(found) {
                let found = found.to_owned();
                findings.add(field.node.place, ProblemKind::SuspiciousAgent { found, known });
            }
        }
    }
    patterns
}

fn warn_of_bare_regex(field: &Field<'_>, key: &str, patterns: &[Pattern], findings: &mut Findings) {
    for pattern in patterns.iter().filter(|pattern| suspicion::is_bare_regex(key, pattern)) {
        let (key, pattern) = (field.path.clone(), pattern.as_str().to_owned());
        findings.add(field.node.place, ProblemKind::SuspiciousCondition { key, pattern });
    }
}

/// On other events a matcher is compared with the event's subject, which can be anything.
pub(super) fn is_about_a_tool(event: &EventKind) -> bool {
    matches!(
        event,
        EventKind::ToolPre | EventKind::ToolPost | EventKind::ToolError | EventKind::PermissionRequest
    )
}

fn when(field: &Field<'_>, findings: &mut Findings) -> When {
    let Some(fields) = findings.keep(Fields::from_field(field, "when")) else { return When::default() };
    fields.check(WHEN_KEYS, findings);
    let mut patterns = |key: &str| patterns(&fields, key, findings);
    When {
        path: patterns("path"),
        command: patterns("command"),
        prompt: patterns("prompt"),
        cwd: patterns("cwd"),
        agent: patterns("agent"),
        branch: patterns("branch"),
        exit_code: fields.read("exit_code", findings, values::number_patterns).unwrap_or_default(),
        file_exists: fields.read("file_exists", findings, files).unwrap_or_default(),
        layer: fields.read("layer", findings, layers).unwrap_or_default(),
        env: fields.get("env").map(|field| variables(&field, findings)).unwrap_or_default(),
    }
}

/// Paths and globs. `/…/` is a regular expression everywhere else, so it is not taken for a path here.
fn files(field: &Field<'_>) -> Result<Vec<String>, Finding> {
    let patterns = values::patterns(field)?;
    let regex = |pattern: &Pattern| {
        let text = pattern.as_str();
        text.len() > 2 && text.starts_with('/') && text.ends_with('/')
    };
    if patterns.iter().any(regex) {
        return Err(field.problem(ProblemKind::PathNotRegex { key: field.path.clone() }));
    }
    Ok(patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect())
}

/// Patterns over the few words there are; a plain word that is none of them would never hold.
fn layers(field: &Field<'_>) -> Result<Vec<Pattern>, Finding> {
    let patterns = values::patterns(field)?;
    let stranger = patterns.iter().filter_map(Pattern::literal).find(|word| Layer::parse(word).is_none());
    let Some(word) = stranger else { return Ok(patterns) };
    let allowed: Vec<&'static str> = Layer::ALL.map(Layer::as_str).into();
    Err(field.problem(ProblemKind::BadValue {
        key: field.path.clone(),
        found: format!("\"{word}\""),
        suggestion: suggest::nearest(word, allowed.iter().copied()),
        allowed,
    }))
}

/// A table of names, each with one or several patterns.
fn variables(field: &Field<'_>, findings: &mut Findings) -> Vec<(String, Vec<Pattern>)> {
    let Some(fields) = findings.keep(Fields::from_field(field, "when.env")) else { return Vec::new() };
    let mut variables = Vec::new();
    for (name, field) in fields.all() {
        // A name is no pattern, and no variable has these characters.
        if settings::is_variable(name) && !name.contains(['*', '?', '[', ' ', '/']) {
            let patterns = findings.keep(values::text_patterns(&field));
            warn_of_bare_regex(&field, "env", patterns.as_deref().unwrap_or_default(), findings);
            variables.extend(patterns.map(|patterns| (name.to_owned(), patterns)));
        } else {
            findings.add(field.key_place, ProblemKind::BadVariable { name: name.to_owned() });
        }
    }
    variables
}
