//! `tenter hooks stats`: what each hook did, counted from the audit trail.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tenter_contract::{Fate, SessionId, Timestamp};
use tenter_protocol::v1::record::RecordedHook;
use tenter_store::audit::read::Filter;
use tenter_store::sessions::ledger::{Ledger, LedgerLine};

use crate::arguments::StatsArguments;
use crate::commands::{Ended, audit, json_line, state};
use crate::error::CliError;
use crate::listing::columns;
use crate::printer::{Printer, Tone};

const HEADING: [&str; 12] = [
    "HOOK", "RUNS", "P50", "P95", "MAX", "CACHED", "USEFUL", "DENIES", "ASKS", "INJECTED", "SKIPPED",
    "FAILED",
];

/// Counts and shows.
pub(crate) fn run(arguments: &StatsArguments, printer: &Printer) -> Ended {
    let mut counts = count(arguments)?;
    if arguments.json {
        let hooks: Vec<Value> = counts.iter_mut().map(|(hook, counts)| counts.as_json(hook)).collect();
        printer.line(json_line(&json!({ "hooks": hooks })));
        return Ok(0);
    }
    if counts.is_empty() {
        let limited = arguments.session.is_some() || arguments.since.is_some() || arguments.last.is_some();
        printer.line(if limited {
            "no hook was asked there; `tenter hooks stats` counts the whole audit trail"
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
    audit::warn_if_broken(&state()?, printer);
    Ok(0)
}

/// What each hook did, by its address.
fn count(arguments: &StatsArguments) -> Result<BTreeMap<String, Counts>, CliError> {
    let filter = Filter {
        session: arguments.session.clone(),
        since: arguments.since,
        last: arguments.last,
        ..Filter::default()
    };
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut sessions = BTreeSet::new();
    let mut first = None;
    for record in audit::records(filter)? {
        let record = record?;
        for hook in &record.hooks {
            counts.entry(hook.hook.clone()).or_default().add(hook);
        }
        if !record.hooks.is_empty() {
            first = first.or_else(|| Timestamp::parse(&record.timestamp));
            sessions.insert(record.session_id);
        }
    }
    for session in &sessions {
        for line in injected(session)? {
            // The ledger has no numbers of records, but it has the time.
            if Timestamp::parse(&line.timestamp) >= first
                && let Some(counts) = counts.get_mut(&line.hook)
            {
                counts.enter(&line);
            }
        }
    }
    Ok(counts)
}

/// What a session's contexts were given.
fn injected(session: &str) -> Result<Vec<LedgerLine>, CliError> {
    let Some(session) = SessionId::parse(session) else { return Ok(Vec::new()) };
    Ok(Ledger::read(&state()?, &session).map(|ledger| ledger.lines).unwrap_or_default())
}

/// What one hook did.
#[derive(Default)]
struct Counts {
    /// Milliseconds of each run, failed ones too.
    took: Vec<f64>,
    /// Answers that were kept, so that nothing was run.
    cached: usize,
    /// Answers that made a difference: a verdict, or an effect.
    useful: usize,
    denies: usize,
    asks: usize,
    injections: usize,
    injected_bytes: u64,
    /// Texts that the agent has read, in whole or in part.
    given: usize,
    /// Texts that its context had already.
    repeated: usize,
    skipped: usize,
    /// By class.
    failures: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, hook: &RecordedHook) {
        // How it ended is in a record of its own.
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
        let judged = hook.verdict.as_deref().is_some_and(|verdict| verdict != "abstain");
        self.useful += usize::from(judged || !hook.effects.is_empty());
        for effect in hook.effects.iter().filter(|effect| effect.effect == "inject") {
            self.injections += 1;
            self.injected_bytes += effect.bytes.unwrap_or_default();
        }
        if let Some(failure) = &hook.failure {
            *self.failures.entry(failure.class.clone()).or_default() += 1;
        }
    }

    fn enter(&mut self, line: &LedgerLine) {
        let fate = Fate::ALL.into_iter().find(|fate| fate.as_str() == line.fate);
        self.given += usize::from(fate.is_some_and(Fate::is_in_context));
        self.repeated += usize::from(matches!(fate, Some(Fate::Line | Fate::LeftOut)));
    }

    /// How often it was asked and had the chance to be of use.
    fn answers(&self) -> usize {
        self.took.len() + self.cached
    }

    fn row(&mut self, hook: &str) -> Vec<String> {
        let time = |ms: Option<f64>| ms.map_or("–".to_owned(), |ms| format!("{ms:.1} ms"));
        let [half, most, longest] = [50, 95, 100].map(|share| percentile(&mut self.took, share));
        let failures: Vec<String> =
            self.failures.iter().map(|(class, count)| format!("{count} {class}")).collect();
        let repeated = match self.repeated {
            0 => String::new(),
            count => format!(", {count} repeated"),
        };
        let injected = match self.injections {
            0 => "0".to_owned(),
            count => format!("{count} ({} bytes{repeated})", self.injected_bytes),
        };
        let useful = match self.answers() {
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
            "given": self.given,
            "repeated": self.repeated,
            "skipped": self.skipped,
            "failures": self.failures,
        })
    }
}

/// The value that so many of a hundred do not exceed: always one that was measured.
fn percentile(values: &mut [f64], of_hundred: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * of_hundred).div_ceil(100);
    values.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        let mut hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut hundred, 50), Some(50.0));
        assert_eq!(percentile(&mut hundred, 95), Some(95.0));
        assert_eq!(percentile(&mut [7.0], 95), Some(7.0));
        assert_eq!(percentile(&mut [], 95), None);
    }
}
