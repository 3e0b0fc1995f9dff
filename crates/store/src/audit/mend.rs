//! A trail that is ahead of its head: its last writer was stopped before it could say so.

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

/// Goes from the end the head knows to the real one, and says what was put right. Whole lines that continue
/// the chain with good macs are adopted; half a line after them is moved to a file of its own. Anything else
/// was not left by a crash: it is damage, and nothing has been changed.
#[cold]
pub(crate) fn catch_up(
    files: &AuditFiles,
    trail: &File,
    known: Known,
    key: &Key,
) -> Result<(Tip, String), TrailError> {
    let known_seq = known.tip.seq;
    let (tip, torn) = read_on(files, trail, known, key)?;
    let mut notice = format!(
        "the audit trail `{}` was ahead of its head, as after a crash; records adopted: {}",
        files.trail.display(),
        tip.seq - known_seq
    );
    if !torn.is_empty() {
        let path = files.folder.join(format!("{TORN}{}-{}.jsonl", tip.due(), std::process::id()));
        keep(&path, &torn).map_err(unusable(&path))?;
        trail.set_len(tip.offset).map_err(unusable(&files.trail))?;
        notice.push_str("; half a line was moved to `");
        notice.push_str(&path.display().to_string());
        notice.push('`');
    }
    Ok((tip, notice))
}

/// Refuses a head of version 1 over records with macs: there never was one, so someone put it there to
/// pass a shorter trail off as a whole one.
#[cold]
pub(crate) fn refuse_old_head_of_new_records(
    files: &AuditFiles,
    trail: &File,
    offset: u64,
) -> Result<(), TrailError> {
    let mut end = [0; 80];
    let begin = offset.saturating_sub(end.len() as u64);
    let length = trail.read_at(&mut end, begin).map_err(unusable(&files.trail))?;
    if seal::is_sealed(end[..length].trim_ascii_end()) {
        return Err(files.damaged("its head is of version 1, but its records have macs".to_owned()));
    }
    Ok(())
}

/// The real end, and the bytes of half a line after it.
fn read_on(files: &AuditFiles, trail: &File, known: Known, key: &Key) -> Result<(Tip, Vec<u8>), TrailError> {
    let mut sealed = known.is_sealed();
    let mut tip = known.tip;
    let reader = from_the_end_of_a_line(trail, tip.offset).map_err(unusable(&files.trail))?;
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

/// None if no line ends there.
fn from_the_end_of_a_line(trail: &File, offset: u64) -> io::Result<Option<BufReader<&File>>> {
    let mut reader = BufReader::new(trail);
    let Some(before) = offset.checked_sub(1) else { return Ok(Some(reader)) };
    reader.seek(SeekFrom::Start(before))?;
    let mut last = [0];
    reader.read_exact(&mut last)?;
    Ok((last == *b"\n").then_some(reader))
}

/// Appends, so that a process which is torn twice at the same record keeps both halves.
fn keep(path: &Path, torn: &[u8]) -> io::Result<()> {
    open_plain(our_file().append(true).create(true), path)?.write_all(torn)
}
