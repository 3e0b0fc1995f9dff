//! The chain of lines by `seq` and `prev`. The other fields of a line do not matter here.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;

use crate::hex;

/// The end of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tip {
    /// The number of the last line; 0 if there is none.
    pub(crate) seq: u64,
    /// The hash of the last line; that of no bytes if there is none.
    pub(crate) hash: String,
    /// The number of the first line of the current file.
    pub(crate) first: u64,
    /// The length of that file up to here, with newlines.
    pub(crate) offset: u64,
}

/// The fields of a line that state its place.
#[derive(Debug, Deserialize)]
pub(crate) struct Place<'a> {
    pub(crate) seq: u64,
    #[serde(borrow)]
    pub(crate) prev: Cow<'a, str>,
}

/// Why a line is not the next one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// It is not a JSON object with a number and a link.
    NotARecord { detail: String },
    /// It has another number than expected.
    WrongNumber { found: u64, due: u64 },
    /// Its `prev` is not the hash of the line before it.
    WrongLink,
}

impl Tip {
    /// The end of a chain without lines.
    pub(crate) fn start() -> Self {
        Self { seq: 0, hash: hex::sha256(b""), first: 1, offset: 0 }
    }

    /// The same end at the beginning of a new file.
    pub(crate) fn rotated(&self) -> Self {
        Self { first: self.due(), offset: 0, ..self.clone() }
    }

    /// The number of the next line. It saturates, because a manipulated head may state any number.
    pub(crate) fn due(&self) -> u64 {
        self.seq.saturating_add(1)
    }

    /// Adds a line that was written for this place.
    pub(crate) fn push(&mut self, line: &[u8]) {
        self.seq = self.due();
        self.hash = hex::sha256(line);
        self.offset = self.offset.saturating_add(line.len() as u64 + 1);
    }

    /// Adds a line that was read, if it belongs here. The number is checked first: it distinguishes a missing line from a
    /// changed one.
    pub(crate) fn follow(&mut self, line: &[u8]) -> Result<(), Break> {
        let place = Place::parse(line).map_err(|detail| Break::NotARecord { detail })?;
        let due = self.due();
        if place.seq != due {
            return Err(Break::WrongNumber { found: place.seq, due });
        }
        if place.prev != self.hash {
            return Err(Break::WrongLink);
        }
        self.push(line);
        Ok(())
    }
}

impl<'a> Place<'a> {
    /// Skips the other fields, so neither their depth nor their size matters.
    pub(crate) fn parse(line: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(line).map_err(|problem| problem.to_string())
    }
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARecord { detail } => write!(f, "it is not a record: {detail}"),
            Self::WrongNumber { found, due } if found > due => {
                write!(f, "record {due} is missing; record {found} is in its place")
            }
            Self::WrongNumber { found, due } => write!(f, "record {found} is where {due} is due"),
            Self::WrongLink => write!(f, "its `prev` is not the hash of the line before"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seq: u64, prev: &str) -> Vec<u8> {
        format!(r#"{{"v":1,"seq":{seq},"prev":"{prev}","event":"tool:pre"}}"#).into_bytes()
    }

    #[test]
    fn line_needs_its_number_and_link() {
        let mut tip = Tip::start();
        let first = line(1, &hex::sha256(b""));
        tip.follow(&first).unwrap();
        let offset = first.len() as u64 + 1;
        assert_eq!(tip, Tip { seq: 1, hash: hex::sha256(&first), first: 1, offset });
        let good = tip.hash.clone();
        for (next, expected) in [
            (line(3, &good), Break::WrongNumber { found: 3, due: 2 }),
            (line(1, &good), Break::WrongNumber { found: 1, due: 2 }),
            (line(2, &hex::sha256(b"")), Break::WrongLink),
            (line(2, &good.to_uppercase()), Break::WrongLink),
        ] {
            assert_eq!(tip.clone().follow(&next), Err(expected));
        }
        tip.follow(&line(2, &good)).unwrap();
    }

    #[test]
    fn new_file_continues_the_chain() {
        let mut tip = Tip::start();
        assert_eq!(tip.rotated(), tip);
        tip.push(b"x");
        assert_eq!(tip.rotated(), Tip { seq: 1, hash: hex::sha256(b"x"), first: 2, offset: 0 });
    }

    #[test]
    fn line_without_a_place_is_not_a_record() {
        for line in [
            "",
            "null",
            "[1]",
            "{}",
            r#"{"seq":1}"#,
            r#"{"seq":"1","prev":""}"#,
            r#"{"seq":1,"seq":1,"prev":""}"#,
        ] {
            let found = Tip::start().follow(line.as_bytes());
            assert!(matches!(found, Err(Break::NotARecord { .. })), "{line}: {found:?}");
        }
    }

    #[test]
    fn deeply_nested_record_is_accepted() {
        let deep = format!(
            r#"{{"seq":1,"prev":"{}","x":{}{}}}"#,
            hex::sha256(b""),
            "[".repeat(500),
            "]".repeat(500)
        );
        Tip::start().follow(deep.as_bytes()).unwrap();
    }
}
