//! The state folder, and how its files are opened: for their owner only, and never through a link.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder of all state. Creating a value touches no file, and one process can have several.
///
/// Folders are created with mode 0700 and files with 0600, because records contain prompts and commands. Folders and
/// files of other users are refused: the owner of a folder can replace a file in it.
#[derive(Clone, Debug)]
pub struct StateFolder {
    path: PathBuf,
    /// Another folder, for a witness of the trail.
    witness_folder: Option<PathBuf>,
}

impl StateFolder {
    /// The state below this path, which need not exist yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path, witness_folder: None }
    }

    /// Also keeps a witness of the trail in this folder, if it exists. It must not lie below the state.
    #[must_use]
    pub fn witnessed_in(mut self, folder: Option<&Path>) -> Self {
        self.witness_folder = folder.filter(|folder| !folder.starts_with(&self.path)).map(Path::to_path_buf);
        self
    }

    pub(crate) fn witness_folder(&self) -> Option<&Path> {
        self.witness_folder.as_deref()
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the folder itself, for callers with files of their own in it.
    pub fn make(&self) -> io::Result<()> {
        self.make_folder(&self.path)
    }

    /// Opens a file for reading and writing. Its folder is checked, and created if necessary, only if the file does
    /// not exist; so the usual case costs one system call.
    pub fn open_or_create(&self, path: &Path) -> io::Result<File> {
        let mut options = our_file();
        if let Some(file) = if_found(open_plain(options.read(true).write(true), path))? {
            return Ok(file);
        }
        self.make_folder(path.parent().unwrap_or(&self.path))?;
        open_plain(options.create(true).truncate(false), path)
    }

    /// Writes a file of this folder in one step.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.make()?;
        write_whole(&self.path.join(name), bytes)
    }

    /// Creates a folder below this one and all folders above it, and refuses those of other users.
    pub fn make_folder(&self, folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        for ours in folder.ancestors().take_while(|above| above.starts_with(&self.path)) {
            refuse_foreign(&ours.metadata()?).map_err(|refusal| {
                io::Error::new(refusal.kind(), format!("the folder `{}` {refusal}", ours.display()))
            })?;
        }
        Ok(())
    }
}

/// Why no file can be written to this folder, or to the one in which it would be created; none if files can.
pub fn why_unwritable(folder: &Path) -> Option<String> {
    use rustix::fs::{Access, access, statvfs};
    let there = folder.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let shown = there.display();
    if !there.is_dir() {
        return Some(format!("nothing can be stored: `{shown}` is not a folder; move it away"));
    }
    if let Err(error) = access(there, Access::WRITE_OK | Access::EXEC_OK) {
        let why = io::Error::from(error);
        return Some(format!("nothing can be stored: the folder `{shown}` cannot be written ({why})"));
    }
    let full = statvfs(there).is_ok_and(|room| room.f_blocks > 0 && room.f_bavail == 0);
    full.then(|| format!("nothing can be stored: no room is left where `{shown}` lies; make some"))
}

/// Options for a file that only its owner may read. A link is not followed, and a pipe or a device without a partner
/// fails at once instead of blocking the agent.
pub fn our_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Opens a plain file of this user with options made by [`our_file`]. Every file of the store is opened here: links,
/// pipes, sockets, devices and folders are refused.
pub fn open_plain(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let refused = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what.to_owned());
    let file = options.open(path).map_err(|cause| match cause.raw_os_error() {
        Some(libc::ELOOP) => refused("it is a link"),
        Some(libc::ENXIO | libc::ENODEV | libc::EISDIR) => refused("it is not a plain file"),
        _ => cause,
    })?;
    check_file(&file)?;
    Ok(file)
}

/// Opens a plain file of this user for reading.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    open_plain(our_file().read(true), path)
}

/// The content of a plain file of this user.
pub fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_to_read(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The result of a file operation; none if there is no such file.
pub(crate) fn if_found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Writes a file in one step: readers find the content before or the new one. Its folder must exist.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static WRITES: AtomicU32 = AtomicU32::new(0);
    let number = WRITES.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_file_name(format!(".{}-{number}.new", std::process::id()));
    let written = open_plain(our_file().write(true).create(true).truncate(true), &draft)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}

