//! `tenter hooks stats`: statistics of each hook from the audit trail.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tenter_contract::{InjectionStatus, SessionId, Timestamp};
use tenter_protocol::v1::record::{RecordV1, RecordedHook};
use tenter_store::audit::read::Filter;
use tenter_store::sessions::ledger::{Ledger, LedgerLine};

use crate::arguments::StatsArguments;
use crate::error::{CliError, CommandResult};
use crate::listing::{columns, counted};
use crate::places::state;
use crate::printer::{Printer, Tone};
use crate::trail;
use crate::trail::words::bare;

const HEADING: [&str; 12] = [
    "HOOK", "RUNS", "P50", "P95", "MAX", "CACHED", "USEFUL", "DENIES", "ASKS", "INJECTED", "SKIPPED",
    "FAILED",
];

pub(crate) fn run(arguments: &StatsArguments, printer: &Printer) -> CommandResult {
    let mut counts = count(arguments)?;
    if counts.is_empty() {
        arguments.session.as_deref().map_or(Ok(()), trail::sessions::known)?;
    }
    if arguments.json {
        let hooks: Vec<Value> = counts.iter_mut().map(|(hook, counts)| counts.as_json(hook)).collect();
        return printer.json(&json!({ "hooks": hooks }));
    }
    if counts.is_empty() {
        let limited = arguments.session.is_some() || arguments.since.is_some() || arguments.last.is_some();
        printer.line(if limited {
            "no hook was asked there; run `tenter hooks stats` to count the whole audit trail"
        } else {
            "no hook is in the audit trail yet"
        });
        return Ok(0);
    }
    let rows = counts.iter_mut().map(|(hook, counts)| counts.row(hook));
    let rows: Vec<Vec<String>> = std::iter::once(HEADING.map(str::to_owned).to_vec()).chain(rows).collect();
    for (number, line) in columns(&rows).iter().enumerate() {
        printer.line(if number == 0 { printer.tone(Tone::Heading, line) } else { line.clone() });
    }
    trail::warn_if_broken(&state()?, printer);
    Ok(0)
}

fn count(arguments: &StatsArguments) -> Result<BTreeMap<String, Counts>, CliError> {
    let filter = Filter {
        session: arguments.session.clone(),
        since: arguments.since,
        last: arguments.last,
        ..Filter::default()
    };
    let mut tally = Tally::default();
    let mut sessions = BTreeSet::new();
    let mut first = None;
    for record in trail::records(filter)? {
        let record = record?;
        tally.add(&record);
        if !record.hooks.is_empty() {
            first = first.or_else(|| Timestamp::parse(&record.timestamp));
            sessions.insert(record.session_id);
        }
    }
    let Tally { mut counts, .. } = tally;
    for session in &sessions {
        for line in injected(session)? {
            // The ledger has times, but no record numbers.
            if Timestamp::parse(&line.timestamp) >= first
                && let Some(counts) = counts.get_mut(&line.hook)
            {
                counts.enter(&line);
            }
        }
    }
    Ok(counts)
}

fn injected(session: &str) -> Result<Vec<LedgerLine>, CliError> {
    let Some(session) = SessionId::parse(session) else { return Ok(Vec::new()) };
    Ok(Ledger::read(&state()?, &session).map(|ledger| ledger.lines).unwrap_or_default())
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, Counts>,
    /// Replies with texts that may still reach the agent, by session and hook name.
    texts: BTreeMap<(String, String), Vec<Texts>>,
}

struct Texts {
    hook: String,
    at: String,
    left: usize,
    /// Whether the reply made a difference without them.
    useful: bool,
}

impl Tally {
    fn add(&mut self, record: &RecordV1) {
        for hook in &record.hooks {
            let counts = self.counts.entry(hook.hook.clone()).or_default();
            counts.add(hook);
            let left = texts(hook);
            if left > 0 {
                let texts = Texts {
                    hook: hook.hook.clone(),
                    at: record.timestamp.clone(),
                    left,
                    useful: made_a_difference(hook),
                };
                self.pending(record, bare(&hook.hook)).push(texts);
            }
        }
        let shown = record.injection.as_ref().is_some_and(|it| it.status == InjectionStatus::Shown.as_str());
        if let (Some(name), Some(size), false) = (&record.hook_name, record.injection_size, shown) {
            self.arrive(record, name, size);
        }
    }

    /// Counts a text that reached the agent, at its own event or a later one. It counts only if its reply is counted.
    fn arrive(&mut self, record: &RecordV1, name: &str, size: u64) {
        let waiting = self.pending(record, name);
        let of_this_event = waiting.iter().rposition(|texts| texts.at == record.timestamp && texts.left > 0);
        let Some(place) = of_this_event.or(waiting.len().checked_sub(1)) else { return };
        let texts = &mut waiting[place];
        texts.left -= 1;
        let first = !std::mem::replace(&mut texts.useful, true);
        let hook = texts.hook.clone();
        waiting.retain(|texts| texts.left > 0);
        let counts = self.counts.entry(hook).or_default();
        counts.useful += usize::from(first);
        counts.injections += 1;
        counts.injected_bytes += size;
    }

