//! Ids: kind, time, and six random hex digits.

use std::hash::{BuildHasher, Hasher, RandomState};

use tenter_contract::Timestamp;

/// Such as `ghap_20261116_160431_a1b2c3`, in UTC.
pub fn new(what: &str, now: Timestamp) -> String {
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    let (date, time) = digits.split_at_checked(8).unwrap_or((&digits, ""));
    // The random state of hash tables is random enough for an id.
    let random = RandomState::new().build_hasher().finish() & 0x00ff_ffff;
    format!("{what}_{date}_{time}_{random:06x}")
}
