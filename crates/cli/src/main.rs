//! `tenter`: the program that coding agents call at each step of their work, and its commands.

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
mod confirm;
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
    tenter_host::signals::hear_of_children();
    // Every tool call waits for `tenter hook`, so it does not wait for the command line parser.
    if let Some(code) = commands::hook::from_arguments(std::env::args_os().skip(1)) {
        return code;
    }
    match arguments::parse() {
        Ok(command) => commands::run(command),
        Err(code) => code,
    }
}
