//! Opens, reads and replaces regular files. Other files could block the agent or have effects.

use std::fs::{self, File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, OFlags, accessat};
use tenter_contract::similar;

use super::workspace::Workspace;

/// Larger files are neither compared nor edited.
pub(super) const LARGEST: u64 = 16 * 1024 * 1024;
/// Most names of a folder that are compared for a suggestion.
const MOST_NAMES: usize = 10_000;
/// Most links in a row, as in the kernel.
const MOST_LINKS: usize = 40;

/// Opens a regular file. The error is a sentence for the model.
pub(super) fn open(at: &Workspace, path: &Path) -> Result<(File, Metadata), String> {
    let shown = at.shown(path);
    // Checked before opening, because opening a device can have an effect, and again afterwards, because the file may
    // have changed. A pipe opened without blocking does no harm.
    let opened = fs::metadata(path).and_then(|found| {
        if !found.is_file() {
            return Ok((None, found));
        }
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let found = file.metadata()?;
        Ok((Some(file), found))
    });
    match opened {
        Ok((Some(file), found)) if found.is_file() => Ok((file, found)),
        Ok((_, found)) if found.is_dir() => Err(format!("`{shown}` is a folder.{}", entries(path))),
        Ok((_, found)) => Err(format!(
            "`{shown}` is {} and not a regular file, so it is not opened.",
            kind(found.file_type())
        )),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(missing(at, path))
        }
        Err(error) => Err(format!("`{shown}` cannot be opened: {error}.")),
    }
}

/// The whole content of a file of at most [`LARGEST`] bytes.
pub(super) fn whole(at: &Workspace, path: &Path) -> Result<Vec<u8>, String> {
    let (file, _) = open(at, path)?;
    let shown = at.shown(path);
    read(file)
        .map_err(|error| format!("`{shown}` cannot be read: {error}."))?
        .ok_or_else(|| format!("`{shown}` is larger than 16 MiB; change it with a command (`Bash`) instead."))
}

/// The whole content, unless it is larger than [`LARGEST`].
pub(super) fn read(file: File) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= LARGEST).then_some(content))
}

/// The error for a missing path, with suggestions.
pub(super) fn missing(at: &Workspace, path: &Path) -> String {
    let shown = at.shown(path);
    if let Ok(target) = fs::read_link(path) {
        return format!("`{shown}` is a link to `{}`, which does not exist.", target.display());
    }
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    // The first part of the path that does not exist.
    let wrong = path.strip_prefix(folder).ok().and_then(|rest| rest.iter().next()).unwrap_or_default();
    let wrong = wrong.to_string_lossy();
    let entries = fs::read_dir(folder).into_iter().flatten().take(MOST_NAMES).flatten();
    let there: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let mut near: Vec<String> = Vec::new();
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
    while near.len() < 3
        && let Some(name) =
            similar::nearest(&wrong, there.iter().filter(|name| !near.contains(name)).map(String::as_str))
    {
        near.push(name.to_owned());
    }
    if near.is_empty() {
        near.extend(there.iter().filter(|name| stem(name) == stem(&wrong)).take(3).cloned());
    }
    let near: Vec<String> = near.iter().map(|name| format!("`{}`", at.shown(&folder.join(name)))).collect();
    if near.is_empty() {
        format!("`{shown}` does not exist. The nearest folder that does is `{}`.", folder.display())
    } else {
        format!("`{shown}` does not exist. Did you mean {}?", near.join(" or "))
    }
}

/// The first entries of a folder.
fn entries(folder: &Path) -> String {
    const SHOWN: usize = 50;
    let Ok(entries) = fs::read_dir(folder) else { return String::new() };
    let mut names: Vec<String> = entries
        .take(MOST_NAMES)
        .flatten()
        .map(|entry| {
            let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            format!("{}{}", entry.file_name().to_string_lossy(), if folder { "/" } else { "" })
        })
        .collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    let rest = if more > 0 { format!("\n… and {more} more; `Glob` finds them.") } else { String::new() };
    if names.is_empty() { " It is empty.".to_owned() } else { format!(" In it:\n{}{rest}", names.join("\n")) }
}

fn kind(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "something else"
    }
}

/// The real path of a file to write: links are followed, also to missing files.
pub(super) fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("/")).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::from(rustix::io::Errno::LOOP))
}

/// The file to replace, if it exists. The error is a sentence for the model.
pub(super) fn writable(at: &Workspace, target: &Path) -> Result<Option<Metadata>, String> {
    let shown = at.shown(target);
    match fs::symlink_metadata(target) {
        Ok(found) if !found.is_file() => Err(format!(
            "`{shown}` is {} and not a regular file, so it is not written.",
            kind(found.file_type())
        )),
        // A rename would succeed, but the file is read-only on purpose.
        Ok(_) if accessat(CWD, target, Access::WRITE_OK, AtFlags::EACCESS).is_err() => Err(format!(
            "`{shown}` is read-only. Tell the user, or make it writable first if the user wants that."
        )),
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("`{shown}` cannot be written: {error}.")),
    }
}

/// Replaces a file atomically.
pub(super) fn replace(target: &Path, before: Option<&Metadata>, content: &[u8]) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("/"));
    // A rename would break hard links, and needs a writable folder.
    if before.is_some_and(|before| before.nlink() > 1) {
        return overwrite(target, content);
    }
    // The permissions of a new file, before the umask; temporary files are private otherwise.
    let usual = Permissions::from_mode(0o666);
    let mut new = match tempfile::Builder::new().prefix(".tenter-").permissions(usual).tempfile_in(folder) {
        Ok(new) => new,
        Err(_) if before.is_some() => return overwrite(target, content),
        Err(error) => return Err(error),
    };
    new.write_all(content)?;
    if let Some(before) = before {
        let created = new.as_file().metadata()?;
        if (created.uid(), created.gid()) != (before.uid(), before.gid()) {
            // Only root can change the owner; otherwise the user owns the new file, as with any editor.
            drop(fchown(new.as_file(), Some(before.uid()), Some(before.gid())));
        }
        new.as_file().set_permissions(before.permissions())?;
    }
    new.persist(target).map_err(|error| error.error)?;
    Ok(())
}

fn overwrite(target: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).truncate(true).open(target)?.write_all(content)
}
