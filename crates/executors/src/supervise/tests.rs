//! Real processes, each badly behaved in one way.

use super::*;
use std::path::Path;

fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}

fn order(command: Command, deadline: Instant) -> Order<'static> {
    let (tag, remains, household) = (Tag::below(None), Remains::Ended, Household::Own);
    Order { command, stdin: b"", max_stdout: 1, deadline, tag, remains, household, stop: None, goes_on: None }
}

fn supervised(line: &str, stdin: &[u8], max_stdout: usize, timeout: Duration) -> Finished {
    let deadline = Instant::now() + timeout;
    run(Order { stdin, max_stdout, ..order(shell(line), deadline) }).unwrap()
}

/// With room and time for everything.
fn run_of(line: &str) -> Finished {
    supervised(line, b"", 1024 * 1024, Duration::from_secs(20))
}

/// Whether the process whose number stands in a file is gone, or will be at once.
fn is_gone(pid_file: &Path) -> bool {
    let text = std::fs::read_to_string(pid_file).unwrap();
    let pid = text.trim();
    let end = Instant::now() + Duration::from_secs(2);
    loop {
        // A zombie that nobody has reaped yet runs no more.
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
fn what_a_process_writes_and_how_it_ends_is_told() {
    let finished = run_of("echo out; echo err >&2; exit 3");
    assert_eq!(finished.ended, Ended::Exited(3));
    assert_eq!((finished.stdout.as_slice(), finished.stdout_cut), (b"out\n".as_slice(), 0));
    assert_eq!(finished.stderr_tail, b"err\n");
    assert_eq!(run_of("kill -9 $$").ended, Ended::Signalled(9));
}

#[test]
fn a_process_reads_its_whole_stdin() {
    let stdin = vec![b'x'; 1_000_000];
    let finished = supervised("wc -c", &stdin, 100, Duration::from_secs(20));
    assert_eq!(String::from_utf8_lossy(&finished.stdout).trim(), "1000000");
}

#[test]
fn a_process_that_never_reads_or_closes_its_stdin_is_not_waited_for() {
    let stdin = vec![b'x'; 1_000_000];
    for line in ["echo done", "exec <&-; echo done", "head -c 1 >/dev/null; echo done"] {
        let finished = supervised(line, &stdin, 100, Duration::from_secs(20));
        assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::Exited(0), b"done\n".as_slice()));
        assert!(finished.took < Duration::from_secs(5), "{line}");
    }
}

#[test]
fn a_process_that_echoes_more_than_a_pipe_holds_does_not_deadlock() {
    let stdin = vec![b'x'; 1_000_000];
    let finished = supervised("cat; cat </dev/null >&2", &stdin, usize::MAX, Duration::from_secs(20));
    assert_eq!((finished.ended, finished.stdout.len()), (Ended::Exited(0), 1_000_000));
}

#[test]
fn a_flood_is_drained_and_counted_and_not_kept() {
    let line = "yes | head -c 20000000; yes | head -c 5000000 >&2; printf END >&2";
    let finished = supervised(line, b"", 1000, Duration::from_secs(20));
    assert_eq!(finished.ended, Ended::Exited(0));
    assert_eq!((finished.stdout.len(), finished.stdout_cut), (1000, 19_999_000));
    assert_eq!((finished.stderr_tail.len(), finished.stderr_cut), (pipes::STDERR_TAIL, 5_000_003 - 65_536));
    assert!(finished.stderr_tail.ends_with(b"y\nEND"));
}

#[test]
fn a_flood_without_end_is_ended_at_its_deadline() {
    let finished = supervised("yes", b"", 1000, Duration::from_millis(100));
    assert_eq!((finished.ended, finished.stdout.len()), (Ended::TimedOut, 1000));
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
}

#[test]
fn a_process_that_hangs_is_ended_and_so_is_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let line = format!("echo early; sleep 30 & echo $! >{}; wait", pid.display());
    let finished = supervised(&line, b"", 1000, Duration::from_millis(500));
    assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::TimedOut, b"early\n".as_slice()));
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
    assert!(is_gone(&pid));
}

#[test]
fn a_process_that_ignores_the_request_is_killed() {
    let line = "trap '' TERM; echo up; while :; do sleep 30; done";
    let finished = supervised(line, b"", 1000, Duration::from_millis(500));
    assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::TimedOut, b"up\n".as_slice()));
    assert!(finished.took >= Duration::from_millis(700), "{:?}", finished.took);
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
}

