//! Walks through a trail and checks that each line follows from the one before and has a good mac.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::chain::{Break, Place, Tip};
use super::head::{Head, Known};
use super::lines::Line;
use super::lost;
use super::parts::{Parts, TrailItem};
use super::seal::{self, Key, Mac};
use super::verify::{Condition, Macs};
use crate::hex;

/// A walk through a trail.
pub(crate) struct Walk<'a> {
    key: Option<&'a Key>,
    known: Option<&'a Known>,
    pub(crate) tip: Tip,
    /// The end before the last file, if that file has no lines.
    pub(crate) before_rotation: Option<Tip>,
    /// Whether the record that the head names is at its place.
    pub(crate) at_head: bool,
    pub(crate) macs: Macs,
    /// Records about a loss.
    pub(crate) losses: Vec<u64>,
    /// The hashes of the requested records.
    pub(crate) hashes: BTreeMap<u64, String>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(key: Option<&'a Key>, head: Option<&'a Head>) -> Self {
        let known = match head {
            Some(Head::At(known)) => Some(known),
            Some(Head::Blank | Head::Newer { .. } | Head::Unreadable) | None => None,
        };
        Self {
            key,
            known,
            tip: Tip::start(),
            before_rotation: None,
            at_head: false,
            macs: Macs::default(),
            losses: Vec::new(),
            hashes: BTreeMap::new(),
        }
    }

    /// Walks to the end, or returns the first record that is not as it was written.
    pub(crate) fn run(&mut self, trail: &mut Parts, wanted: &BTreeSet<u64>) -> io::Result<Option<Condition>> {
        loop {
            let line = match trail.next()? {
                None => return Ok(None),
                Some(TrailItem::FileStart { first }) => {
                    if let Some(what) = self.begin_file(first) {
                        return Ok(Some(self.broken(trail, 1, what)));
                    }
                    continue;
                }
                Some(TrailItem::Line(Line::Torn(_))) => {
                    return Ok(Some(self.broken(
                        trail,
                        trail.line,
                        "the line is torn: it has no end".to_owned(),
                    )));
                }
                Some(TrailItem::Line(Line::Whole(line))) => line,
            };
            if let Some(what) = self.wrong_mac(line) {
                return Ok(Some(self.broken(trail, trail.line, what)));
            }
            match self.tip.follow(line) {
                Ok(()) => {}
                Err(Break::WrongLink) => {
                    let hash = hex::sha256(line);
                    return self.which_of_two(trail, &hash).map(Some);
                }
                Err(problem @ (Break::NotARecord { .. } | Break::WrongNumber { .. })) => {
                    return Ok(Some(self.broken(trail, trail.line, problem.to_string())));
                }
            }
            self.note(line, wanted);
        }
    }

    pub(crate) fn has_macs(&self) -> bool {
        self.macs.checked + self.macs.unchecked > 0
    }

    fn begin_file(&mut self, first: Option<u64>) -> Option<String> {
        let due = self.tip.due();
        let rotated = self.tip.rotated();
        self.before_rotation = Some(std::mem::replace(&mut self.tip, rotated));
        match first {
            Some(first) if first > due => {
                Some(format!("it is missing: the next file says that it begins with record {first}"))
            }
            Some(first) if first < due => {
                Some(format!("a file that says it begins with record {first} is here"))
            }
            Some(_) | None => None,
        }
    }

    /// Checked before the place: of two lines that do not match, the mac shows which one was changed.
    fn wrong_mac(&mut self, line: &[u8]) -> Option<String> {
        let had_macs = self.has_macs();
        let mac = match self.key {
            Some(key) => key.check(line),
            None if seal::is_sealed(line) => {
                self.macs.unchecked += 1;
                return None;
            }
            None => Mac::None,
        };
        match mac {
            Mac::Good => {
                self.macs.checked += 1;
                None
            }
            Mac::None => {
                let what = why_no_mac(line, had_macs).map(str::to_owned);
                self.macs.without += u64::from(what.is_none());
                what
            }
            Mac::Wrong if had_macs || self.head_is_ours() => {
                Some("it was changed: its mac is wrong".to_owned())
            }
            Mac::Wrong => Some(
                "neither its mac nor that of the head is of this key: the key was replaced or removed"
                    .to_owned(),
            ),
        }
    }

    fn head_is_ours(&self) -> bool {
        self.key.zip(self.known).is_some_and(|(key, known)| known.is_sealed() && known.is_by(key))
    }

    fn note(&mut self, line: &[u8], wanted: &BTreeSet<u64>) {
        self.before_rotation = None;
        let seq = self.tip.seq;
        if let Some(known) = self.known.filter(|known| known.tip.seq == seq) {
            self.at_head = known.tip == self.tip || known.tip == self.tip.rotated();
        }
        if wanted.contains(&seq) {
            self.hashes.insert(seq, self.tip.hash.clone());
        }
        if lost::is_loss_record(line) {
            self.losses.push(seq);
        }
    }

    fn broken(&self, trail: &Parts, line: u64, what: String) -> Condition {
        Condition::Broken { seq: self.tip.due(), file: trail.file(), line, what }
    }

    /// A wrong link means that one of two records was changed. If the link of the next record confirms the second, it was
    /// the first.
    fn which_of_two(&self, trail: &mut Parts, hash: &str) -> io::Result<Condition> {
        let (file, line) = (trail.file(), trail.line);
        let is_confirmed = loop {
            break match trail.next()? {
                Some(TrailItem::FileStart { .. }) => continue,
                Some(TrailItem::Line(Line::Whole(next))) => {
                    Place::parse(next).is_ok_and(|place| place.prev == hash)
                }
                Some(TrailItem::Line(Line::Torn(_))) => false,
                None => self.known.is_some_and(|known| known.tip.hash == hash),
            };
        };
        let (first, second) = (self.tip.seq, self.tip.due());
        // The line before the first one of a file is in another file, and its number there is unknown.
        let line_before = line.saturating_sub(1).max(1);
        Ok(if is_confirmed && first > 0 {
            let what = format!("it was changed: record {second} carries another hash of it");
            Condition::Broken { seq: first, file, line: line_before, what }
        } else {
            let what = match first {
                0 => "its `prev` is not that of a first record".to_owned(),
                _ => format!("its `prev` is not the hash of record {first}: one of the two was changed"),
            };
            Condition::Broken { seq: second, file, line, what }
        })
    }
}

/// What is wrong with a line without a mac; none if it is from before keys existed.
fn why_no_mac(line: &[u8], had_macs: bool) -> Option<&'static str> {
    /// Records may be nested deeper than a parser accepts, so the other fields are skipped.
    #[derive(Deserialize)]
    struct Fields {
        mac: Option<IgnoredAny>,
    }
    match serde_json::from_slice(line) {
        Ok(Fields { mac: Some(_) }) => {
            Some("its mac is damaged: it is not the 64 hexadecimal digits that were written there")
        }
        Ok(_) if had_macs => Some("it has no mac, but a record before it has one"),
        Err(_) if had_macs => Some("it is damaged: the line is no record any more"),
        // Whether it is a record is checked next.
        Ok(_) | Err(_) => None,
    }
}
