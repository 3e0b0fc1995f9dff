//! A hook file that was read before, as bytes: what the hot path loads instead of parsing.
//!
//! The bytes are for the same program on the same machine and nobody else; a file that does not fit is not
//! repaired but thrown away, and the hook file is read again. So there is no version to migrate, only
//! `FORMAT`, which changes with every change of the form.

mod wire;

use sha2::{Digest, Sha256};
use tenter_contract::HookSet;

use wire::FileWire;

/// The form of the bytes. A test compares them with a snapshot: if they change, this must.
const FORMAT: u8 = 8;
const HASH: usize = 32;

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
    /// The bytes: form, hash of the rest, the rest.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let body = postcard::to_allocvec(&FileWire::of(self)).ok()?;
        let mut bytes = vec![FORMAT];
        bytes.extend_from_slice(&Sha256::digest(&body));
        bytes.extend_from_slice(&body);
        Some(bytes)
    }

    /// Reads the bytes; `None` if they are of another form or damaged in any way. A half-read guard is worse
    /// than reading the file again.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (format, rest) = bytes.split_first()?;
        let (hash, body) = rest.split_at_checked(HASH)?;
        if *format != FORMAT || hash != Sha256::digest(body).as_slice() {
            return None;
        }
        postcard::from_bytes::<FileWire>(body).ok()?.into_compiled()
    }
}

#[cfg(test)]
mod tests;
