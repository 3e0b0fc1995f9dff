//! The append-only trail, in the folder `audit`.
//!
//! `trail.jsonl` has one record per line. `prev` of a line is the SHA-256 of the line before it, which anyone can check;
//! `mac` needs the key of the trail. A full file becomes `trail-<first>.jsonl`, and the chain continues in a new one. A
//! chain does not show that its end was cut off, so `head` states where it ends. If trail and head are both removed or
//! replaced by older ones, a witness in another folder shows it. If the witness is replaced too, only an anchor shows it.
//!
//! An append locks `head`, writes the lines at once, updates `head` and unlocks. A writer that is stopped in between
//! leaves a trail *ahead* of its head, which the next writer repairs. A trail *behind* its head has lost records: in a
//! power cut if the machine was restarted since, which is reported and recorded; else the trail is quarantined and
//! reported, never repaired. Records that cannot be written are spilled to a file, and the next writer merges them.

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
