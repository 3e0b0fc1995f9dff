//! Many writers on one session: agents call tools side by side, and every call is a process of its own.

use std::thread;
use std::time::Instant;

use crate::Result;
use crate::process::timed;
use crate::samples::Samples;
use crate::spawned::Spawned;
use crate::table::{Amount, Row};
use crate::world::{Home, TWENTY, World};

const WRITERS: u32 = 8;
const EVENTS_EACH: u32 = 200;
const EVENTS: u32 = WRITERS * EVENTS_EACH;

/// Starts all events, then looks whether each of them is in the trail.
pub(crate) fn measure(world: &World, single: &Spawned) -> Result<Vec<Row>> {
    let home = world.home_with("writers", TWENTY)?;
    let started = Instant::now();
    let samples = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(|| write(&home))).collect();
        let mut all = Samples::default();
        for writer in writers {
            all.extend(writer.join().map_err(|_| "a writer panicked")??);
        }
        Ok::<_, String>(all)
    })?;
    let wall = started.elapsed();
    let sum_of_single_costs = single.no_match.as_secs_f64() * f64::from(EVENTS);
    let kept = home.intact_records()? == Some(u64::from(EVENTS));
    Ok(vec![
        Row::times("8 writers, one session: one event of 1,600", samples.times(), single.bin_true),
        Row::figure("… all 1,600 events (b)", Amount::Time(wall))
            .with_ratio(wall.as_secs_f64() / sum_of_single_costs),
        Row::figure("… events per second", Amount::PerSecond(f64::from(EVENTS) / wall.as_secs_f64())),
        Row::promise("… 1,600 records there, and the chain verifies", kept),
    ])
}

/// One writer: one event after another.
fn write(home: &Home) -> std::result::Result<Samples, String> {
    let mut command = home.hook();
    let mut samples = Samples::default();
    for _ in 0..EVENTS_EACH {
        samples.push(timed(&mut command).map_err(|error| error.to_string())?);
    }
    Ok(samples)
}
