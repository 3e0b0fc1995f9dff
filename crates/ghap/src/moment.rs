//! Timestamps in RFC 3339 and UTC. Also reads `+00:00` and fractions of seconds.

use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use tenter_contract::Timestamp;

/// Writes a timestamp with a `Z`.
pub fn serialize<S: Serializer>(moment: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    moment.to_string().serialize(to)
}

/// Reads a timestamp.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    parse(&text).ok_or_else(|| de::Error::custom(format!("`{text}` is no time in UTC")))
}

/// Reads `2026-01-02T03:04:05Z`, `…+00:00`, and a date, which means its first second.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    match text.strip_suffix("+00:00") {
        Some(bare) => Timestamp::parse(&format!("{bare}Z")),
        None if text.len() == 10 => Timestamp::parse(&format!("{text}T00:00:00Z")),
        None => Timestamp::parse(text),
    }
}
