//! How long recalling takes: `cargo run --release -p tenter-memory --example recall -- 100000`.
//!
//! Fills a throwaway store with made-up experiences and asks it questions of the length of a prompt. A second
//! argument keeps the store in that folder, so that the next run only asks.
#![expect(clippy::unwrap_used, reason = "a measurement that cannot set up its data should stop there")]

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tenter_contract::Timestamp;
use tenter_contract::ports::Clock;
use tenter_ghap::{Domain, Status, Strategy};
use tenter_memory::{Embedder, ExperienceQuery, Memory, MemoryConfig, Project, Scope, SearchMode};
use tenter_store::StateFolder;

struct TableRank;

impl Clock for TableRank {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(1_795_000_000_000)
    }
}

/// Words are hashed to directions: enough for timing, no meaning in it.
struct Hashed;

impl Embedder for Hashed {
    fn model_id(&self) -> &'static str {
        "hashed-256"
    }

    fn dimensions(&self) -> usize {
        256
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        let mut sums = [0_i32; 256];
        for word in text.split_whitespace() {
            let mut state = word
                .bytes()
                .fold(17_u64, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
            for sum in &mut sums {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *sum += i32::try_from(state >> 60).unwrap_or(0) - 8;
            }
        }
        sums.map(|sum| i8::try_from(sum.clamp(-127, 127)).unwrap_or(0)).to_vec()
    }
}

/// Words as they occur: a few everywhere, most hardly ever.
struct Words(u64);

impl Words {
    fn number(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn word(&mut self) -> String {
        let common = [
            "test", "fails", "cache", "the", "after", "timeout", "build", "fix", "module", "config", "is",
            "in",
        ];
        match self.number(100) {
            0..40 => common[usize::try_from(self.number(12)).unwrap()].to_owned(),
            40..80 => format!("word{}", self.number(800)),
            _ => format!("name{}", self.number(30_000)),
        }
    }

    fn text(&mut self, words: u64) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let kept = std::env::args().nth(2).map(PathBuf::from);
    let folder = tempfile::tempdir().unwrap();
    let path = kept.unwrap_or_else(|| folder.path().to_owned());
    let memory = || {
        Memory::open(
            StateFolder::new(path.clone()),
            MemoryConfig { clock: Arc::new(TableRank), embedder: Arc::new(Hashed), secrets: Vec::new() },
        )
    };
    let mut words = Words(7);
    if !path.join("memory/memory.db").exists() {
        let begun = Instant::now();
        for part in 0..count.div_ceil(10_000) {
            let mut lines = Vec::new();
            for number in part * 10_000..count.min((part + 1) * 10_000) {
                lines.extend(serde_json::to_vec(&entry(number, &mut words)).unwrap());
                lines.push(b'\n');
            }
            memory().import(&mut lines.as_slice(), None).unwrap();
        }
        say(&format!("stored {count} in {:.1} s", begun.elapsed().as_secs_f64()));
    }
    let mut words = Words(99);
    let one = Scope::Project(Project::named("project-3"));
    for (what, mode, scope) in [
        ("everywhere", SearchMode::Hybrid, Scope::Everywhere),
        ("one project of ten", SearchMode::Hybrid, one),
        ("by words", SearchMode::Keyword, Scope::Everywhere),
        ("by meaning", SearchMode::Semantic, Scope::Everywhere),
    ] {
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            let memory = memory();
            for (at, into) in [(0, &mut first), (1, &mut later)] {
                for _ in 0..=at * 19 {
                    let query =
                        ExperienceQuery { mode, ..ExperienceQuery::new(words.text(12), scope.clone()) };
                    let begun = (Instant::now(), worked());
                    memory.search_experiences(&query).unwrap();
                    into.push((worked() - begun.1, begun.0.elapsed().as_micros()));
                }
            }
        }
        for (when, times) in [("opening and first question", &mut first), ("each question", &mut later)] {
            times.sort_unstable();
            let at = |share: usize| times[(times.len() - 1) * share / 100].0;
            let mut waited: Vec<u128> = times.iter().map(|(_, waited)| *waited).collect();
            waited.sort_unstable();
            let waited = waited[(waited.len() - 1) * 95 / 100];
            say(&format!(
                "{what}, {when}: p50 {} µs, p95 {} µs of work (p95 {waited} µs by the clock)",
                at(50),
                at(95)
            ));
        }
    }
}

fn entry(number: u64, words: &mut Words) -> serde_json::Value {
    serde_json::json!({
        "id": format!("ghap_20261116_160431_{number:06x}"),
        "session_id": format!("session-{}", number / 10),
        "created_at": "2026-11-01T00:00:00Z",
        "domain": Domain::ALL[usize::try_from(number % 9).unwrap()],
        "strategy": Strategy::ALL[usize::try_from(number % 9).unwrap()],
        "goal": words.text(8),
        "hypothesis": words.text(8),
        "action": words.text(6),
        "prediction": words.text(8),
        "outcome": {
            "status": if number.is_multiple_of(3) { Status::Falsified } else { Status::Confirmed },
            "result": words.text(10),
            "captured_at": "2026-11-01T00:00:00Z",
        },
        "project": format!("project-{}", number % 10),
    })
}

/// What this thread has worked, in microseconds: on a machine that does other things too, the clock says little.
fn worked() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
