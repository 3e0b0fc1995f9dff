//! Measured times, and the two figures that the table shows of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How many batches a warm measurement has.
const BATCHES: usize = 200;
/// A batch takes at least this long, so that reading the clock does not matter.
const SHORTEST_BATCH: Duration = Duration::from_millis(1);

/// Measured times.
#[derive(Default)]
pub(crate) struct Samples {
    times: Vec<Duration>,
}

/// What is shown of many times.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// Half of them were at most this.
    pub(crate) p50: Duration,
    /// Nineteen of twenty were at most this.
    pub(crate) p95: Duration,
}

impl Samples {
    /// Adds one.
    pub(crate) fn push(&mut self, time: Duration) {
        self.times.push(time);
    }

    /// Adds those of another.
    pub(crate) fn extend(&mut self, other: Self) {
        self.times.extend(other.times);
    }

    /// The two figures.
    pub(crate) fn times(mut self) -> Times {
        self.times.sort_unstable();
        let at = |percent: usize| {
            let place = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
            self.times.get(place).copied().unwrap_or_default()
        };
        Times { p50: at(50), p95: at(95) }
    }
}

/// Times something that is too short for the clock: many at once, divided. What `prepare` makes is made
/// before the clock starts; what `work` leaves behind is dropped while it runs.
pub(crate) fn warm<I, O>(mut prepare: impl FnMut() -> I, mut work: impl FnMut(I) -> O) -> Times {
    let mut batch = |size: u32| {
        let inputs: Vec<I> = (0..size).map(|_| prepare()).collect();
        let started = Instant::now();
        for input in inputs {
            black_box(work(black_box(input)));
        }
        started.elapsed()
    };
    let mut size = 1;
    while batch(size) < SHORTEST_BATCH {
        size *= 2;
    }
    let mut samples = Samples::default();
    for _ in 0..BATCHES {
        samples.push(batch(size) / size);
    }
    samples.times()
}
