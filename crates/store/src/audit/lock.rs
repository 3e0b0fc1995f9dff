//! The lock of the trail, and the wait for it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use tenter_contract::ports::TrailError;

use super::files::unusable;

/// A lock is held for microseconds; after this wait its holder hangs.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pauses double up to this, so that a writer never sleeps long after the lock is free.
const LONGEST_PAUSE: Duration = Duration::from_millis(32);

/// Locks for writing. The lock ends with the file.
pub(crate) fn exclusive(file: &File, path: &Path) -> Result<(), TrailError> {
    wait(path, || file.try_lock())
}

/// Locks for reading. The lock ends with the file.
pub(crate) fn shared(file: &File, path: &Path) -> Result<(), TrailError> {
    wait(path, || file.try_lock_shared())
}

/// Locks another file than the trail's.
pub fn patient_lock(file: &File) -> io::Result<()> {
    let timed_out = || io::Error::new(io::ErrorKind::TimedOut, "another process has held it for 2 seconds");
    retry(|| file.try_lock())?.then_some(()).ok_or_else(timed_out)
}

fn wait(path: &Path, attempt: impl Fn() -> Result<(), TryLockError>) -> Result<(), TrailError> {
    let busy = || TrailError::Busy { path: path.display().to_string() };
    retry(attempt).map_err(unusable(path))?.then_some(()).ok_or_else(busy)
}

/// False if another process has the lock all the time.
fn retry(attempt: impl Fn() -> Result<(), TryLockError>) -> io::Result<bool> {
    if is_locked(attempt())? {
        return Ok(true);
    }
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    while begun.elapsed() < PATIENCE {
        std::thread::sleep(pause + jitter(pause));
        if is_locked(attempt())? {
            return Ok(true);
        }
        pause = LONGEST_PAUSE.min(pause * 2);
    }
    Ok(false)
}

fn is_locked(attempt: Result<(), TryLockError>) -> io::Result<bool> {
    match attempt {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(TryLockError::Error(cause)) => Err(cause),
    }
}

/// Up to half of the pause, different for each process, so that processes do not collide again and again.
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
    fn freed_lock_is_taken() {
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
