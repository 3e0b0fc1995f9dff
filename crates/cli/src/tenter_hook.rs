//! `tenter-hook AGENT`: the small program that agents call. It has only the hot path; for everything else it replaces
//! itself with `tenter hook` in the same process.

#![cfg_attr(target_os = "linux", no_main)]

#[cfg(target_env = "musl")]
mod allocator;

#[cfg(target_os = "linux")]
use std::ffi::{c_char, c_int};
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use tenter_host::arguments;
use tenter_host::full_binary::{BUILD, ExecFullBinary};
use tenter_host::hook_call::deliver;
use tenter_host::{HookCall, assemble_small};

/// Not 2: to several agents that is a deny, and a typo in an agent's settings would block it.
const INTERNAL_ERROR: u8 = 1;

/// Replaces the start of the standard library, which reads the map of the process's memory for a stack overflow
/// handler: a twentieth of a call. The process ends at an overflow either way.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the C library calls this by its name")]
// SAFETY: nothing else in this program has that name.
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    // SAFETY: both come from the C library unchanged.
    unsafe { arguments::keep(count, words) };
    tenter_host::signals::prepare_standard_streams();
    std::panic::catch_unwind(run).unwrap_or(INTERNAL_ERROR).into()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    run().into()
}

fn run() -> u8 {
    tenter_host::signals::restore_child_signals();
    let mut arguments = arguments::of_process();
    let plain = HookCall::parse(arguments.by_ref());
    match plain.and_then(|call| tenter_adapters::by_name(&call.agent).map(|agent| (call, agent))) {
        Some((call, agent)) if !io::stdin().is_terminal() => {
            match call.answer(agent, assemble_small, Some(&ExecFullBinary::new(Instant::now()))) {
                Ok(answer) => deliver(&answer),
                Err(error) => internal_error(&format!("the payload on stdin cannot be read: {error}")),
            }
        }
        _ if arguments::of_process().next().is_some_and(|word| word == "--version") => {
            let _ = writeln!(io::stdout(), "tenter-hook {} (build {BUILD})", env!("CARGO_PKG_VERSION"));
            0
        }
        #[cfg(target_os = "linux")]
        _ if arguments::of_process().eq([tenter_host::background::ARGUMENT]) => {
            tenter_host::background::run_worker(tenter_host::assemble_small_for)
        }
        // Help, a typo, a terminal: the full binary handles these.
        _ => internal_error(&ExecFullBinary::new(Instant::now()).exec_full_binary(None)),
    }
}

fn internal_error(why: &str) -> u8 {
    let _ = writeln!(
        io::stderr(),
        "error: {why}\nhint: agents call `tenter-hook AGENT` with a payload on stdin; `tenter init` sets that up"
    );
    INTERNAL_ERROR
}
