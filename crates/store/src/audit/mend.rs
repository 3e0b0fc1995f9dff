//! A trail that is ahead of its head: its last writer was stopped before it wrote the head.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use tenter_contract::ports::TrailError;

use super::chain::Tip;
use super::files::{AuditFiles, TORN, unusable};
use super::head::Known;
use super::lines::{Line, Lines};
use super::seal::{self, Key, Mac};
use crate::place::{open_plain, our_file};

/// Finds the real end of the trail, and returns it with a notice. Complete lines that continue the chain with good macs
/// are adopted; a torn line behind them is moved to another file. Anything else is not the result of a crash but damage,
/// and nothing is changed.
#[cold]
pub(crate) fn catch_up(
    files: &AuditFiles,
    trail: &File,
    known: Known,
    key: &Key,
) -> Result<(Tip, String), TrailError> {
    let known_seq = known.tip.seq;
    let (tip, torn) = walk(files, trail, known, key)?;
    let mut notice = format!(
        "the audit trail `{}` was ahead of its head, as after a crash; records adopted: {}",
        files.trail.display(),
        tip.seq - known_seq
    );
    if !torn.is_empty() {
        let path = files.folder.join(format!("{TORN}{}-{}.jsonl", tip.due(), std::process::id()));
        keep(&path, &torn).map_err(unusable(&path))?;
        trail.set_len(tip.offset).map_err(unusable(&files.trail))?;
        notice = format!("{notice}; half a line was moved to `{}`", path.display());
    }
    Ok((tip, notice))
}

/// Refuses a head of version 1 over records with macs: tenter never wrote such a pair, so the head was planted to hide
/// removed records.
#[cold]
pub(crate) fn refuse_old_head(files: &AuditFiles, trail: &File, offset: u64) -> Result<(), TrailError> {
    let mut end = [0; 80];
    let begin = offset.saturating_sub(end.len() as u64);
    let length = trail.read_at(&mut end, begin).map_err(unusable(&files.trail))?;
    if seal::is_sealed(end[..length].trim_ascii_end()) {
        return Err(files.damaged("its head is of version 1, but its records have macs".to_owned()));
    }
    Ok(())
}

/// The real end, and the bytes of a torn line behind it.
fn walk(files: &AuditFiles, trail: &File, known: Known, key: &Key) -> Result<(Tip, Vec<u8>), TrailError> {
    let mut sealed = known.is_sealed();
    let mut tip = known.tip;
    let reader = reader_at_line_end(trail, tip.offset).map_err(unusable(&files.trail))?;
    let mut lines = Lines::new(
        reader.ok_or_else(|| files.damaged("its head points into the middle of a line".to_owned()))?,
    );
    let mut torn = Vec::new();
    while let Some(line) = lines.next().map_err(unusable(&files.trail))? {
        match line {
            Line::Whole(line) => {
                let before = tip.seq;
                let damaged = |what: String| files.damaged(format!("after record {before}: {what}"));
                tip.follow(line).map_err(|problem| damaged(problem.to_string()))?;
                match key.check(line) {
                    Mac::Good => sealed = true,
                    Mac::None if !sealed => {}
                    Mac::None => return Err(damaged("a record without a mac".to_owned())),
                    Mac::Wrong => return Err(damaged("a record with a wrong mac".to_owned())),
                }
            }
            Line::Torn(rest) => torn = rest.to_vec(),
        }
    }
    Ok((tip, torn))
}

/// A reader behind a line end; none if no line ends there.
fn reader_at_line_end(trail: &File, offset: u64) -> io::Result<Option<BufReader<&File>>> {
    let mut reader = BufReader::new(trail);
    let Some(before) = offset.checked_sub(1) else { return Ok(Some(reader)) };
    reader.seek(SeekFrom::Start(before))?;
    let mut last = [0];
    reader.read_exact(&mut last)?;
    Ok((last == *b"\n").then_some(reader))
}

/// Appends, so that two torn lines at the same record are both kept.
fn keep(path: &Path, torn: &[u8]) -> io::Result<()> {
    open_plain(our_file().append(true).create(true), path)?.write_all(torn)
}
