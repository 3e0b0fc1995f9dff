//! The table of results: each row with its budget, and whether it is within it.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::samples::Times;

/// All that was measured.
pub(crate) struct Table {
    /// In the order of measuring.
    pub(crate) rows: Vec<Row>,
}

/// One line of the table.
pub(crate) struct Row {
    work: String,
    p50: Option<Amount>,
    p95: Option<Amount>,
    ratio: Option<f64>,
    budget: Option<String>,
    ok: Option<bool>,
}

/// Something measured.
#[derive(Clone, Copy)]
pub(crate) enum Amount {
    /// A time.
    Time(Duration),
    /// Memory.
    Kibibytes(u32),
    /// Events per second.
    PerSecond(f64),
}

impl Row {
    /// Times, and their ratio to the median of something else.
    pub(crate) fn times(work: impl Into<String>, times: Times, base: Duration) -> Self {
        let ratio = times.p50.as_secs_f64() / base.as_secs_f64();
        let [p50, p95] = [times.p50, times.p95].map(|time| Some(Amount::Time(time)));
        Self { p50, p95, ratio: Some(ratio), ..Self::empty(work) }
    }

    /// One figure.
    pub(crate) fn figure(work: impl Into<String>, amount: Amount) -> Self {
        Self { p50: Some(amount), ..Self::empty(work) }
    }

    /// Something that must hold.
    pub(crate) fn promise(work: impl Into<String>, holds: bool) -> Self {
        Self { budget: Some("yes".to_owned()), ok: Some(holds), ..Self::empty(work) }
    }

    /// Something that could not be measured here.
    pub(crate) fn skipped(work: &str, why: &str) -> Self {
        Self::empty(format!("{work} (skipped: {why})"))
    }

    /// Together with the ratio to something else.
    pub(crate) fn with_ratio(mut self, ratio: f64) -> Self {
        self.ratio = Some(ratio);
        self
    }

    /// It must not cost more than this many times what it is compared with.
    pub(crate) fn at_most_times(mut self, limit: f64) -> Self {
        self.ok = self.ratio.map(|ratio| ratio <= limit);
        self.budget = Some(format!("≤ {limit:.1} ×"));
        self
    }

    /// What it must keep to, in words, and whether it does.
    pub(crate) fn judged(mut self, budget: &str, ok: bool) -> Self {
        self.budget = Some(budget.to_owned());
        self.ok = Some(ok);
        self
    }

    /// It must not take or use more than this.
    pub(crate) fn at_most(mut self, limit: Amount) -> Self {
        self.ok = self.p50.map(|found| found.plain() <= limit.plain());
        self.budget = Some(format!("≤ {limit}").replace(".0 ", " "));
        self
    }

    fn empty(work: impl Into<String>) -> Self {
        Self { work: work.into(), p50: None, p95: None, ratio: None, budget: None, ok: None }
    }

    fn cells(&self) -> [String; 6] {
        let shown = |amount: Option<Amount>| amount.map_or_else(|| "–".to_owned(), |a| a.to_string());
        [
            self.work.clone(),
            shown(self.p50),
            shown(self.p95),
            self.ratio.map_or_else(|| "–".to_owned(), spelled_ratio),
            self.budget.clone().unwrap_or_else(|| "–".to_owned()),
            self.ok.map_or("–", |ok| if ok { "yes" } else { "NO" }).to_owned(),
        ]
    }

    fn json(&self) -> Value {
        let amount = |amount: Option<Amount>| amount.map(|a| json!({"value": a.plain(), "unit": a.unit()}));
        json!({
            "work": self.work, "p50": amount(self.p50), "p95": amount(self.p95),
            "ratio": self.ratio, "budget": self.budget, "ok": self.ok,
        })
    }
}

fn spelled_ratio(ratio: f64) -> String {
    if ratio < 0.01 { "< 0.01".to_owned() } else { format!("{ratio:.2}") }
}

impl Amount {
    fn plain(self) -> f64 {
        match self {
            Self::Time(time) => time.as_secs_f64() * 1e6,
            Self::Kibibytes(kibibytes) => kibibytes.into(),
            Self::PerSecond(events) => events,
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Time(_) => "us",
            Self::Kibibytes(_) => "KiB",
            Self::PerSecond(_) => "1/s",
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) if *time < Duration::from_micros(200) => write!(f, "{:.1} µs", self.plain()),
            Self::Time(time) if *time < Duration::from_secs(1) => write!(f, "{:.2} ms", self.plain() / 1e3),
            Self::Time(time) => write!(f, "{:.2} s", time.as_secs_f64()),
            Self::Kibibytes(_) => write!(f, "{:.1} MB", self.plain() * 1024.0 / 1e6),
            Self::PerSecond(events) => write!(f, "{events:.0}/s"),
        }
    }
}

const HEADINGS: [&str; 6] = ["work", "p50", "p95", "ratio", "budget", "ok?"];
const RATIOS: &str = "ratio: of medians, to /bin/true in this run, and p95 to its median; \
    (a) to `none matches` and `sh -c true` together; (b) to 8,000 times `none matches`; \
    (c) or 0.3 ms over the program that does nothing, built the same way, where that is more; \
    (d) to `no hook file`; (e) to `none matches`; (f) to `the same in Python`; (g) to the third; (h) what it is without hooks, and 1 ms; (i) to `none matches` in the same loop";

impl Table {
    /// Whether no row misses its budget.
    pub(crate) fn keeps_its_budgets(&self) -> bool {
        self.rows.iter().all(|row| row.ok != Some(false))
    }

    /// The table in Markdown, so that it can be pasted, and what its ratios are to.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        lines.extend(self.rows.iter().map(Row::cells));
        let mut widths = [0; 6];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = cell.chars().count().max(*width);
            }
        }
        let spelled = |line: &[String; 6]| {
            let [work, figures @ ..] = line;
            let cells = figures.iter().zip(&widths[1..]).map(|(cell, &width)| format!(" {cell:>width$} |"));
            format!("| {work:<width$} |{}", cells.collect::<String>(), width = widths[0])
        };
        let mut text: Vec<String> = lines.iter().map(spelled).collect();
        let rule = widths[1..].iter().map(|width| format!("{}:|", "-".repeat(width + 1)));
        text.insert(1, format!("|{}|{}", "-".repeat(widths[0] + 2), rule.collect::<String>()));
        text.extend([String::new(), RATIOS.to_owned()]);
        text.join("\n")
    }

    /// The same as JSON.
    pub(crate) fn json(&self, machine: &str) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(Row::json).collect();
        json!({"machine": machine, "ratios": RATIOS, "ok": self.keeps_its_budgets(), "rows": rows})
    }
}
