//! Real processes, each badly behaved in one way.

use super::*;
use std::path::Path;

fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}

fn spec(command: Command, deadline: Instant) -> ProcessSpec<'static> {
    let (tag, leftovers, process_tree) =
        (RunTag::nested_in(None), LeftoverProcesses::Ended, ProcessTree::Own);
    let (stop, detects_async) = (None, None);
    ProcessSpec {
        command,
        stdin: b"",
        max_stdout: 1,
        deadline,
        tag,
        leftovers,
        process_tree,
        stop,
        detects_async,
    }
}

fn supervised(line: &str, stdin: &[u8], max_stdout: usize, timeout: Duration) -> FinishedProcess {
    let deadline = Instant::now() + timeout;
    run(ProcessSpec { stdin, max_stdout, ..spec(shell(line), deadline) }).unwrap()
}

/// With room and time for everything.
fn run_of(line: &str) -> FinishedProcess {
    supervised(line, b"", 1024 * 1024, Duration::from_secs(20))
}

/// Whether the process whose number is in a file ends within two seconds.
fn is_gone(pid_file: &Path) -> bool {
    let text = std::fs::read_to_string(pid_file).unwrap();
    let pid = text.trim();
    let end = Instant::now() + Duration::from_secs(2);
    loop {
        // A zombie no longer runs.
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let alive = shell(&format!("kill -0 {pid} 2>/dev/null")).status().unwrap().success();
        if !alive || state.contains(") Z ") {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::yield_now();
    }
}

#[test]
fn output_and_exit_code_are_reported() {
    let finished = run_of("echo out; echo err >&2; exit 3");
    assert_eq!(finished.ended, Ended::Exited(3));
    assert_eq!((finished.stdout.as_slice(), finished.stdout_cut), (b"out\n".as_slice(), 0));
    assert_eq!(finished.stderr_tail, b"err\n");
    assert_eq!(run_of("kill -9 $$").ended, Ended::Signalled(9));
}

#[test]
fn large_stdin_is_read_whole() {
    let stdin = vec![b'x'; 1_000_000];
    let finished = supervised("wc -c", &stdin, 100, Duration::from_secs(20));
    assert_eq!(String::from_utf8_lossy(&finished.stdout).trim(), "1000000");
}

#[test]
fn unread_stdin_does_not_delay_the_end() {
    let stdin = vec![b'x'; 1_000_000];
    for line in ["echo done", "exec <&-; echo done", "head -c 1 >/dev/null; echo done"] {
        let finished = supervised(line, &stdin, 100, Duration::from_secs(20));
        assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::Exited(0), b"done\n".as_slice()));
        assert!(finished.took < Duration::from_secs(5), "{line}");
    }
}

#[test]
fn large_echo_does_not_deadlock() {
    let stdin = vec![b'x'; 1_000_000];
    let finished = supervised("cat; cat </dev/null >&2", &stdin, usize::MAX, Duration::from_secs(20));
    assert_eq!((finished.ended, finished.stdout.len()), (Ended::Exited(0), 1_000_000));
}

#[test]
fn output_flood_is_counted_and_cut() {
    let line = "yes | head -c 20000000; yes | head -c 5000000 >&2; printf END >&2";
    let finished = supervised(line, b"", 1000, Duration::from_secs(20));
    assert_eq!(finished.ended, Ended::Exited(0));
    assert_eq!((finished.stdout.len(), finished.stdout_cut), (1000, 19_999_000));
    assert_eq!((finished.stderr_tail.len(), finished.stderr_cut), (pipes::STDERR_TAIL, 5_000_003 - 65_536));
    assert!(finished.stderr_tail.ends_with(b"y\nEND"));
}

#[test]
fn endless_output_ends_at_deadline() {
    let finished = supervised("yes", b"", 1000, Duration::from_millis(100));
    assert_eq!((finished.ended, finished.stdout.len()), (Ended::TimedOut, 1000));
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
}

#[test]
fn timeout_ends_process_and_children() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let line = format!("echo early; sleep 30 & echo $! >{}; wait", pid.display());
    let finished = supervised(&line, b"", 1000, Duration::from_millis(500));
    assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::TimedOut, b"early\n".as_slice()));
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
    assert!(is_gone(&pid));
}

#[test]
fn ignored_sigterm_is_followed_by_kill() {
    let line = "trap '' TERM; echo up; while :; do sleep 30; done";
    let finished = supervised(line, b"", 1000, Duration::from_millis(500));
    assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::TimedOut, b"up\n".as_slice()));
    assert!(finished.took >= Duration::from_millis(700), "{:?}", finished.took);
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
}

#[test]
fn grace_outlasts_the_shell() {
    let dir = tempfile::tempdir().unwrap();
    let note = dir.path().join("note");
    // The outer shell dies of TERM at once; without grace the inner one would be killed right then.
    let inner = format!("trap 'echo clean >{}; exit' TERM; echo up; sleep 30 & wait", note.display());
    let line = format!("sh -c {}; true", tenter_contract::template::shell_quote(&inner));
    let finished = supervised(&line, b"", 1000, Duration::from_millis(500));
    assert_eq!(finished.ended, Ended::TimedOut);
    assert_eq!(std::fs::read_to_string(note).unwrap(), "clean\n");
}

