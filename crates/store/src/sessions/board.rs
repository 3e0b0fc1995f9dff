//! The last shared decisions of a session, some hundreds, in one file of fixed size.
//!
//! The hash of a call selects a group of places, and its decision replaces the oldest one of the group. So the file does
//! not grow, and nothing has to be removed. A place is one line: the hash of the call, the time, the decision.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::Duration;

use crate::byte_lock;
use crate::clock::now;
use crate::hex::sha256;

/// How old a shared decision may be. Deliveries of one call arrive at the same time or, from an agent that runs its hooks
/// one by one, as far apart as those hooks take. A later one is a new call, even with the same id: the files that a guard
/// has checked may have changed.
const FRESH: Duration = Duration::from_mins(1);
const GROUPS: u16 = 64;
const PLACES: usize = 8;
/// A group is one page of memory.
const PLACE: usize = 512;
const GROUP: usize = PLACES * PLACE;
/// The hash and the time in milliseconds, each with a space.
const HEAD: usize = 64 + 1 + 13 + 1;
/// The longest decision, with its line end.
pub(super) const ROOM: usize = PLACE - HEAD;

/// A call, by its hash. Nothing else of its input is kept.
pub(super) struct Call {
    pub(super) name: String,
    group: u16,
    number: i64,
}

impl Call {
    pub(super) fn new(call: &str) -> Self {
        let name = sha256(call.as_bytes());
        let number = i64::from_str_radix(&name[..15], 16).unwrap_or_default();
        let group = u16::from_str_radix(&name[60..], 16).unwrap_or_default() % GROUPS;
        Self { name, group, number }
    }

    /// The byte whose lock is the lock on the call; the first bytes are those of the groups.
    pub(super) fn byte(&self) -> i64 {
        i64::from(GROUPS) + self.number
    }

    fn offset(&self) -> u64 {
        u64::from(self.group) * GROUP as u64
    }
}

/// The shared decision on a call, if it is fresh.
pub(super) fn find(file: &File, call: &Call) -> io::Result<Option<Vec<u8>>> {
    let group = read(file, call)?;
    let entry = group.chunks(PLACE).filter_map(entry).find(|entry| entry.name == call.name.as_bytes());
    Ok(entry.filter(|entry| entry.is_fresh(now().unix_ms)).map(|entry| entry.line.to_vec()))
}

/// Writes the shared decision on a locked call.
pub(super) fn put(file: &File, call: &Call, line: &[u8]) -> io::Result<()> {
    // Two calls of one group might take the same place. A process that holds the lock for longer was stopped, and this
    // one does not wait for it: at worst a call is judged twice.
    let byte = i64::from(call.group);
    let locked = (0..20).any(|round| {
        if round > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        byte_lock::try_lock(file, byte).unwrap_or(false)
    });
    let group = read(file, call)?;
    let age = |place: &[u8]| match entry(place) {
        Some(entry) if entry.name == call.name.as_bytes() => 0,
        Some(entry) => entry.decided.max(1),
        None => 1,
    };
    let taken = group.chunks(PLACE).map(age).enumerate().min_by_key(|(_, age)| *age);
    let place = taken.map_or(0, |(place, _)| place);
    let mut bytes = format!("{} {:013} ", call.name, now().unix_ms).into_bytes();
    bytes.extend_from_slice(line);
    bytes.resize(PLACE, 0);
    let written = file.write_all_at(&bytes, call.offset() + (place * PLACE) as u64);
    if locked {
        byte_lock::unlock(file, byte)?;
    }
    written
}

/// The group of a call. Places behind the end of the file are empty.
fn read(file: &File, call: &Call) -> io::Result<Vec<u8>> {
    let mut group = vec![0; GROUP];
    let mut at = 0;
    while at < GROUP {
        match file.read_at(&mut group[at..], call.offset() + at as u64) {
            Ok(0) => break,
            Ok(read) => at += read,
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
    Ok(group)
}

/// The content of a place.
struct Entry<'a> {
    name: &'a [u8],
    /// In milliseconds since the Unix epoch.
    decided: u64,
    line: &'a [u8],
}

impl Entry<'_> {
    /// A time in the future does not count: the clock was set back, and the age is unknown.
    fn is_fresh(&self, now: u64) -> bool {
        now.checked_sub(self.decided).is_some_and(|age| u128::from(age) <= FRESH.as_millis())
    }
}

fn entry(place: &[u8]) -> Option<Entry<'_>> {
    let end = place.iter().position(|byte| *byte == b'\n')?;
    let mut parts = place[..=end].splitn(3, |byte| *byte == b' ');
    let name = parts.next()?;
    let decided = str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    Some(Entry { name, decided, line: parts.next()? })
}
