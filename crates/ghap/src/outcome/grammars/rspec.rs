//! `rspec`: `2 examples, 1 failure`, and `rspec ./file:3 # name` for each failure.

use super::Reading;

/// `2 examples, 1 failure`
pub(super) fn is_closing(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit())
        && (line.contains(" examples, ") || line.contains(" example, "))
}

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut named = "";
    for line in text.lines() {
        if is_closing(line) {
            reading.close(line);
            let (counted, outside) =
                line.split_once(" error").map_or((line, false), |(before, _)| (before, true));
            reading.count_all(counted);
            let all =
                line.split(' ').next().and_then(|number| number.parse::<u64>().ok()).unwrap_or_default();
            reading.counts.passed = all.saturating_sub(reading.counts.failed + reading.counts.skipped);
            if outside {
                reading.counts.errors += 1;
                reading.broken = true;
            }
        } else if let Some(failing) = line.strip_prefix("rspec ").filter(|rest| rest.starts_with(['.', '\'']))
        {
            if let Some((_, name)) = failing.split_once(" # ") {
                reading.fails(name);
            }
        } else if let Some(rest) = line.strip_prefix("An error occurred while loading ") {
            reading.broken = true;
            named = rest.split(' ').next().unwrap_or(rest).trim_start_matches("./").trim_end_matches('.');
        } else if let Some(missing) = line.trim_start().strip_prefix("cannot load such file -- ")
            && !named.is_empty()
            && missing.ends_with(named)
        {
            // The file that was named itself, and not one that it wants.
            reading.never_began(line);
        }
    }
    reading
}
