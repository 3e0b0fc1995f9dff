//! The memory through the real program: commands as people type them, and the server as agents use it.

mod commands;
mod forgetting;
mod model;
mod moving;
mod troubles;
mod repairing;
mod orphans;
mod sessions;
mod sdk;
mod shared;
mod together;
