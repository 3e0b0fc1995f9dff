//! The files that Python loads besides its program.

use std::fs;
use std::path::{Path, PathBuf};

/// The file that marks the folder of a virtual environment.
const SETTINGS: &str = "pyvenv.cfg";

/// Whether a file is a Python program.
pub(super) fn is_program(file: &Path) -> bool {
    let of_python = |line: &str| line.contains("python") || line.contains("pypy");
    file.extension().is_some_and(|extension| extension == "py" || extension == "pyw")
        || super::hook_files::first_line(file).is_some_and(|line| of_python(&line))
}

/// Whether a folder is that of the programs of a virtual environment.
pub(super) fn is_environments(folder: &Path) -> bool {
    folder.parent().is_some_and(|above| above.join(SETTINGS).is_file())
}

/// The places of the settings of a program's virtual environment, present or not: an interpreter belongs to one as soon
/// as they exist.
pub(super) fn settings_of(program: &Path) -> Vec<PathBuf> {
    let folder = program.parent();
    let above = folder.and_then(Path::parent);
    let places: Vec<PathBuf> = above.into_iter().chain(folder).map(|place| place.join(SETTINGS)).collect();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let is_python = name.starts_with("python") || name.starts_with("pypy");
    places.into_iter().filter(|settings| is_python || settings.is_file()).collect()
}

/// Whether a file of a virtual environment decides what is loaded from it. What Python has compiled does not:
/// hooks of projects are run so that it is not read.
pub(super) fn is_of_environment(file: &Path) -> bool {
    let is_program =
        file.parent().is_some_and(|folder| folder.ends_with("bin") || folder.ends_with("Scripts"));
    is_module(file) || is_program || is_start(file)
}

/// Source, libraries, and compiled files where they count without their source.
pub(super) fn is_module(path: &Path) -> bool {
    let is_cache = path.parent().is_some_and(|folder| folder.ends_with("__pycache__"));
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| match extension {
        "py" | "pyw" | "so" | "pyd" => true,
        "pyc" => !is_cache,
        _ => false,
    })
}

/// The files that every start of Python in a virtual environment runs or obeys.
pub(super) fn starts_of(environment: &Path) -> Vec<PathBuf> {
    let below = |folder: PathBuf| {
        let found = fs::read_dir(folder).into_iter().flatten().flatten();
        found.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
    };
    let libraries = ["lib", "lib64", "Lib"].into_iter().flat_map(|name| below(environment.join(name)));
    let packages = libraries.flat_map(|library| [library.join("site-packages"), library]);
    let mut starts: Vec<PathBuf> = packages.flat_map(below).filter(|file| is_start(file)).collect();
    starts.push(environment.join(SETTINGS));
    starts
}

fn is_start(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default();
    file.extension().is_some_and(|extension| extension == "pth")
        || [SETTINGS, "sitecustomize.py", "usercustomize.py"].iter().any(|start| name == *start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreter_belongs_to_environment_once_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("v/bin");
        fs::create_dir_all(&bin).unwrap();
        assert_eq!(settings_of(&bin.join("ruff")), Vec::<PathBuf>::new());
        assert_eq!(settings_of(&bin.join("python3.12")).len(), 2);
        fs::write(folder.path().join("v/pyvenv.cfg"), "home = /usr/bin\n").unwrap();
        assert_eq!(settings_of(&bin.join("ruff")), [folder.path().join("v/pyvenv.cfg")]);
        assert!(is_environments(&bin));
    }

    #[test]
    fn start_files_are_found_among_packages() {
        let folder = tempfile::tempdir().unwrap();
        let packages = folder.path().join("lib/python3.12/site-packages");
        fs::create_dir_all(&packages).unwrap();
        for name in ["a.pth", "sitecustomize.py", "other.py"] {
            fs::write(packages.join(name), "").unwrap();
        }
        let mut names: Vec<String> = starts_of(folder.path())
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["a.pth", "pyvenv.cfg", "sitecustomize.py"]);
    }
}
