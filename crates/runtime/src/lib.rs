//! The thread: one function that shows the whole way of an event, and the parts of it that touch the world.
//!
//! Open [`answer`] first. It calls the eight stops in order; stops do not call each other, and no stop
//! looks back. Everything outside comes in through the ports of `contract`, so two runtimes live in one
//! process without knowing of each other.

pub mod answer;
pub mod runtime;
pub mod locate;
pub mod in_force;
pub mod look_around;
pub mod hand_over;
pub mod run_hooks;
pub mod ask;
mod observers;
pub mod api_desk;
pub mod memory_register;
pub mod foresee;
pub mod background;
pub mod watched;
pub mod switched_off;
pub mod cached;
pub mod deliveries;
pub mod stops;
pub mod turns;
pub mod contexts;
pub mod notices;
pub mod injecting;
pub mod fitting;
pub mod route;
pub mod record;
pub mod stumble;
pub mod kit;

pub use api_desk::ApiDesk;
pub use ask::Desks;
pub use foresee::Foreseen;
pub use in_force::InForce;
pub use memory_register::MemoryRegister;
pub use runtime::{OuterHook, Runtime};
