//! `date`: what day and time it is here.
//!
//! The program `date` knows the time zones of the machine, and every format; reading them ourselves would be
//! a library, or unsafe code, for one line of text.

use super::call::{Answer, Call, missing};
use super::programs::{Run, crashed};
use super::wording::on_one_line;

const FORMAT: &str = "%A, %Y-%m-%d %H:%M %Z (UTC%z)";
const LONGEST: usize = 400;

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let date = call.program("date").ok_or_else(|| missing("`date` was not found".to_owned()))?;
    // The names of days are for the agent, in whatever language the user works.
    call.environment.insert("LC_ALL".into(), "C".into());
    let format = call.options.text("format").unwrap_or(FORMAT);
    let folder = call.folder().unwrap_or_else(|_| "/".into());
    let arguments = vec![format!("+{}", format.replace('\0', "")).into()];
    let ran = call.start(&Run { program: &date, arguments, folder: &folder })?;
    if ran.code != 0 {
        return Err(crashed(&ran));
    }
    Ok(call.inject(format!("Current date and time: {}", on_one_line(ran.stdout.trim(), LONGEST))))
}
