//! `tenter audit show`: records, a line each.

use tenter_protocol::v1::record::{RecordV1, RecordedEffect, RecordedHook};
use tenter_store::audit::read::{Content, Filter, read};

use crate::arguments::AuditShowArguments;
use crate::commands::{Ended, emit, json_line, state};
use crate::error::CliError;
use crate::listing::{columns, on_one_line, visible};
use crate::printer::{Printer, Tone};

/// Records of what a person did, which are no events that hooks could be asked about.
const CHANGES: [&str; 5] =
    ["trust:granted", "trust:revoked", "hook:disabled", "hook:enabled", "profile:chosen"];
/// How a hook ended that ran in the background: no event either.
const BACKGROUND: &str = "hook:background";

/// Shows the last records that pass the filters.
pub(crate) fn run(arguments: &AuditShowArguments, printer: &Printer) -> Ended {
    let event = match &arguments.event {
        Some(spelling) if CHANGES.contains(&spelling.as_str()) || spelling == BACKGROUND => {
            Some(spelling.clone())
        }
        Some(spelling) => Some(emit::event_kind(spelling)?.to_string()),
        None => None,
    };
    let filter = Filter {
        session: arguments.session.clone(),
        event,
        hook: arguments.hook.clone(),
        last: Some(arguments.last),
    };
    let mut rows = Vec::new();
    for entry in read(&state()?, filter).map_err(CliError::Trail)? {
        match entry.map_err(CliError::Trail)?.content {
            Content::Record(record) if arguments.json => printer.line(json_line(&record)),
            Content::Record(record) => rows.push(row(&record)),
            Content::Foreign(value) => printer.line(value),
            Content::Unreadable { text, problem } => {
                let text = visible(&format!("unreadable ({problem}): {text}"));
                printer.line(printer.tone(Tone::Bad, text));
            }
        }
    }
    if rows.is_empty() && !arguments.json {
        let filtered = arguments.session.is_some() || arguments.event.is_some() || arguments.hook.is_some();
        printer.line(if filtered {
            "no record matches; `tenter audit show` lists the last ones"
        } else {
            "no records"
        });
    }
    for line in columns(&rows) {
        printer.line(line);
    }
    if !arguments.json {
        super::warn_if_broken(&state()?, printer);
    }
    Ok(0)
}

/// A record on one line.
pub(crate) fn row(record: &RecordV1) -> Vec<String> {
    let time = record.timestamp.split_once('T').map_or("", |(_, time)| time.trim_end_matches('Z'));
    vec![
        format!("{:>5}", record.seq),
        time.to_owned(),
        on_one_line(&what(record)),
        on_one_line(&came_of_it(record)),
    ]
}

fn what(record: &RecordV1) -> String {
    match (&record.tool, &record.hook_event) {
        (Some(tool), _) => format!("{} {}", record.event, tool.name),
        (None, Some(event)) => format!("{} at {event}", record.event),
        (None, None) => record.event.clone(),
    }
}

fn came_of_it(record: &RecordV1) -> String {
    if CHANGES.contains(&record.event.as_str()) {
        return changed(record);
    }
    if let Some(told) = crate::commands::approvals::records::told(record) {
        return told;
    }
    if let Some(failure) = &record.failure {
        let hook = record.hook_name.as_deref().unwrap_or("?");
        let policy = failure.policy.as_deref().unwrap_or("?");
        return format!("{hook} {} → {policy}", failure.detail);
    }
    if let (Some(hook), Some(size)) = (&record.hook_name, record.injection_size) {
        return format!("{hook}: {size} bytes as {}", record.injection_role.as_deref().unwrap_or("?"));
    }
    let verdict = record.decision.as_ref().map_or("", |decision| decision.verdict.as_str());
    match (&record.problem, verdict) {
        (Some(problem), "") => return problem.clone(),
        (Some(problem), verdict) => return format!("{problem} → {verdict}"),
        (None, _) => {}
    }
    let hooks: Vec<String> = record.hooks.iter().map(hook).collect();
    if record.started_at.is_some() {
        return hooks.join(", ");
    }
    match (hooks.is_empty(), verdict) {
        (true, "abstain") => "no hook concerned".to_owned(),
        (true, verdict) => format!("→ {verdict}"),
        (false, verdict) => format!("{} → {verdict}", hooks.join(", ")),
    }
}

/// What somebody changed about which hooks are in force.
pub(crate) fn changed(record: &RecordV1) -> String {
    let project = record.project.as_deref().unwrap_or("?");
    let hook = record.hook_name.as_deref().unwrap_or("?");
    let reach = match record.reach.as_deref() {
        Some("project") => format!("in {project}"),
        Some("session") => format!("in session {}", record.session_id),
        Some(_) | None => "everywhere".to_owned(),
    };
    match record.event.as_str() {
        "trust:granted" if record.runners.is_empty() => format!("{project} is trusted"),
        "trust:granted" => format!("{project} is trusted, and runs {}", record.runners.join(", ")),
        "trust:revoked" => format!("{project} is not trusted any more"),
        "profile:chosen" => match &record.profile {
            Some(name) => format!("profile {name} is active"),
            None => "no profile is active".to_owned(),
        },
        "hook:disabled" => format!("{hook} is off {reach}"),
        _ => format!("{hook} is on again {reach}"),
    }
}

fn hook(hook: &RecordedHook) -> String {
    let name = hook.hook.split_once('/').map_or(hook.hook.as_str(), |(_, name)| name);
    let again = if hook.rejudge { " (again)" } else { "" };
    let said = match (&hook.verdict, &hook.failure, hook.background) {
        (Some(verdict), _, _) => verdict.as_str(),
        (None, Some(_), _) => "failed",
        (None, None, true) => "started in the background",
        (None, None, false) => "skipped",
    };
    let effects: String = hook.effects.iter().map(effect).collect();
    format!("{name}{again}: {said}{effects}")
}

fn effect(effect: &RecordedEffect) -> String {
    match (effect.effect.as_str(), effect.bytes, &effect.target) {
        (_, Some(bytes), _) => format!(" +{bytes} bytes"),
        (_, None, Some(target)) => format!(" +rewrite {target}"),
        (name, None, None) => format!(" +{name}"),
    }
}
