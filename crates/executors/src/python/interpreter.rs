//! Finds the Python interpreter of a hook.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tenter_contract::{HookFailure, Python};

use crate::command::home;
use crate::programs::{SYSTEM_PATH, find_in_path, is_executable};

/// The interpreter of a hook that names none.
const DEFAULT: &str = "python3";

/// A name is searched in the hook's `PATH`, a relative path in the folder of its file.
pub(super) fn find(
    python: &Python,
    folder: &Path,
    variables: &BTreeMap<OsString, OsString>,
    user_home: Option<&Path>,
) -> Result<PathBuf, HookFailure> {
    let name = python.interpreter.as_deref().unwrap_or(DEFAULT);
    if name.contains('/') {
        let path = folder.join(home::expand(name, user_home));
        return if is_executable(&path) { Ok(path) } else { Err(not_found(&path.to_string_lossy())) };
    }
    let path = variables.get(OsStr::new("PATH")).map_or(OsStr::new(SYSTEM_PATH), |path| path);
    find_in_path(name, path).ok_or_else(|| not_found(name))
}

fn not_found(name: &str) -> HookFailure {
    let detail = format!(
        "`{name}` was not found; install Python 3.8 or later, or write `python: {{ function: …, interpreter: … }}`"
    );
    HookFailure::Missing { detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_in(interpreter: Option<&str>, path: &str, folder: &Path) -> Result<PathBuf, String> {
        let python =
            Python { function: "m.f".to_owned(), interpreter: interpreter.map(str::to_owned), keep: None };
        let variables = BTreeMap::from([("PATH".into(), path.into())]);
        find(&python, folder, &variables, Some(folder)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn interpreter_is_found_in_absolute_folders() {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path();
        std::fs::create_dir(here.join("bin")).unwrap();
        std::os::unix::fs::symlink("/bin/sh", here.join("bin/python3")).unwrap();
        std::fs::write(here.join("bin/text"), "").unwrap();
        let (bin, found) = (here.join("bin").to_string_lossy().into_owned(), here.join("bin/python3"));
        assert_eq!(find_in(None, &format!(":.:/nowhere:{bin}"), here), Ok(found.clone()));
        assert_eq!(find_in(Some("bin/python3"), "", here), Ok(found.clone()));
        assert_eq!(find_in(Some("~/bin/python3"), "", Path::new(here)), Ok(found));
        for (interpreter, path) in [(None, "bin:."), (Some("text"), &*bin), (Some("bin/text"), &bin)] {
            let failure = find_in(interpreter, path, here).unwrap_err();
            assert!(failure.contains("was not found; install Python"), "{failure}");
        }
    }
}
