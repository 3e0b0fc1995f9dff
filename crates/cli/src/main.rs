//! `tenter`: one small program that every coding agent calls at each step of its work.

#[cfg(target_env = "musl")]
mod allocator;
mod arguments;
mod printer;
mod progress;
mod error;
mod listing;
mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    tenter_host::signals::hear_of_children();
    // Every tool call of every agent waits for `tenter hook`, so it does not wait for a command line parser.
    if let Some(code) = commands::hook::from_arguments(std::env::args_os().skip(1)) {
        return code;
    }
    match arguments::parse() {
        Ok(command) => commands::run(command),
        Err(code) => code,
    }
}
