//! Hook files that were read before, as bytes: what the hot path loads instead of parsing.
//!
//! The bytes are for the same program on the same machine and nobody else; a file that does not fit is not
//! repaired but thrown away, and the hook files are read again. So there is no version to migrate, only
//! `FORMAT`, which changes with every change of the form.
//!
//! ```text
//! format │ checksum │ length of head │ head: stamp, problems, index │ hook │ hook │ hook │ …
//! ```
//!
//! The index says of each hook which event it is about and which tools and commands its matcher names. A hook
//! that an event cannot concern is not even decoded, so a thousand of them cost next to nothing.

mod head;
mod wire;

use tenter_contract::{Event, HookSet};

use head::Head;

/// The form of the bytes. A test compares them with a snapshot: if they change, this must.
const FORMAT: u8 = 16;
const CHECKSUM: usize = size_of::<u64>();
const LENGTH: usize = size_of::<u32>();

/// What the hot path needs of the hook files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    /// What the files looked like when they were read, in the caller's own words; if that is no longer so,
    /// the rest counts for nothing.
    pub stamp: Vec<u8>,
    /// Further files whose looks the stamp is about.
    pub watched: Vec<String>,
    /// What they say: the hooks without their examples, and all that is wrong, ready to be told.
    pub set: HookSet,
}

impl Compiled {
    /// The bytes.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let bodies = wire::bodies(&self.set.hooks)?;
        let head = head::bytes(self, &bodies)?;
        let mut rest = u32::try_from(head.len()).ok()?.to_le_bytes().to_vec();
        rest.extend_from_slice(&head);
        rest.extend(bodies.concat());
        Some(sealed(&rest))
    }

    /// Reads all of the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let opened = Opened::of(bytes)?;
        let watched = opened.watched().map(str::to_owned).collect();
        Some(Self { stamp: opened.stamp().to_vec(), watched, set: opened.set(None)? })
    }
}

/// The bytes, checked, and taken apart as far as somebody asks.
pub struct Opened<'b> {
    head: Head<'b>,
    bodies: &'b [u8],
}

impl<'b> Opened<'b> {
    /// Checks the bytes; `None` if they are of another form or damaged in any way. A half-read guard is worse
    /// than reading the file again.
    pub fn of(bytes: &'b [u8]) -> Option<Self> {
        let (format, rest) = bytes.split_first()?;
        let (sum, rest) = rest.split_at_checked(CHECKSUM)?;
        if *format != FORMAT || *sum != checksum(rest).to_le_bytes() {
            return None;
        }
        let (length, rest) = rest.split_at_checked(LENGTH)?;
        let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
        let (head, bodies) = rest.split_at_checked(length)?;
        Some(Self { head: Head::from_bytes(head)?, bodies })
    }

    /// What the files looked like.
    pub fn stamp(&self) -> &'b [u8] {
        self.head.stamp
    }

    /// Further files whose looks the stamp is about.
    pub fn watched(&self) -> impl Iterator<Item = &'b str> {
        self.head.watched.iter().copied()
    }

    /// What they say, without the hooks that this event cannot concern.
    pub fn set(&self, event: Option<&Event>) -> Option<HookSet> {
        self.head.set(self.bodies, event)
    }
}

/// The rest with form and checksum before it.
pub fn sealed(rest: &[u8]) -> Vec<u8> {
    let mut bytes = vec![FORMAT];
    bytes.extend_from_slice(&checksum(rest).to_le_bytes());
    bytes.extend_from_slice(rest);
    bytes
}

/// Finds damage, not malice: whoever can write here can write the hook files too. Eight bytes at a time; each
/// step can be undone, so that two texts that differ in one place never end alike.
fn checksum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(ODD).rotate_left(29);
    let (words, tail) = bytes.as_chunks::<8>();
    let (fours, rest) = words.as_chunks::<4>();
    // Four at once, because each step of one waits for the one before it.
    let lanes = fours.iter().fold([1, 2, 3, 4], |lanes: [u64; 4], four| {
        std::array::from_fn(|lane| mix(lanes[lane], u64::from_le_bytes(four[lane])))
    });
    let state = lanes.into_iter().fold(bytes.len() as u64, mix);
    let state = rest.iter().fold(state, |state, word| mix(state, u64::from_le_bytes(*word)));
    tail.iter().fold(state, |state, byte| mix(state, u64::from(*byte)))
}

#[cfg(test)]
mod tests;
