//! Anchors: signed notes of where the trail ended, to be kept where its writer cannot reach.
//!
//! Someone who has the key of the trail can take trail and head back to what they were and go on from
//! there; nothing in the folder shows it. A note that was kept elsewhere does.

mod line;

use std::collections::BTreeSet;
use std::fmt;

use ed25519_dalek::{Signer, SigningKey};
use tenter_contract::ports::TrailError;

pub use self::line::{Anchor, NoAnchor};
use super::files::{AuditFiles, unusable};
use super::secret;
use super::verify::{self, Condition, Verification};
use crate::{StateFolder, hex};

/// Why there is nothing to sign.
#[derive(Debug)]
pub enum AnchorError {
    /// The trail cannot be read, or the key cannot be used.
    Trail(TrailError),
    /// Nothing was recorded yet.
    Empty,
    /// There are findings, so it must not be signed.
    Unsound(Box<Verification>),
}

/// What a trail says to an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The record is there, and it is the same.
    Yes,
    /// The trail is shorter, or broken before that record.
    Gone,
    /// There is another record of that number.
    Other {
        /// The hash of that one.
        hash: String,
    },
}

/// Checks the trail and signs where it ends. The key is made if there is none.
pub fn sign(state: &StateFolder) -> Result<Anchor, AnchorError> {
    let verification = verify::verify(state).map_err(AnchorError::Trail)?;
    let (seq, hash) = match &verification.trail {
        Condition::Empty => return Err(AnchorError::Empty),
        Condition::Intact { records, last_hash, .. } if verification.is_sound() => {
            (*records, last_hash.clone())
        }
        Condition::Intact { .. } | Condition::Lost { .. } | Condition::Broken { .. } => {
            return Err(AnchorError::Unsound(Box::new(verification)));
        }
    };
    let path = AuditFiles::new(state).folder.join("anchor-key");
    let secret = secret::read_or_make(state, &path).map_err(unusable(&path)).map_err(AnchorError::Trail)?;
    let key = SigningKey::from_bytes(&secret.bytes);
    let signature = key.sign(line::message(seq, &hash).as_bytes());
    Ok(Anchor {
        v: line::VERSION,
        seq,
        hash,
        signature: hex::encode(&signature.to_bytes()),
        public_key: hex::encode(key.verifying_key().as_bytes()),
    })
}

/// Checks a trail, and what it says to each of these anchors.
pub fn check(state: &StateFolder, anchors: &[Anchor]) -> Result<(Verification, Vec<Holds>), TrailError> {
    let asked: BTreeSet<u64> = anchors.iter().map(|anchor| anchor.seq).collect();
    let (verification, hashes) = verify::with_hashes(state, &asked)?;
    let holds = anchors.iter().map(|anchor| match hashes.get(&anchor.seq) {
        None => Holds::Gone,
        Some(hash) if *hash == anchor.hash => Holds::Yes,
        Some(hash) => Holds::Other { hash: hash.clone() },
    });
    Ok((verification, holds.collect()))
}

impl fmt::Display for AnchorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trail(error) => error.fmt(f),
            Self::Empty => f.write_str("there are no records yet, so there is nothing to sign"),
            Self::Unsound(_) => f.write_str("the trail has findings, so it is not signed"),
        }
    }
}

impl std::error::Error for AnchorError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Trail(error) => Some(error),
            Self::Empty | Self::Unsound(_) => None,
        }
    }
}
