//! Finds the hooks of the current folder, starts and describes them.

pub(crate) mod payload;
pub(crate) mod startable;
pub(crate) mod describe;

pub(crate) use tenter_console::hooks::*;
