//! The memory through the real program: commands as people type them, and the server as agents use it.

mod budgets;
mod commands;
mod forgetting;
mod model;
mod moving;
mod troubles;
mod repairing;
mod orphans;
mod sessions;
mod scripts;
mod sdk;
mod shared;
mod together;
