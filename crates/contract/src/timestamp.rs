//! A moment, as milliseconds since 1970 in UTC, and its RFC 3339 spelling.

use std::fmt;

/// A moment. Pure code is handed one; only the host reads a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Timestamp {
    /// Milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

impl Timestamp {
    /// The moment that many milliseconds after the Unix epoch.
    pub fn from_unix_ms(unix_ms: u64) -> Self {
        Self { unix_ms }
    }

    /// Reads `2026-01-02T03:04:05.678Z`; the fraction may be missing or longer, the zone must be `Z`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('Z')?;
        let (date, time) = text.split_once('T')?;
        let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
        let (year, month, day) = (date.next()??, date.next()??, date.next()??);
        let (whole, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let mut time = whole.splitn(3, ':').map(|part| part.parse::<u64>().ok());
        let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let ms = format!("{:0<3}", fraction.chars().take(3).collect::<String>()).parse::<u64>().ok()?;
        let days = u64::try_from(days_from_civil(year, month, day)).ok()?;
        Some(Self { unix_ms: (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.unix_ms / 1000;
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = civil_from_days(i64::try_from(days).unwrap_or(0));
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
            rest / 3600,
            rest / 60 % 60,
            rest % 60,
            self.unix_ms % 1000
        )
    }
}

/// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, counted in 400-year eras that
/// begin on 1 March, so that the leap day is the last day of its year.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn timestamps_are_rfc_3339() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_767_225_599_999, "2025-12-31T23:59:59.999Z"),
            (1_795_000_000_123, "2026-11-18T11:06:40.123Z"),
        ] {
            assert_eq!(Timestamp::from_unix_ms(ms).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp::from_unix_ms(ms)), "{text}");
        }
    }

    #[test]
    fn invalid_timestamp_is_refused() {
        for text in [
            "",
            "Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00+01:00",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_form_is_read_back(ms in 0u64..4_102_444_800_000) {
            let moment = Timestamp::from_unix_ms(ms);
            prop_assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
        }
    }
}
