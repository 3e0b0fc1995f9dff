//! Where something can be noted while the state folder cannot be written.

use std::path::PathBuf;

use tenter_store::StateFolder;

/// A folder of our own that lasts as long as the machine runs, for what must be known from one event to the next while
/// the state folder cannot be written.
pub(crate) fn beside() -> Option<StateFolder> {
    let of_the_user =
        std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let path = match of_the_user {
        Some(path) => path.join("tenter"),
        None => std::env::temp_dir().join(format!("tenter-{}", rustix::process::geteuid().as_raw())),
    };
    // Anybody can lay a link there.
    let is_ours = std::fs::symlink_metadata(&path).map_or(true, |found| found.is_dir());
    is_ours.then(|| StateFolder::new(path))
}
