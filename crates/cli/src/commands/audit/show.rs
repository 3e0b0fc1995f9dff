//! `tenter audit show`: prints one line for each record.

use std::thread::sleep;
use std::time::Duration;

use tenter_protocol::v1::record::{RecordV1, RecordedEffect, RecordedHook};
use tenter_store::ApprovalFolder;
use tenter_store::audit::follow::Follower;
use tenter_store::audit::read::{Content, Filter, read};

use crate::approvals;
use crate::arguments::AuditShowArguments;
use crate::error::{CliError, CommandResult};
use crate::listing::{counted, on_one_line, visible};
use crate::places::state;
use crate::printer::{Printer, Tone, json_line};
use crate::trail::deliveries::FirstDeliveries;

const LOOK_AGAIN: Duration = Duration::from_millis(200);

pub(crate) fn run(arguments: &AuditShowArguments, printer: &Printer) -> CommandResult {
    let state = state()?;
    let filter = crate::trail::filter(&arguments.records)?;
    if filter.asked {
        // Questions of ended processes are recorded first, as in `tenter approvals list`.
        approvals::withdraw_orphans(&ApprovalFolder::new(&state))?;
    }
    // Opened before the listing, so that no record is missed.
    let follower = arguments.follow.then(|| Follower::at_end(&state)).transpose()?;
    let mut listing = Listing { json: arguments.json, printer, day: None, shown: 0, width: 0 };
    let entries = read(&state, Filter { last: Some(arguments.last), ..filter.clone() });
    let mut contents = Vec::new();
    for entry in entries? {
        contents.push(entry?.content);
    }
    // With `--follow`, the session may begin later.
    if contents.is_empty() && follower.is_none() {
        arguments.records.session.as_deref().map_or(Ok(()), crate::trail::sessions::known)?;
    }
    listing.show(&contents)?;
    match follower {
        Some(follower) => follow(follower, &filter, &mut listing, &contents)?,
        None if arguments.json => {}
        None if contents.is_empty() && filter.verdict.as_deref() == Some("ask") => {
            printer.line(
                "no record matches; `ask` is a question that was left to the agent's own prompt, `tenter audit show --asked` has every question",
            );
        }
        None if contents.is_empty() && !filter.is_empty() => {
            printer.line("no record matches; `tenter audit show` lists the last ones");
        }
        None if contents.is_empty() => printer.line("no records"),
        None => crate::trail::warn_if_broken(&state, printer),
    }
    Ok(0)
}

/// Prints new records until the output is closed.
fn follow(
    mut follower: Follower,
    filter: &Filter,
    listing: &mut Listing<'_>,
    shown: &[Content],
) -> Result<(), CliError> {
    let number = |content: &Content| match content {
        Content::Record(record) => record.seq,
        Content::Foreign(_) | Content::Unreadable { .. } => 0,
    };
    let last = shown.iter().map(number).max().unwrap_or(0);
    while !listing.printer.is_over() {
        let mut more = follower.more()?;
        more.retain(|content| filter.matches(content));
        // The listing may have some of them.
        more.retain(|content| number(content) == 0 || number(content) > last);
        listing.show(&more)?;
        sleep(LOOK_AGAIN);
    }
    Ok(())
}

struct Listing<'p> {
    json: bool,
    printer: &'p Printer,
    day: Option<String>,
    shown: usize,
    width: usize,
}

impl Listing<'_> {
    fn show(&mut self, contents: &[Content]) -> Result<(), CliError> {
        let mut firsts = FirstDeliveries::default();
        if !self.json {
            let records = || {
                contents.iter().filter_map(|content| match content {
                    Content::Record(record) => Some(&**record),
                    Content::Foreign(_) | Content::Unreadable { .. } => None,
                })
            };
            let widths = records().map(|record| on_one_line(&what(record)).chars().count());
            self.width = self.width.max(widths.max().unwrap_or(0));
            firsts = FirstDeliveries::find(records())?;
        }
        for content in contents {
            match content {
                Content::Record(record) if self.json => self.printer.line(json_line(record)),
                Content::Record(record) => self.show_row(record, &firsts),
                Content::Foreign(value) => self.printer.line(value),
                Content::Unreadable { text, problem } => {
                    let text = visible(&format!("unreadable ({problem}): {text}"));
                    self.printer.line(self.printer.tone(Tone::Bad, text));
                }
            }
        }
        Ok(())
    }

    /// Prints the date between records of different days.
    fn show_row(&mut self, record: &RecordV1, firsts: &FirstDeliveries) {
        let day = record.timestamp.split_once('T').map(|(day, _)| day.to_owned());
        if self.shown > 0 && day != self.day {
            let text = format!("       {}", day.as_deref().unwrap_or("?"));
            self.printer.line(self.printer.tone(Tone::Quiet, visible(&text)));
        }
        (self.day, self.shown) = (day, self.shown + 1);
        let mut row = row(record, firsts);
        if let Some(what) = row.get_mut(2) {
            let missing = self.width.saturating_sub(what.chars().count());
            what.push_str(&" ".repeat(missing));
        }
        self.printer.table(&[row]);
    }
}