#[test]
fn grandchild_with_stdout_is_ended_without_delay() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let finished = run_of(&format!("sleep 30 & echo $! >{}; echo answer", pid.display()));
    assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::Exited(0), b"answer\n".as_slice()));
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
    assert!(is_gone(&pid));
}

#[test]
fn writer_outside_the_group_causes_no_delay() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let line = format!(
        "setsid sh -c 'echo $$ >{0}; exec yes' & until test -s {0}; do :; done; echo answer >&2",
        pid.display()
    );
    let finished = supervised(&line, b"", 1000, Duration::from_secs(20));
    assert_eq!((finished.ended, finished.stderr_tail.as_slice()), (Ended::Exited(0), b"answer\n".as_slice()));
    assert!(finished.took < Duration::from_secs(5), "{:?}", finished.took);
    // It dies of the closed pipe.
    assert!(is_gone(&pid));
}

#[test]
fn missing_program_is_an_error() {
    let command = Command::new("/no/such/program");
    assert_eq!(run(spec(command, Instant::now())).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn last_output_before_exit_is_kept() {
    for round in 0..50 {
        let finished = run_of("echo '{\"deny\":\"x\"}'");
        assert_eq!(finished.stdout, b"{\"deny\":\"x\"}\n", "{round}");
    }
}

#[test]
fn missing_exit_fd_falls_back_to_checks() {
    for (line, timeout, over) in
        [("echo x; exit 3", 20_000, Phase::Running), ("echo x; sleep 30", 500, Phase::Asked)]
    {
        let mut command = shell(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (tag, leftovers) = (RunTag::nested_in(None), LeftoverProcesses::Detached);
        let child = SupervisedChild::start(command, tag, leftovers, ProcessTree::Shared).unwrap();
        let mut child = child.without_exit_fd();
        let mut pipes = Pipes::new(child.leader(), b"", 100, None).unwrap();
        let deadline = Instant::now() + Duration::from_millis(timeout);
        let phase = watch(&mut child, &mut pipes, deadline, None, None);
        pipes.read_available();
        assert_eq!((phase, pipes.into_output().0.kept), (over, b"x\n".to_vec()));
    }
}

#[test]
fn dropped_group_leaves_no_process() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let mut command = shell(&format!("echo $$ >{}; sleep 30", pid.display()));
    command.env(TAG_VARIABLE, "no run");
    let group = process_group::ProcessGroup::spawn(command).unwrap();
    while !std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')) {
        std::thread::yield_now();
    }
    drop(group);
    assert!(is_gone(&pid));
}

/// Answers every line with the next of its lines.
struct LineResponder {
    output: Vec<u8>,
    lines: Vec<&'static str>,
}

impl Responder for LineResponder {
    fn respond(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.output.extend_from_slice(bytes);
        let count = bytes.split(|byte| *byte == b'\n').count() - 1;
        (0..count).filter_map(|_| self.lines.pop()).flat_map(str::bytes).collect()
    }

    fn is_done(&self) -> bool {
        self.lines.is_empty()
    }
}

#[test]
fn conversation_runs_until_responder_is_done() {
    let line = "while read -r x; do echo \"got $x\"; done; echo over";
    let spec = ProcessSpec { stdin: b"one\n", ..spec(shell(line), Instant::now() + Duration::from_secs(20)) };
    let mut responder = LineResponder { output: Vec::new(), lines: vec!["three\n", "two\n"] };
    let finished = converse(spec, &mut responder).unwrap();
    assert_eq!((finished.ended, finished.stdout.len()), (Ended::Exited(0), 0));
    assert_eq!(responder.output, b"got one\ngot two\ngot three\nover\n");
}

#[test]
fn process_that_outstays_conversation_is_ended() {
    let spec = spec(
        shell("echo hi; trap '' TERM; while :; do sleep 1; done"),
        Instant::now() + Duration::from_secs(20),
    );
    let mut responder = LineResponder { output: Vec::new(), lines: vec!["bye\n"] };
    let finished = converse(spec, &mut responder).unwrap();
    assert_eq!((finished.ended, responder.output.as_slice()), (Ended::TimedOut, b"hi\n".as_slice()));
    assert!(finished.took < Duration::from_secs(5));
}

#[cfg(target_os = "linux")]
#[test]
fn async_process_ends_at_deadline() {
    let spec = spec(shell("echo $$; exec sleep 300"), Instant::now() + Duration::from_secs(1));
    let finished =
        run(ProcessSpec { max_stdout: 100, detects_async: Some(|output| output.ends_with(b"\n")), ..spec })
            .unwrap();
    assert_eq!(finished.ended, Ended::LeftAsync);
    let pid = String::from_utf8(finished.stdout).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    // This test does not reap it, so it stays as a zombie.
    let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    while runs() {
        std::thread::yield_now();
    }
}
