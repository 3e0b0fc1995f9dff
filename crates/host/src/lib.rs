//! Puts the parts together. Command line and, later, other hosts get the same runtime from here.

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
mod recall;
pub mod assemble;
pub mod arguments;
pub mod beside;
pub mod background;
pub mod call;
pub mod inline;
mod sender;
mod other_entries;
pub mod deadline;
pub mod approvers;
pub mod install;
pub mod installation;
pub mod person;
pub mod held;
pub mod program;
pub mod signals;
pub mod memory;
mod meanwhile;
mod clock;
mod stateless;
mod facts;
mod environment;

pub use tenter_executors::http::post;

pub use assemble::{
    Host, assemble, assemble_for, assemble_program, assemble_small, assemble_small_for, set_stop_flag,
};
pub use call::Call;
pub use hook_files::HookFile;
pub use layers::Layers;
pub use places::Places;
