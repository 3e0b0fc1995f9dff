//! `tenter explain SEQ`: why an event came out as it did, hook by hook.

use tenter_protocol::v1::record::{RecordV1, RecordedEffect, RecordedHook};
use tenter_store::audit::read::read_one;

use super::{Ended, json_line, state};
use crate::arguments::ExplainArguments;
use crate::error::CliError;
use crate::listing::{below, columns, indented, on_one_line, visible};
use crate::printer::{Printer, Tone};

/// Tells the story of a record.
pub(crate) fn run(arguments: &ExplainArguments, printer: &Printer) -> Ended {
    let record = read_one(&state()?, arguments.seq)
        .map_err(CliError::Trail)?
        .ok_or(CliError::NoSuchRecord { seq: arguments.seq })?;
    if arguments.json {
        printer.line(json_line(&record));
    } else {
        tell(&record, printer);
        super::audit::warn_if_broken(&state()?, printer);
    }
    Ok(0)
}

/// The story in words.
pub(crate) fn tell(record: &RecordV1, printer: &Printer) {
    let tool = record.tool.as_ref().map(|tool| format!(" {}", tool.name)).unwrap_or_default();
    let title = visible(&format!("record {}: {}{tool}", record.seq, record.event));
    printer.line(printer.tone(Tone::Heading, title));
    let mut facts = vec![("when", record.timestamp.clone())];
    facts.extend(Some(record.agent.clone()).filter(|agent| !agent.is_empty()).map(|agent| ("agent", agent)));
    facts.extend(Some(record.session_id.clone()).filter(|id| !id.is_empty()).map(|id| ("session", id)));
    facts.extend(record.agent_id.clone().map(|id| ("sub-agent", id)));
    facts.extend(record.source.clone().map(|source| ("source", source)));
    facts.extend(record.prompt.clone().map(|prompt| ("prompt", prompt)));
    if let Some(tool) = &record.tool {
        facts.extend(tool.original_input.as_ref().map(|input| ("asked for", input.to_string())));
        facts.push((if tool.original_input.is_some() { "became" } else { "input" }, tool.input.to_string()));
    }
    facts.extend(record.delivered_first.clone().map(|at| {
        ("again", format!("this call had come by another route at {at}; its hooks were asked there"))
    }));
    facts.extend(record.hook_name.clone().map(|hook| ("hook", hook)));
    facts.extend(record.hook_event.clone().map(|event| ("at", event)));
    facts.extend(record.started_at.clone().map(|at| ("started", at)));
    facts.extend(record.content.clone().map(|text| ("text", text)));
    if let Some(failure) = &record.failure {
        facts.push(("failure", format!("it {}", failure.detail)));
        facts.extend(failure.stderr_tail.as_deref().map(|tail| ("stderr", tail.trim_end().to_owned())));
        facts.extend(failure.policy.clone().map(|policy| ("on_failure", policy)));
    }
    facts.extend(record.project.clone().map(|project| ("project", project)));
    facts.extend(record.content_hash.clone().map(|hash| ("content", hash)));
    facts.extend(record.runners.iter().map(|runner| ("not pinned", runner.clone())));
    facts.extend(super::approvals::records::facts(record));
    let changes = record.reach.is_some() || record.project.is_some() || record.event == "profile:chosen";
    if changes && record.rule.is_none() {
        facts.push(("so", super::audit::show::changed(record)));
    }
    facts.extend(record.problem.clone().map(|problem| ("problem", problem)));
    let margin = " ".repeat(facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 4);
    let rows: Vec<Vec<String>> =
        facts.into_iter().map(|(name, value)| vec![format!("  {name}"), below(&margin, &value)]).collect();
    for line in columns(&rows) {
        printer.line(line);
    }
    hooks(record, printer);
    decision(record, printer);
    for unfit in &record.unfit {
        let note = below("        ", &visible(unfit));
        printer.line(format!("{} {note}", printer.tone(Tone::Caution, "  note:")));
    }
    for problem in &record.problems {
        printer.line(printer.tone(Tone::Caution, "  a hook file had a problem at that moment:"));
        printer.line(indented(&visible(problem), "    "));
    }
}

fn hooks(record: &RecordV1, printer: &Printer) {
    if record.hooks.is_empty() {
        return;
    }
    printer.line("  hooks, in the order they were asked:");
    let row = |(number, hook): (usize, &RecordedHook)| {
        let again = if hook.rejudge { " (again, about the rewritten input)" } else { "" };
        vec![
            format!("    {}.", number + 1),
            format!("{}{again}", hook.hook),
            on_one_line(&said(hook)),
            format!("{} ms", hook.ms),
        ]
    };
    for line in columns(&record.hooks.iter().enumerate().map(row).collect::<Vec<_>>()) {
        printer.line(line);
    }
    for notice in record.hooks.iter().flat_map(|hook| hook.notices.iter().map(move |text| (hook, text))) {
        printer.line(on_one_line(&visible(&format!("       {}: {}", notice.0.hook, notice.1))));
    }
}

pub(crate) fn said(hook: &RecordedHook) -> String {
    if let Some(failure) = &hook.failure {
        return format!("it {}", failure.detail);
    }
    if let Some(why) = &hook.skipped {
        return format!("skipped: {why}");
    }
    if hook.background {
        return "started; it goes on in the background".to_owned();
    }
    let verdict = hook.verdict.clone().unwrap_or_default();
    let verdict = match &hook.reason {
        Some(reason) => format!("{verdict}: {reason}"),
        None => verdict,
    };
    std::iter::once(verdict).chain(hook.effects.iter().map(in_words)).collect::<Vec<_>>().join("; ")
}

fn in_words(effect: &RecordedEffect) -> String {
    match effect.effect.as_str() {
        "inject" => format!("injects {} bytes", effect.bytes.unwrap_or_default()),
        "rewrite" => {
            let change = effect.change.as_ref().map(|change| format!(": {change}")).unwrap_or_default();
            format!("rewrites {}{change}", effect.target.as_deref().unwrap_or("?"))
        }
        "tell" => format!("tells the user \"{}\"", effect.text.as_deref().unwrap_or("")),
        other => other.replace('_', " "),
    }
}

fn decision(record: &RecordV1, printer: &Printer) {
    let Some(decision) = &record.decision else { return };
    let by = decision.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let reason = decision.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let (tone, text) = match decision.verdict.as_str() {
        "deny" => (Tone::Bad, format!("denied{by}{reason}")),
        "ask" => (Tone::Caution, format!("the user was asked{reason}")),
        "allow" => (Tone::Good, format!("allowed{by}{reason}")),
        _ if record.problem.is_some() => (
            Tone::Caution,
            "nobody could judge it, and no hook denies on failure: the agent went on".to_owned(),
        ),
        _ => (Tone::Good, "nobody objected".to_owned()),
    };
    printer.line(format!("  so: {}", printer.tone(tone, below("      ", &visible(&text)))));
    if let Some(answer) = &decision.answer {
        printer.line(format!("      {}", below("      ", &visible(answer))));
    }
}
