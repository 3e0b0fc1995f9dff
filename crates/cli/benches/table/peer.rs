//! Measures a published hook for the same job: `cc-safety-net` from npm, which judges every Bash call and logs it. It
//! is installed into a cache outside the tree, in a pinned version.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::find;

const PACKAGE: &str = "cc-safety-net";
const VERSION: &str = "2.4.5";
const LICENCE: &str = "MIT";
/// In the package; what its `bin` names.
const SCRIPT: &str = "dist/bin/cc-safety-net.js";

/// How the row is called.
pub(crate) const NAME: &str = "cc-safety-net 2.4.5, a published hook (Node)";
/// What its own help gives for Claude Code.
pub(crate) const ARGUMENTS: [&str; 2] = ["hook", "--coding-cli"];

/// Node and the hook's script, or why there is none. Calling `node` with the path is the fastest way to
/// start it: through `npx`, as its installer writes it into settings, it waits for npm first.
pub(crate) fn installed() -> Result<(PathBuf, PathBuf), String> {
    let node = find("node").ok_or("node is not installed")?;
    let folder = cache().ok_or("there is no home to install it into")?;
    let package = folder.join("node_modules").join(PACKAGE);
    if !package.join(SCRIPT).is_file() {
        install(&folder)?;
    }
    permitted(&package)?;
    Ok((node, package.join(SCRIPT)))
}

fn cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("tenter/peers").join(format!("{PACKAGE}-{VERSION}")))
}

/// Nothing of the package runs while it is installed.
fn install(folder: &Path) -> Result<(), String> {
    let npm = find("npm").ok_or("npm is not installed")?;
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let status = Command::new(npm)
        .args(["install", "--ignore-scripts", "--no-audit", "--no-category", "--loglevel", "error"])
        .args(["--prefer-offline", "--fetch-retries", "0", "--fetch-timeout", "20000", "--prefix"])
        .arg(folder)
        .arg(format!("{PACKAGE}@{VERSION}"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("npm could not be started: {error}"))?;
    if status.success() { Ok(()) } else { Err("npm could not install it".to_owned()) }
}

/// Only what is the pinned version and may be used by anyone is run.
fn permitted(package: &Path) -> Result<(), String> {
    let manifest = fs::read_to_string(package.join("package.json")).map_err(|error| error.to_string())?;
    let manifest: Value = serde_json::from_str(&manifest).map_err(|error| error.to_string())?;
    match (manifest["version"].as_str(), manifest["license"].as_str()) {
        (Some(VERSION), Some(LICENCE)) => Ok(()),
        (version, licence) => Err(format!(
            "it is {} under {}, not {VERSION} under {LICENCE}",
            version.unwrap_or("of no version"),
            licence.unwrap_or("no licence"),
        )),
    }
}
