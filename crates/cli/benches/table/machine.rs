//! Describes the machine of the measurement.

use std::fs;
use std::thread;

/// Processor, cores and load. Asked before the first measurement, a load near the number of cores says that
/// others are at work; afterwards it would be our own.
pub(crate) fn described() -> String {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, model)| model);
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    let debug = if cfg!(debug_assertions) { "; a debug build, which says nothing" } else { "" };
    format!("{model}, {cores} cores, load {load} at the start{debug}")
}
