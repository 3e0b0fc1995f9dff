//! Processes: the agent that started this one, and the ancestors of this one.

use crate::audit::boot::{Boot, was_between};
use serde::{Deserialize, Serialize};

/// A process: its number, and when it began, because numbers are given again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProcess {
    id: u32,
    /// Since the machine was started, in the kernel's ticks; none where the system does not say.
    began: Option<u64>,
    /// The run of the machine; empty where the system does not say.
    boot: String,
    /// Within which its number counts: a container has numbers of its own. Empty where the system does not say.
    #[serde(default)]
    space: String,
}

/// Programs that agents put between themselves and what they start, and our own: a hook's script is started by us.
const BETWEEN: [&str; 12] =
    ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "env", "timeout", "tenter", "tenter-hook", "busybox"];

/// The first process of a machine or a container, if it is no agent.
const STARTERS: [&str; 6] = ["systemd", "init", "launchd", "tini", "dumb-init", "docker-init"];

/// Commands of `tenter` that are agents themselves.
const AGENTS: [&str; 2] = ["chat", "demo"];

impl AgentProcess {
    /// The agent that has started this process: the first one above it that is no shell, or this one if it is an agent
    /// of our own. Where the system does not let us look, that is the one right above.
    pub fn above() -> Option<Self> {
        Self::above_with_between().0
    }

    /// The same, with the numbers of the processes between it and this one.
    pub fn above_with_between() -> (Option<Self>, Vec<u32>) {
        let mut between = Vec::new();
        let own = std::process::id();
        if is_our_agent(own) {
            return (Self::this(), between);
        }
        let first = std::os::unix::process::parent_id();
        if first == 0 {
            return (None, between);
        }
        let mut id = first;
        // Processes do not nest deeper, and a loop must end.
        for _ in 0..16 {
            let Some(stat) = ProcessStat::load(id) else { break };
            if is_our_agent(id) {
                return (Some(Self::new(id, Some(stat.began))), between);
            }
            // In a container the first process may be the agent.
            if id == 1 && STARTERS.contains(&stat.name.as_str()) {
                return (None, between);
            }
            if !stat.is_between(id) {
                return (Some(Self::new(id, Some(stat.began))), between);
            }
            between.push(id);
            // A shell that leads a terminal is a person's; a payload is piped into tenter there by hand.
            if stat.leads_terminal(id) || stat.parent == 0 {
                return (None, between);
            }
            id = stat.parent;
        }
        (ProcessStat::load(first).is_none().then(|| Self::new(first, None)), between)
    }

    /// Whether it is above this process: whatever runs here, it has started.
    pub fn is_above_this(&self) -> bool {
        let mut id = std::process::id();
        for _ in 0..64 {
            let Some(stat) = ProcessStat::load(id) else { return false };
            let space = space();
            if id == self.id
                && Some(stat.began) == self.began
                && (self.space.is_empty() || self.space == space)
            {
                return true;
            }
            if stat.parent <= 1 {
                return false;
            }
            id = stat.parent;
        }
        false
    }

    /// Whether it has started that process, or is it.
    pub fn is_at_or_above(&self, other: &Self) -> bool {
        let mut id = other.id;
        for _ in 0..64 {
            let Some(stat) = ProcessStat::load(id) else { return false };
            if self.is(id, &stat) {
                return true;
            }
            id = stat.parent;
        }
        false
    }

    /// This process; none where the system does not let us look.
    pub fn this() -> Option<Self> {
        let id = std::process::id();
        ProcessStat::load(id).map(|stat| Self::new(id, Some(stat.began)))
    }

    /// Whether this is the process of that number that began then.
    pub fn is(&self, id: u32, stat: &ProcessStat) -> bool {
        self.id == id && self.began == Some(stat.began)
    }

    /// When it began, in the kernel's ticks since the machine was started.
    pub fn began(&self) -> Option<u64> {
        self.began
    }

    /// The same in milliseconds since the Unix epoch; none where the system does not say.
    pub fn began_ms(&self) -> Option<u64> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let boot: u64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
        // The kernel shows a hundred ticks a second on every architecture that tenter is built for.
        Some(boot * 1000 + self.began? * 10)
    }

    fn new(id: u32, began: Option<u64>) -> Self {
        Self { id, began, boot: Boot::default().id().to_owned(), space: space() }
    }

    /// Whether it still runs; none where the system does not say.
    pub fn is_alive(&self) -> Option<bool> {
        if was_between(&self.boot, Boot::default().id()) {
            return Some(false);
        }
        let began = self.began?;
        let space = space();
        if !self.space.is_empty() && !space.is_empty() && self.space != space {
            return None;
        }
        Some(ProcessStat::load(self.id).is_some_and(|stat| stat.began == began && !stat.ended))
    }

    /// The process of a session that has ended.
    pub(crate) fn ended() -> Self {
        Self { id: 0, began: Some(0), boot: String::new(), space: String::new() }
    }

    /// A process that does not exist, for tests.
    #[doc(hidden)]
    pub fn made_up(id: u32) -> Self {
        Self { id, began: Some(0), boot: String::new(), space: String::new() }
    }
}

/// This process and its ancestors, with their numbers, from this one upwards; empty where the system does not say.
pub fn ancestry() -> Vec<(u32, ProcessStat)> {
    let mut all: Vec<(u32, ProcessStat)> = Vec::new();
    let mut id = std::process::id();
    // Processes do not nest deeper, and a loop must end.
    while id > 0 && all.len() < 256 {
        let Some(stat) = ProcessStat::load(id) else { break };
        let parent = stat.parent;
        all.push((id, stat));
        id = parent;
    }
    all
}

