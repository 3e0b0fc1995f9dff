//! The pages of a database: those of the file, and newer versions from committed changes in the write-ahead log.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// SQLite's default page size, if the file does not name one.
const USUAL: usize = 4096;
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

pub(super) struct Pages {
    file: Vec<u8>,
    size: usize,
    pub(super) usable: usize,
    /// The offset in the log of the latest version of a page.
    newer: HashMap<u32, usize>,
    log: Vec<u8>,
    /// The number of pages; the first is page 1.
    pub(super) count: u32,
    /// Pages that were cut off the file.
    pub(super) missing: u32,
}

impl Pages {
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let file = tenter_store::read_regular(path, u64::MAX - 1)?;
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let log = match tenter_store::read_regular(&PathBuf::from(log), u64::MAX - 1) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Vec::new(),
            log => log?,
        };
        let stated = match two(&file, 16) {
            Some(1) => Some(65536),
            Some(size) if size.is_power_of_two() && size >= 512 => Some(usize::from(size)),
            _ => None,
        };
        let is_whole = file.starts_with(b"SQLite format 3\0");
        let size = stated.filter(|_| is_whole).unwrap_or(USUAL);
        let spare = file.get(20).copied().filter(|_| is_whole).map_or(0, usize::from);
        // SQLite requires at least 480 usable bytes.
        let usable = Some(size - spare).filter(|usable| *usable >= 480).unwrap_or(size);
        let (newer, last) = committed(&log, size);
        let count = u32::try_from(file.len().div_ceil(size)).unwrap_or(u32::MAX).max(last);
        let stated = four(&file, 28).filter(|_| is_whole).unwrap_or(0);
        Ok(Self { file, size, usable, newer, log, count, missing: stated.saturating_sub(count) })
    }

    pub(super) fn page(&self, number: u32) -> Option<&[u8]> {
        if let Some(begin) = self.newer.get(&number) {
            return self.log.get(*begin..begin + self.size);
        }
        let begin = usize::try_from(number.checked_sub(1)?).ok()?.checked_mul(self.size)?;
        self.file.get(begin..begin.checked_add(self.size)?)
    }
}

/// The offsets of committed pages in the log, and the number of pages. Stops like SQLite at the first frame that is
/// damaged or from an older log.
fn committed(log: &[u8], size: usize) -> (HashMap<u32, usize>, u32) {
    let (mut all, mut last) = (HashMap::new(), 0);
    let Some(header) = log.get(..LOG_HEADER) else { return (all, last) };
    let big_endian = match four(header, 0) {
        Some(0x377f_0682) => false,
        Some(0x377f_0683) => true,
        _ => return (all, last),
    };
    if four(header, 8).and_then(|stated| usize::try_from(stated).ok()) != Some(size) {
        return (all, last);
    }
    let mut sum = checksum((0, 0), &header[..24], big_endian);
    if (four(header, 24), four(header, 28)) != (Some(sum.0), Some(sum.1)) {
        return (all, last);
    }
    let mut pending = Vec::new();
    let mut at = LOG_HEADER;
    while let Some(frame) = log.get(at..at + FRAME_HEADER + size) {
        sum = checksum(sum, &frame[..8], big_endian);
        sum = checksum(sum, &frame[FRAME_HEADER..], big_endian);
        let of_this_log = frame[8..16] == header[16..24];
        if !of_this_log || (four(frame, 16), four(frame, 20)) != (Some(sum.0), Some(sum.1)) {
            break;
        }
        pending.push((four(frame, 0).unwrap_or(0), at + FRAME_HEADER));
        // The last frame of a transaction has the number of pages.
        if let Some(count) = four(frame, 4).filter(|count| *count > 0) {
            all.extend(pending.drain(..));
            last = count;
        }
        at += FRAME_HEADER + size;
    }
    (all, last)
}

fn checksum((mut one, mut other): (u32, u32), bytes: &[u8], big_endian: bool) -> (u32, u32) {
    let word = |four: &[u8]| {
        let four = four.first_chunk::<4>().copied().unwrap_or_default();
        if big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    };
    for pair in bytes.chunks_exact(8) {
        one = one.wrapping_add(word(&pair[..4])).wrapping_add(other);
        other = other.wrapping_add(word(&pair[4..])).wrapping_add(one);
    }
    (one, other)
}

pub(super) fn two(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
}

pub(super) fn four(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}
