//! Processes: the agent that started this one, and the ancestors of this one.

use crate::audit::boot::{Boot, is_restart};
use serde::{Deserialize, Serialize};

/// A process: its number, and its start time, because numbers are reused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProcess {
    id: u32,
    /// In the kernel's ticks since the machine was started; none if the system does not state it.
    began: Option<u64>,
    /// The boot id of the machine; empty if the system does not state it.
    boot: String,
    /// The namespace of its number: a container has numbers of its own. Empty if the system does not state it.
    #[serde(default)]
    space: String,
}

/// Programs between an agent and the commands that it runs; tenter itself starts the scripts of hooks.
const BETWEEN: [&str; 12] =
    ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "env", "timeout", "tenter", "tenter-hook", "busybox"];

/// The first process of a machine or a container, if it is no agent.
const STARTERS: [&str; 6] = ["systemd", "init", "launchd", "tini", "dumb-init", "docker-init"];

/// Commands of `tenter` that are agents themselves.
const AGENTS: [&str; 2] = ["chat", "demo"];

impl AgentProcess {
    /// The agent that has started this process: the nearest ancestor that is no shell, or this process if it is an agent
    /// of tenter. Without `/proc` that is the parent.
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
        for (id, stat) in lineage(first).take(16) {
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
            // A shell that leads a terminal belongs to a person, who pipes a payload into tenter.
            if stat.leads_terminal(id) || stat.parent == 0 {
                return (None, between);
            }
        }
        (ProcessStat::load(first).is_none().then(|| Self::new(first, None)), between)
    }

    /// Whether it is that process or an ancestor of it.
    pub fn is_at_or_above(&self, other: &Self) -> bool {
        lineage(other.id).any(|(id, stat)| self.is(id, &stat))
    }

    /// This process; none without `/proc`.
    pub fn this() -> Option<Self> {
        let id = std::process::id();
        ProcessStat::load(id).map(|stat| Self::new(id, Some(stat.began)))
    }

    /// Whether this is the process with that number and start time.
    pub fn is(&self, id: u32, stat: &ProcessStat) -> bool {
        self.id == id && self.began == Some(stat.began)
    }

    /// Its start time in the kernel's ticks since the machine was started.
    pub fn began(&self) -> Option<u64> {
        self.began
    }

    /// The same in milliseconds since the Unix epoch; none without `/proc`.
    pub fn began_ms(&self) -> Option<u64> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let boot: u64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
        // The kernel reports a hundred ticks a second on every architecture that tenter is built for.
        Some(boot * 1000 + self.began? * 10)
    }

    fn new(id: u32, began: Option<u64>) -> Self {
        Self { id, began, boot: Boot::default().id().to_owned(), space: space() }
    }

    /// Whether it still runs; none if that is unknown.
    pub fn is_alive(&self) -> Option<bool> {
        if is_restart(&self.boot, Boot::default().id()) {
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
        Self::made_up(0)
    }

    /// A process that does not exist, for tests.
    #[doc(hidden)]
    pub fn made_up(id: u32) -> Self {
        Self { id, began: Some(0), boot: String::new(), space: String::new() }
    }
}

/// This process and its ancestors with their numbers, upwards; empty without `/proc`.
pub fn ancestry() -> Vec<(u32, ProcessStat)> {
    lineage(std::process::id()).collect()
}

/// A process and its ancestors. Processes do not nest deeper than the limit, and a loop must end.
fn lineage(id: u32) -> impl Iterator<Item = (u32, ProcessStat)> {
    let load = |id: u32| Some((id, ProcessStat::load(id)?));
    std::iter::successors(load(id), move |(_, stat)| load(stat.parent)).take(256)
}

/// Whether the process of this number is an agent of tenter.
fn is_our_agent(id: u32) -> bool {
    std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| starts_our_agent(&line))
}

/// Whether a command line, with a zero byte behind each word, starts an agent of tenter.
fn starts_our_agent(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == 0).filter_map(|word| std::str::from_utf8(word).ok());
    let ours = words.next().is_some_and(|program| program.rsplit('/').next() == Some("tenter"));
    ours && words.find(|word| !word.starts_with('-')).is_some_and(|command| AGENTS.contains(&command))
}

fn space() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid");
    link.map(|link| link.display().to_string()).unwrap_or_default()
}

/// The facts about a process in `/proc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessStat {
    /// Its name, cut to 15 bytes.
    pub name: String,
    /// The number of its parent; 0 if it has none in this container.
    pub parent: u32,
    /// The number of its process group; -1 in its last moment.
    pub group: i64,
    /// The number of the process that leads its session.
    pub session: u32,
    /// The number of its controlling terminal; 0 without one.
    pub terminal: i64,
    /// Its start time in the kernel's ticks since the machine was started.
    pub began: u64,
    /// Whether it has ended and waits to be reaped.
    pub ended: bool,
}

impl ProcessStat {
    /// The facts about the process of this number; none if it is gone, or without `/proc`.
    pub fn load(id: u32) -> Option<Self> {
        Self::parse(&String::from_utf8_lossy(&std::fs::read(format!("/proc/{id}/stat")).ok()?))
    }

    fn leads_terminal(&self, id: u32) -> bool {
        self.session == id && self.terminal != 0
    }

    /// Whether it may be between an agent and tenter. A script has its own name and the program of the shell.
    fn is_between(&self, id: u32) -> bool {
        let program = std::fs::read_link(format!("/proc/{id}/exe")).ok();
        let program = program.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        BETWEEN.contains(&self.name.as_str()) || program.is_some_and(|name| BETWEEN.contains(&name))
    }

    /// Parses `42 (name) S parent …`; the name may contain anything, brackets included.
    fn parse(stat: &str) -> Option<Self> {
        let (head, rest) = stat.rsplit_once(')')?;
        let name = head.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let ended = matches!(*fields.first()?, "Z" | "X");
        Some(Self {
            name,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
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
    fn process_name_may_have_brackets_and_spaces() {
        let rest = "S 41 7 7 0 -1 4194560 1 0 0 0 3 4 0 0 20 0 1 0 987654 1 2 3";
        let stat = ProcessStat::parse(&format!("42 (a) (b c) {rest}")).unwrap();
        assert_eq!((stat.name.as_str(), stat.parent, stat.began), ("a) (b c", 41, 987_654));
        assert!(
            !stat.ended
                && ProcessStat::parse(&format!("42 (a) {}", rest.replacen('S', "Z", 1))).unwrap().ended
        );
        assert!(ProcessStat::parse("").is_none() && ProcessStat::parse("42 (cut) S").is_none());
    }

    #[test]
    fn chat_and_demo_are_agents() {
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
            assert_eq!(starts_our_agent(line.as_bytes()), expected, "{line:?}");
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
