//! A replay as people and programs read it.

use serde_json::{Value, json};

use crate::commands::replay::compare::{Came, Changed, Compared, How};
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

/// An event on one line, and below it what would be different.
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
    if compared.came_to_another() {
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
        match how {
            How::Gone { then, why } => {
                vec![row("then", then), row("today", &format!("not asked: {why}"))]
            }
            How::New { today } => vec![row("then", "not asked"), row("today", today)],
            How::Undelivered => {
                vec![
                    row("then", "not asked"),
                    row("today", "asked; what it would say is known only if it is run: `--run`"),
                ]
            }
            How::Rewritten { then } => {
                vec![row("then", then), row("today", "it has changed since: run with `--run` to see")]
            }
            How::Different { then, today } => vec![row("then", then), row("today", today)],
        }
    });
    let rows: Vec<Vec<String>> = offers.chain(rows).collect();
    printer.table(&rows);
}

/// No one is asked by a replay.
fn in_future(came: &Came) -> String {
    match (came.verdict.as_str(), &came.reason) {
        ("ask", Some(prompt)) => format!("you would be asked: {prompt}"),
        ("ask", None) => "you would be asked".to_owned(),
        _ => came.words.clone(),
    }
}

pub(crate) fn end(summary: &Summary, printer: &Printer) {
    let Summary { events, different, in_part, not_run, unsure, rewritten, undelivered, problems } = summary;
    let same = events - different;
    let tone = if *different > 0 { Tone::Caution } else { Tone::Good };
    let counts = format!("{}: {same} as then, {different} different", counted(*events as u64, "event"));
    printer.line(printer.tone(tone, counts));
    if *in_part > 0 {
        printer.line(format!("{in_part} of them could be asked about in part only"));
    }
    if !not_run.is_empty() {
        let names = visible(&not_run.join(", "));
        printer.line(format!("not run, but taken at their word of then: {names}"));
    }
    if !unsure.is_empty() {
        let names = visible(&unsure.join(", "));
        printer.line(format!(
            "recorded by an older version of tenter, so whether they have changed since is not known: {names}"
        ));
    }
    if !rewritten.is_empty() {
        let names = visible(&rewritten.join(", "));
        printer.line(format!("not run, and changed since, so what they would say is not known: {names}"));
    }
    if !undelivered.is_empty() {
        let names = visible(&undelivered.join(", "));
        printer.line(format!(
            "not run where they were not asked then, so what they would say there is not known: {names}"
        ));
    }
    if !(not_run.is_empty() && rewritten.is_empty() && undelivered.is_empty()) {
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
        "summary": {
            "events": summary.events,
            "different": summary.different,
            "in_part": summary.in_part,
            "not_run": summary.not_run,
            "unsure": summary.unsure,
            "rewritten": summary.rewritten,
            "undelivered": summary.undelivered,
            "problems": summary.problems,
        },
    })
}

fn event_as_json(compared: &Compared) -> Value {
    let came = |came: &Came| json!({"verdict": came.verdict, "by": came.by, "reason": came.reason});
    let changed = |Changed { hook, how }: &Changed| match how {
        How::Gone { then, why } => json!({"hook": hook, "change": "gone", "then": then, "why": why}),
        How::New { today } => json!({"hook": hook, "change": "new", "today": today}),
        How::Undelivered => json!({"hook": hook, "change": "new", "today": null}),
        How::Rewritten { then } => {
            json!({"hook": hook, "change": "rewritten", "then": then, "today": null})
        }
        How::Different { then, today } => {
            json!({"hook": hook, "change": "different", "then": then, "today": today})
        }
    };
    let question = compared.question.as_ref();
    json!({
        "seq": compared.seq,
        "event": compared.event,
        "about": compared.about,
        "differs": compared.differs(),
        "then": came(&compared.then),
        "today": came(&compared.today),
        "question": question.map(|(then, today)| json!({"then": then.as_json(), "today": today.as_json()})),
        "hooks": compared.hooks.iter().map(changed).collect::<Vec<_>>(),
        "not_run": compared.not_run,
        "unsure": compared.unsure,
        "rewritten": compared.rewritten,
        "undelivered": compared.undelivered,
        "missing": compared.missing,
    })
}
