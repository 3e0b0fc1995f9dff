//! Decodes, denies and answers every recorded or documented payload of an agent.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::ports::{AgentAdapter, Decoded, SharedDecision, Surroundings};
use tenter_contract::{AgentOutcome, Decision, Source, Timestamp};
use tenter_kernel::{adapt, apply_shared_decision};

use crate::Result;
use crate::samples::warm;
use crate::table::{Amount, Row};

/// How often each is tried to find the slowest.
const TRIES: usize = 50;

/// The slowest of them all.
pub(crate) fn slowest(bin_true: Duration) -> Result<Row> {
    let mut all: Vec<Payload> = Vec::new();
    for agent in tenter_adapters::all() {
        let name = agent.name();
        let folder = if name.as_str() == "claude" { "claude_code" } else { name.as_str() };
        let fixtures =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src").join(folder).join("fixtures");
        for entry in fs::read_dir(fixtures)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                all.extend(Payload::read(*agent, &path)?);
            }
        }
    }
    let count = all.len();
    let slowest = all.into_iter().max_by_key(Payload::typical).ok_or("there are no recorded payloads")?;
    let work = format!(
        "decode a payload and encode a deny, slowest of {count}: {} {}",
        slowest.agent.name(),
        slowest.name
    );
    let times = warm(|| (), |()| slowest.there_and_back());
    Ok(Row::times(work, times, bin_true).at_most(Amount::Time(Duration::from_micros(100))))
}

struct Payload {
    agent: &'static dyn AgentAdapter,
    name: String,
    bytes: Vec<u8>,
    denied: AgentOutcome,
}

impl Payload {
    /// None if the agent sends it and it is not meant for us.
    fn read(agent: &'static dyn AgentAdapter, path: &Path) -> Result<Option<Self>> {
        let bytes = fs::read(path)?;
        let Ok(Decoded::Event(event)) = agent.decode(&bytes, &Surroundings::default()) else {
            return Ok(None);
        };
        let capabilities = agent.capabilities(&event);
        let decision = Decision::Deny { by: Source::Tenter, reason: "no".to_owned() };
        let shared_decision = SharedDecision { first: Timestamp::default(), decision, rewrites: Vec::new() };
        let (denied, _) = adapt(&apply_shared_decision(Arc::new(*event), shared_decision), &capabilities);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Some(Self { agent, name, bytes, denied }))
    }

    fn there_and_back(&self) -> impl Sized {
        let surroundings = Surroundings::default();
        (self.agent.decode(black_box(&self.bytes), &surroundings), self.agent.encode(black_box(&self.denied)))
    }

    fn typical(&self) -> Duration {
        let mut times: Vec<Duration> = (0..TRIES)
            .map(|_| {
                let started = Instant::now();
                black_box(self.there_and_back());
                started.elapsed()
            })
            .collect();
        times.sort_unstable();
        times[TRIES / 2]
    }
}
