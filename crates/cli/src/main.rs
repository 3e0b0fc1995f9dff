//! `tenter`: the program that coding agents call at each step of their work, and its commands.

#[cfg(target_env = "musl")]
mod allocator;
#[cfg(target_env = "gnu")]
mod one_heap;
mod arguments;
mod commands;
mod places;
mod process;
mod capabilities;
mod confirm;
mod person;
mod event_data;
mod approvals;
mod trail;
mod hooks;
mod install;

use std::process::ExitCode;

use tenter_console::{change_log, error, injections, input_file, listing, printer, progress, terminal};

fn main() -> ExitCode {
    #[cfg(target_env = "gnu")]
    one_heap::for_all_threads();
    tenter_host::signals::restore_child_signals();
    // Every tool call waits for `tenter hook`, so it does not wait for the command line parser.
    if let Some(code) = commands::hook::from_arguments(std::env::args_os().skip(1)) {
        return code;
    }
    match arguments::parse() {
        Ok(command) => commands::run(command),
        Err(code) => code,
    }
}
