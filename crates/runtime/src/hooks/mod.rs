//! Which hooks are active where an event happened.

mod active_hooks;
mod delegate;
mod facts;
mod locator;

pub use active_hooks::{ActiveHooks, HookCatalog};
pub use locator::{home_around, project_around};
