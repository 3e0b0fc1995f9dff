//! Keys and lines typed at a terminal.

pub(crate) mod keys;
pub(crate) mod line;
