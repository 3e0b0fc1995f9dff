//! Locks on single bytes of a file.
//!
//! The byte need not exist. The lock belongs to the open file and not to the process, so threads exclude each other
//! too. It ends when the file is closed, and with the process.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

#[cfg(target_os = "linux")]
const SET_LOCK: libc::c_int = libc::F_OFD_SETLK;
/// `F_OFD_SETLK` in the headers of Darwin.
#[cfg(not(target_os = "linux"))]
const SET_LOCK: libc::c_int = 90;

/// Locks a byte; false if another process has the lock.
pub(crate) fn try_lock(file: &File, byte: i64) -> io::Result<bool> {
    match set(file, byte, libc::F_WRLCK) {
        Ok(()) => Ok(true),
        Err(cause) if matches!(cause.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// Unlocks a byte.
pub(crate) fn unlock(file: &File, byte: i64) -> io::Result<()> {
    set(file, byte, libc::F_UNLCK)
}

#[expect(unsafe_code, reason = "locks of an opened file have no safe interface")]
fn set(file: &File, byte: i64, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: a lock is plain numbers, for which zero is a value.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = i16::try_from(kind).map_err(io::Error::other)?;
    lock.l_whence = i16::try_from(libc::SEEK_SET).map_err(io::Error::other)?;
    lock.l_start = byte;
    lock.l_len = 1;
    // SAFETY: the descriptor is open as long as `file` is, and the lock is only read.
    if unsafe { libc::fcntl(file.as_raw_fd(), SET_LOCK, &raw const lock) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_lock_lasts_until_unlock_or_close() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let open = || File::options().read(true).write(true).open(&path).unwrap();
        let (one, other) = (open(), open());
        for byte in [0, 7, i64::MAX - 1] {
            assert!(try_lock(&one, byte).unwrap());
            assert!(!try_lock(&other, byte).unwrap());
            assert!(try_lock(&other, byte ^ 1).unwrap(), "the next byte is free");
            unlock(&other, byte ^ 1).unwrap();
        }
        unlock(&one, 7).unwrap();
        assert!(try_lock(&other, 7).unwrap());
        drop(one);
        assert!(try_lock(&other, 0).unwrap());
    }
}
