//! `tenter model`: serves a model that follows a script, on loopback.

use std::io;
use std::sync::mpsc;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tenter_models::{Script, ScriptReport, ScriptServer, ServerOptions};

use crate::arguments::ModelArguments;
use crate::error::{CliError, CommandResult, exit};
use crate::printer::{Printer, Tone};

/// Prints the address, serves until stdin ends or the user interrupts, then prints the result.
pub(crate) fn run(arguments: &ModelArguments, printer: &Printer) -> CommandResult {
    let script = script(arguments)?;
    if let Some(folder) = &arguments.record {
        std::fs::create_dir_all(folder).map_err(unusable(format!("--record {}", folder.display())))?;
    }
    let port = arguments.port;
    let options = ServerOptions { port, api: arguments.api, record: arguments.record.clone() };
    // Before the address is printed: the reader may interrupt at once.
    let end = end().map_err(unusable("Ctrl-C".to_owned()))?;
    let server = ScriptServer::start(script, options).map_err(unusable(format!("--port {port}")))?;
    printer.line(server.url());
    // The senders live as long as the process, so this waits for a message.
    let _ = end.recv();
    Ok(print(&server.finish(), printer))
}

fn unusable(option: String) -> impl FnOnce(io::Error) -> CliError {
    move |error| CliError::model_not_served(option, error.to_string())
}

fn end() -> io::Result<mpsc::Receiver<()>> {
    let (interrupted, end) = mpsc::channel();
    let closed = interrupted.clone();
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for _ in signals.forever() {
            let _ = interrupted.send(());
        }
    });
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = closed.send(());
    });
    Ok(end)
}

fn script(arguments: &ModelArguments) -> Result<Script, CliError> {
    let path = arguments.script.display();
    let what = format!("the script {path}");
    let text = crate::input_file::read_text(&arguments.script).map_err(|error| {
        CliError::bad_input(what.clone(), error.to_string(), "`docs/guides/scripted-model.md` shows one")
    })?;
    let project = std::env::current_dir().unwrap_or_default();
    Script::read(&text, &project.to_string_lossy())
        .map_err(|error| CliError::bad_input(what, error.to_string(), error.hint().to_owned()))
}

fn print(report: &ScriptReport, printer: &Printer) -> u8 {
    let (tone, code) = if report.is_complete() { (Tone::Good, 0) } else { (Tone::Bad, exit::FINDING) };
    printer.line(printer.tone(tone, report));
    code
}
