//! The two programs of tenter: which one agents call, and whether it will stay at its path.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::full_binary::BUILD;
use crate::places::absolute;

/// The program that runs now, by the path that stays when links change.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe().and_then(fs::canonicalize)
}

/// The program that agents call: `tenter-hook` in the folder of this program.
pub fn hook_program() -> io::Result<HookProgram> {
    let full = own_program()?;
    let small = full.with_file_name(SMALL);
    let output = Command::new(&small).arg("--version").stdin(Stdio::null()).output();
    let not_used = match output {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains(BUILD) => {
            return Ok(HookProgram { path: small, instead_of: None });
        }
        Ok(_) => format!("{} is of another build", small.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => format!("there is no {}", small.display()),
        Err(error) => format!("{} cannot be run: {error}", small.display()),
    };
    Ok(HookProgram { path: full, instead_of: Some(not_used) })
}

/// The name of the small program.
pub const SMALL: &str = "tenter-hook";

pub(crate) const FULL: &str = "tenter";

/// The program that agents call.
pub struct HookProgram {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is the full binary instead of `tenter-hook`, which is only slower.
    pub instead_of: Option<String>,
}

/// Why a program will not stay at its path: the next build or the next start removes it, and entries with its path would
/// silently do nothing.
pub fn temporary_place(program: &Path) -> Option<&'static str> {
    let folder = program.parent()?;
    let names: Vec<_> = folder.iter().filter_map(|name| name.to_str()).collect();
    let below_target = names.iter().position(|name| *name == "target").map(|at| &names[at..]);
    let built =
        below_target.is_some_and(|names| names.iter().any(|name| ["debug", "release"].contains(name)));
    // Cargo writes this into its build folders.
    if built || folder.join(".cargo-lock").exists() {
        return Some("it lies in a build folder, which the next `cargo clean` removes");
    }
    let temporary = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    let is_below = |folder: &PathBuf| {
        program.starts_with(folder)
            || fs::canonicalize(folder).is_ok_and(|folder| program.starts_with(folder))
    };
    // A home may be there, as on build servers. A program in it stays as long as the settings that name it.
    let is_in_home = absolute("HOME").is_some_and(|home| is_below(&home) && !temporary.contains(&home));
    (!is_in_home && temporary.iter().any(is_below))
        .then_some("it lies in a temporary folder, which does not last")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_places_are_found() {
        for (program, stays) in [
            ("/usr/local/bin/tenter", true),
            ("/home/jo/.cargo/bin/tenter", true),
            ("/home/jo/target/bin/tenter", true),
            ("/srv/release/tenter", true),
            ("/home/jo/tenter/target/debug/tenter", false),
            ("/home/jo/tenter/target/x86_64-unknown-linux-musl/release/tenter", false),
            ("/tmp/tenter", false),
            ("/var/tmp/x/tenter", false),
        ] {
            assert_eq!(temporary_place(Path::new(program)).is_none(), stays, "{program}");
        }
    }
}
