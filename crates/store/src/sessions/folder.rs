//! The folder of one session.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tenter_contract::{SessionClaim, SessionCounter, SessionId};

use crate::StateFolder;
use crate::hex::file_name;
use crate::place::{if_found, open_plain, our_file};

/// The file of one fact. The files of a kind have no folder of their own: creating a folder takes as long as creating
/// three files.
pub(super) fn fact_file(folder: &Path, kind: &str, what: &str) -> PathBuf {
    folder.join(format!("{kind}-{}", file_name(what)))
}

/// The folder of events without a session. [`file_name`] never returns this name.
const NO_SESSION: &str = "no-session";

/// The folder of one session. Creating a value touches no file.
pub(crate) struct SessionFolder<'a> {
    state: &'a StateFolder,
    session: Option<&'a SessionId>,
    path: PathBuf,
}

impl<'a> SessionFolder<'a> {
    /// The folder of a session, or of all events without one.
    pub(crate) fn new(state: &'a StateFolder, session: impl Into<Option<&'a SessionId>>) -> Self {
        let session = session.into();
        let name = session.map_or_else(|| NO_SESSION.to_owned(), |session| file_name(session.as_str()));
        Self { state, session, path: state.path().join("sessions").join(name) }
    }

    /// The file of the project root.
    pub(crate) fn root(&self) -> PathBuf {
        self.path.join("root")
    }

    /// The file whose existence is the claim.
    pub(crate) fn claim(&self, what: &SessionClaim) -> PathBuf {
        fact_file(&self.path, "once", &what.to_string())
    }

    /// The file of calls that may be delivered more than once.
    pub(crate) fn delivered(&self) -> PathBuf {
        self.path.join("delivered")
    }

    /// The file of a decision on such a call that is too long for the other file.
    pub(crate) fn long_decision(&self, call: &str) -> PathBuf {
        self.path.join("shared_decisions").join(call)
    }

    /// The file of a counter.
    pub(crate) fn counter(&self, what: &SessionCounter) -> PathBuf {
        fact_file(&self.path, "tally", &what.to_string())
    }

    /// The folder of the ledger.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.path.join("ledger")
    }

    /// The folder of texts that wait for the next event.
    pub(crate) fn pending(&self) -> PathBuf {
        self.path.join("pending")
    }

    /// A file or folder of this name.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A new file that is renamed later. A number that is taken belongs to another thread, or to an earlier process of
    /// the same id.
    pub(crate) fn draft(&self) -> io::Result<(PathBuf, File)> {
        let mut number = 0_u32;
        loop {
            let path = self.path.join(format!("draft-{}-{number}", std::process::id()));
            match self.create_new(&path) {
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => number += 1,
                created => return created.map(|file| (path, file)),
            }
        }
    }

    /// Creates a file that must not exist.
    pub(crate) fn create_new(&self, path: &Path) -> io::Result<File> {
        self.open_with(our_file().write(true).create_new(true), path)
    }

    /// Opens a file to read and write anywhere in it; creates it if it does not exist.
    pub(crate) fn open_or_make(&self, path: &Path) -> io::Result<File> {
        self.open_with(our_file().read(true).write(true).create(true).truncate(false), path)
    }

    /// Opens a file to append to it; creates it if it does not exist.
    pub(crate) fn open_to_append(&self, path: &Path) -> io::Result<File> {
        self.open_with(our_file().read(true).append(true).create(true), path)
    }

    /// Opens a file. Creates its folder if it does not exist.
    fn open_with(&self, options: &OpenOptions, path: &Path) -> io::Result<File> {
        if let Some(file) = if_found(open_plain(options, path))? {
            return Ok(file);
        }
        self.make(path.parent().unwrap_or(&self.path))?;
        open_plain(options, path)
    }

    /// Creates the folder, with the id in plain text, so that people can identify the session.
    pub(crate) fn make(&self, folder: &Path) -> io::Result<()> {
        self.state.make_folder(folder)?;
        match our_file().write(true).create_new(true).open(self.path.join("id")) {
            Ok(mut file) => file.write_all(self.session.map_or("", SessionId::as_str).as_bytes()),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(cause) => Err(cause),
        }
    }
}
