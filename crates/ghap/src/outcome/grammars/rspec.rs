//! `rspec`: `2 examples, 1 failure`, and `rspec ./file:3 # name` for each failure.

use super::{Reading, rules};

/// `2 examples, 1 failure`
pub(super) fn is_closing(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit())
        && (line.contains(" examples, ") || line.contains(" example, "))
}

pub(super) fn read(text: &str) -> Reading {
    let mut named = "";
    rules::scan(text.lines(), &[], |reading, line| {
        if is_closing(line) {
            let (counted, outside) =
                line.split_once(" error").map_or((line, false), |(before, _)| (before, true));
            reading.close_with_total(counted);
            reading.close(line);
            reading.counts.errors += u64::from(outside);
            reading.broken |= outside;
        } else if let Some(failing) = line.strip_prefix("rspec ").filter(|rest| rest.starts_with(['.', '\'']))
        {
            reading.fails(failing.split_once(" # ").map_or("", |(_, name)| name));
        } else if let Some(rest) = line.strip_prefix("An error occurred while loading ") {
            reading.broken = true;
            named = rest.split(' ').next().unwrap_or(rest).trim_start_matches("./").trim_end_matches('.');
        } else if let Some(missing) = line.trim_start().strip_prefix("cannot load such file -- ")
            && !named.is_empty()
            && missing.ends_with(named)
        {
            // The named file itself is missing, and not one that it loads.
            reading.never_began(line);
        }
        true
    })
}
