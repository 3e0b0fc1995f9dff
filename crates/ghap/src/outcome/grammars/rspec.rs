//! `rspec`: `2 examples, 1 failure`, and `rspec ./file:3 # name` for each failure.

use super::Reading;

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    for line in text.lines() {
        if line.starts_with(|first: char| first.is_ascii_digit())
            && (line.contains(" examples, ") || line.contains(" example, "))
        {
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
        } else if line.starts_with("An error occurred while loading ") {
            reading.broken = true;
        }
    }
    reading
}
