//! Stop 6: what goes beside the answer, and what waits for the next event. One file per kind of effect.

mod messages;
mod context;
mod spill;

pub use messages::{beside_the_answer, join};
