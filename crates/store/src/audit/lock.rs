//! The lock of the trail, and how long one waits for it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use tenter_contract::ports::TrailError;

use super::files::unusable;

/// A lock is held for microseconds; a longer wait means that the holder hangs.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pauses double up to this, so that a writer never sleeps long past the moment the lock is free.
const LONGEST_PAUSE: Duration = Duration::from_millis(32);

/// Locks for writing. The lock ends with the file.
pub(crate) fn exclusive(file: &File, path: &Path) -> Result<(), TrailError> {
    wait(path, || file.try_lock())
}

/// Locks for reading. The lock ends with the file.
pub(crate) fn shared(file: &File, path: &Path) -> Result<(), TrailError> {
    wait(path, || file.try_lock_shared())
}

/// The same for another file than the trail's.
pub fn patient_lock(file: &File) -> io::Result<()> {
    if waited(|| file.try_lock())? {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "another process has held it for 2 seconds"))
}

fn wait(path: &Path, attempt: impl Fn() -> Result<(), TryLockError>) -> Result<(), TrailError> {
    if waited(attempt).map_err(unusable(path))? {
        return Ok(());
    }
    Err(TrailError::Busy { path: path.display().to_string() })
}

/// False if someone else has it all the time.
fn waited(attempt: impl Fn() -> Result<(), TryLockError>) -> io::Result<bool> {
    if settled(attempt())? {
        return Ok(true);
    }
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    while begun.elapsed() < PATIENCE {
        std::thread::sleep(pause + jitter(pause));
        if settled(attempt())? {
            return Ok(true);
        }
        pause = LONGEST_PAUSE.min(pause * 2);
    }
    Ok(false)
}

fn settled(attempt: Result<(), TryLockError>) -> io::Result<bool> {
    match attempt {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(TryLockError::Error(cause)) => Err(cause),
    }
}

/// Up to half of the pause, different for each process, so that those who met once do not meet again.
fn jitter(pause: Duration) -> Duration {
    let share = std::process::id().wrapping_mul(0x9E37_79B9) >> 16;
    pause * share / 0x2_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_timeout_names_the_file() {
        let held = tempfile::NamedTempFile::new().unwrap();
        held.as_file().lock().unwrap();
        let other = File::open(held.path()).unwrap();
        let refusal = shared(&other, held.path()).unwrap_err();
        assert!(matches!(&refusal, TrailError::Busy { path } if path == &held.path().display().to_string()));
    }

    #[test]
    fn a_lock_that_comes_free_is_taken() {
        let held = tempfile::NamedTempFile::new().unwrap();
        held.as_file().lock().unwrap();
        let other = File::open(held.path()).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| exclusive(&other, held.path()));
            held.as_file().unlock().unwrap();
            waiting.join().unwrap().unwrap();
        });
    }

    #[test]
    fn jitter_is_at_most_half_of_the_pause() {
        assert!(jitter(LONGEST_PAUSE) <= LONGEST_PAUSE / 2);
    }
}
