//! Names this build, so that two programs of one installation can tell whether they belong together.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> io::Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".."));
    let mut files = Vec::new();
    let mut out = io::stdout();
    for folder in entries(crates) {
        let sources = folder.join("src");
        writeln!(out, "cargo::rerun-if-changed={}", sources.display())?;
        collect(&sources, &mut files);
    }
    let lock = crates.join("../Cargo.lock");
    writeln!(out, "cargo::rerun-if-changed={}", lock.display())?;
    files.push(lock);
    let mut hasher = DefaultHasher::new();
    for file in &files {
        fs::read(file).unwrap_or_default().hash(&mut hasher);
    }
    // What decides how it was built, besides the sources.
    for variable in ["TARGET", "PROFILE", "CARGO_CFG_TARGET_FEATURE", "CARGO_ENCODED_RUSTFLAGS"] {
        env::var(variable).unwrap_or_default().hash(&mut hasher);
    }
    writeln!(out, "cargo::rustc-env=TENTER_BUILD={:016x}", hasher.finish())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Sorted, so that the same files give the same name everywhere.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).map(|found| found.flatten().map(|entry| entry.path()).collect());
    let mut paths: Vec<PathBuf> = found.unwrap_or_default();
    paths.sort();
    paths
}
