//! Prints the explanation of a record.

use tenter_protocol::v1::record::{RecordV1, RecordedDecision, RecordedHook};
use tenter_protocol::v1::recorded_rest::RecordedRest;

use crate::approvals;
use crate::commands::audit;
use crate::commands::explain::{Evidence, arrived};
use crate::listing::{below, columns, counted, indented, on_one_line, visible};
use crate::printer::{Printer, Tone};
use crate::trail::words::{bare, describe_decision, describe_reply, shortened};

pub(crate) fn print(evidence: &Evidence, printer: &Printer) {
    let record = &evidence.record;
    let tool = record.tool.as_ref().map(|tool| format!(" {}", tool.name)).unwrap_or_default();
    let title = visible(&format!("record {}: {}{tool}", record.seq, record.event));
    printer.line(printer.tone(Tone::Heading, title));
    let text = |name, value: &Option<String>| value.clone().map(|value| (name, value));
    let present = |name, value: &String| Some(value.clone()).filter(|it| !it.is_empty()).map(|it| (name, it));
    let mut facts = vec![("when", record.timestamp.clone())];
    facts.extend(present("agent", &record.agent).into_iter().chain(present("session", &record.session_id)));
    facts.extend(text("sub-agent", &record.agent_id));
    facts.extend(text("source", &record.source).into_iter().chain(text("prompt", &record.prompt)));
    if let Some(tool) = &record.tool {
        facts.extend(tool.original_input.as_ref().map(|input| ("asked for", input.to_string())));
        facts.push((if tool.original_input.is_some() { "became" } else { "input" }, tool.input.to_string()));
    }
    facts.extend(record.delivered_first.as_ref().map(|at| {
        let first = match evidence.first {
            Some(number) => format!("run `tenter explain {number}` to see their replies"),
            None => "the trail does not have that record".to_owned(),
        };
        ("again", format!("this call was delivered before at {at}, where its hooks were asked: {first}"))
    }));
    facts.extend(text("hook", &record.hook_name).into_iter().chain(text("at", &record.hook_event)));
    facts.extend(text("started", &record.started_at));
    facts.extend(arrived::facts(record));
    facts.extend(text("text", &record.content));
    if let Some(failure) = &record.failure {
        facts.push(("failure", format!("it {}", failure.detail)));
        facts.extend(failure.stderr_tail.as_deref().map(|tail| ("stderr", tail.trim_end().to_owned())));
        facts.extend(text("on_failure", &failure.policy));
    }
    facts.extend(text("project", &record.project).into_iter().chain(text("content", &record.content_hash)));
    facts.extend(record.runners.iter().map(|runner| ("not pinned", runner.clone())));
    facts.extend(approvals::records::facts(record));
    let changes = record.reach.is_some() || record.project.is_some() || record.event == "profile:chosen";
    if changes && record.rule.is_none() {
        facts.push(("so", audit::show::changed(record)));
    }
    facts.extend(text("problem", &record.problem));
    facts.extend(record.also.iter().flat_map(|rest| other_facts(rest)));
    if let Some(took) = record.took_ms {
        facts.push(("took", format!("{took} ms, from its arrival to this record")));
    }
    let margin = " ".repeat(facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 4);
    let rows: Vec<Vec<String>> =
        facts.into_iter().map(|(name, value)| vec![format!("  {name}"), below(&margin, &value)]).collect();
    printer.table(&rows);
    hooks(evidence, printer);
    others(evidence, printer);
    if let Some(decision) = &record.decision {
        print_decision(record, decision, printer);
    }
    for degraded in record.degraded.iter().chain(&record.notices) {
        let note = below("        ", &visible(degraded));
        printer.line(format!("{} {note}", printer.tone(Tone::Caution, "  note:")));
    }
    for problem in &record.problems {
        printer.line(printer.tone(Tone::Caution, "  a hook file had a problem at that moment:"));
        printer.line(indented(&visible(problem), "    "));
    }
    unasked(evidence, printer);
}

/// Other data that hooks received.
fn other_facts(rest: &RecordedRest) -> Vec<(&'static str, String)> {
    let texts = [
        ("of type", &rest.agent_type),
        ("status", &rest.status),
        ("reason", &rest.reason),
        ("message", &rest.message),
    ];
    let mut facts: Vec<(&str, String)> =
        texts.into_iter().filter_map(|(name, text)| Some((name, text.clone()?))).collect();
    facts.extend(rest.error.as_ref().map(|error| {
        let kind = error.kind.as_deref().map(|kind| format!("{kind}: ")).unwrap_or_default();
        ("error", format!("{kind}{}", error.message))
    }));
    facts.extend(rest.output.as_ref().map(|output| ("result", shortened(&output.to_string()))));
    facts
}

fn hooks(evidence: &Evidence, printer: &Printer) {
    let record = &evidence.record;
    if record.hooks.is_empty() {
        return;
    }
    printer.line("  hooks, in the order they were asked:");
    let row = |(number, hook): (usize, &RecordedHook)| {
        let again = if hook.rejudge { " (again, about the rewritten input)" } else { "" };
        vec![
            format!("    {}.", number + 1),
            format!("{}{again}", hook.hook),
            on_one_line(&describe_reply(hook)),
            if hook.background || hook.skipped.is_some() { String::new() } else { format!("{} ms", hook.ms) },
        ]
    };
    let lines = columns(&record.hooks.iter().enumerate().map(row).collect::<Vec<_>>());
    for (line, hook) in lines.into_iter().zip(&record.hooks) {
        printer.line(line);
        for detail in details(evidence, hook) {
            printer.line(printer.tone(Tone::Quiet, format!("       {}", on_one_line(&visible(&detail)))));
        }
    }
}

