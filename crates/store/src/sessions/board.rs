//! The board of a session's calls: some hundred of the last shared decisions, in one file of fixed size.
//!
//! The hash of a call names a group of places, and its shared decision takes the one of them that was taken longest
//! ago. So a shared decision goes after eight others of its group, as a rule not before some hundred have come; nothing grows, and nothing has to be removed.
//! A place holds one line: the hash of the call, when it was ruled on, the shared decision.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::byte_lock;
use crate::hex::sha256;

/// How old a shared decision may be. Routes of one call are taken at the same time or, by an agent that runs its hooks
/// one by one, as far apart as the hooks between them take. A call that comes later is a new one, although
/// agents give every call an id of its own: what a guard has looked at may have changed.
const FRESH: Duration = Duration::from_mins(1);
const GROUPS: u16 = 64;
const PLACES: usize = 8;
/// So that a group is one page.
const PLACE: usize = 512;
const GROUP: usize = PLACES * PLACE;
/// The hash, the time in milliseconds, and what stands between them and the shared decision.
const HEAD: usize = 64 + 1 + 13 + 1;
/// How long a shared decision may be, with the end of its line.
pub(super) const ROOM: usize = PLACE - HEAD;

/// A call, by its hash: two deliveries need no more, and of its input nothing else is kept.
pub(super) struct Call {
    pub(super) name: String,
    group: u16,
    number: i64,
}

impl Call {
    pub(super) fn of(call: &str) -> Self {
        let name = sha256(call.as_bytes());
        let number = i64::from_str_radix(&name[..15], 16).unwrap_or_default();
        let group = u16::from_str_radix(&name[60..], 16).unwrap_or_default() % GROUPS;
        Self { name, group, number }
    }

    /// The byte whose lock is the call, behind those of the groups.
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
    Ok(entry.filter(|entry| entry.is_fresh(now())).map(|entry| entry.line.to_vec()))
}

/// Puts the shared decision on a locked call into a place.
pub(super) fn put(file: &File, call: &Call, line: &[u8]) -> io::Result<()> {
    // Two calls of one group might take the same place. The lock is held for as long as this takes; whoever
    // holds it longer was stopped, and is not waited for: at worst a call is judged twice.
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
        Some(entry) => entry.ruled.max(1),
        None => 1,
    };
    let taken = group.chunks(PLACE).map(age).enumerate().min_by_key(|(_, age)| *age);
    let place = taken.map_or(0, |(place, _)| place);
    let mut bytes = format!("{} {:013} ", call.name, now()).into_bytes();
    bytes.extend_from_slice(line);
    bytes.resize(PLACE, 0);
    let written = file.write_all_at(&bytes, call.offset() + (place * PLACE) as u64);
    if locked {
        byte_lock::unlock(file, byte)?;
    }
    written
}

/// The group of a call. What is not in the file yet is empty.
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

/// What stands at a place.
struct Entry<'a> {
    name: &'a [u8],
    /// In milliseconds since 1970.
    ruled: u64,
    line: &'a [u8],
}

impl Entry<'_> {
    /// One from the future is not: the clock was put back, and nobody knows how old it is.
    fn is_fresh(&self, now: u64) -> bool {
        now.checked_sub(self.ruled).is_some_and(|age| u128::from(age) <= FRESH.as_millis())
    }
}

fn entry(place: &[u8]) -> Option<Entry<'_>> {
    let end = place.iter().position(|byte| *byte == b'\n')?;
    let mut parts = place[..=end].splitn(3, |byte| *byte == b' ');
    let name = parts.next()?;
    let ruled = str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    Some(Entry { name, ruled, line: parts.next()? })
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