/// The names in a folder, sorted; none if it does not exist. Names that are not UTF-8 are not ours.
pub(crate) fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let Some(entries) = if_found(std::fs::read_dir(folder))? else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// Opens a file that grants something, for reading: no other user may be able to change it or its name.
pub fn open_private(path: &Path) -> io::Result<File> {
    let file = open_to_read(path)?;
    refuse_shared(&file.metadata()?, "it")?;
    let folder = path.parent().unwrap_or(path);
    let found = folder.metadata()?;
    refuse_foreign(&found)?;
    refuse_shared(&found, "its folder")?;
    Ok(file)
}

fn refuse_shared(metadata: &Metadata, what: &str) -> io::Result<()> {
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    let mode = metadata.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return refused(format!("other users can write {what} (mode {mode:o}); run `chmod go-w` on it"));
    }
    if metadata.is_file() && metadata.nlink() != 1 {
        return refused(format!("{what} has a second name (a hard link)"));
    }
    Ok(())
}

/// Refuses files of other users and everything but plain files. Checks the open file, so that it cannot be exchanged
/// between the check and the use.
pub(crate) fn check_file(file: &File) -> io::Result<Metadata> {
    let metadata = file.metadata()?;
    refuse_foreign(&metadata)?;
    if metadata.is_file() {
        Ok(metadata)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"))
    }
}

pub(crate) fn refuse_foreign(metadata: &Metadata) -> io::Result<()> {
    let ours = rustix::process::geteuid().as_raw();
    if metadata.uid() == ours {
        return Ok(());
    }
    let whose = format!("belongs to user {}, not to user {ours}", metadata.uid());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, whose))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_and_files_are_for_their_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().join("state/tenter"));
        let path = state.path().join("audit/head");
        let file = state.open_or_create(&path).unwrap();
        check_file(&file).unwrap();
        for (path, mode) in [
            (home.path().join("state"), 0o700),
            (state.path().to_owned(), 0o700),
            (state.path().join("audit"), 0o700),
            (path, 0o600),
        ] {
            let found = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{}", path.display());
        }
    }

    #[test]
    fn special_files_are_refused_without_blocking() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        std::fs::write(at("plain"), "x").unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink("plain", at("link")).unwrap();
        std::os::unix::fs::symlink("nothing", at("dangling")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("device")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
        let state = StateFolder::new(home.path().to_owned());
        for name in ["folder", "link", "dangling", "device", "socket", "pipe"] {
            let options: [(&str, OpenOptions); 4] = [
                ("read", our_file().read(true).clone()),
                ("write", our_file().write(true).clone()),
                ("append", our_file().read(true).append(true).create(true).clone()),
                ("both", our_file().read(true).write(true).create(true).clone()),
            ];
            for (how, options) in options {
                let refusal = open_plain(&options, &at(name)).unwrap_err();
                let known = ["it is a link", "it is not a plain file"];
                assert!(known.contains(&refusal.to_string().as_str()), "{how} {name}: {refusal}");
            }
            state.open_or_create(&at(name)).unwrap_err();
            open_private(&at(name)).unwrap_err();
        }
        open_to_read(&at("plain")).unwrap();
    }

    #[test]
    fn files_that_others_can_change_grant_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("answer.json");
        std::fs::write(&path, "{}").unwrap();
        let mode =
            |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        for (file, folder, taken) in [
            (0o600, 0o700, true),
            (0o644, 0o755, true),
            (0o620, 0o700, false),
            (0o602, 0o700, false),
            (0o666, 0o700, false),
            (0o600, 0o770, false),
            (0o600, 0o1777, false),
        ] {
            mode(&path, file);
            mode(home.path(), folder);
            assert_eq!(open_private(&path).is_ok(), taken, "{file:o} in {folder:o}");
        }
        mode(home.path(), 0o700);
        mode(&path, 0o600);
        std::fs::hard_link(&path, home.path().join("other")).unwrap();
        assert!(open_private(&path).unwrap_err().to_string().contains("second name"));
    }

    #[test]
    fn folder_is_refused_as_a_file() {
        let refusal = check_file(&File::open("/").unwrap()).unwrap_err();
        assert!(
            ["it is not a plain file", "belongs to user"].iter().any(|why| refusal.to_string().contains(why))
        );
    }

    /// Only root can give a folder away; everybody else finds the root folder owned by another.
    #[test]
    fn folder_of_another_user_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let state = if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(home.path(), Some(12_345), None).unwrap();
            StateFolder::new(home.path().to_owned())
        } else {
            StateFolder::new(PathBuf::from("/"))
        };
        let refusal = state.make_folder(state.path()).unwrap_err();
        assert_eq!(refusal.kind(), io::ErrorKind::PermissionDenied);
        assert!(refusal.to_string().contains("belongs to user"), "{refusal}");
    }
}
