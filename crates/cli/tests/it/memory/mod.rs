//! The memory commands and the memory server as real programs.

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
