//! `node --test`: `# pass 1` and `# fail 0` after TAP, `ℹ pass 1` and `ℹ fail 0` after its own form.

use super::rules::Effect::NeverBegan;
use super::{Reading, may_fail, rules};

pub(super) fn read(text: &str) -> Reading {
    let mut counts = Vec::new();
    let mut reading = rules::scan(text.lines(), &[("Could not find '*", NeverBegan)], |reading, line| {
        let own = line.trim_start();
        let count = ["# ", "ℹ "].iter().find_map(|mark| line.strip_prefix(mark));
        if let Some((word, number)) = count.and_then(|count| count.split_once(' '))
            && let Ok(number) = number.trim().parse::<u64>()
        {
            if matches!(word, "pass" | "fail") {
                reading.close(line);
                counts.push(format!("{word} {number}"));
            }
            if matches!(word, "pass" | "fail" | "cancelled" | "skipped" | "todo") {
                reading.count(number, word);
            }
        } else if let Some(name) = own.strip_prefix("not ok ") {
            // `not ok 2 - name`, `not ok 2 name`
            let name = name.split_once(' ').map_or("", |(_, name)| name);
            if !may_fail(name) {
                reading.fails(name.trim_start_matches("- "));
            }
        } else if let Some(name) = own.strip_prefix("✖ ").filter(|name| *name != "failing tests:") {
            reading.fails(name.rsplit_once(" (").map_or(name, |(name, _)| name));
        } else {
            return false;
        }
        true
    });
    if !counts.is_empty() {
        reading.closing = counts.join(", ");
    }
    reading
}
