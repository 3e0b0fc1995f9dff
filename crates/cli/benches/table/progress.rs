//! Prints the progress on stderr.

/// Says one line.
pub(crate) fn said(line: &str) {
    eprintln!("… {line}");
}
