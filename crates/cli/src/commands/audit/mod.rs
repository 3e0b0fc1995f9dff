//! `tenter audit`.

pub(crate) mod show;
pub(crate) mod verify;