fn others(evidence: &Evidence, printer: &Printer) {
    let rows: Vec<Vec<String>> = arrived::of_others(evidence)
        .into_iter()
        .map(|(hook, text)| vec![format!("    {hook}"), on_one_line(&text)])
        .collect();
    if !rows.is_empty() {
        printer.line("  also injected, from before this event:");
    }
    printer.table(&rows);
}

fn details(evidence: &Evidence, hook: &RecordedHook) -> Vec<String> {
    let mut details = Vec::new();
    if hook.cache.is_some() {
        details.push("not run: its reply came from the cache".to_owned());
    }
    if hook.bytes > 0 {
        details.push(format!("it wrote {}", counted(hook.bytes, "byte")));
    }
    if let Some(code) = hook.exit_code.filter(|code| *code != 0 && hook.failure.is_none()) {
        details.push(format!("it exited with code {code}"));
    }
    for (seq, failure) in evidence.failures(hook) {
        let policy = match failure.policy.as_deref() {
            Some("deny") => "its `on_failure` denies",
            _ => "its `on_failure` lets the agent continue",
        };
        details.push(format!("{policy} (record {seq})"));
        details.extend(failure.stderr_tail.as_deref().map(|tail| format!("stderr: {}", tail.trim_end())));
    }
    for (seq, approval) in evidence.questions(hook) {
        details.push(format!("{} (record {seq})", approvals::records::step(approval)));
    }
    for (_, injection) in evidence.injections(hook) {
        details.push(format!("into the context, {}", arrived::in_words(injection)));
    }
    for (seq, at, ended) in evidence.ends_in_background(hook) {
        details.push(format!("it ended at {at} (record {seq}): {}", describe_reply(ended)));
    }
    details.extend(hook.notices.iter().cloned());
    details
}

fn unasked(evidence: &Evidence, printer: &Printer) {
    if evidence.unasked.is_empty() {
        return;
    }
    printer.line("  hooks of today that were not asked:");
    let rows: Vec<Vec<String>> =
        evidence.unasked.iter().map(|it| vec![format!("    {}", it.hook), on_one_line(&it.why)]).collect();
    printer.table(&rows);
    for file in &evidence.changed_since {
        let text = visible(&format!("    {file} has changed since this event"));
        printer.line(printer.tone(Tone::Caution, text));
    }
}

fn print_decision(record: &RecordV1, decision: &RecordedDecision, printer: &Printer) {
    let (tone, text) = describe_decision(record, decision);
    printer.line(format!("  so: {}", printer.tone(tone, below("      ", &visible(&text)))));
    if let Some(answer) = approvals::records::answer(decision) {
        printer.line(format!("      {}", below("      ", &visible(answer))));
    }
    for why in because(record, decision) {
        printer.line(printer.tone(Tone::Quiet, format!("      {}", visible(&why))));
    }
}

/// The rule behind the decision, if the hooks' reasons do not say it.
fn because(record: &RecordV1, decision: &RecordedDecision) -> Vec<String> {
    let names =
        |hooks: Vec<&str>| hooks.iter().map(|hook| format!("`{hook}`")).collect::<Vec<_>>().join(", ");
    let decider =
        decision.by.as_deref().and_then(|by| record.hooks.iter().find(|hook| bare(&hook.hook) == by));
    let overruled = |verdict: &str| {
        let of = record.hooks.iter().filter(|hook| hook.verdict.as_deref() == Some(verdict));
        of.map(|hook| bare(&hook.hook)).collect::<Vec<&str>>()
    };
    let mut why = Vec::new();
    match decision.verdict.as_str() {
        "deny" => {
            why.extend(decider.filter(|hook| hook.failure.is_some()).map(|hook| {
                format!("`{}` could not judge it, and its `on_failure` denies", bare(&hook.hook))
            }));
            for (verdict, what) in [("ask", "asked"), ("allow", "allowed")] {
                let others = overruled(verdict);
                if others.is_empty() {
                    continue;
                }
                why.push(match (verdict, &decision.answer) {
                    // The deny is the answer to the question.
                    ("ask", Some(_)) => {
                        format!("{} asked, and this is the answer", names(others))
                    }
                    _ => format!("{} {what}, and a deny outweighs that", names(others)),
                });
            }
        }
        "ask" if !decision.asked_by.is_empty() => {
            let asked_by = decision.asked_by.iter().map(String::as_str).collect();
            why.push(format!("asked by {}", names(asked_by)));
            let others = overruled("allow");
            if !others.is_empty() {
                why.push(format!("{} allowed, and a question outweighs that", names(others)));
            }
        }
        "abstain" => {
            let failed = record.hooks.iter().filter(|hook| hook.failure.is_some());
            let failed: Vec<&str> = failed.map(|hook| bare(&hook.hook)).collect();
            if !failed.is_empty() {
                why.push(format!("{} failed, and `on_failure` lets the agent continue", names(failed)));
            }
            let allowed = overruled("allow");
            if !allowed.is_empty() {
                why.push(format!(
                    "{} allowed, which lifts no check of the agent's own without `may_allow`",
                    names(allowed)
                ));
            }
        }
        _ => {}
    }
    why
}
