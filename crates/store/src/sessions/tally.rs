//! How often something happened: `tally-…`, a file per thing that is counted, with a byte per mark.
//!
//! A mark is appended and never changed. Where it came to stand in the file is the writer's own, whoever else
//! writes at that moment, so what stands before it is counted by nobody else.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tenter_contract::ports::CountOp;

use super::folder::SessionFolder;
use crate::place::open_to_read;

const ONE: u8 = b'1';
const RESTART: u8 = b'-';
/// So many bytes are looked at together.
const PIECE: u64 = 4096;

/// Adds a mark and counts back to the last restart.
pub(super) fn add(folder: &SessionFolder<'_>, path: &Path, mark: CountOp) -> io::Result<u64> {
    if mark == CountOp::Read {
        return look(path);
    }
    let mut file = folder.open_to_add(path)?;
    match mark {
        CountOp::Read => look(path),
        CountOp::Reset => file.write_all(&[RESTART]).map(|()| 0),
        CountOp::Increment => {
            file.write_all(&[ONE])?;
            let end = file.stream_position()?;
            since_restart(&mut file, end)
        }
    }
}

/// Counts where nothing can be written, too.
fn look(path: &Path) -> io::Result<u64> {
    let mut file = match open_to_read(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(0),
        opened => opened?,
    };
    let end = file.seek(SeekFrom::End(0))?;
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
