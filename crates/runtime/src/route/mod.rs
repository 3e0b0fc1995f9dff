//! Stop 6: what goes beside the answer. One file per kind of effect.

mod messages;

pub use messages::{beside_the_answer, join};
