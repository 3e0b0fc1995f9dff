//! An anchor as a line of JSON.

use std::fmt;

use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::hex;

/// The version of the line and of the signed message.
pub(super) const VERSION: u64 = 1;

/// A signed end of a trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The version: 1.
    pub v: u64,
    /// The number of the last record.
    pub seq: u64,
    /// The SHA-256 of its line, in hex.
    pub hash: String,
    /// The Ed25519 signature of `message`, in hex.
    pub signature: String,
    /// The public key, in hex. The same key in two anchors shows that the same machine signed them.
    pub public_key: String,
}

/// Why a line is not an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnchor {
    /// It cannot be parsed.
    Unreadable {
        /// What is wrong with it.
        detail: String,
    },
    /// Its signature is wrong.
    NotSigned,
}

/// The signed message: three lines, so that other tools can check a signature.
pub(super) fn message(seq: u64, hash: &str) -> String {
    format!("tenter audit anchor {VERSION}\n{seq}\n{hash}\n")
}

impl Anchor {
    /// Parses an anchor and checks its signature.
    pub fn parse(line: &str) -> Result<Self, NoAnchor> {
        let unreadable = |detail: String| NoAnchor::Unreadable { detail };
        let anchor: Self = serde_json::from_str(line).map_err(|problem| unreadable(problem.to_string()))?;
        if anchor.v != VERSION {
            return Err(unreadable(format!("it is of version {}", anchor.v)));
        }
        anchor.is_signed().then_some(anchor).ok_or(NoAnchor::NotSigned)
    }

    /// Strict, so that no signature is valid for two messages or keys.
    fn is_signed(&self) -> bool {
        let key = hex::decode(&self.public_key).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        let signature = hex::decode(&self.signature).map(|bytes| Signature::from_bytes(&bytes));
        key.zip(signature).is_some_and(|(key, signature)| {
            key.verify_strict(message(self.seq, &self.hash).as_bytes(), &signature).is_ok()
        })
    }
}

impl fmt::Display for NoAnchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { detail } => write!(f, "it is no anchor: {detail}"),
            Self::NotSigned => f.write_str("its signature is wrong: it was changed"),
        }
    }
}

impl std::error::Error for NoAnchor {}
