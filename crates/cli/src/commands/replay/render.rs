//! Prints a replay, as text or JSON.

use serde_json::{Value, json};

use crate::commands::replay::compare::{Changed, Compared, EventResult, How};
use crate::commands::replay::{Chosen, Summary};
use crate::hooks;
use crate::listing::{counted, on_one_line, visible};
use crate::printer::{Printer, Tone};

pub(crate) fn begin(chosen: &Chosen, run: bool, printer: &Printer) {
    let what = match (&chosen.session, chosen.events.first()) {
        (Some(session), _) => format!("the events of session {session}"),
        (None, Some(event)) => format!("record {}", event.record.seq),
        (None, None) => "nothing".to_owned(),
    };
    printer.line(printer.tone(Tone::Heading, visible(&format!("{what}, asked of today's hooks"))));
    if run {
        let text = "hooks are run again, with their side effects";
        printer.line(printer.tone(Tone::Caution, text));
    }
}

/// Prints an event on one line, and its differences below.
pub(crate) fn print(compared: &Compared, printer: &Printer) {
    let (tone, word) =
        if compared.differs() { (Tone::Caution, "different") } else { (Tone::Good, "as then") };
    let what = on_one_line(&visible(&format!("{} {}", compared.event, compared.about)));
    printer.line(format!(
        "{:>5}  {:<9}  {}",
        compared.seq,
        printer.tone(tone, format!("{word:<9}")),
        what.trim_end()
    ));
    if compared.differs() {
        differences(compared, printer);
    }
    for missing in &compared.missing {
        printer.line(printer.tone(Tone::Quiet, format!("       in part: {missing}")));
    }
}

fn differences(compared: &Compared, printer: &Printer) {
    let line = |text: String| printer.line(on_one_line(&visible(&text)));
    if compared.result_differs() {
        line(format!("       then   {}", compared.then.words));
        line(format!("       today  {}", in_future(&compared.today)));
    }
    let offers = compared.question.iter().flat_map(|(then, today)| {
        let row = |what: &str, word: &str, text: String| {
            vec![format!("       {what}"), word.to_owned(), on_one_line(&text)]
        };
        [row("the question", "then", then.in_words()), row("", "today", today.in_words())]
    });
    let rows = compared.hooks.iter().flat_map(|Changed { hook, how }| {
        let row = |word: &str, text: &str| {
            let hook = if word == "then" { hook.as_str() } else { "" };
            vec![format!("       {hook}"), word.to_owned(), on_one_line(text)]
        };
        let (then, today) = match how {
            How::Gone { then, why } => (then.as_str(), format!("not asked: {why}")),
            How::New { today: Some(today) } => ("not asked", today.clone()),
            How::New { today: None } => {
                ("not asked", "asked; only a run (`--run`) shows its reply".to_owned())
            }
            How::Rewritten { then, .. } => {
                (then.as_str(), "it has changed since: run with `--run` to see".to_owned())
            }
            How::Different { then, today } => (then.as_str(), today.clone()),
        };
        [row("then", then), row("today", &today)]
    });
    let rows: Vec<Vec<String>> = offers.chain(rows).collect();
    printer.table(&rows);
}

/// A replay asks no question.
fn in_future(result: &EventResult) -> String {
    match (result.verdict.as_str(), &result.reason) {
        ("ask", Some(prompt)) => format!("you would be asked: {prompt}"),
        ("ask", None) => "you would be asked".to_owned(),
        _ => result.words.clone(),
    }
}

pub(crate) fn end(summary: &Summary, printer: &Printer) {
    let Summary { events, different, in_part, not_run, unsure, rewritten, unknown, problems } = summary;
    let same = events - different;
    let tone = if *different > 0 { Tone::Caution } else { Tone::Good };
    let counts = format!("{}: {same} as then, {different} different", counted(*events as u64, "event"));
    printer.line(printer.tone(tone, counts));
    if *in_part > 0 {
        printer.line(format!("{in_part} of them could be asked about in part only"));
    }
    for (what, hooks) in [
        ("not run; their recorded replies were used", not_run),
        ("recorded by an older version of tenter, so they may have changed", unsure),
        ("not run and changed since, so their replies are not known", rewritten),
        ("not run and not asked then, so their replies are not known", unknown),
    ] {
        if !hooks.is_empty() {
            printer.line(format!("{what}: {}", visible(&hooks.join(", "))));
        }
    }
    if !(not_run.is_empty() && rewritten.is_empty() && unknown.is_empty()) {
        printer.line("`--run` runs them again, with their side effects");
    }
    if !problems.is_empty() {
        printer.line(printer.tone(Tone::Bad, hooks::PROBLEM));
    }
}

pub(crate) fn as_json(all: &[Compared], summary: &Summary, run: bool) -> Value {
    json!({
        "ran_for_real": run,
        "events": all.iter().map(event_as_json).collect::<Vec<_>>(),
        "summary": summary,
    })
}

fn event_as_json(compared: &Compared) -> Value {
    let question = compared.question.as_ref();
    json!({
        "seq": compared.seq,
        "event": compared.event,
        "about": compared.about,
        "differs": compared.differs(),
        "then": compared.then,
        "today": compared.today,
        "question": question.map(|(then, today)| json!({"then": then.as_json(), "today": today.as_json()})),
        "hooks": compared.hooks,
        "not_run": compared.not_run,
        "unsure": compared.unsure,
        "rewritten": compared.rewritten,
        "unknown": compared.unknown,
        "missing": compared.missing,
    })
}
