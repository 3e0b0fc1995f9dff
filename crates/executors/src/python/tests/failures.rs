//! What goes wrong in a function, or is left by it.

use std::time::{Duration, Instant};

use tenter_contract::{
    Dialect, Handler, HookFailure, HookOutput, HookReply, InjectOutput, LeftoverProcesses, Python, Verdict,
};

use super::{TestBed, crashed, deny, missing, nothing};

/// Whether a process still runs; a zombie does not.
fn runs(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn uncallable_functions_have_a_hint() {
    let stage =
        TestBed::new("import sys\ndef check(event): pass\nlazy = lambda event: __import__('not_there')");
    std::fs::write(stage.dir.path().join("broken.py"), "def f(:\n").unwrap();
    std::fs::write(stage.dir.path().join("exits.py"), "raise SystemExit(0)").unwrap();
    std::fs::write(stage.dir.path().join("needs.py"), "import not_there_either\ndef f(event): pass").unwrap();
    for (function, why) in [
        ("m.chek", "there is no `m.chek`; did you mean `check`?"),
        ("gone.f", "`gone` cannot be imported: ModuleNotFoundError: No module named 'gone'"),
        ("m.sub.f", "there is no `m.sub`"),
        ("broken.f", "`broken` cannot be imported: SyntaxError"),
        ("exits.f", "`exits` cannot be imported: SystemExit: 0"),
        ("needs.f", "No module named 'not_there_either'"),
        ("m.lazy", "No module named 'not_there'"),
    ] {
        let detail = missing(stage.output_of(function));
        assert!(detail.contains(why), "{function}: {detail}");
    }
    assert_eq!(stage.output_of("m.check"), nothing());
    let mut hook = stage.hook("m.check");
    for (interpreter, why) in [
        ("no-such-python", "`no-such-python` was not found; install Python"),
        ("m.py", "was not found"),
        ("/bin/false", "did not start: it ended at once"),
    ] {
        let (function, interpreter) = ("m.check".to_owned(), Some(interpreter.to_owned()));
        hook.handler = Handler::Python(Python { function, interpreter, keep: None });
        let detail = missing(stage.run(&hook).output);
        assert!(detail.contains(why), "{detail}");
    }
}

#[test]
fn failing_function_keeps_its_stderr() {
    let stage = TestBed::new(
        r#"
import os, sys
def raises(event): raise ValueError("bad")
def deep(event): return deep(event)
def interrupts(event): raise KeyboardInterrupt
def leaves(event): os._exit(7)
def leaves_well(event): os._exit(0)
def killed(event): os.kill(os.getpid(), 9)
def closes(event): os.closerange(3, 256)
def exits_0(event): sys.exit()
def exits_2(event):
    print("because", file=sys.stderr)
    sys.exit(2)
def exits_text(event): sys.exit("no words")
"#,
    );
    let report = stage.run(&stage.hook("m.raises"));
    assert_eq!(report.output, crashed(Some(1), None));
    assert!(report.transcript.stderr.ends_with("ValueError: bad\n"), "{}", report.transcript.stderr);
    assert!(report.transcript.stderr.contains("m.py\", line 3"), "{}", report.transcript.stderr);
    assert!(!report.transcript.stderr.contains("tenter worker"), "{}", report.transcript.stderr);
    for (function, said) in [
        ("m.deep", crashed(Some(1), None)),
        ("m.interrupts", crashed(Some(1), None)),
        ("m.leaves", crashed(Some(7), None)),
        ("m.leaves_well", crashed(Some(0), None)),
        ("m.killed", crashed(None, Some(9))),
        ("m.exits_0", nothing()),
        ("m.exits_2", deny("because")),
        ("m.exits_text", crashed(Some(1), None)),
    ] {
        assert_eq!(stage.output_of(function), said, "{function}");
    }
    assert!(matches!(stage.output_of("m.closes"), HookOutput::Failure(HookFailure::Crashed { .. })));
    assert_eq!(stage.output_of("m.exits_2"), deny("because"));
}

/// With and without a kept process, in every dialect.
#[test]
fn printed_deny_counts_if_the_function_does_not_end() {
    let stage = TestBed::new(
        r#"
import os, signal, time
DENY = '{"deny": "x"}'
def hangs(event):
    print(DENY)
    time.sleep(1e6)
def exits(event):
    print("log\n" + DENY + "\nlog")
    os._exit(0)
def killed(event):
    print(DENY, end="", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
def faults(event):
    os.write(1, DENY.encode("utf-16"))
    os.kill(os.getpid(), signal.SIGSEGV)
def asks(event):
    print('{"ask": "sure?"}')
    os._exit(1)
"#,
    );
    for dialect in Dialect::ALL {
        for keep in [None, Some(Duration::from_secs(20))] {
            for function in ["m.hangs", "m.exits", "m.killed", "m.faults", "m.asks"] {
                let mut hook = stage.hook(function);
                // Only the first one needs its timeout.
                hook.timeout = Duration::from_millis(if function == "m.hangs" { 2000 } else { 20_000 });
                let function = function.to_owned();
                hook.handler = Handler::Python(Python { function, interpreter: None, keep });
                hook.dialect = dialect;
                let report = stage.run(&hook);
                let words = format!("{dialect:?} {keep:?} {report:?}");
                match report.output {
                    HookOutput::Reply(HookReply { verdict: Verdict::Ask(query), .. }) => {
                        assert_eq!(query.prompt, "sure?", "{words}");
                    }
                    said => assert_eq!(said, deny("x"), "{words}"),
                }
                let notice = "it printed a reply; `return` it instead".to_owned();
                assert!(report.transcript.notices.contains(&notice), "{words}");
            }
        }
    }
}

#[test]
fn exception_is_a_failure_with_inject_output() {
    let stage = TestBed::new("def f(event): raise ValueError('x')");
    let mut hook = stage.hook("m.f");
    hook.inject_output = InjectOutput::Always;
    assert_eq!(stage.run(&hook).output, crashed(Some(1), None));
}

#[test]
fn printed_text_is_no_answer() {
    let stage = TestBed::new(
        r#"
import os, subprocess, sys
def speaks(event):
    print("hello")
    os.write(1, b"r.\0\0\0\0\0\0\0\0\0\0\0\0\xff\n")
    subprocess.run(["echo", "child"])
    sys.stderr.write("caf\u00e9 \udc80\n")
    assert sys.stdin.read() == ""
    return {"deny": "x"}
def floods(event):
    line = "x" * 1023 + "\n"
    for _ in range(200 * 1024): sys.stdout.write(line)
    return {"deny": "after the flood"}
def closes_stdout(event):
    sys.stdout.close()
    os.close(1)
    os.close(2)
    return {"deny": "closed"}
def long_text(event): return "y" * 3_000_000
"#,
    );
    let report = stage.run(&stage.hook("m.speaks"));
    assert_eq!(report.output, deny("x"));
    assert!(report.transcript.stderr.starts_with("hello\n"), "{}", report.transcript.stderr);
    assert!(report.transcript.stderr.ends_with("child\ncafé \\udc80\n"), "{}", report.transcript.stderr);
    let report = stage.run(&stage.hook("m.floods"));
    assert_eq!(report.output, deny("after the flood"));
    assert!(report.transcript.stderr.len() <= 64 * 1024);
    assert_eq!(stage.output_of("m.closes_stdout"), deny("closed"));
    assert_eq!(stage.output_of("m.speaks"), deny("x"));
    let report = stage.run(&stage.hook("m.long_text"));
    assert_eq!((report.transcript.stdout.len(), report.transcript.cut), (16 * 1024, 3_000_000 - 16 * 1024));
}

#[test]
fn hanging_function_is_ended() {
    let stage = TestBed::new(
        r#"
import os, signal, subprocess, time
def sleeps(event): time.sleep(1e6)
def spins(event):
    while True: pass
def ignores(event):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
    time.sleep(1e6)
def fine(event): return {"deny": "fine"}
"#,
    );
    std::fs::write(stage.dir.path().join("hangs.py"), "import time; time.sleep(1e6)").unwrap();
    assert_eq!(stage.output_of("m.fine"), deny("fine"));
    for function in ["m.sleeps", "m.spins", "m.ignores", "hangs.f"] {
        let mut hook = stage.hook(function);
        hook.timeout = Duration::from_millis(700);
        let before = Instant::now();
        assert_eq!(
            stage.run(&hook).output,
            HookOutput::Failure(HookFailure::TimedOut { after: hook.timeout })
        );
        assert!(before.elapsed() < Duration::from_millis(2200), "{function}: {:?}", before.elapsed());
        assert_eq!(stage.output_of("m.fine"), deny("fine"), "{function}");
    }
}

#[test]
fn leftovers_of_function_are_ended() {
    let stage = TestBed::new(
        r#"
import os, subprocess
def leaves(event): return {"deny": str(subprocess.Popen(["sleep", "60"]).pid)}
def forks(event):
    pid = os.fork()
    return {"deny": str(pid)}
"#,
    );
    for function in ["m.leaves", "m.forks"] {
        let report = stage.run(&stage.hook(function));
        let HookOutput::Reply(HookReply { verdict: Verdict::Deny { reason }, .. }) = &report.output else {
            panic!()
        };
        assert!(!runs(reason), "{function}");
        if function == "m.leaves" {
            let notice = "1 process that it left running: ended; `detach: true` lets them live";
            assert_eq!(report.transcript.notices, [notice]);
        }
    }
    let mut hook = stage.hook("m.leaves");
    hook.remains = LeftoverProcesses::Detached;
    let HookOutput::Reply(HookReply { verdict: Verdict::Deny { reason }, .. }) = stage.run(&hook).output
    else {
        panic!()
    };
    assert!(runs(&reason));
    std::process::Command::new("kill").arg(&reason).status().unwrap();
}
