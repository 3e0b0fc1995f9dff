//! The append-only trail, in the folder `audit`.
//!
//! `trail.jsonl` holds one record per line; `prev` of a line is the SHA-256 of the line before it, which
//! anyone can check, and `mac` is made with a key, which no one else can. When the file is full it becomes
//! `trail-<first>.jsonl`, and the chain goes on in a new one. A chain alone does not show that its end was
//! cut off, so `head` says where it ends. Someone who removes trail and head together, or takes both back to what they
//! were, is found by a witness in another folder. If that is exchanged too, only an anchor that was kept elsewhere shows it.
//!
//! To append is to lock `head`, write the lines at once, bring `head` up to date and unlock. A writer that is
//! stopped in between leaves a trail that is *ahead* of its head, which the next writer puts right. A trail
//! that is *behind* its head has lost records: to a power cut if the machine was started anew since, which is
//! reported and recorded; else it is quarantined and reported, never repaired. Records that cannot be written at
//! all are spilled to a file of their own, and the next writer merges them.

pub(crate) mod files;
mod lines;
mod parts;
mod chain;
mod seal;
mod secret;
mod draft;
pub mod redact;
pub mod boot;
mod head;
pub mod witness;
pub(crate) mod lock;
mod step;
mod trail;
mod writer;
mod mend;
mod lost;
mod quarantine;
mod rotate;
mod spill;
mod merge;
mod snapshot;
mod walk;
mod ending;
pub mod verify;
pub mod anchor;
mod filter;
pub mod read;
pub mod follow;

pub use step::Step;
pub use trail::TrailFile;
