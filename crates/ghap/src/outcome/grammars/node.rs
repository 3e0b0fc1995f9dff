//! `node --test`: `# pass 1` and `# fail 0` after TAP, `ℹ pass 1` and `ℹ fail 0` after its own form.

use super::{Reading, may_fail};

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut counts = Vec::new();
    for line in text.lines() {
        let own = line.trim_start();
        let count = ["# ", "ℹ "].iter().find_map(|mark| line.strip_prefix(mark));
        if let Some(count) = count.and_then(|count| count.split_once(' '))
            && let Ok(number) = count.1.trim().parse::<u64>()
        {
            if matches!(count.0, "pass" | "fail") {
                reading.close(line);
                counts.push(format!("{} {number}", count.0));
            }
            if matches!(count.0, "pass" | "fail" | "cancelled" | "skipped" | "todo") {
                reading.count(number, count.0);
            }
        } else if line.starts_with("Could not find '") {
            reading.never_began(line);
        } else if let Some(name) = own.strip_prefix("not ok ") {
            // `not ok 2 - name`, `not ok 2 name`; what is still to be done may fail.
            let name = name.split_once(' ').map_or("", |(_, name)| name);
            if !may_fail(name) {
                reading.fails(name.trim_start_matches("- "));
            }
        } else if let Some(name) = own.strip_prefix("✖ ").filter(|name| *name != "failing tests:") {
            let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
            reading.fails(name);
        }
    }
    if !counts.is_empty() {
        reading.closing = counts.join(", ");
    }
    reading
}
