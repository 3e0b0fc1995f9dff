//! No process outlives its hook, however it tries; and no process is ended that has a right to live.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use tempfile::TempDir;
use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    AgentName, Command, Event, EventKind, Handler, HookFailure, HookId, HookOutput, HookReport, HookSpec,
    Layer, LeftoverProcesses, Template, Timestamp,
};
use tenter_executors::CommandExecutor;

/// These tests look at all children of their process, so they take turns where they share one.
static TURN: Mutex<()> = Mutex::new(());

/// A folder where hooks run, and the turn to run them.
struct TestBed {
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl TestBed {
    fn set() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self { folder: tempfile::tempdir().unwrap(), _turn: turn }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, hook: &HookSpec) -> HookReport {
        run_in(self.path(), hook)
    }

    /// The number of a process that a hook has written into a file, once it is there.
    fn pid(&self, file: &str) -> Pid {
        pid_in(self.path(), file)
    }

    fn touch(&self, file: &str) {
        std::fs::write(self.path().join(file), "").unwrap();
    }
}

fn run_in(folder: &Path, hook: &HookSpec) -> HookReport {
    CommandExecutor::default().run(hook, &event_in(folder))
}

fn event_in(folder: &Path) -> Event {
    let agent = AgentName::from_static("claude");
    let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
    event.cwd = Some(folder.to_string_lossy().into_owned());
    event
}

fn hook(line: &str, timeout: Duration) -> HookSpec {
    let handler = Handler::Command(Command::Shell(Template::parse_shell(line).unwrap()));
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
    hook.timeout = timeout;
    hook
}

/// A hook with time for everything.
fn patient(line: &str) -> HookSpec {
    hook(line, Duration::from_mins(1))
}

fn detached(hook: HookSpec) -> HookSpec {
    HookSpec { remains: LeftoverProcesses::Detached, ..hook }
}

