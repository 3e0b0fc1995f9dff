//! Files passed as arguments.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use tenter_store::{open_regular, read_regular};

const LARGEST: u64 = 64 * 1024 * 1024;
/// The size limit of files that are read in pieces.
pub const LARGEST_EXPORT: u64 = 1024 * 1024 * 1024;

/// The content of a regular file, of standard input (`-`), or of a pipe that the shell made (`<(…)`).
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !is_stream(path) {
        return read_regular(path, LARGEST);
    }
    let mut bytes = Vec::new();
    open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
}

/// The same, as UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read(path)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// The same as a reader.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    if is_stream(path) {
        return Ok(Box::new(File::open(path)?));
    }
    let file = open_regular(path)?;
    if file.metadata()?.len() > LARGEST_EXPORT { Err(too_large()) } else { Ok(Box::new(file)) }
}

fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || path.starts_with("/dev/fd") || path == Path::new("/dev/stdin")
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "it is too large")
}
