//! Measures the peak memory of a hook process.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::hook_files::TWENTY;
use crate::process::timed;
use crate::table::{Amount, Row};
use crate::world::World;

const WORK: &str = "resident memory of a hook process, at most";
const RUNS: usize = 5;

/// Twelve megabytes.
const BUDGET: Amount = Amount::Kibibytes(12_000_000 / 1024);

/// A hook that reads the memory of its process. By then files are read, the payload is decoded and a child is started;
/// only the record and the answer, a few kilobytes, are missing. `wait4` has a figure too, but it needs unsafe code
/// and may be that of the parent before the exec.
pub(crate) fn measure(world: &World) -> Result<Row> {
    if !Path::new("/proc/self/status").exists() {
        return Ok(Row::skipped(WORK, "this system has no /proc"));
    }
    let seen = world.home("memory")?.path("seen");
    let look = format!(
        "  tool:pre:\n    - name: look\n      matcher: Bash\n      command: \"grep VmHWM /proc/$PPID/status >> {}\"\n",
        seen.display()
    );
    let home = world.home_with("memory", &TWENTY.replacen("  tool:pre:\n", &look, 1))?;
    for _ in 0..RUNS {
        timed(&mut home.hook(&world.build.hook), &world.payload)?;
    }
    let lines = fs::read_to_string(seen)?;
    let sizes = lines.lines().filter_map(|line| line.split_whitespace().nth(1)?.parse::<u32>().ok());
    let largest = sizes.max().ok_or("the hook `look` saw nothing")?;
    Ok(Row::figure(WORK, Amount::Kibibytes(largest)).at_most(BUDGET))
}
