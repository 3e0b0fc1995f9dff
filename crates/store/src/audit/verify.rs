//! Checking a trail from its first line to its head.

use std::io;
use std::path::PathBuf;

use tenter_contract::ports::TrailError;

use super::chain::{Break, Place, Tip};
use super::files::{AuditFiles, DAMAGED, TORN, unusable};
use super::head::Head;
use super::lines::{Line, Lines};
use super::snapshot;
use crate::{StateFolder, hex};

/// What was found of a trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The trail that is being written now.
    pub trail: Condition,
    /// Folders of damaged trails that were set aside, oldest first. Each is a finding: setting aside must
    /// not hide that something was tampered with. Who has looked at one moves it elsewhere.
    pub set_aside: Vec<PathBuf>,
    /// Files with half lines that crashes left. Their writers never reported success, so they are no
    /// finding.
    pub torn: Vec<PathBuf>,
}

/// How a trail is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing was ever recorded here.
    Empty,
    /// Every record is there, unchanged and in order, up to the one the head names.
    Intact {
        /// How many.
        records: u64,
        /// Hash of the last one: who notes it down can tell later whether the trail was exchanged.
        last_hash: String,
    },
    /// Something was changed, or is missing.
    Broken {
        /// Number of the first record that is not as it was written.
        seq: u64,
        /// The line it stands in, or would stand in.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

impl Verification {
    /// Whether there is no finding.
    pub fn is_sound(&self) -> bool {
        self.set_aside.is_empty() && !matches!(self.trail, Condition::Broken { .. })
    }
}

/// Checks a trail. It finds every change that was not made by somebody who also made all later links and the
/// head anew.
pub fn verify(state: &StateFolder) -> Result<Verification, TrailError> {
    let files = AuditFiles::new(state);
    let snapshot = snapshot::take(&files)?;
    let head = snapshot.head.as_ref();
    let trail = match snapshot.trail {
        None => at_the_end(&Tip::start(), None, head),
        Some(trail) => walk(Lines::new(trail), head).map_err(unusable(&files.trail))?,
    };
    let (set_aside, torn) = beside_the_trail(&files).map_err(unusable(&files.folder))?;
    Ok(Verification { trail, set_aside, torn })
}

fn walk<R: io::BufRead>(mut lines: Lines<R>, head: Option<&Head>) -> io::Result<Condition> {
    let mut tip = Tip::start();
    let mut at_head = None;
    while let Some(line) = lines.next()? {
        let due = tip.due();
        let broken = |what: String| Condition::Broken { seq: due, line: due, what };
        let line = match line {
            Line::Whole(line) => line,
            Line::Torn(_) => return Ok(broken("the line is torn: it has no end".to_owned())),
        };
        match tip.follow(line) {
            Ok(()) => {}
            Err(Break::WrongLink) => {
                let hash = hex::sha256(line);
                return which_of_two(&mut lines, &tip, &hash, head);
            }
            Err(problem @ (Break::NotARecord { .. } | Break::WrongNumber { .. })) => {
                return Ok(broken(problem.to_string()));
            }
        }
        if let Some(Head::At(known)) = head
            && known.seq == tip.seq
        {
            at_head = Some(tip.clone());
        }
    }
    Ok(at_the_end(&tip, at_head.as_ref(), head))
}

/// A link that does not hold means that one of two records was changed. If whatever comes after the second
/// one vouches for it, it was the first.
fn which_of_two<R: io::BufRead>(
    lines: &mut Lines<R>,
    before: &Tip,
    hash: &str,
    head: Option<&Head>,
) -> io::Result<Condition> {
    let vouched = match (lines.next()?, head) {
        (Some(Line::Whole(next)), _) => Place::of(next).is_ok_and(|place| place.prev == hash),
        (None, Some(Head::At(known))) => known.hash == hash,
        (None | Some(Line::Torn(_)), _) => false,
    };
    let (first, second) = (before.seq, before.due());
    Ok(if vouched && first > 0 {
        let what = format!("it was changed: record {second} carries another hash of it");
        Condition::Broken { seq: first, line: first, what }
    } else {
        let what = match first {
            0 => "its `prev` is not that of a first record".to_owned(),
            _ => format!("its `prev` is not the hash of record {first}: one of the two was changed"),
        };
        Condition::Broken { seq: second, line: second, what }
    })
}

/// Compares the end of an unbroken chain with the head. `at_head` is the chain as it was at the record the
/// head names.
fn at_the_end(tip: &Tip, at_head: Option<&Tip>, head: Option<&Head>) -> Condition {
    let last = tip.seq.max(1);
    let broken = |seq: u64, what: String| Condition::Broken { seq, line: seq, what };
    match head {
        None | Some(Head::Blank) if tip.seq == 0 => Condition::Empty,
        None => broken(last, "the head is missing, so nothing shows that this is the last record".to_owned()),
        Some(Head::Blank) => {
            broken(last, "the head is empty, so nothing shows that this is the last record".to_owned())
        }
        Some(Head::Unreadable) => {
            broken(last, "the head cannot be read, so nothing shows that this is the last record".to_owned())
        }
        Some(Head::Newer { version }) => {
            broken(last, format!("the head is of version {version}: of a later program, or changed"))
        }
        Some(Head::At(known)) if known == tip && tip.seq == 0 => Condition::Empty,
        Some(Head::At(known)) if known == tip => {
            Condition::Intact { records: tip.seq, last_hash: tip.hash.clone() }
        }
        Some(Head::At(known)) if known.seq > tip.seq => broken(
            tip.due(),
            format!("the end is missing: the head says that {} is the last record", known.seq),
        ),
        Some(Head::At(known)) if known.seq == tip.seq => {
            broken(last, "it is not the last record the head names: it or the head was changed".to_owned())
        }
        Some(Head::At(known)) if at_head == Some(known) || *known == Tip::start() => {
            let what = "it stands after the end the head names: its writer was stopped, or it was added by \
                        hand; the next record to be written adopts it";
            broken(known.seq.saturating_add(1), what.to_owned())
        }
        Some(Head::At(known)) => {
            broken(known.seq.max(1), "the head names another record of this number".to_owned())
        }
    }
}

/// Folders of damaged trails and files with half lines, by name, which is by age.
fn beside_the_trail(files: &AuditFiles) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut set_aside, mut torn) = (Vec::new(), Vec::new());
    let entries = match std::fs::read_dir(&files.folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok((set_aside, torn)),
        listed => listed?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(DAMAGED) {
            set_aside.push(path);
        } else if name.starts_with(TORN) {
            torn.push(path);
        }
    }
    set_aside.sort();
    torn.sort();
    Ok((set_aside, torn))
}
