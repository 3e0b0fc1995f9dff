//! A trail that is behind its head after a power cut: tenter does not wait for the disk, so the last records may be lost.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::path::Path;

use serde::Deserialize;
use tenter_contract::ports::TrailError;
use tenter_protocol::v1::record::RecordV1;

use super::chain::{Place, Tip};
use super::draft::Draft;
use super::files::{AuditFiles, Full, LOST, unusable};
use super::head::Known;
use super::lines::{Line, Lines};
use super::quarantine;
use super::seal::{Key, Mac};
use crate::clock::now;
use crate::hex;
use crate::place::open_to_read;

pub(crate) const EVENT: &str = "trail:lost";

/// What is left after a loss.
pub(crate) struct Remaining {
    /// The end of the remaining chain.
    pub(crate) tip: Tip,
    /// The notice for the user.
    pub(crate) notice: String,
    /// The record of the loss.
    pub(crate) record: Draft,
}

/// Finds the end of the remaining records, and moves the head and a torn line to a new folder. The remaining chain must be
/// unbroken: a power cut takes the end of a file and changes nothing before it.
pub(crate) fn find_remaining(
    files: &AuditFiles,
    head: &File,
    trail: &File,
    known: &Known,
    key: &Key,
) -> Result<Remaining, TrailError> {
    let (tip, torn) = walk(files, trail, &known.tip, key)?;
    let what = in_words(&tip, &known.tip);
    let keep = || -> io::Result<()> {
        let folder = quarantine::new_folder(files, LOST)?;
        quarantine::write_reason(&folder, head, &what)?;
        if !torn.is_empty() {
            quarantine::write_new(&folder.join("torn"), &torn)?;
        }
        trail.set_len(tip.offset)
    };
    keep().map_err(unusable(&files.trail))?;
    let record = record(&what).map_err(unusable(&files.trail))?;
    Ok(Remaining { tip, notice: format!("the audit trail `{}`: {what}", files.trail.display()), record })
}

/// A record about lost records.
pub(crate) fn record(what: &str) -> io::Result<Draft> {
    Draft::new(&RecordV1 {
        v: 1,
        timestamp: now().to_string(),
        event: EVENT.to_owned(),
        problem: Some(what.to_owned()),
        ..RecordV1::default()
    })
}

/// A sentence about the records between two ends.
pub(crate) fn in_words(left: &Tip, known: &Tip) -> String {
    let (from, to) = (left.due(), known.seq);
    let which =
        if from == to { format!("record {from} was") } else { format!("records {from} to {to} were") };
    format!("{which} lost in a power cut: the machine was started anew since the head was written")
}

/// Whether a line is a record about a loss.
pub(crate) fn is_loss_record(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct EventField<'a> {
        #[serde(borrow)]
        event: Cow<'a, str>,
    }
    // Few lines are, so the bytes are compared first.
    line.windows(EVENT.len()).take(MAX_BEFORE_EVENT).any(|window| window == EVENT.as_bytes())
        && serde_json::from_slice(line).is_ok_and(|EventField { event }| event == EVENT)
}

/// Number, link, id and time of a record are shorter than this.
const MAX_BEFORE_EVENT: usize = 400;

fn walk(files: &AuditFiles, trail: &File, known: &Tip, key: &Key) -> Result<(Tip, Vec<u8>), TrailError> {
    let cannot = || unusable(&files.trail);
    let mut reader = BufReader::new(trail);
    reader.rewind().map_err(cannot())?;
    let mut lines = Lines::new(reader);
    let mut tip = tip_before_file(files, known)?;
    let mut torn = Vec::new();
    while let Some(line) = lines.next().map_err(cannot())? {
        match line {
            Line::Whole(line) => {
                let follows = tip.follow(line).map_err(|problem| problem.to_string());
                let sealed = (key.check(line) != Mac::Wrong).then_some(()).ok_or("a wrong mac".to_owned());
                follows.and(sealed).map_err(|what| {
                    files.damaged(format!(
                        "its head knows more than there is, and at record {}: {what}",
                        tip.due()
                    ))
                })?;
            }
            Line::Torn(rest) => torn = rest.to_vec(),
        }
    }
    Ok((tip, torn))
}

/// The end of the chain before the first line of the current file.
fn tip_before_file(files: &AuditFiles, known: &Tip) -> Result<Tip, TrailError> {
    let before = files.all_full()?.into_iter().rfind(|full| full.first < known.first);
    let Some(Full { path, .. }) = before else { return Ok(Tip::start()) };
    let (seq, hash) = last_line(&path)
        .map_err(unusable(&path))?
        .ok_or_else(|| files.damaged(format!("`{}` ends with no record", path.display())))?;
    Ok(Tip { seq, hash, first: seq.saturating_add(1), offset: 0 })
}

fn last_line(path: &Path) -> io::Result<Option<(u64, String)>> {
    let mut lines = Lines::new(BufReader::new(open_to_read(path)?));
    let mut last = None;
    while let Some(Line::Whole(line)) = lines.next()? {
        last = Place::parse(line).ok().map(|place| (place.seq, hex::sha256(line)));
    }
    Ok(last)
}
