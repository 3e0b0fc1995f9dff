//! How long ago something was, as people say it.

use tenter_contract::Timestamp;

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// `just now`, `5 minutes ago`, `2 hours ago`, `yesterday`, `3 days ago`, `2 months ago`.
pub(super) fn ago(then: Timestamp, now: Timestamp) -> String {
    let passed = now.unix_ms.saturating_sub(then.unix_ms);
    let of = |unit: u64, name: &str| {
        let count = passed / unit;
        if count == 1 { format!("1 {name} ago") } else { format!("{count} {name}s ago") }
    };
    match passed {
        0..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => of(MINUTE, "minute"),
        HOUR..DAY => of(HOUR, "hour"),
        _ if passed < 2 * DAY => "yesterday".to_owned(),
        _ if passed < 60 * DAY => of(DAY, "day"),
        _ if passed < 730 * DAY => of(30 * DAY, "month"),
        _ => of(365 * DAY, "year"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_is_written_in_words() {
        let now = Timestamp::from_unix_ms(4_000 * DAY);
        for (passed, expected) in [
            (0, "just now"),
            (MINUTE, "1 minute ago"),
            (59 * MINUTE, "59 minutes ago"),
            (2 * HOUR + 5, "2 hours ago"),
            (DAY, "yesterday"),
            (2 * DAY, "2 days ago"),
            (70 * DAY, "2 months ago"),
            (800 * DAY, "2 years ago"),
        ] {
            assert_eq!(ago(Timestamp::from_unix_ms(now.unix_ms - passed), now), expected);
        }
        assert_eq!(ago(Timestamp::from_unix_ms(now.unix_ms + DAY), now), "just now", "a clock was set back");
    }
}
