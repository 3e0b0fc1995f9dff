//! Key files: 32 random bytes that only their owner may read. One is for macs, one for anchors.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use crate::StateFolder;
use crate::place::{if_found, open_to_read, our_file};

/// Reads a key, if it exists. A file that others own or may read is refused.
pub(crate) fn read(path: &Path) -> io::Result<Option<[u8; 32]>> {
    let Some(file) = if_found(open_to_read(path))? else { return Ok(None) };
    let mode = file.metadata()?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let why = format!("others may use it (mode {mode:o}); if no one did, run `chmod 600` on it");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    // One more byte shows that a file is too long.
    let mut bytes = [0; 33];
    let length = file.read_at(&mut bytes, 0)?;
    let secret = bytes[..length].try_into();
    secret.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not 32 bytes long"))
}

/// A key, and whether it was just created.
pub(crate) struct Secret {
    pub(crate) bytes: [u8; 32],
    pub(crate) is_new: bool,
}

/// Reads a key, or creates one. Of several processes that create one at once, one wins, and all get that one.
pub(crate) fn read_or_create(state: &StateFolder, path: &Path) -> io::Result<Secret> {
    let mut is_new = false;
    loop {
        if let Some(bytes) = read(path)? {
            return Ok(Secret { bytes, is_new });
        }
        match create(state, path) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
            created => {
                created?;
                is_new = true;
            }
        }
    }
}

/// The file gets its name only when it is complete and on disk, because a lost key is a lost trail. A link never replaces
/// an existing file.
fn create(state: &StateFolder, path: &Path) -> io::Result<()> {
    let mut secret = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut secret)?;
    if let Some(folder) = path.parent() {
        state.make_folder(folder)?;
    }
    let unnamed = path.with_extension(format!("{}-{}", std::process::id(), thread_number()));
    // An earlier process of the same number may have left one.
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
    fn key_is_created_once_and_for_its_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().join("state"));
        let path = state.path().join("audit/key");
        assert_eq!(read(&path).unwrap(), None);
        let made: Vec<[u8; 32]> = std::thread::scope(|scope| {
            let many = || {
                (0..8)
                    .map(|_| scope.spawn(|| read_or_create(&state, &path).unwrap().bytes))
                    .collect::<Vec<_>>()
            };
            many().into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(made, [made[0]; 8]);
        assert_ne!(made[0], [0; 32]);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn key_that_others_may_read_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().to_owned());
        let path = home.path().join("key");
        read_or_create(&state, &path).unwrap();
        for (mode, refused) in [(0o640, true), (0o604, true), (0o620, true), (0o600, false), (0o400, false)] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_err(), refused, "{mode:o}");
        }
    }

    #[test]
    fn key_of_another_length_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("key");
        for length in [0, 31, 33, 1000] {
            our_file().write(true).create(true).truncate(true).open(&path).unwrap();
            std::fs::write(&path, vec![7; length]).unwrap();
            assert!(read(&path).unwrap_err().to_string().contains("32 bytes"), "{length}");
        }
    }
}
