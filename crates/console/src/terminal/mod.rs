//! Keys and lines typed at a terminal.

pub mod keys;
pub mod line;
