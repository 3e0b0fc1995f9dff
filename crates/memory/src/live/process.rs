//! The process of an agent, as those see it whom it has started.

use serde::{Deserialize, Serialize};

/// A process: its number, and when it began, because numbers are given again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProcess {
    id: u32,
    /// Since the machine was started, in the kernel's ticks; none where the system does not tell.
    began: Option<u64>,
    /// The run of the machine; empty where the system does not tell.
    boot: String,
}

/// Programs that agents put between themselves and what they start, and our own: a hook's script is started by us.
const BETWEEN: [&str; 12] =
    ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "env", "timeout", "tenter", "tenter-hook", "busybox"];

impl AgentProcess {
    /// The agent that has started this process: the first one above it that is no shell. Where the system does not let
    /// us look, that is the one right above.
    pub fn above() -> Option<Self> {
        let parent = std::os::unix::process::parent_id();
        let first = (parent > 1).then_some(parent)?;
        let boot = tenter_store::audit::boot::Boot::default().id().to_owned();
        let mut id = first;
        // Nobody nests deeper, and a loop would be somebody's joke.
        for _ in 0..16 {
            let Some(seen) = Seen::of(id) else { break };
            if !BETWEEN.contains(&seen.name.as_str()) {
                return Some(Self { id, began: Some(seen.began), boot });
            }
            if seen.parent <= 1 {
                // A terminal of a container, for example: nobody but shells.
                return None;
            }
            id = seen.parent;
        }
        Seen::of(first).is_none().then_some(Self { id: first, began: None, boot })
    }

    /// Whether it still runs; none where the system does not tell.
    pub(super) fn is_alive(&self) -> Option<bool> {
        let began = self.began?;
        let boot = tenter_store::audit::boot::Boot::default();
        Some(self.boot == boot.id() && Seen::of(self.id).is_some_and(|seen| seen.began == began))
    }

    #[cfg(test)]
    pub(super) fn made_up(id: u32) -> Self {
        Self { id, began: Some(0), boot: String::new() }
    }
}

/// What the kernel says of a process.
struct Seen {
    name: String,
    parent: u32,
    began: u64,
}

impl Seen {
    /// Looks at a process; none if it is gone, or the system has no such files.
    fn of(id: u32) -> Option<Self> {
        Self::read(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    /// `42 (name) S parent …`; the name may have anything in it, brackets too.
    fn read(stat: &str) -> Option<Self> {
        let (head, rest) = stat.rsplit_once(')')?;
        let name = head.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = rest.split_whitespace().collect();
        Some(Self { name, parent: fields.get(1)?.parse().ok()?, began: fields.get(19)?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_brackets_and_spaces_in_it() {
        let rest = "S 41 7 7 0 -1 4194560 1 0 0 0 3 4 0 0 20 0 1 0 987654 1 2 3";
        let seen = Seen::read(&format!("42 (a) (b c) {rest}")).unwrap();
        assert_eq!((seen.name.as_str(), seen.parent, seen.began), ("a) (b c", 41, 987_654));
        assert!(Seen::read("").is_none() && Seen::read("42 (cut) S").is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_has_started_this_test_is_alive_and_is_no_shell() {
        let Some(above) = AgentProcess::above() else { return };
        assert_eq!(above.is_alive(), Some(true));
        let other = AgentProcess { began: Some(1), ..above };
        assert_eq!(other.is_alive(), Some(false));
    }
}
