//! The append-only trail, in two files of the folder `audit`.
//!
//! `trail.jsonl` holds one record per line; `prev` of a line is the SHA-256 of the line before it. A chain
//! alone does not show that its end was cut off, so `head` says where it ends. Somebody who makes the whole
//! chain and the head anew is not found: hashes without a key show changes, not authors.
//!
//! To append is to lock `head`, write the lines at once, bring `head` up to date and unlock. Whoever is
//! stopped in between leaves a trail that is *ahead* of its head, which the next writer puts right. A trail
//! that is *behind* its head has lost records; it is set aside and reported, never repaired.

mod files;
mod lines;
mod chain;
mod head;
mod lock;
mod trail;
mod writer;
mod mend;
mod aside;
mod snapshot;
pub mod verify;
pub mod read;

pub use trail::TrailFile;
