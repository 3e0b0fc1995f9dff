//! Reads regular files up to a size. A pipe would block, and a device such as `/dev/zero` has no end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file. Links are followed.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    // Checked on the open file: the path may lead elsewhere a moment later.
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

/// The content of a regular file of at most `max_size` bytes. Links are followed.
pub fn read_regular(path: &Path, max_size: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let metadata = file.metadata()?;
    let too_large = || {
        let text = format!("it is larger than {} KiB", max_size / 1024);
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    if metadata.len() > max_size {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.take(max_size + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_size { Err(too_large()) } else { Ok(bytes) }
}

/// The same as text.
pub fn read_regular_text(path: &Path, max_size: u64) -> io::Result<String> {
    String::from_utf8(read_regular(path, max_size)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn special_and_large_files_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("plain"), "12345").unwrap();
        std::os::unix::fs::symlink("plain", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        assert_eq!(read_regular(&at("plain"), 5).unwrap(), b"12345");
        assert_eq!(read_regular_text(&at("link"), 5).unwrap(), "12345");
        assert_eq!(read_regular(&at("plain"), 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        for name in ["zero", "pipe", "."] {
            assert_eq!(
                read_regular(&at(name), 5).unwrap_err().to_string(),
                "it is not a regular file",
                "{name}"
            );
        }
        // A file of `/proc` states a size of 0 and has content.
        assert_eq!(
            read_regular(Path::new("/proc/self/status"), 10).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
    }
}
