//! Ends a run if tenter is killed while it lasts.

#[cfg(target_os = "linux")]
pub(super) use linux::Watchdog;
#[cfg(not(target_os = "linux"))]
pub(super) use portable::Watchdog;

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Write;
    use std::process::{Child, ChildStdin, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::Pid;
    use tenter_contract::LeftoverProcesses;

    use crate::supervise::ProcessTree;
    use crate::supervise::reaper::untagged;
    use crate::supervise::run_tag::{RunTag, cleanup_shell};

    /// How long a run must last to get a watchdog. Measured with `sh -c true`: 1.1 times a bare `sh -c true` without
    /// one, 1.4 to 1.6 times (0.3 to 0.5 ms more) if every run gets one at once. Most hooks end earlier, and tenter is
    /// rarely killed within so short a time.
    const AFTER: Duration = Duration::from_millis(20);
    /// The pause between two scans of the processes of a run: at first, and at most.
    const FIRST_PAUSE: Duration = Duration::from_millis(20);
    const LONGEST_PAUSE: Duration = Duration::from_millis(250);

    /// The pipe on its stdin has one writer, tenter, and ends with it. Then the script kills the group and all tagged
    /// processes. An untagged process outside the group is known only by its parents, who are gone by then; so each
    /// line names those that tenter sees, `pid:start`, and the last line counts. They are stopped first, so that none
    /// starts another child meanwhile.
    ///
    /// A shell, because hooks need one anyway; `grep` reads all environments at once, which the shell itself would do
    /// byte by byte. Without `grep`, only the group and the named processes are killed.
    const SCRIPT: &str = r#"tag=$1 group=$2 named=
while read -r line; do named=$line; done
kill -s KILL -- "-$group"
same() {
    wanted=$2
    IFS= read -r stat < "/proc/$1/stat" || return 1
    set -- ${stat##*) }
    shift 19 && test "$1" = "$wanted"
}
ours=
for one in $named; do
    pid=${one%%:*} start=${one#*:}
    same "$pid" "$start" 2> /dev/null && kill -s STOP "$pid" && ours="$ours $pid"
done
while test -n "$ours"; do
    below=
    for pid in $ours; do
        for child in $(cat /proc/"$pid"/task/*/children 2> /dev/null); do
            kill -s STOP "$child" && below="$below $child"
        done
    done
    for pid in $ours; do kill -s KILL "$pid"; done
    ours=$below
done
set -- "$tag""#;

    /// A process that outlives tenter by a moment, once a run takes longer than [`AFTER`]. Dropping it ends it.
    pub(in crate::supervise) enum Watchdog {
        Due(Instant),
        Started(WatchdogProcess),
        Absent,
    }

    pub(in crate::supervise) struct WatchdogProcess {
        process: Child,
        stdin: Option<ChildStdin>,
        last_line: String,
        next: Instant,
        pause: Duration,
    }

    impl Watchdog {
        /// A detached hook may continue without tenter and gets no watchdog.
        pub(in crate::supervise) fn new(start: Instant, leftovers: LeftoverProcesses) -> Self {
            match leftovers {
                LeftoverProcesses::Ended => Self::Due(start + AFTER),
                LeftoverProcesses::Detached => Self::Absent,
            }
        }

        /// Starts it, or sends it the untagged processes of the run. Returns when to call this again.
        pub(in crate::supervise) fn tick(
            &mut self,
            now: Instant,
            tag: &RunTag,
            group: Pid,
            process_tree: ProcessTree,
        ) -> Option<Instant> {
            match self {
                Self::Due(at) if now >= *at => *self = Self::start(now, tag, group),
                Self::Due(_) | Self::Started(_) | Self::Absent => {}
            }
            match self {
                Self::Due(at) => Some(*at),
                Self::Started(watchdog) => {
                    if now >= watchdog.next {
                        watchdog.update(now, tag, group, process_tree);
                    }
                    Some(watchdog.next)
                }
                Self::Absent => None,
            }
        }

        /// Without a watchdog the run continues: it is needed only if tenter is killed.
        fn start(now: Instant, tag: &RunTag, group: Pid) -> Self {
            let mut command = cleanup_shell("watchdog", SCRIPT, tag, &group.to_string());
            command.stdin(Stdio::piped()).stdout(Stdio::null());
            command.spawn().map_or(Self::Absent, |mut process| {
                let stdin = process.stdin.take();
                let last_line = String::new();
                Self::Started(WatchdogProcess { process, stdin, last_line, next: now, pause: FIRST_PAUSE })
            })
        }
    }

    impl WatchdogProcess {
        fn update(&mut self, now: Instant, tag: &RunTag, group: Pid, process_tree: ProcessTree) {
            self.next = now + self.pause;
            self.pause = LONGEST_PAUSE.min(self.pause * 2);
            let found = untagged(tag, group, process_tree);
            let line =
                found.iter().map(|(pid, start)| format!("{pid}:{start}")).collect::<Vec<_>>().join(" ");
            if line == self.last_line {
                return;
            }
            // It reads at once. If it is gone, the run continues without it.
            if let Some(stdin) = &mut self.stdin {
                let _ = stdin.write_all(format!("{line}\n").as_bytes());
            }
            self.last_line = line;
        }
    }

    impl Drop for Watchdog {
        fn drop(&mut self) {
            if let Self::Started(watchdog) = self {
                let _ = watchdog.process.kill();
                let _ = watchdog.process.wait();
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod portable {
    use std::time::Instant;

    use rustix::process::Pid;
    use tenter_contract::LeftoverProcesses;

    use crate::supervise::{ProcessTree, RunTag};

    /// Without `/proc` no process can find those of a run.
    pub(in crate::supervise) struct Watchdog;

    impl Watchdog {
        pub(in crate::supervise) fn new(_: Instant, _: LeftoverProcesses) -> Self {
            Self
        }

        pub(in crate::supervise) fn tick(
            &mut self,
            _: Instant,
            _: &RunTag,
            _: Pid,
            _: ProcessTree,
        ) -> Option<Instant> {
            None
        }
    }
}
