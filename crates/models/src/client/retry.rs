//! Pauses between tries, and the advice of servers about them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenter_contract::Timestamp;
use tenter_net::http::HeaderMap;

const LONGEST: Duration = Duration::from_secs(20);

/// Limits and retries for one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Longest time without a byte. A model on this machine may read a long prompt for minutes.
    pub silence: Duration,
    /// Longest time for a reply, from the request to its last byte.
    pub longest_reply: Duration,
    /// Tries for a busy server.
    pub tries: u32,
    /// The pause before the second try, if the server states none; each further pause is twice as long.
    pub first_wait: Duration,
    /// Longest pause that a server may ask for.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            silence: Duration::from_mins(5),
            longest_reply: Duration::from_hours(1),
            tries: 6,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_mins(2),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RetryAdvice {
    pub(super) after: Option<Duration>,
    pub(super) again: Option<bool>,
}

impl RetryAdvice {
    pub(super) fn from_headers(headers: &HeaderMap, now: SystemTime) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let millis = header("retry-after-ms").and_then(|text| seconds(text, 1000.0));
        let after = header("retry-after").and_then(|text| seconds(text, 1.0).or_else(|| until(text, now)));
        let again = header("x-should-retry").and_then(|text| text.parse().ok());
        Self { after: millis.or(after), again }
    }
}

/// The pause before the next try. It is up to a quarter shorter at random, so that many clients do not return at once.
/// A pause that the server asked for is not shortened.
pub(super) fn pause(first: Duration, tries: u32, advice: RetryAdvice, chance: u64) -> Duration {
    if let Some(asked) = advice.after {
        return asked;
    }
    let doubled = first.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1))).min(LONGEST);
    let less = u32::try_from(chance % 250).unwrap_or(0);
    doubled.saturating_sub(doubled * less / 1000)
}

fn seconds(text: &str, units: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number / units).ok()
}

/// The time until a date of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn until(date: &str, now: SystemTime) -> Option<Duration> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = date.split_once(", ")?.1.split(' ');
    let (day, month, year, clock) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let date = format!("{year}-{month:02}-{day}T{clock}");
    let then = Timestamp::parse(&format!("{date}Z"))?;
    // Days that a month does not have become other dates.
    let exists = then.to_string().starts_with(&date);
    let then = UNIX_EPOCH + Duration::from_millis(then.unix_ms);
    exists.then(|| then.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(headers: &[(&'static str, &str)]) -> RetryAdvice {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        RetryAdvice::from_headers(&headers.collect(), now)
    }

    #[test]
    fn headers_state_the_pause() {
        for (headers, expected) in [
            (vec![("retry-after", "7")], Some(7_000)),
            (vec![("retry-after", "0.25")], Some(250)),
            (vec![("retry-after", "7"), ("retry-after-ms", "1500")], Some(1_500)),
            (vec![("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")], Some(60_000)),
            (vec![("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], Some(0)),
            (vec![("retry-after", "Thu, 29 Feb 1996 08:49:37 GMT")], Some(480 * 86_400_000)),
            (vec![("retry-after", "Wed, 29 Feb 1995 08:49:37 GMT")], None),
            (vec![("retry-after", "-1")], None),
            (vec![("retry-after", "soon")], None),
            (vec![("retry-after", "1e300")], None),
            (vec![], None),
        ] {
            let after = advice(&headers).after.map(|after| after.as_millis());
            assert_eq!(after, expected, "{headers:?}");
        }
        assert_eq!(advice(&[("x-should-retry", "false")]).again, Some(false));
        assert_eq!(advice(&[("x-should-retry", "true")]).again, Some(true));
        assert_eq!(advice(&[("x-should-retry", "perhaps")]).again, None);
    }

    #[test]
    fn pauses_grow_to_a_limit_at_random() {
        const FIRST: Duration = Duration::from_secs(1);
        let pauses: Vec<_> =
            (1..8).map(|tries| pause(FIRST, tries, RetryAdvice::default(), 0).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 20, 20]);
        assert_eq!(pause(FIRST, u32::MAX, RetryAdvice::default(), 0), LONGEST);
        for chance in [0, 1, 249, 250, u64::MAX] {
            let pause = pause(FIRST, 3, RetryAdvice::default(), chance);
            assert!(
                (Duration::from_secs(3)..=Duration::from_secs(4)).contains(&pause),
                "{chance}: {pause:?}"
            );
        }
        let asked = RetryAdvice { after: Some(Duration::from_secs(9)), again: None };
        assert_eq!(pause(FIRST, 1, asked, 249), Duration::from_secs(9));
    }
}
