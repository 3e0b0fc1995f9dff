//! Prints the progress on stderr.

/// Says one line.
pub(crate) fn report(line: &str) {
    eprintln!("… {line}");
}
