//! Assembles the runtime from the concrete parts: hook files, trust, state, approvers and the two programs.

pub mod places;
pub mod file_versions;
pub mod hook_files;
pub mod layers;
mod limits;
pub mod context;
pub mod profile;
pub mod disabled;
pub mod trust;
mod imports;
mod hook_cache;
pub mod assemble;
pub mod arguments;
pub mod full_binary;
pub mod background;
pub mod hook_call;
pub mod answer;
mod sender;
mod other_entries;
pub mod deadline;
pub mod approvers;
pub mod install;
pub mod installation;
pub mod person;
pub mod pending_changes;
pub mod program;
pub mod signals;
pub mod memory;
mod fallback_state;
mod clock;
mod no_state;
mod facts;
mod environment;

pub use tenter_executors::http::post;

pub use assemble::{
    Host, assemble, assemble_for, assemble_program, assemble_small, assemble_small_for, set_stop_flag,
};
pub use hook_call::HookCall;
pub use hook_files::HookFile;
pub use layers::Layers;
pub use places::Places;