    /// Records of texts have the hook's name without its layer.
    fn pending(&mut self, record: &RecordV1, name: &str) -> &mut Vec<Texts> {
        self.texts.entry((record.session_id.clone(), name.to_owned())).or_default()
    }
}

/// The number of texts that a hook wants to inject. A second run about a rewritten input has no texts of its own.
fn texts(hook: &RecordedHook) -> usize {
    let texts = hook.effects.iter().filter(|effect| effect.effect == "inject");
    if hook.rejudge { 0 } else { texts.count() }
}

/// Whether a reply has a verdict or an effect other than texts.
fn made_a_difference(hook: &RecordedHook) -> bool {
    hook.verdict.as_deref().is_some_and(|verdict| verdict != "abstain")
        || hook.effects.iter().any(|effect| effect.effect != "inject")
}

#[derive(Default)]
struct Counts {
    /// Milliseconds of each run, including failed ones.
    took: Vec<f64>,
    cached: usize,
    /// Replies with a verdict, an effect, or a text that arrived.
    useful: usize,
    denies: usize,
    asks: usize,
    texts: usize,
    injections: usize,
    injected_bytes: u64,
    /// Texts that were already in the context.
    repeated: usize,
    /// Texts above the size limit.
    rejected: usize,
    over_budget: usize,
    /// Texts at a denied prompt, which the user read instead of the model.
    shown: usize,
    skipped: usize,
    failures: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, hook: &RecordedHook) {
        // Another record has its end.
        if hook.background {
            return;
        }
        if hook.skipped.is_some() {
            self.skipped += 1;
            return;
        }
        if hook.cache.is_some() {
            self.cached += 1;
        } else {
            self.took.push(hook.ms);
        }
        match hook.verdict.as_deref() {
            Some("deny") => self.denies += 1,
            Some("ask") => self.asks += 1,
            Some(_) | None => {}
        }
        self.useful += usize::from(made_a_difference(hook));
        self.texts += texts(hook);
        if let Some(failure) = &hook.failure {
            *self.failures.entry(failure.class.clone()).or_default() += 1;
        }
    }

    fn enter(&mut self, line: &LedgerLine) {
        let status = InjectionStatus::ALL.into_iter().find(|status| status.as_str() == line.status);
        match status {
            Some(InjectionStatus::Line | InjectionStatus::LeftOut) => self.repeated += 1,
            Some(InjectionStatus::Rejected) => self.rejected += 1,
            Some(InjectionStatus::OverBudget) => self.over_budget += 1,
            Some(InjectionStatus::Shown) => self.shown += 1,
            _ => {}
        }
    }

    fn row(&mut self, hook: &str) -> Vec<String> {
        let time = |ms: Option<f64>| ms.map_or("–".to_owned(), |ms| format!("{ms:.1} ms"));
        let [half, most, longest] = [50, 95, 100].map(|share| percentile(&mut self.took, share));
        let failures: Vec<String> =
            self.failures.iter().map(|(class, count)| format!("{count} {class}")).collect();
        let others = [
            (self.repeated, "repeated"),
            (self.rejected, "rejected"),
            (self.over_budget, "over budget"),
            (self.shown, "shown to the user"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: Vec<String> = others.map(|(count, what)| format!(", {count} {what}")).collect();
        let others = others.concat();
        let injected = match (self.injections, self.texts) {
            (0, 0) => "0".to_owned(),
            (count, texts) => {
                let of = if count < texts { format!(" of {texts}") } else { String::new() };
                format!("{count}{of} ({}{others})", counted(self.injected_bytes, "byte"))
            }
        };
        let useful = match self.took.len() + self.cached {
            0 => "–".to_owned(),
            answers => format!("{} of {answers}", self.useful),
        };
        vec![
            hook.to_owned(),
            self.took.len().to_string(),
            time(half),
            time(most),
            time(longest),
            self.cached.to_string(),
            useful,
            self.denies.to_string(),
            self.asks.to_string(),
            injected,
            self.skipped.to_string(),
            if failures.is_empty() { "0".to_owned() } else { failures.join(", ") },
        ]
    }

    fn as_json(&mut self, hook: &str) -> Value {
        let [half, most, longest] = [50, 95, 100].map(|share| percentile(&mut self.took, share));
        json!({
            "hook": hook,
            "runs": self.took.len(),
            "p50_ms": half,
            "p95_ms": most,
            "max_ms": longest,
            "cached": self.cached,
            "useful": self.useful,
            "denies": self.denies,
            "asks": self.asks,
            "injections": self.injections,
            "injected_bytes": self.injected_bytes,
            "not_injected": self.texts.saturating_sub(self.injections),
            "repeated": self.repeated,
            "rejected": self.rejected,
            "over_budget": self.over_budget,
            "shown_to_user": self.shown,
            "skipped": self.skipped,
            "failures": self.failures,
        })
    }
}

/// A percentile, always one of the values.
fn percentile(values: &mut [f64], of_hundred: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * of_hundred).div_ceil(100);
    values.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_is_a_measured_value() {
        let mut hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut hundred, 50), Some(50.0));
        assert_eq!(percentile(&mut hundred, 95), Some(95.0));
        assert_eq!(percentile(&mut [7.0], 95), Some(7.0));
        assert_eq!(percentile(&mut [], 95), None);
    }
}
