//! How far the run is, on stderr, where it is in nobody's way: a run of minutes that says nothing looks stuck.

/// Says one line.
pub(crate) fn said(line: &str) {
    eprintln!("… {line}");
}
