//! Compiled hook files: what the hot path loads instead of parsing.
//!
//! The bytes are for the same program on the same machine. A file of another format or with any damage is
//! discarded and the hook files are read again, so there is no version to migrate, only `FORMAT`.
//!
//! ```text
//! format │ checksum │ length of head │ head: stamp, limits, problems, index │ hook │ hook │ hook │ …
//! ```
//!
//! The index names the event, tools, commands and agents of each hook. A hook that an event cannot concern is not
//! even decoded, so a thousand of them cost next to nothing.

mod index;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenter_contract::{Event, HookSet, HookSpec};

use index::{IndexEntry, IndexTexts};

/// The form of the bytes. A test compares them with a snapshot: if they change, this must.
const FORMAT: u8 = 17;
const CHECKSUM: usize = size_of::<u64>();
const LENGTH: usize = size_of::<u32>();

/// Hook files as the hot path needs them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    /// The state of the files when they were read, in the caller's own format. If it has changed, the rest is stale.
    pub stamp: Vec<u8>,
    /// Further files that the stamp covers.
    pub watched: Vec<String>,
    /// The hooks without their examples, and the problems as messages.
    pub set: HookSet,
}

/// Everything but the hooks. It borrows from the bytes, so nothing is copied that the event does not need.
#[derive(Serialize, Deserialize)]
struct Head<'b> {
    #[serde(borrow)]
    stamp: &'b [u8],
    watched: Vec<&'b str>,
    /// Its hooks follow the head.
    set: HookSet,
    index: Vec<IndexEntry<'b>>,
}

impl Compiled {
    /// The bytes.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let hooks = &self.set.hooks;
        let encode = |hook: &Arc<HookSpec>| postcard::to_allocvec(&**hook).ok();
        let bodies = hooks.iter().map(encode).collect::<Option<Vec<_>>>()?;
        let texts: Vec<IndexTexts> = hooks.iter().map(|hook| IndexTexts::new(hook)).collect();
        let mut end = 0;
        let index = hooks.iter().zip(&texts).zip(&bodies).map(|((hook, texts), body)| {
            end += u32::try_from(body.len()).ok()?;
            Some(IndexEntry::new(hook, texts, end))
        });
        let head = postcard::to_allocvec(&Head {
            stamp: &self.stamp,
            watched: self.watched.iter().map(String::as_str).collect(),
            set: self.set.clone(),
            index: index.collect::<Option<_>>()?,
        });
        let head = head.ok()?;
        let mut rest = u32::try_from(head.len()).ok()?.to_le_bytes().to_vec();
        rest.extend_from_slice(&head);
        rest.extend(bodies.concat());
        Some(seal(&rest))
    }

    /// Reads all of the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let view = CompiledView::parse(bytes)?;
        let watched = view.watched().map(str::to_owned).collect();
        Some(Self { stamp: view.stamp().to_vec(), watched, set: view.hook_set(None)? })
    }
}

/// Checked bytes, decoded only as far as an event needs.
pub struct CompiledView<'b> {
    head: Head<'b>,
    bodies: &'b [u8],
}

impl<'b> CompiledView<'b> {
    /// Checks the bytes; `None` if they have another format or any damage. A half-read guard is worse than reading
    /// the file again.
    pub fn parse(bytes: &'b [u8]) -> Option<Self> {
        let (format, rest) = bytes.split_first()?;
        let (sum, rest) = rest.split_at_checked(CHECKSUM)?;
        if *format != FORMAT || *sum != checksum(rest).to_le_bytes() {
            return None;
        }
        let (length, rest) = rest.split_at_checked(LENGTH)?;
        let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
        let (head, bodies) = rest.split_at_checked(length)?;
        Some(Self { head: postcard::from_bytes(head).ok()?, bodies })
    }

    /// The state of the files when they were read.
    pub fn stamp(&self) -> &'b [u8] {
        self.head.stamp
    }

    /// Further files that the stamp covers.
    pub fn watched(&self) -> impl Iterator<Item = &'b str> {
        self.head.watched.iter().copied()
    }

    /// The hooks, without those that this event cannot concern.
    pub fn hook_set(&self, event: Option<&Event>) -> Option<HookSet> {
        let mut entries = Vec::with_capacity(self.head.index.len());
        let mut start = 0;
        for entry in &self.head.index {
            let end = usize::try_from(entry.end).ok()?;
            entries.push((entry, self.bodies.get(start..end)?));
            start = end;
        }
        let hooks = match event {
            Some(event) => index::select(&entries, event)?,
            None => entries.iter().map(|(_, body)| decode(body)).collect::<Option<_>>()?,
        };
        Some(HookSet { hooks: hooks.into_iter().map(Arc::new).collect(), ..self.head.set.clone() })
    }
}

fn decode(body: &[u8]) -> Option<HookSpec> {
    postcard::from_bytes(body).ok()
}

/// Puts format and checksum before the rest.
pub fn seal(rest: &[u8]) -> Vec<u8> {
    let mut bytes = vec![FORMAT];
    bytes.extend_from_slice(&checksum(rest).to_le_bytes());
    bytes.extend_from_slice(rest);
    bytes
}

/// Detects damage, not malice: a process that can write here can write the hook files too. Eight bytes at a time;
/// each step can be undone, so two inputs that differ in one place have different sums.
fn checksum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(ODD).rotate_left(29);
    let (words, tail) = bytes.as_chunks::<8>();
    let (fours, rest) = words.as_chunks::<4>();
    // Four lanes, because each step of one waits for the step before it.
    let lanes = fours.iter().fold([1, 2, 3, 4], |lanes: [u64; 4], four| {
        std::array::from_fn(|lane| mix(lanes[lane], u64::from_le_bytes(four[lane])))
    });
    let state = lanes.into_iter().fold(bytes.len() as u64, mix);
    let state = rest.iter().fold(state, |state, word| mix(state, u64::from_le_bytes(*word)));
    tail.iter().fold(state, |state, byte| mix(state, u64::from(*byte)))
}

#[cfg(test)]
mod tests;
