//! `tenter hooks stats`: what each hook did, counted from the audit trail.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tenter_protocol::v1::record::RecordedHook;
use tenter_store::audit::read::{Content, Filter, read};

use crate::arguments::StatsArguments;
use crate::commands::{Ended, json_line, state};
use crate::error::CliError;
use crate::listing::columns;
use crate::printer::{Printer, Tone};

/// Counts and shows.
pub(crate) fn run(arguments: &StatsArguments, printer: &Printer) -> Ended {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let filter = Filter { last: arguments.last, ..Filter::default() };
    for entry in read(&state()?, filter).map_err(CliError::Trail)? {
        let Content::Record(record) = entry.map_err(CliError::Trail)?.content else { continue };
        for hook in &record.hooks {
            counts.entry(hook.hook.clone()).or_default().add(hook);
        }
    }
    if arguments.json {
        let hooks: Vec<Value> = counts.iter_mut().map(|(hook, counts)| counts.as_json(hook)).collect();
        printer.line(json_line(&json!({ "hooks": hooks })));
        return Ok(0);
    }
    if counts.is_empty() {
        printer.line("no hook is in the audit trail yet");
        return Ok(0);
    }
    let heading = ["HOOK", "RUNS", "P50", "P95", "DENIES", "ASKS", "INJECTED", "SKIPPED", "FAILED"];
    let heading = heading.map(str::to_owned).to_vec();
    let rows = counts.iter_mut().map(|(hook, counts)| counts.row(hook));
    for (number, line) in
        columns(&std::iter::once(heading).chain(rows).collect::<Vec<_>>()).iter().enumerate()
    {
        printer.line(if number == 0 { printer.tone(Tone::Heading, line) } else { line.clone() });
    }
    crate::commands::audit::warn_if_broken(&state()?, printer);
    Ok(0)
}

/// What one hook did.
#[derive(Default)]
struct Counts {
    /// Milliseconds of each run, failed ones too.
    took: Vec<f64>,
    denies: usize,
    asks: usize,
    injections: usize,
    injected_bytes: u64,
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
        self.took.push(hook.ms);
        match hook.verdict.as_deref() {
            Some("deny") => self.denies += 1,
            Some("ask") => self.asks += 1,
            Some(_) | None => {}
        }
        for effect in hook.effects.iter().filter(|effect| effect.effect == "inject") {
            self.injections += 1;
            self.injected_bytes += effect.bytes.unwrap_or_default();
        }
        if let Some(failure) = &hook.failure {
            *self.failures.entry(failure.class.clone()).or_default() += 1;
        }
    }

    fn row(&mut self, hook: &str) -> Vec<String> {
        let time = |ms: Option<f64>| ms.map_or("–".to_owned(), |ms| format!("{ms:.1} ms"));
        let (half, most) = (percentile(&mut self.took, 50), percentile(&mut self.took, 95));
        let failures: Vec<String> =
            self.failures.iter().map(|(class, count)| format!("{count} {class}")).collect();
        let injected = match self.injections {
            0 => "0".to_owned(),
            count => format!("{count} ({} bytes)", self.injected_bytes),
        };
        vec![
            hook.to_owned(),
            self.took.len().to_string(),
            time(half),
            time(most),
            self.denies.to_string(),
            self.asks.to_string(),
            injected,
            self.skipped.to_string(),
            if failures.is_empty() { "0".to_owned() } else { failures.join(", ") },
        ]
    }

    fn as_json(&mut self, hook: &str) -> Value {
        json!({
            "hook": hook,
            "runs": self.took.len(),
            "p50_ms": percentile(&mut self.took, 50),
            "p95_ms": percentile(&mut self.took, 95),
            "denies": self.denies,
            "asks": self.asks,
            "injections": self.injections,
            "injected_bytes": self.injected_bytes,
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