fn pid_in(folder: &Path, file: &str) -> Pid {
    let file = folder.join(file);
    until(|| std::fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n')));
    Pid::from_raw(std::fs::read_to_string(&file).unwrap().trim().parse().unwrap()).unwrap()
}

/// Waits for something that comes within two seconds, or for a busy machine a little later.
fn until(mut there: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !there() {
        assert!(Instant::now() < end, "it never came");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether a process runs; one that waits to be reaped does not.
fn runs(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// What is there of a process, dead or alive.
fn exists(pid: Pid) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, look).is_ok()
}

/// The processes in whose environment or arguments a word occurs.
fn known_by(word: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().into_string().ok());
    let numbers = pids.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    numbers
        .filter(|pid| {
            ["environ", "cmdline"].iter().any(|file| {
                let text = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
                text.windows(word.len()).any(|window| window == word.as_bytes())
            })
        })
        .collect()
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Runs a hook many times, several at once as at one event, and then looks for anything that it left: a process, alive or not,
/// a file, an open descriptor.
///
/// Hooks that end by themselves run 1,000 times. Those that must be ended take their time: 200 times, and 1,000
/// times only with `TENTER_TEST_RUNS=1000`, which no script sets.
fn leaves_nothing(name: &str, line: &str, timeout: Duration) {
    let stage = TestBed::set();
    let wanted = std::env::var("TENTER_TEST_RUNS").ok().and_then(|text| text.parse().ok());
    let (runs, together): (usize, usize) =
        if timeout == SHORT { (wanted.unwrap_or(200), 20) } else { (wanted.unwrap_or(1000), 4) };
    let word = format!("{name}-{}", std::process::id());
    let mut hook = hook(line, timeout);
    hook.env = vec![("TENTER_TEST_WORD".to_owned(), word.clone())];
    stage.run(&hook);
    let descriptors = open_descriptors();
    for _ in 0..runs.div_ceil(together) {
        thread::scope(|scope| (0..together).for_each(|_| drop(scope.spawn(|| stage.run(&hook)))));
    }
    assert_eq!(known_by(&word), Vec::<String>::new(), "still running");
    assert!(!has_children(), "a child is left, dead or alive");
    assert_eq!(std::fs::read_dir(stage.path()).unwrap().count(), 0, "a file is left");
    assert_eq!(open_descriptors(), descriptors, "a descriptor is left");
}

const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_mins(1);

#[test]
fn hooks_that_hang_leave_nothing() {
    leaves_nothing("hang", "sleep 300", SHORT);
}

#[test]
fn hooks_that_flood_leave_nothing() {
    leaves_nothing("flood", "yes & yes >&2", SHORT);
}

#[test]
fn hooks_that_ignore_sigterm_leave_nothing() {
    leaves_nothing("ignore", "trap '' TERM; sleep 300 & sleep 300; sleep 300", SHORT);
}

#[test]
fn children_outside_group_leave_nothing() {
    leaves_nothing("setsid", "setsid sleep 300 & setsid sh -c 'sleep 300; :' & :", LONG);
}

#[test]
fn hanging_children_outside_group_leave_nothing() {
    leaves_nothing("setsid-hang", "setsid sleep 300 & sleep 300", SHORT);
}

#[test]
fn hooks_that_fork_twice_leave_nothing() {
    leaves_nothing("twice", "(setsid sh -c '(sleep 300 &) ; setsid sleep 300 &' &)", LONG);
}

#[test]
fn hooks_with_untagged_children_leave_nothing() {
    leaves_nothing("unmarked", "(env -i setsid sleep 300 >/dev/null 2>&1 &)", LONG);
}

#[test]
fn children_with_stdout_leave_nothing() {
    leaves_nothing("stdout", "sleep 300 & echo answer", LONG);
}

#[test]
fn crashing_hooks_leave_nothing() {
    leaves_nothing("stdin", "exec <&-; sleep 300 & kill -s SEGV $$", LONG);
}

#[test]
fn untagged_orphan_is_found() {
    let stage = TestBed::set();
    // The last line waits until the number is there; by then the process has no parent but us.
    let line = "(env -i setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 &)
        until test -s pid; do :; done";
    let report = stage.run(&patient(line));
    assert!(!exists(stage.pid("pid")));
    assert_eq!(
        report.transcript.notices,
        ["1 process that it left running: ended; `detach: true` lets them live"]
    );
}

#[test]
fn leftovers_of_other_hooks_survive() {
    let stage = TestBed::set();
    let unmarked =
        |file: &str| format!("(env -i setsid sh -c 'echo $$ >{file}; exec sleep 300' >/dev/null 2>&1 &)");
    let wait = |file: &str| format!("until test -s {file}; do sleep 0.01; done");
    let long = patient(&format!(
        "setsid sleep 300 & echo $! >b1; {}; {}; (setsid sh -c 'echo $$ >b3; exec sleep 300' &); {}
        echo >up; until test -e go; do sleep 0.01; done",
        unmarked("b2"),
        wait("b2"),
        wait("b3"),
    ));
    let short = patient(&format!(
        "setsid sleep 300 & echo $! >a1; (setsid sh -c 'echo $$ >a2; exec sleep 300' &); {}; {}; {}",
        wait("a2"),
        unmarked("a3"),
        wait("a3"),
    ));
    thread::scope(|scope| {
        let running = scope.spawn(|| stage.run(&long));
        until(|| stage.path().join("up").exists());
        for _ in 0..20 {
            stage.run(&short);
            assert!(["a1", "a2"].iter().all(|file| !exists(stage.pid(file))));
            assert!(["b1", "b2", "b3"].iter().all(|file| runs(stage.pid(file))));
            // Its owner is unknown, so it is ended after the other hook.
            assert!(runs(stage.pid("a3")));
            for file in ["a1", "a2"] {
                std::fs::remove_file(stage.path().join(file)).unwrap();
            }
        }
        stage.touch("go");
        running.join().unwrap();
    });
    assert!(["b1", "b2", "b3", "a3"].iter().all(|file| !exists(stage.pid(file))));
    assert!(!has_children());
}

#[test]
fn own_child_is_no_leftover() {
    let stage = TestBed::set();
    let mut own = Process::new("sleep").arg("300").spawn().unwrap();
    let mut led = Process::new("sleep").arg("300").process_group(0).spawn().unwrap();
    let guest = CommandExecutor::among_other_processes();
    let leaving = patient("setsid sleep 300 & echo $! >pid; sleep 300 & :");
    let report = guest.run(&leaving, &event_in(stage.path()));
    assert!(!runs(stage.pid("pid")));
    assert_eq!(report.transcript.exit_code, Some(0));
    assert!(runs(Pid::from_child(&own)) && runs(Pid::from_child(&led)));
    led.kill().unwrap();
    led.wait().unwrap();
    // In a process that only runs hooks, the group distinguishes it from leftovers.
    stage.run(&leaving);
    assert!(!exists(stage.pid("pid")) && runs(Pid::from_child(&own)));
    own.kill().unwrap();
    own.wait().unwrap();
}

#[test]
fn detached_processes_survive_later_hooks() {
    passes_in_a_fresh_process("detached_processes_survive_later_hooks");
}

#[test]
fn detached_hook_has_timeout() {
    passes_in_a_fresh_process("detached_hook_has_timeout");
}

#[test]
fn earlier_child_survives() {
    passes_in_a_fresh_process("earlier_child_survives");
}

/// What these do, or must not have been done before, cannot be undone in their process.
mod fresh {
    use super::*;

    #[test]
    #[ignore = "needs a process of its own; the test of the same name gives it one"]
    fn detached_processes_survive_later_hooks() {
        let stage = TestBed::set();
        let line = "sleep 300 & echo $! >p1; setsid sleep 300 & echo $! >p2
            env -i setsid sleep 300 >/dev/null 2>&1 & echo $! >p3; echo done";
        let report = stage.run(&detached(patient(line)));
        assert_eq!(report.transcript.exit_code, Some(0));
        stage.run(&patient("setsid sleep 300 & sleep 0.05"));
        for file in ["p1", "p2", "p3"] {
            let pid = stage.pid(file);
            assert!(runs(pid), "{file}");
            kill_process(pid, Signal::KILL).unwrap();
            waitid(WaitId::Pid(pid), WaitIdOptions::EXITED).unwrap();
        }
        assert!(!has_children());
    }

    #[test]
    #[ignore = "needs a process of its own; the test of the same name gives it one"]
    fn detached_hook_has_timeout() {
        let stage = TestBed::set();
        let timeout = Duration::from_millis(300);
        let report = stage.run(&detached(hook("echo $$ >p1; sleep 300 & echo $! >p2; wait", timeout)));
        assert_eq!(report.output, HookOutput::Failure(HookFailure::TimedOut { after: timeout }));
        assert!(!exists(stage.pid("p1")));
        until(|| !runs(stage.pid("p2")));
    }

    #[test]
    #[ignore = "needs a process of its own; the test of the same name gives it one"]
    fn earlier_child_survives() {
        let stage = TestBed::set();
        let mut earlier = Process::new("sleep").arg("300").process_group(0).spawn().unwrap();
        stage.run(&patient("setsid sleep 300 & echo $! >pid"));
        assert!(!exists(stage.pid("pid")));
        assert!(runs(Pid::from_child(&earlier)));
        earlier.kill().unwrap();
        earlier.wait().unwrap();
    }
}

fn passes_in_a_fresh_process(name: &str) {
    let output = this_test(&format!("fresh::{name}")).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
}

/// One ignored test of this file, in a process of its own.
fn this_test(name: &str) -> Process {
    let mut process = Process::new(std::env::current_exe().unwrap());
    process.args(["--exact", name, "--ignored"]);
    process
}

/// Not a test: what the next one starts, to kill it.
#[test]
#[ignore = "runs a hook that hangs"]
fn hang() {
    let folder = std::env::var("TENTER_TEST_FOLDER").unwrap();
    let line = "(setsid sleep 300 &); trap '' TERM; sleep 300 & setsid sh -c '
        echo $TENTER_RUN >mark.new; mv mark.new mark; sleep 300; :'; :";
    run_in(Path::new(&folder), &patient(line));
}

/// Security case P12.
#[test]
fn hook_ends_with_its_runner() {
    let kill_one: fn(Pid) = |pid| kill_process(pid, Signal::KILL).unwrap();
    let kill_all: fn(Pid) = |pid| kill_process_group(pid, Signal::KILL).unwrap();
    let interrupt: fn(Pid) = |pid| kill_process_group(pid, Signal::INT).unwrap();
    for end in [kill_one, kill_all, interrupt] {
        let stage = TestBed::set();
        let mut runner = this_test("hang")
            .env("TENTER_TEST_FOLDER", stage.path())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let mark = stage.path().join("mark");
        until(|| mark.exists());
        let marks = std::fs::read_to_string(mark).unwrap();
        let mark = marks.trim().rsplit(':').next().unwrap();
        let watchdog = |pid: &String| {
            let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&arguments).contains("tenter-watchdog")
        };
        until(|| known_by(mark).iter().any(watchdog));
        until(|| known_by(mark).len() >= 6);
        end(Pid::from_child(&runner));
        runner.wait().unwrap();
        let killed = Instant::now();
        while !known_by(mark).is_empty() {
            assert!(killed.elapsed() < Duration::from_secs(2), "still there: {:?}", known_by(mark));
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Not a test: what the next one starts, to kill it.
#[test]
#[ignore = "runs a hook that hangs"]
fn hang_untagged() {
    let folder = std::env::var("TENTER_TEST_FOLDER").unwrap();
    let line = "env -i setsid sh -c 'echo $$ >child.new; mv child.new child; sleep 300; :' &
        (env -i setsid sh -c 'echo $$ >orphan.new; mv orphan.new orphan; sleep 300; :' &)
        wait; sleep 300; :";
    run_in(Path::new(&folder), &patient(line));
}

/// Without environment and group, a process is known by its parents alone, and those are gone with us.
#[test]
fn untagged_processes_end_with_runner() {
    let stage = TestBed::set();
    let mut runner = this_test("hang_untagged")
        .env("TENTER_TEST_FOLDER", stage.path())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(stage.path().join(name)).ok();
    until(|| read("child").is_some() && read("orphan").is_some());
    let found: Vec<String> =
        [read("child"), read("orphan")].into_iter().flatten().map(|pid| pid.trim().to_owned()).collect();
    // The watchdog learns of them within its longest pause; nothing outside shows when.
    thread::sleep(Duration::from_millis(600));
    kill_process(Pid::from_child(&runner), Signal::KILL).unwrap();
    runner.wait().unwrap();
    let killed = Instant::now();
    let lives = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
    };
    while found.iter().any(lives) {
        assert!(killed.elapsed() < Duration::from_secs(3), "still there: {found:?}");
        thread::sleep(Duration::from_millis(1));
    }
}
