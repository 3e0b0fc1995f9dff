//! The hooks of this place: which run, which are off, and how they are started and described.

pub(crate) mod payload;
pub(crate) mod startable;
pub(crate) mod describe;

pub(crate) use tenter_console::hooks::*;
