//! `tenter memory export`.

use std::io::{self, Write};

use crate::Opened;
use crate::arguments::MemoryExportArguments;
use crate::error::CommandResult;
use tenter_console::error::CliError;
use tenter_console::listing::{counted, visible};
use tenter_console::printer::{Printer, Tone};

pub(crate) fn run(opened: &Opened, arguments: &MemoryExportArguments, printer: &Printer) -> CommandResult {
    let scope = opened.scope(arguments.all_projects);
    let Some(path) = arguments.file.as_ref().filter(|path| path.as_os_str() != "-") else {
        opened.memory.export(&scope, &mut Stdout(printer))?;
        return Ok(0);
    };
    let shown = path.display().to_string();
    let unwritten = |cause| CliError::not_written(shown.clone(), cause);
    let file = match tenter_store::our_file().write(true).create_new(true).open(path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            return Err(CliError::bad_input(
                shown,
                "there is a file of that name",
                "nothing was changed; choose another name",
            )
            .into());
        }
        file => file.map_err(unwritten)?,
    };
    let mut file = io::BufWriter::new(file);
    let lines = opened.memory.export(&scope, &mut file)?;
    file.flush().and_then(|()| file.get_ref().sync_all()).map_err(unwritten)?;
    let done = printer.tone(Tone::Good, "exported:");
    printer.line(format!("{done} {} to {}", counted(lines as u64, "line"), visible(&shown)));
    printer.line(
        "`tenter memory import FILE` takes it over elsewhere; it may be private, so mind where it goes",
    );
    Ok(0)
}

struct Stdout<'a>(&'a Printer);

impl Write for Stdout<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
