//! Files with 32 random bytes that only their owner may read: the key of macs and the key of anchors.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use crate::StateFolder;
use crate::place::{open_to_read, our_file};

/// Reads a secret, if there is one. One that others own or may read is refused: it is none any more.
pub(crate) fn read(path: &Path) -> io::Result<Option<[u8; 32]>> {
    let file = match open_to_read(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mode = file.metadata()?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let why = format!("others may use it (mode {mode:o}); if no one did, run `chmod 600` on it");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    // One byte more than there may be shows a file that is too long.
    let mut bytes = [0; 33];
    let length = file.read_at(&mut bytes, 0)?;
    let secret = bytes[..length].try_into();
    secret.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not 32 bytes long"))
}

/// A secret, and whether there was none before.
pub(crate) struct Secret {
    pub(crate) bytes: [u8; 32],
    pub(crate) is_new: bool,
}

/// Reads a secret; makes one if there is none. Of several who make one at once, one wins, and all get that
/// one.
pub(crate) fn read_or_make(state: &StateFolder, path: &Path) -> io::Result<Secret> {
    let mut is_new = false;
    loop {
        if let Some(bytes) = read(path)? {
            return Ok(Secret { bytes, is_new });
        }
        match make(state, path) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                made?;
                is_new = true;
            }
        }
    }
}

/// The file has its name only when it is whole and on disk, for a lost key is a lost trail; a link never
/// replaces what is there.
fn make(state: &StateFolder, path: &Path) -> io::Result<()> {
    let mut secret = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut secret)?;
    if let Some(folder) = path.parent() {
        state.make_folder(folder)?;
    }
    let unnamed = path.with_extension(format!("{}-{}", std::process::id(), thread_number()));
    // Only a process of the same number that was stopped here can have left one.
    let _ = std::fs::remove_file(&unnamed);
    let mut file = our_file().write(true).create_new(true).open(&unnamed)?;
    let made = file
        .write_all(&secret)
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::hard_link(&unnamed, path));
    std::fs::remove_file(&unnamed).and(made)
}

/// Distinguishes threads of one process.
fn thread_number() -> String {
    format!("{:?}", std::thread::current().id()).chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_made_once_and_for_its_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().join("state"));
        let path = state.path().join("audit/key");
        assert_eq!(read(&path).unwrap(), None);
        let made: Vec<[u8; 32]> = std::thread::scope(|scope| {
            let many = || {
                (0..8).map(|_| scope.spawn(|| read_or_make(&state, &path).unwrap().bytes)).collect::<Vec<_>>()
            };
            many().into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(made, [made[0]; 8]);
        assert_ne!(made[0], [0; 32]);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_secret_that_others_may_read_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().to_owned());
        let path = home.path().join("key");
        read_or_make(&state, &path).unwrap();
        for (mode, refused) in [(0o640, true), (0o604, true), (0o620, true), (0o600, false), (0o400, false)] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_err(), refused, "{mode:o}");
        }
    }

    #[test]
    fn secret_of_another_length_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("key");
        for length in [0, 31, 33, 1000] {
            our_file().write(true).create(true).truncate(true).open(&path).unwrap();
            std::fs::write(&path, vec![7; length]).unwrap();
            assert!(read(&path).unwrap_err().to_string().contains("32 bytes"), "{length}");
        }
    }
}
