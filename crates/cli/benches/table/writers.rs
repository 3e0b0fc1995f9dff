//! Measures many writers on one session: parallel tool calls with a process each.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::Result;
use crate::hook_files::TWENTY;
use crate::process::timed;
use crate::progress;
use crate::samples::Samples;
use crate::spawned::Spawned;
use crate::table::{Amount, Row};
use crate::world::{Home, World};

const WRITERS: u32 = 8;
const EVENTS_EACH: u32 = 1_000;
const EVENTS: u32 = WRITERS * EVENTS_EACH;
/// About twenty times the time on two cores; more than this means that a writer blocks.
const LONGEST: Duration = Duration::from_mins(2);
/// How often it is said how far it is.
const STEP: u32 = 1_000;

/// What the writers share.
struct Work<'w> {
    world: &'w World,
    home: Home,
    started: Instant,
    done: AtomicU32,
}

/// Starts all events, then looks whether each of them is in the trail.
pub(crate) fn measure(world: &World, single: &Spawned) -> Result<Vec<Row>> {
    let home = world.home_with("writers", TWENTY)?;
    let work = Work { world, home, started: Instant::now(), done: AtomicU32::new(0) };
    let samples = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(|| write(&work))).collect();
        let mut all = Samples::default();
        for writer in writers {
            all.extend(writer.join().map_err(|_| "a writer panicked")??);
        }
        Ok::<_, String>(all)
    })?;
    let wall = work.started.elapsed();
    let sum_of_single_costs = single.no_match.as_secs_f64() * f64::from(EVENTS);
    let kept = work.home.intact_records()? == Some(u64::from(EVENTS));
    Ok(vec![
        Row::times("8 writers, one session: one event of 8,000", samples.times(), single.bin_true),
        Row::figure("… all 8,000 events (b)", Amount::Time(wall))
            .with_ratio(wall.as_secs_f64() / sum_of_single_costs)
            .at_most_times(2.0),
        Row::figure("… events per second", Amount::PerSecond(f64::from(EVENTS) / wall.as_secs_f64())),
        Row::promise("… 8,000 records there, and the chain verifies", kept),
    ])
}

/// One writer: one event after another.
fn write(work: &Work<'_>) -> std::result::Result<Samples, String> {
    let mut command = work.home.hook(&work.world.build.hook);
    let mut samples = Samples::default();
    for _ in 0..EVENTS_EACH {
        samples.push(timed(&mut command, &work.world.payload).map_err(|error| error.to_string())?);
        let done = work.done.fetch_add(1, Ordering::Relaxed) + 1;
        if work.started.elapsed() > LONGEST {
            return Err(format!(
                "8 writers had written {done} of {EVENTS} events after {} s, and were stopped",
                LONGEST.as_secs()
            ));
        }
        if done.is_multiple_of(STEP) {
            progress::report(&format!("8 writers: {done} of {EVENTS} events"));
        }
    }
    Ok(samples)
}
