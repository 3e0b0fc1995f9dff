//! The user's memory: opening it and printing what is in it.

pub(crate) mod error;
pub(crate) mod open;
pub(crate) mod render;

pub(crate) use open::Opened;