#[test]
fn a_program_may_clean_up_after_the_shell_that_ran_it_is_gone() {
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
fn a_grandchild_that_holds_stdout_neither_delays_the_answer_nor_lives_on() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let finished = run_of(&format!("sleep 30 & echo $! >{}; echo answer", pid.display()));
    assert_eq!((finished.ended, finished.stdout.as_slice()), (Ended::Exited(0), b"answer\n".as_slice()));
    assert!(finished.took < Duration::from_secs(2), "{:?}", finished.took);
    assert!(is_gone(&pid));
}

#[test]
fn a_grandchild_outside_the_group_that_keeps_writing_does_not_hold_us() {
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
fn a_program_that_does_not_exist_is_an_error() {
    let command = Command::new("/no/such/program");
    assert_eq!(run(order(command, Instant::now())).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn the_answer_written_just_before_the_end_is_never_lost() {
    for round in 0..50 {
        let finished = run_of("echo '{\"deny\":\"x\"}'");
        assert_eq!(finished.stdout, b"{\"deny\":\"x\"}\n", "{round}");
    }
}

#[test]
fn a_system_without_bells_is_asked_again_and_again() {
    for (line, timeout, over) in
        [("echo x; exit 3", 20_000, Phase::Running), ("echo x; sleep 30", 500, Phase::Asked)]
    {
        let mut command = shell(line);
        command.env(TAG_VARIABLE, "no run");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::spawn(command).unwrap().without_bell();
        let mut pipes = Pipes::of(group.leader(), b"", 100).unwrap();
        let deadline = Instant::now() + Duration::from_millis(timeout);
        let limits = Limits { deadline, stop: None, goes_on: None };
        let phase = watch(&group, &mut pipes, &limits, &mut |_| None);
        pipes.read_what_is_there();
        assert_eq!((phase, pipes.into_heard().0.kept), (over, b"x\n".to_vec()));
    }
}

#[test]
fn a_bug_of_ours_leaves_no_process_behind() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let mut command = shell(&format!("echo $$ >{}; sleep 30", pid.display()));
    command.env(TAG_VARIABLE, "no run");
    let group = Group::spawn(command).unwrap();
    while !std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')) {
        std::thread::yield_now();
    }
    drop(group);
    assert!(is_gone(&pid));
}

/// Answers every line with the next of its words.
struct Prompter {
    heard: Vec<u8>,
    words: Vec<&'static str>,
}

impl Partner for Prompter {
    fn hear(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.heard.extend_from_slice(bytes);
        let lines = bytes.split(|byte| *byte == b'\n').count() - 1;
        (0..lines).filter_map(|_| self.words.pop()).flat_map(str::bytes).collect()
    }

    fn is_done(&self) -> bool {
        self.words.is_empty()
    }
}

#[test]
fn a_process_is_talked_to_until_nothing_is_left_to_say() {
    let line = "while read -r x; do echo \"heard $x\"; done; echo over";
    let order = Order { stdin: b"one\n", ..order(shell(line), Instant::now() + Duration::from_secs(20)) };
    let mut prompter = Prompter { heard: Vec::new(), words: vec!["three\n", "two\n"] };
    let finished = converse(order, &mut prompter).unwrap();
    assert_eq!((finished.ended, finished.stdout.len()), (Ended::Exited(0), 0));
    assert_eq!(prompter.heard, b"heard one\nheard two\nheard three\nover\n");
}

#[test]
fn a_process_that_stays_when_all_is_said_is_ended() {
    let order = order(
        shell("echo hi; trap '' TERM; while :; do sleep 1; done"),
        Instant::now() + Duration::from_secs(20),
    );
    let mut prompter = Prompter { heard: Vec::new(), words: vec!["bye\n"] };
    let finished = converse(order, &mut prompter).unwrap();
    assert_eq!((finished.ended, prompter.heard.as_slice()), (Ended::TimedOut, b"hi\n".as_slice()));
    assert!(finished.took < Duration::from_secs(5));
}

/// A process that nobody waits for is ended when its time is up.
#[cfg(target_os = "linux")]
#[test]
fn released_process_ends_at_its_deadline() {
    let order = order(shell("echo $$; exec sleep 300"), Instant::now() + Duration::from_secs(1));
    let finished =
        run(Order { max_stdout: 100, goes_on: Some(|said| said.ends_with(b"\n")), ..order }).unwrap();
    assert_eq!(finished.ended, Ended::GoesOn);
    let pid = String::from_utf8(finished.stdout).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    // Nobody reaps it here, so it stays as a zombie.
    let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    while runs() {
        std::thread::yield_now();
    }
}
