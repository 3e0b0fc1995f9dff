//! `tenter-hook AGENT`: what agents call. The hot path alone; whatever is more than that becomes `tenter hook`,
//! with the same arguments, in the same process.

#[cfg(target_env = "musl")]
mod allocator;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use tenter_host::beside::{BUILD, Beside};
use tenter_host::call::deliver;
use tenter_host::{Call, assemble_small};

/// Not 2: to several agents that is a deny, and a typo in an agent's settings would freeze it.
const STUMBLE: u8 = 1;

fn main() -> ExitCode {
    tenter_host::signals::hear_of_children();
    let mut arguments = std::env::args_os().skip(1);
    let plain = Call::read(arguments.by_ref());
    match plain.and_then(|call| tenter_adapters::by_name(&call.agent).map(|agent| (call, agent))) {
        Some((call, agent)) if !io::stdin().is_terminal() => match call.answer(agent, assemble_small) {
            Ok(answer) => deliver(&answer),
            Err(error) => stumble(&format!("the payload on stdin cannot be read: {error}")),
        },
        _ if std::env::args_os().nth(1).is_some_and(|word| word == "--version") => {
            let _ = writeln!(io::stdout(), "tenter-hook {} (build {BUILD})", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        #[cfg(target_os = "linux")]
        _ if std::env::args_os().skip(1).eq([tenter_host::background::ARGUMENT]) => {
            tenter_host::background::keep(tenter_host::assemble_small_for)
        }
        // Help, a typo, a terminal: the whole program has the words for that.
        _ => stumble(&Beside::of_process(Instant::now()).become_whole(None)),
    }
}

fn stumble(why: &str) -> ExitCode {
    let _ = writeln!(
        io::stderr(),
        "error: {why}\nhint: agents call `tenter-hook AGENT` with a payload on stdin; `tenter init` sets that up"
    );
    ExitCode::from(STUMBLE)
}
