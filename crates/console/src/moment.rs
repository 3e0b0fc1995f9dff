//! Parses a time: how long ago, or a date.

use std::time::{SystemTime, UNIX_EPOCH};

use tenter_contract::Timestamp;

const HOW: &str = "write how long ago (`30m`, `2h`, `3d`) or when (`2026-11-16`, `2026-11-16T08:30`, in UTC)";

/// Parses a moment that a user typed.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    before(text, u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX))
}

fn before(text: &str, now: u64) -> Result<Timestamp, String> {
    ago(text)
        .map(|ago| Timestamp::from_unix_ms(now.saturating_sub(ago)))
        .or_else(|| date(text))
        .ok_or(HOW.to_owned())
}

/// Milliseconds.
fn ago(text: &str) -> Option<u64> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 24 * 3600,
        "w" => 7 * 24 * 3600,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds)?.checked_mul(1000)
}

/// Missing parts of the time are zero.
fn date(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix('Z').unwrap_or(text).replace(' ', "T");
    let missing = match text.len() {
        10 => "T00:00:00",
        16 => ":00",
        _ => "",
    };
    Timestamp::parse(&format!("{text}{missing}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_is_duration_or_date() {
        let now = Timestamp::parse("2026-11-16T10:00:00Z").unwrap().unix_ms;
        for (text, expected) in [
            ("90s", "2026-11-16T09:58:30Z"),
            ("30m", "2026-11-16T09:30:00Z"),
            ("2h", "2026-11-16T08:00:00Z"),
            ("3d", "2026-11-13T10:00:00Z"),
            ("1w", "2026-11-09T10:00:00Z"),
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2026-11-01T08:30", "2026-11-01T08:30:00Z"),
            ("2026-11-01 08:30", "2026-11-01T08:30:00Z"),
            ("2026-11-01T08:30:15.5Z", "2026-11-01T08:30:15.5Z"),
        ] {
            assert_eq!(before(text, now), Ok(Timestamp::parse(expected).unwrap()), "{text}");
        }
        for text in ["", "2", "h", "2 h", "2y", "yesterday", "2026-13-01", "2026-11-01T08", "-1h"] {
            assert_eq!(before(text, now), Err(HOW.to_owned()), "{text}");
        }
    }
}
