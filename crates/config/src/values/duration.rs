//! Durations: `10s`, `500ms`, `2m`, `1h`, or a bare number of seconds.

use std::fmt;
use std::time::Duration;

use crate::fields::Field;
use crate::problem::{Expected, Finding, ProblemKind};
use crate::tree::{Value, shortened};

/// Above this, a number without a unit was meant in milliseconds: other agents' hook files use them, and a
/// hook that may take a week is one that hangs.
const BARE_LIMIT: f64 = 600.0;
/// No agent waits longer for a hook, nor a person for an answer.
const LIMIT: Duration = Duration::from_hours(24);

/// Why something is no duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DurationError {
    /// It does not look like one.
    Unreadable {
        /// The value there.
        found: String,
    },
    /// A large number without a unit.
    NoUnit {
        /// The number.
        number: u64,
    },
    /// Zero or less.
    NotPositive,
    /// Longer than a day.
    TooLong,
}

impl DurationError {
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Unreadable { .. } => {
                "write `10s`, `500ms`, `2m` or `1h`; a bare number is seconds".to_owned()
            }
            Self::NoUnit { number } if number % 1000 == 0 => {
                let seconds = number / 1000;
                format!("write `{seconds}s` or `{number}ms`; a bare number is seconds")
            }
            Self::NoUnit { number } => format!("write `{number}ms` or `{number}s`; a bare number is seconds"),
            Self::NotPositive => "write how long it may take, such as `10s`, or remove the key".to_owned(),
            Self::TooLong => "write at most `24h`".to_owned(),
        }
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { found } => write!(f, "cannot be `{found}`"),
            Self::NoUnit { number } => write!(f, "is {number} without a unit"),
            Self::NotPositive => f.write_str("must be longer than nothing"),
            Self::TooLong => f.write_str("is longer than a day"),
        }
    }
}

/// A duration that is longer than nothing.
pub(crate) fn duration(field: &Field<'_>) -> Result<Duration, Finding> {
    let read = match &field.node.value {
        Value::Int(number) => bare(&number.to_string()),
        Value::Float(number) => bare(&number.to_string()),
        Value::Text(text) => with_unit(text.trim()),
        Value::Null | Value::Bool(_) | Value::List(_) | Value::Table(_) => {
            return Err(field.wrong_type(Expected::Duration));
        }
    };
    read.map_err(|reason| field.problem(ProblemKind::BadDuration { key: field.path.clone(), reason }))
}

fn with_unit(text: &str) -> Result<Duration, DurationError> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let scale = match unit {
        "" => return bare(number),
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(unreadable(text)),
    };
    bounded(number_of(number.trim_end()).ok_or_else(|| unreadable(text))? * scale)
}

fn bare(text: &str) -> Result<Duration, DurationError> {
    let seconds = number_of(text).ok_or_else(|| unreadable(text))?;
    if seconds > BARE_LIMIT {
        // A fraction or an absurd size does not make the suggestion better.
        let number = text.split('.').next().and_then(|whole| whole.parse().ok());
        return Err(number.map_or(DurationError::TooLong, |number| DurationError::NoUnit { number }));
    }
    bounded(seconds)
}

/// Digits with at most one point; `1e9` and `inf` are numbers for a computer, not for a reader.
fn number_of(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let plain = unsigned.chars().all(|c| c.is_ascii_digit() || c == '.');
    if plain { text.parse().ok() } else { None }
}

fn bounded(seconds: f64) -> Result<Duration, DurationError> {
    let duration = Duration::try_from_secs_f64(seconds)
        .map_err(|_| if seconds < 0.0 { DurationError::NotPositive } else { DurationError::TooLong })?;
    if duration < Duration::from_millis(1) {
        Err(DurationError::NotPositive)
    } else if duration > LIMIT {
        Err(DurationError::TooLong)
    } else {
        Ok(duration)
    }
}

fn unreadable(text: &str) -> DurationError {
    DurationError::Unreadable { found: shortened(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_bare_numbers_are_seconds() {
        for (text, ms) in [
            ("10s", 10_000),
            ("500ms", 500),
            ("7ms", 7),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("1.5s", 1_500),
            ("10 s", 10_000),
            ("30", 30_000),
            ("0.2", 200),
            ("600", 600_000),
            ("1200s", 1_200_000),
            ("24h", 86_400_000),
        ] {
            assert_eq!(with_unit(text), Ok(Duration::from_millis(ms)), "`{text}`");
        }
    }

    #[test]
    fn invalid_duration_gives_a_reason() {
        for (text, expected) in [
            ("600000", DurationError::NoUnit { number: 600_000 }),
            ("601", DurationError::NoUnit { number: 601 }),
            ("0", DurationError::NotPositive),
            ("0s", DurationError::NotPositive),
            ("-5s", DurationError::NotPositive),
            ("25h", DurationError::TooLong),
            ("99999999999999999999h", DurationError::TooLong),
            ("99999999999999999999", DurationError::TooLong),
        ] {
            assert_eq!(with_unit(text), Err(expected), "`{text}`");
        }
        for text in ["", "s", "ten", "10x", "10 sec", "1e3", "inf", "1.2.3s", "1m30s", "5S", "·s"] {
            assert_eq!(with_unit(text), Err(unreadable(text)), "`{text}`");
        }
    }
}
