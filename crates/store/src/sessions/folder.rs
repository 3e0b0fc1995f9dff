//! The folder of one session.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tenter_contract::{SessionClaim, SessionCounter, SessionId};

use crate::StateFolder;
use crate::hex::file_name;
use crate::place::{open_plain, our_file};

/// The file of one thing among others of its kind. They lie beside each other and not in a folder for each kind: a new
/// session pays for every folder, and making one takes as long as making three files.
pub(super) fn one_of(folder: &Path, kind: &str, what: &str) -> PathBuf {
    folder.join(format!("{kind}-{}", file_name(what)))
}

/// The folder of events without a session. No id has this name: [`file_name`] ends in a hash.
const NO_SESSION: &str = "no-session";

/// Where the facts of one session lie. Making one touches nothing.
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
        one_of(&self.path, "once", &what.to_string())
    }

    /// The file of calls that may be delivered more than once.
    pub(crate) fn delivered(&self) -> PathBuf {
        self.path.join("delivered")
    }

    /// The file of a shared decision on such a call that is too long for the other.
    pub(crate) fn long_decision(&self, call: &str) -> PathBuf {
        self.path.join("shared_decisions").join(call)
    }

    /// The file of a tally.
    pub(crate) fn counter(&self, what: &SessionCounter) -> PathBuf {
        one_of(&self.path, "tally", &what.to_string())
    }

    /// The folder of the ledger.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.path.join("ledger")
    }

    /// The folder of texts that wait for the next event.
    pub(crate) fn pending(&self) -> PathBuf {
        self.path.join("pending")
    }

    /// A file of this name in the session's folder.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A file that nobody else uses, to become another by its name. A number that is taken belongs to
    /// another thread, or to a process of the same id that was stopped long ago.
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

    /// Makes a file, if nobody has made it yet; if its folder is missing, makes that too.
    pub(crate) fn create_new(&self, path: &Path) -> io::Result<File> {
        let mut options = our_file();
        options.write(true).create_new(true);
        match open_plain(&options, path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                self.make(path.parent().unwrap_or(&self.path))?;
                open_plain(&options, path)
            }
            opened => opened,
        }
    }

    /// Opens a file to read and write anywhere in it, and makes it and its folder if they are missing.
    pub(crate) fn open_or_make(&self, path: &Path) -> io::Result<File> {
        let mut options = our_file();
        options.read(true).write(true).create(true).truncate(false);
        match open_plain(&options, path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                self.make(path.parent().unwrap_or(&self.path))?;
                open_plain(&options, path)
            }
            opened => opened,
        }
    }

    /// Opens a file to add to it, and makes it and its folder if they are missing.
    pub(crate) fn open_to_add(&self, path: &Path) -> io::Result<File> {
        let mut options = our_file();
        options.read(true).append(true).create(true);
        match open_plain(&options, path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                self.make(path.parent().unwrap_or(&self.path))?;
                open_plain(&options, path)
            }
            opened => opened,
        }
    }

    /// Makes the folder, with the id in plain text, so that people can tell which session it is.
    pub(crate) fn make(&self, folder: &Path) -> io::Result<()> {
        self.state.make_folder(folder)?;
        match our_file().write(true).create_new(true).open(self.path.join("id")) {
            Ok(mut file) => file.write_all(self.session.map_or("", SessionId::as_str).as_bytes()),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(cause) => Err(cause),
        }
    }
}
