//! Counters of a session: `tally-…`, a file per counter, with a byte per mark.
//!
//! A mark is appended and never changed. Its position in the file is unique, so parallel writers get different counts.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tenter_contract::ports::CountOp;

use super::folder::SessionFolder;
use crate::place::{if_found, open_to_read};

const ONE: u8 = b'1';
const RESTART: u8 = b'-';
/// The bytes of one read.
const PIECE: u64 = 4096;

/// Applies the operation and counts back to the last restart.
pub(super) fn add(folder: &SessionFolder<'_>, path: &Path, op: CountOp) -> io::Result<u64> {
    if op == CountOp::Read {
        // Reads where nothing can be written, too.
        let Some(mut file) = if_found(open_to_read(path))? else { return Ok(0) };
        let end = file.seek(SeekFrom::End(0))?;
        return since_restart(&mut file, end);
    }
    let mut file = folder.open_to_append(path)?;
    file.write_all(&[if op == CountOp::Reset { RESTART } else { ONE }])?;
    let end = file.stream_position()?;
    since_restart(&mut file, end)
}

fn since_restart(file: &mut File, mut end: u64) -> io::Result<u64> {
    let mut count = 0;
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        file.seek(SeekFrom::Start(start))?;
        let mut piece = Vec::new();
        Read::by_ref(file).take(end - start).read_to_end(&mut piece)?;
        if let Some(at) = piece.iter().rposition(|byte| *byte == RESTART) {
            return Ok(count + (piece.len() - at - 1) as u64);
        }
        count += piece.len() as u64;
        end = start;
    }
    Ok(count)
}
