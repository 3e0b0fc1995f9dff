//! `tenter`: one small program that every coding agent calls at each step of its work.

#[cfg(target_env = "musl")]
mod allocator;
#[cfg(target_env = "gnu")]
mod one_heap;
mod arguments;
mod printer;
mod progress;
mod error;
mod listing;
mod input_file;
mod commands;
mod places;
mod injections;
mod process;
mod capabilities;
mod change_log;
mod person;
mod event_data;
mod terminal;
mod approvals;
mod trail;
mod hooks;
mod memory;
mod install;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_env = "gnu")]
    one_heap::for_all_threads();
    tenter_host::signals::restore_child_signals();
    // Every tool call of every agent waits for `tenter hook`, so it does not wait for a command line parser.
    if let Some(code) = commands::hook::from_arguments(std::env::args_os().skip(1)) {
        return code;
    }
    match arguments::parse() {
        Ok(command) => commands::run(command),
        Err(code) => code,
    }
}
