//! Numbers of bytes: `65536`, `64KiB`, `1MiB`.

use crate::fields::Field;
use crate::problem::{Expected, Finding, ProblemKind};
use crate::tree::Value;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
/// Below this a reply is cut before it says anything; above it one hook can fill the memory of a machine.
const MOST: usize = 64 * MIB;

/// How much is read of something: too little of it would be half of everything.
pub(crate) fn size(field: &Field<'_>) -> Result<usize, Finding> {
    within(field, KIB, "1KiB")
}

/// How much of something may be given, and be that a single byte.
pub(crate) fn small_size(field: &Field<'_>) -> Result<usize, Finding> {
    within(field, 1, "1")
}

fn within(field: &Field<'_>, least: usize, written: &'static str) -> Result<usize, Finding> {
    let read = match &field.node.value {
        Value::Int(number) => usize::try_from(*number).ok(),
        Value::Text(text) => bytes(text.trim()),
        Value::Float(_) => None,
        Value::Null | Value::Bool(_) | Value::List(_) | Value::Table(_) => {
            return Err(field.wrong_type(Expected::Size));
        }
    };
    read.filter(|bytes| (least..=MOST).contains(bytes)).ok_or_else(|| {
        let (key, found) = (field.path.clone(), field.node.quoted());
        field.problem(ProblemKind::BadSize { key, found, least: written })
    })
}

/// Only binary units: whether `1MB` is 1,000,000 or 1,048,576 depends on whom one asks.
fn bytes(text: &str) -> Option<usize> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let scale = match unit.trim_start() {
        "" | "B" => 1,
        "KiB" => KIB,
        "MiB" => MIB,
        _ => return None,
    };
    number.parse::<usize>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_binary_units() {
        for (text, expected) in [
            ("65536", Some(65_536)),
            ("64KiB", Some(65_536)),
            ("1 MiB", Some(1_048_576)),
            ("2048B", Some(2048)),
            ("1MB", None),
            ("64k", None),
            ("", None),
            ("-1", None),
            ("1.5MiB", None),
            ("99999999999999999999MiB", None),
            ("18446744073709551615KiB", None),
        ] {
            assert_eq!(bytes(text), expected, "`{text}`");
        }
    }
}
