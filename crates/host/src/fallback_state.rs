//! The folder for state while the state folder cannot be written.

use tenter_store::StateFolder;

use crate::places::absolute;

/// A folder of this user that lasts as long as the machine runs, for state that must last from one event to the next.
pub(crate) fn folder() -> Option<StateFolder> {
    let path = match absolute("XDG_RUNTIME_DIR") {
        Some(path) => path.join("tenter"),
        None => std::env::temp_dir().join(format!("tenter-{}", rustix::process::geteuid().as_raw())),
    };
    // Any user can put a link there.
    let is_ours = std::fs::symlink_metadata(&path).map_or(true, |found| found.is_dir());
    is_ours.then(|| StateFolder::new(path))
}
