//! The chain: what makes a line the next one. Of a line it knows `seq` and `prev`, and nothing else.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;

use crate::hex;

/// The end of a chain, to which the next line is tied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tip {
    /// Number of the last line; 0 if there is none.
    pub(crate) seq: u64,
    /// Hash of the last line; of nothing, if there is none.
    pub(crate) hash: String,
    /// Number of the first line of the file that is being written.
    pub(crate) first: u64,
    /// Length of that file up to here, newlines counted.
    pub(crate) offset: u64,
}

/// What a line says of its place.
#[derive(Debug, Deserialize)]
pub(crate) struct Place<'a> {
    pub(crate) seq: u64,
    #[serde(borrow)]
    pub(crate) prev: Cow<'a, str>,
}

/// Why a line is not the next one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// It is no JSON object with a number and a link.
    NotARecord { detail: String },
    /// Another number was due.
    WrongNumber { found: u64, due: u64 },
    /// It is tied to a line with another hash than the one before it.
    WrongLink,
}

impl Tip {
    /// The end of a chain without lines.
    pub(crate) fn start() -> Self {
        Self { seq: 0, hash: hex::sha256(b""), first: 1, offset: 0 }
    }

    /// The same end, with a new file for what follows.
    pub(crate) fn rotated(&self) -> Self {
        Self { first: self.due(), offset: 0, ..self.clone() }
    }

    /// The number of the next line. It saturates, because a head that was tampered with may say anything.
    pub(crate) fn due(&self) -> u64 {
        self.seq.saturating_add(1)
    }

    /// Adds a line that was made for this place.
    pub(crate) fn push(&mut self, line: &[u8]) {
        self.seq = self.due();
        self.hash = hex::sha256(line);
        self.offset = self.offset.saturating_add(line.len() as u64 + 1);
    }

    /// Adds a line that was found, if it belongs here. The number is checked first: it distinguishes a missing
    /// line from a changed one.
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
    /// The other fields are skipped without being built, so neither their depth nor their size matters.
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
    fn a_line_follows_only_with_its_number_and_its_link() {
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
    fn a_new_file_goes_on_where_the_old_one_ended() {
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
    fn a_record_may_be_nested_deeper_than_a_parser_likes() {
        let deep = format!(
            r#"{{"seq":1,"prev":"{}","x":{}{}}}"#,
            hex::sha256(b""),
            "[".repeat(500),
            "]".repeat(500)
        );
        Tip::start().follow(deep.as_bytes()).unwrap();
    }
}