pub(crate) fn row(record: &RecordV1, firsts: &FirstDeliveries) -> Vec<String> {
    let time = record.timestamp.split_once('T').map_or("", |(_, time)| time.trim_end_matches('Z'));
    vec![
        format!("{:>5}", record.seq),
        time.to_owned(),
        on_one_line(&what(record)),
        on_one_line(&result(record, firsts)),
    ]
}

fn what(record: &RecordV1) -> String {
    match (&record.tool, &record.hook_event) {
        (Some(tool), _) => format!("{} {}", record.event, tool.name),
        (None, Some(event)) => format!("{} at {event}", record.event),
        (None, None) => record.event.clone(),
    }
}

fn result(record: &RecordV1, firsts: &FirstDeliveries) -> String {
    let is_hook_change =
        ["hook:disabled", "hook:enabled", "hook:file_accepted"].contains(&record.event.as_str());
    if is_hook_change || record.event.starts_with("trust:") || record.event == "profile:chosen" {
        return changed(record);
    }
    if let Some(summary) = crate::approvals::records::summary(record) {
        return summary;
    }
    if let Some(failure) = &record.failure {
        let hook = record.hook_name.as_deref().unwrap_or("?");
        let policy = failure.policy.as_deref().unwrap_or("?");
        return format!("{hook} {} → {policy}", failure.detail);
    }
    if let (Some(hook), Some(size)) = (&record.hook_name, record.injection_size) {
        let role = record.injection_role.as_deref().unwrap_or("?");
        // The event's row has the size of the hook's text, this one the size that arrived.
        let status =
            record.injection.as_ref().map(|it| it.status.as_str()).filter(|status| *status != "delivered");
        let status = status.map(|status| format!(", {status}")).unwrap_or_default();
        return format!("{hook}: {} as {role}{status}", counted(size, "byte"));
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
    let answer = record.decision.as_ref().and_then(|decision| decision.answer.as_ref());
    let answer = answer.map(|answer| format!(" ({answer})")).unwrap_or_default();
    match (firsts.in_words(record), hooks.is_empty(), verdict) {
        (Some(again), _, verdict) => format!("{again} → {verdict}{answer}"),
        (None, true, "abstain") => "no hook concerned".to_owned(),
        (None, true, verdict) => format!("→ {verdict}{answer}"),
        (None, false, verdict) => format!("{} → {verdict}{answer}", hooks.join(", ")),
    }
}

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
        "hook:file_accepted" => {
            format!("the change of {} is accepted", record.reach.as_deref().unwrap_or("?"))
        }
        _ => format!("{hook} is on again {reach}"),
    }
}

fn hook(hook: &RecordedHook) -> String {
    let name = hook.hook.split_once('/').map_or(hook.hook.as_str(), |(_, name)| name);
    let again = if hook.rejudge { " (again)" } else { "" };
    let reply = match (&hook.verdict, &hook.failure, hook.background) {
        (Some(verdict), _, _) => verdict.as_str(),
        (None, Some(_), _) => "failed",
        (None, None, true) => "started in the background",
        (None, None, false) => "skipped",
    };
    let effects: String = hook.effects.iter().map(effect).collect();
    format!("{name}{again}: {reply}{effects}")
}

fn effect(effect: &RecordedEffect) -> String {
    match (effect.effect.as_str(), effect.bytes, &effect.target) {
        (_, Some(bytes), _) => {
            let status = effect.status.as_ref().map(|status| format!(" ({status})")).unwrap_or_default();
            format!(" +{}{status}", counted(bytes, "byte"))
        }
        (_, None, Some(target)) => format!(" +rewrite {target}"),
        (name, None, None) => format!(" +{name}"),
    }
}
