//! Which Python runs a hook.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tenter_contract::{HookFailure, Python};

use crate::command::home;

/// What is looked for if the hook does not say.
const USUAL: &str = "python3";

/// A name is looked for in the hook's `PATH`, a path beside its file. Folders of a `PATH` that depend on where one
/// stands do not count: no project decides what judges it.
pub(super) fn find(
    python: &Python,
    folder: &Path,
    variables: &BTreeMap<OsString, OsString>,
    user_home: Option<&Path>,
) -> Result<PathBuf, HookFailure> {
    let name = python.interpreter.as_deref().unwrap_or(USUAL);
    if name.contains('/') {
        let path = folder.join(home::expand(name, user_home));
        return if is_program(&path) { Ok(path) } else { Err(not_there(&path.to_string_lossy())) };
    }
    let path =
        variables.get(OsStr::new("PATH")).map_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"), |path| path);
    let mut candidates =
        std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    candidates.find(|path| is_program(path)).ok_or_else(|| not_there(name))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

fn not_there(name: &str) -> HookFailure {
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
    fn a_name_is_looked_for_in_absolute_folders_and_a_path_beside_the_file() {
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
