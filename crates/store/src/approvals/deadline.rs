//! The deadline of a question, by two clocks.
//!
//! A process that was stopped, or a machine that slept, resumes after the deadline and may find an answer. The elapsed
//! time is measured by a clock that runs during sleep and cannot be set. The time of an answer is that of its file, by
//! the wall clock; if that clock was set in between, it proves nothing.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use tenter_contract::Timestamp;

use crate::clock::now;

/// If the two clocks differ by more, one of them was set.
const DRIFT: Duration = Duration::from_secs(2);

/// The deadline of a question in the process that waits for the answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    until: Timestamp,
    /// The begin of the wait.
    begun: Moment,
}

/// A moment by both clocks.
#[derive(Clone, Copy, Debug)]
struct Moment {
    wall: Timestamp,
    steady: Duration,
}

impl Moment {
    fn now() -> Self {
        Self { wall: now(), steady: steady() }
    }
}

impl Deadline {
    /// A deadline of a wait that begins now.
    pub(super) fn new(until: Timestamp) -> Self {
        Self { until, begun: Moment::now() }
    }

    /// Whether it has passed.
    pub(super) fn is_past(&self) -> bool {
        self.is_past_at(Moment::now())
    }

    /// Whether an answer at this time counts.
    pub(super) fn admits(&self, answered: Timestamp) -> bool {
        self.admits_at(answered, Moment::now())
    }

    fn is_past_at(&self, now: Moment) -> bool {
        now.steady.saturating_sub(self.begun.steady) >= between(self.begun.wall, self.until)
    }

    fn admits_at(&self, answered: Timestamp, now: Moment) -> bool {
        if !self.is_past_at(now) {
            return true;
        }
        let (steady, wall) =
            (now.steady.saturating_sub(self.begun.steady), between(self.begun.wall, now.wall));
        steady.abs_diff(wall) <= DRIFT && answered < self.until
    }
}

fn between(earlier: Timestamp, later: Timestamp) -> Duration {
    Duration::from_millis(later.unix_ms.saturating_sub(earlier.unix_ms))
}

/// When a file got its name; its content may be older.
pub(super) fn named_at(file: &Metadata) -> Timestamp {
    let ms = file.ctime().saturating_mul(1000).saturating_add(file.ctime_nsec() / 1_000_000);
    Timestamp::from_unix_ms(u64::try_from(ms).unwrap_or_default())
}

/// A clock that runs while the machine sleeps and cannot be set.
fn steady() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(target_os = "linux")]
    let clock = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let clock = ClockId::Monotonic;
    let now = clock_gettime(clock);
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    Duration::from_secs(part(now.tv_sec)) + Duration::from_nanos(part(now.tv_nsec))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(wall: u64, steady: u64) -> Moment {
        Moment { wall: Timestamp::from_unix_ms(wall), steady: Duration::from_millis(steady) }
    }

    #[test]
    fn answer_counts_only_if_provably_in_time() {
        // Ten seconds from 100,000 on the wall, at 5,000 of the other clock.
        let deadline = Deadline { until: Timestamp::from_unix_ms(110_000), begun: moment(100_000, 5_000) };
        for (what, answered, now, counts) in [
            ("while the time runs", 101_000, moment(101_000, 6_000), true),
            ("although the clock was set ahead", 200_000, moment(200_000, 6_000), true),
            ("after the time", 110_000, moment(110_001, 15_001), false),
            ("after a sleep, given before it", 109_999, moment(400_000, 305_000), true),
            ("after a sleep, given in it", 300_000, moment(400_000, 305_000), false),
            ("after a sleep in which the clock was set back", 105_000, moment(106_000, 305_000), false),
        ] {
            assert_eq!(deadline.admits_at(Timestamp::from_unix_ms(answered), now), counts, "{what}");
        }
        assert!(!deadline.is_past_at(moment(500_000, 14_999)));
        assert!(deadline.is_past_at(moment(100_000, 15_000)));
    }

    #[test]
    fn steady_clock_advances() {
        let before = steady();
        assert!(before > Duration::ZERO && steady() >= before);
    }
}