/// Whether the process of this number is an agent of our own.
fn is_our_agent(id: u32) -> bool {
    std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| is_of_our_agent(&line))
}

/// Whether this is how an agent of our own was called: words with a zero byte behind each.
fn is_of_our_agent(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == 0).filter_map(|word| std::str::from_utf8(word).ok());
    let ours = words.next().is_some_and(|program| program.rsplit('/').next() == Some("tenter"));
    ours && words.find(|word| !word.starts_with('-')).is_some_and(|command| AGENTS.contains(&command))
}

fn space() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid");
    link.map(|link| link.display().to_string()).unwrap_or_default()
}

/// What the kernel says of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessStat {
    /// Its name, cut to 15 bytes.
    pub name: String,
    /// The number of its parent; 0 if it has none in this container.
    pub parent: u32,
    /// The number of the process that leads its session.
    pub session: u32,
    /// The number of its controlling terminal; 0 without one.
    pub terminal: i64,
    /// When it began, in the kernel's ticks since the machine was started.
    pub began: u64,
    /// It has ended, and its parent has not collected it yet.
    pub ended: bool,
}

impl ProcessStat {
    /// Looks at a process; none if it is gone, or the system has no such files.
    pub fn load(id: u32) -> Option<Self> {
        Self::read(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    fn leads_terminal(&self, id: u32) -> bool {
        self.session == id && self.terminal != 0
    }

    /// Whether it is between an agent and us. A script has its own name, and the shell's program.
    fn is_between(&self, id: u32) -> bool {
        let program = std::fs::read_link(format!("/proc/{id}/exe")).ok();
        let program = program.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        BETWEEN.contains(&self.name.as_str()) || program.is_some_and(|name| BETWEEN.contains(&name))
    }

    /// `42 (name) S parent …`; the name may have anything in it, brackets too.
    fn read(stat: &str) -> Option<Self> {
        let (head, rest) = stat.rsplit_once(')')?;
        let name = head.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ended = matches!(*fields.first()?, "Z" | "X");
        Some(Self {
            name,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            terminal: fields.get(4)?.parse().ok()?,
            began: fields.get(19)?.parse().ok()?,
            ended,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_brackets_and_spaces_in_it() {
        let rest = "S 41 7 7 0 -1 4194560 1 0 0 0 3 4 0 0 20 0 1 0 987654 1 2 3";
        let stat = ProcessStat::read(&format!("42 (a) (b c) {rest}")).unwrap();
        assert_eq!((stat.name.as_str(), stat.parent, stat.began), ("a) (b c", 41, 987_654));
        assert!(
            !stat.ended
                && ProcessStat::read(&format!("42 (a) {}", rest.replacen('S', "Z", 1))).unwrap().ended
        );
        assert!(ProcessStat::read("").is_none() && ProcessStat::read("42 (cut) S").is_none());
    }

    #[test]
    fn of_our_own_programs_those_that_talk_to_a_model_are_agents() {
        for (line, expected) in [
            ("tenter\0chat\0-p\0hello\0", true),
            ("/home/ann/bin/tenter\0--color=never\0chat\0", true),
            ("tenter\0demo\0", true),
            ("tenter\0mcp\0", false),
            ("tenter\0memory\0search\0chat\0", false),
            ("tenter-hook\0claude\0", false),
            ("sh\0-c\0tenter chat\0", false),
            ("tenter\0", false),
            ("", false),
        ] {
            assert_eq!(is_of_our_agent(line.as_bytes()), expected, "{line:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn process_is_alive_until_it_or_the_machine_ends() {
        let this = AgentProcess::this().unwrap();
        assert_eq!(this.is_alive(), Some(true));
        let changed = |change: fn(&mut AgentProcess)| {
            let mut other = this.clone();
            change(&mut other);
            other.is_alive()
        };
        assert_eq!(changed(|it| it.began = Some(1)), Some(false), "another of the same number");
        assert_eq!(changed(|it| it.boot = "earlier".to_owned()), Some(false));
        assert_eq!(changed(|it| it.space = "pid:[1]".to_owned()), None, "a number of a container");
        assert_eq!(changed(|it| it.began = None), None);
        if let Some(above) = AgentProcess::above() {
            assert_eq!(above.is_alive(), Some(true));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn script_counts_as_its_shell() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("begin");
        std::fs::write(&script, "#!/bin/sh\nread line\n").unwrap();
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let pipe = std::process::Stdio::piped;
        let mut child = std::process::Command::new(&script).stdin(pipe()).spawn().unwrap();
        let stat = ProcessStat::load(child.id()).unwrap();
        assert_eq!((stat.name.as_str(), stat.is_between(child.id())), ("begin", true));
        drop(child.stdin.take());
        child.wait().unwrap();
        let this = std::process::id();
        assert!(!ProcessStat::load(this).unwrap().is_between(this));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn killed_process_is_gone_before_it_is_reaped() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = AgentProcess::new(child.id(), ProcessStat::load(child.id()).map(|stat| stat.began));
        assert_eq!(process.is_alive(), Some(true));
        child.kill().unwrap();
        while ProcessStat::load(child.id()).is_some_and(|stat| !stat.ended) {
            std::thread::yield_now();
        }
        assert_eq!(process.is_alive(), Some(false));
        child.wait().unwrap();
        assert_eq!(process.is_alive(), Some(false));
    }
}
