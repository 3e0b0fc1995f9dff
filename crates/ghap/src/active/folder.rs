//! The folder of active entries: file names, the lock, and atomic writes.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tenter_contract::Timestamp;
use tenter_store::audit::boot::Boot;
use tenter_store::{StateFolder, file_name, our_file, patient_lock, read_plain};

use super::file::{ActiveEntry, Unreadable};
use super::waiting::Waiting;
use crate::clean::Cleaner;
use crate::error::GhapError;
use crate::who::Who;

/// The active entries. Creating a value touches no file.
#[derive(Debug)]
pub struct ActiveFolder {
    pub(super) state: StateFolder,
    pub(super) path: PathBuf,
    pub(super) cleaner: Cleaner,
    pub(super) boot: Boot,
    notices: Mutex<Vec<String>>,
}

/// The lock of the folder, released on drop.
pub(super) struct Locked(#[expect(dead_code, reason = "a lock lasts as long as its file is open")] File);

impl ActiveFolder {
    /// The active entries in this state folder.
    pub fn new(state: StateFolder, cleaner: Cleaner) -> Self {
        let path = state.path().join("memory").join("active");
        Self { state, path, cleaner, boot: Boot::default(), notices: Mutex::default() }
    }

    /// The file of entries that wait for the store.
    pub fn waiting(&self) -> Waiting<'_> {
        Waiting::new(self)
    }

    /// The cleaner for texts.
    pub fn cleaner(&self) -> &Cleaner {
        &self.cleaner
    }

    /// Takes the notices for the user.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn notice(&self, text: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    pub(super) fn name(who: &Who) -> String {
        file_name(&format!("{}\0{}", who.session, who.agent_id.as_deref().unwrap_or_default()))
    }

    pub(super) fn file(&self, name: &str, what: &str) -> PathBuf {
        self.path.join(format!("{name}.{what}"))
    }

    pub(super) fn lock(&self) -> Result<Locked, GhapError> {
        let path = self.path.join("lock");
        let file = self.state.open_or_create(&path).map_err(unusable(&path))?;
        patient_lock(&file).map_err(unusable(&path))?;
        Ok(Locked(file))
    }

    /// Reads an entry, also a resolved one. A corrupt file is quarantined under the lock, with a notice.
    pub(super) fn read(&self, name: &str, locked: Option<&Locked>) -> Result<Option<ActiveEntry>, GhapError> {
        let path = self.file(name, "json");
        let bytes = match read_plain(&path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(unusable(&path)(cause)),
        };
        match ActiveEntry::read(&bytes) {
            Ok(active) => Ok(Some(active)),
            Err(Unreadable::Newer(version)) => Err(GhapError::internal(format!(
                "`{}` was written by a newer tenter (form {version})",
                path.display()
            ))
            .with_hint("update this one")),
            Err(Unreadable::Corrupt(why)) => match locked {
                // Another process may have replaced it meanwhile.
                None => self.read(name, Some(&self.lock()?)),
                Some(_) => self.quarantine(&path, &why).map(|()| None),
            },
        }
    }

    fn quarantine(&self, path: &Path, why: &str) -> Result<(), GhapError> {
        let mut number = 0_u32;
        let quarantined = loop {
            let quarantined = path.with_extension(format!("corrupt-{number}"));
            if !quarantined.exists() {
                break quarantined;
            }
            number += 1;
        };
        std::fs::rename(path, &quarantined).map_err(unusable(path))?;
        self.notice(format!(
            "an active GHAP entry could not be read ({why}); it was moved to `{}`. Start a new one",
            quarantined.display()
        ));
        Ok(())
    }

    /// Writes an entry atomically and durably.
    pub(super) fn write(&self, _: &Locked, name: &str, active: &ActiveEntry) -> Result<(), GhapError> {
        let path = self.file(name, "json");
        let bytes = active.bytes().map_err(io::Error::other).map_err(unusable(&path))?;
        replace(&path, &self.file(name, "new"), &bytes).map_err(unusable(&path))
    }

    pub(super) fn remove(&self, _: &Locked, name: &str, what: &str) -> Result<(), GhapError> {
        let path = self.file(name, what);
        match std::fs::remove_file(&path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(unusable(&path)(cause)),
            _ => Ok(()),
        }
    }

    pub(super) fn names(&self) -> Result<Vec<String>, GhapError> {
        let listed = match std::fs::read_dir(&self.path) {
            Ok(listed) => listed,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(cause) => return Err(unusable(&self.path)(cause)),
        };
        let mut names = Vec::new();
        for file in listed {
            let file = file.map_err(unusable(&self.path))?.file_name();
            if let Some(name) = file.to_str().and_then(|file| file.strip_suffix(".json")) {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    pub(super) fn last_seen(&self, name: &str) -> Timestamp {
        let modified = |what| self.file(name, what).metadata().and_then(|metadata| metadata.modified()).ok();
        let latest = modified("json").max(modified("tools")).max(modified("runs"));
        let since_1970 = latest.and_then(|moment| moment.duration_since(std::time::UNIX_EPOCH).ok());
        let ms = since_1970.and_then(|since| u64::try_from(since.as_millis()).ok());
        Timestamp::from_unix_ms(ms.unwrap_or(0))
    }
}

/// Replaces a file atomically and durably. Only one process does this at a time, so the draft of a stopped process may
/// be overwritten.
pub(super) fn replace(path: &Path, draft: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = our_file().write(true).create(true).truncate(true).open(draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(draft, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Whether the disk is full or read-only, so that a retry cannot help.
pub(super) fn cannot_be_written(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull
    )
}

pub(super) fn unusable(path: &Path) -> impl Fn(io::Error) -> GhapError + use<> {
    let path = path.display().to_string();
    move |cause| {
        let next = match cause.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "make it writable for you; until then nothing new is remembered"
            }
            io::ErrorKind::StorageFull => "make room on the disk",
            _ => "run `tenter doctor` to check the folder",
        };
        GhapError::internal(format!("`{path}` cannot be used: {cause}")).with_hint(next)
    }
}
