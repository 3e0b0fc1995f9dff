//! Our two programs on this machine: which one agents are to call, and whether it will stay where it is.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::beside::BUILD;

/// The program that runs now, by the path that stays when links change.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe().and_then(fs::canonicalize)
}

/// The program that agents are to call: the small one beside this one.
pub fn called_program() -> io::Result<CalledProgram> {
    let whole = own_program()?;
    let small = whole.with_file_name(SMALL);
    let said = Command::new(&small).arg("--version").stdin(Stdio::null()).output();
    let not_used = match said {
        Ok(said) if String::from_utf8_lossy(&said.stdout).contains(BUILD) => {
            return Ok(CalledProgram { path: small, instead_of: None });
        }
        Ok(_) => format!("{} is of another build", small.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => format!("there is no {}", small.display()),
        Err(error) => format!("{} cannot be run: {error}", small.display()),
    };
    Ok(CalledProgram { path: whole, instead_of: Some(not_used) })
}

/// The small program's name, which is also how a call of it is told from a call of the whole one.
pub const SMALL: &str = "tenter-hook";

/// The whole program's name.
pub(crate) const WHOLE: &str = "tenter";

/// The program that agents are to call.
pub struct CalledProgram {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is the whole program instead of the small one, if it is: slower, but nothing else.
    pub instead_of: Option<String>,
}

/// Why a program will not stay where it is, if that is so: the next build or the next start removes it, and
/// the entries with its path would do nothing, in silence.
pub fn passing_place(program: &Path) -> Option<&'static str> {
    let folder = program.parent()?;
    let names: Vec<_> = folder.iter().filter_map(|name| name.to_str()).collect();
    let below_target = names.iter().position(|name| *name == "target").map(|at| &names[at..]);
    let built =
        below_target.is_some_and(|names| names.iter().any(|name| ["debug", "release"].contains(name)));
    // Cargo leaves this beside what it builds, wherever the target folder is.
    if built || folder.join(".cargo-lock").exists() {
        return Some("it lies in a build folder, which the next `cargo clean` removes");
    }
    let temporary = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    let is_below = |folder: &PathBuf| {
        program.starts_with(folder)
            || fs::canonicalize(folder).is_ok_and(|folder| program.starts_with(folder))
    };
    // A home may lie there, as those of build servers do. What lies in it stays as long as the settings that name it.
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let is_in_home = home.is_some_and(|home| is_below(&home) && !temporary.contains(&home));
    (!is_in_home && temporary.iter().any(is_below))
        .then_some("it lies in a temporary folder, which does not last")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_will_not_stay_are_found() {
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
            assert_eq!(passing_place(Path::new(program)).is_none(), stays, "{program}");
        }
    }
}
