//! `date`: the current date and time.
//!
//! The program `date` knows the time zones of the machine and every format; without it, one line of text would need a
//! library or unsafe code.

use super::builtin_run::{BuiltinResult, BuiltinRun};
use super::display::on_one_line;
use super::tool_process::{ToolProcess, crashed};

const FORMAT: &str = "%A, %Y-%m-%d %H:%M %Z (UTC%z)";
const LONGEST: usize = 400;

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let date = call.required_program("date")?;
    // English names of days, independent of the language of the user.
    call.environment.insert("LC_ALL".into(), "C".into());
    let format = call.options.text("format").unwrap_or(FORMAT);
    let folder = call.folder().unwrap_or_else(|_| "/".into());
    let arguments = vec![format!("+{}", format.replace('\0', "")).into()];
    let ran = call.start(&ToolProcess { program: &date, arguments, folder: &folder })?;
    if ran.code != 0 {
        return Err(crashed(&ran));
    }
    Ok(call.inject(format!("Current date and time: {}", on_one_line(ran.stdout.trim(), LONGEST))))
}
