//! Starts several programs in turn and times them in one loop.

use std::process::Command;

use crate::Result;
use crate::process::timed;
use crate::progress;
use crate::samples::{Samples, Times};

/// The id of the call in the recorded payload.
const CALL_ID: &str = "toolu_0001";

/// What a program is in the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BenchPart {
    /// `/bin/true`, with which everything is compared.
    BinTrue,
    /// A shell that does nothing.
    Sh,
    /// A program that does nothing, static as ours.
    NothingStatic,
    /// Python, started for a hook that does nothing.
    Python,
    /// Our default build, nothing to do.
    NoMatch,
    /// Our default build, no hook file.
    NoFile,
    /// Our default build, a thousand hooks and nothing to do.
    Thousand,
    /// Our default build, one hook whose answer is kept.
    Cached,
    /// Our default build, a Python function that waits.
    WarmPython,
    /// Our default build, one hook to run.
    OneMatch,
    /// Our static build, nothing to do.
    Static,
    /// Shown and not judged.
    Other,
}

/// How a program is started, or why it does not take part.
pub(crate) type Entry = std::result::Result<Command, String>;

/// One program of the loop.
pub(crate) struct Contestant {
    part: BenchPart,
    name: String,
    command: Entry,
    samples: Samples,
}

impl Contestant {
    /// One that has not run yet.
    pub(crate) fn new(part: BenchPart, name: impl Into<String>, command: Entry) -> Self {
        Self { part, name: name.into(), command, samples: Samples::default() }
    }

    /// What was measured.
    pub(crate) fn finish(self) -> (BenchPart, String, std::result::Result<Times, String>) {
        (self.part, self.name, self.command.map(|_| self.samples.times()))
    }

    fn run(&mut self, payload: &str) -> Result<()> {
        if let Ok(command) = &mut self.command {
            self.samples.push(timed(command, payload)?);
        }
        Ok(())
    }
}

/// Starts every program once per round, each round in another order, so that none of them always comes
/// after the one that has just emptied the caches. One start before the first round is not counted.
pub(crate) fn contest(mut all: Vec<Contestant>, rounds: usize, payload: &str) -> Result<Vec<Contestant>> {
    for contestant in &mut all {
        contestant.run(payload)?;
        contestant.samples = Samples::default();
    }
    let mut order: Vec<&mut Contestant> = all.iter_mut().collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for round in 1..=rounds {
        dice.shuffle(&mut order);
        // Each round another call: one that comes twice is judged once.
        let payload = payload.replace(CALL_ID, &format!("toolu_{round:04}_"));
        for contestant in &mut order {
            contestant.run(&payload)?;
        }
        if round.is_multiple_of(50) {
            progress::report(&format!("{} programs: {round} of {rounds} rounds", order.len()));
        }
    }
    Ok(all)
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let thrown = usize::try_from(self.0 >> 33).unwrap_or_default();
            items.swap(last, thrown % (last + 1));
        }
    }
}
