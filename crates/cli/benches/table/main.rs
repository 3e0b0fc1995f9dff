//! Measures what tenter costs, in one run and one table: `cargo bench -p tenter-cli --bench table`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this program is for")]

mod arguments;
mod progress;
mod recorded;
mod samples;
mod table;
mod programs;
mod world;
mod hook_files;
mod process;
mod peer;
mod contest;
mod spawned;
mod predictions;
mod recall;
mod fifty;
mod in_process;
mod injections;
mod own_agent;
mod long_session;
mod writers;
mod memory;
mod machine;

use std::error::Error;
use std::process::ExitCode;

use crate::arguments::{Arguments, Form};
use crate::table::Table;
use crate::world::World;

/// Errors end the run with a message.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The exit code of a run that says nothing about budgets.
const NOT_MEASURED: u8 = 2;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(NOT_MEASURED)
    })
}

fn run() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --all-targets` calls too.
    let Some(arguments) = Arguments::parse(&words)? else { return Ok(ExitCode::SUCCESS) };
    let machine = machine::described();
    let table = measure(&arguments)?;
    match arguments.form {
        Form::Table => println!("{machine}\n\n{}", table.text()),
        Form::Json => println!("{}", table.json(&machine)),
    }
    Ok(if table.keeps_its_budgets() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure(arguments: &Arguments) -> Result<Table> {
    let world = World::create()?;
    let (spawned, mut rows) = spawned::measure(&world, arguments.rounds)?;
    rows.extend(predictions::measure(&world, arguments.rounds)?);
    rows.extend(recall::measure(&world, arguments.rounds)?);
    rows.extend(in_process::measure(&world, spawned.bin_true)?);
    rows.extend(own_agent::measure(&world, spawned.bin_true)?);
    rows.extend(long_session::measure(&world, spawned.bin_true)?);
    rows.extend(writers::measure(&world, &spawned)?);
    rows.push(memory::measure(&world)?);
    Ok(Table { rows })
}
