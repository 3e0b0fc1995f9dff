//! Anchors: signed ends of the trail, to be stored where its writer has no access.
//!
//! With the key of the trail, an attacker can replace trail and head by an older version and continue from there. Only an
//! anchor that is stored elsewhere shows that.

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

/// Why the trail cannot be signed.
#[derive(Debug)]
pub enum AnchorError {
    /// The trail cannot be read, or the key cannot be used.
    Trail(TrailError),
    /// It has no records.
    Empty,
    /// It has findings.
    Unsound(Box<Verification>),
}

/// Whether a trail contains the record of an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The record exists, unchanged.
    Yes,
    /// The trail is shorter, or broken before that record.
    Gone,
    /// Another record has that number.
    Other {
        /// Its hash.
        hash: String,
    },
}

/// Checks the trail and signs its end. Creates the key if there is none.
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
    let secret = secret::read_or_create(state, &path).map_err(unusable(&path)).map_err(AnchorError::Trail)?;
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

/// Checks a trail and compares it with these anchors.
pub fn check(state: &StateFolder, anchors: &[Anchor]) -> Result<(Verification, Vec<Holds>), TrailError> {
    let wanted: BTreeSet<u64> = anchors.iter().map(|anchor| anchor.seq).collect();
    let (verification, hashes) = verify::with_hashes(state, &wanted)?;
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
