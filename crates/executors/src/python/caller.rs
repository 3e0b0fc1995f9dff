//! On whose behalf we run: the agent, whose end is the end of everything that is kept for it.

use std::fs;

/// Programs that only stand between an agent and us.
const SHELLS: [&str; 10] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "busybox", "env"];
/// No chain of shells is longer.
const DEEPEST: usize = 32;

/// A process, by its number and the time it began, which tells it from a later one of the same number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Caller {
    pub(super) pid: u32,
    pub(super) start: String,
}

/// The nearest process above us that is no shell; `None` if there is none but the first of all.
pub(super) fn find() -> Option<Caller> {
    let mut pid = std::os::unix::process::parent_id();
    for _ in 0..DEEPEST {
        if pid <= 1 {
            return None;
        }
        let (name, parent, start) = look(pid)?;
        if !SHELLS.contains(&name.trim_start_matches('-')) {
            return Some(Caller { pid, start });
        }
        pid = parent;
    }
    None
}

/// Name, parent and start of a process.
fn look(pid: u32) -> Option<(String, u32, String)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let (before, behind) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut words = behind.split_ascii_whitespace();
    let parent = words.nth(1)?.parse().ok()?;
    // The 22nd of all: state is the 3rd, the parent the 4th.
    let start = words.nth(17)?.to_owned();
    Some((name.to_owned(), parent, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start() {
        let (_, parent, start) = look(std::process::id()).unwrap();
        assert_eq!(parent, std::os::unix::process::parent_id());
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let behind_name = stat.rsplit_once(") ").unwrap().1;
        assert_eq!(behind_name.split(' ').nth(19), Some(start.as_str()));
    }

    #[test]
    fn no_shell_is_taken_for_an_agent() {
        let Some(caller) = find() else { return };
        let (name, ..) = look(caller.pid).unwrap();
        assert!(!SHELLS.contains(&name.as_str()), "{name}");
    }
}
