//! Asks the user for confirmation on stdin.

use std::io::{self, BufRead};

use crate::listing::visible;
use crate::printer::Printer;

/// Whether the user types `yes`.
pub(crate) fn typed_yes(question: &str, printer: &Printer) -> bool {
    printer.bytes(visible(question).as_bytes());
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && answer.trim() == "yes"
}
