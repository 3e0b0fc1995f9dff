//! `Bash`.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::workspace::Place;

fn command(command: &str) -> Value {
    json!({ "command": command })
}

#[test]
fn output_and_exit_of_commands() {
    let place = Place::with([("a b", "")]);
    for (line, text) in [
        ("echo hello", "hello"),
        ("ls", "a b"),
        ("true", "(no output)"),
        ("echo out; echo err >&2", "out\nstderr:\nerr"),
        ("printf 'no end'", "no end"),
        ("exit 3", "! [Exit code 3.]"),
        ("echo x; false", "! x\n[Exit code 1.]"),
        ("kill -9 $$", "! [It was ended by signal 9.]"),
        ("cat", "(no output)"),
        ("printf 'a\\nb\\n' | while read -r x; do echo \"<$x>\"; done", "<a>\n<b>"),
        ("cat <<'END'\n$HOME 'quoted'\nEND", "$HOME 'quoted'"),
        ("# only a comment", "(no output)"),
        ("trap 'echo mine' EXIT; echo x", "x\nmine"),
        ("echo $#", "0"),
        ("printf '\\351'", "\u{fffd}"),
    ] {
        assert_eq!(place.output("Bash", &command(line)), text, "{line}");
    }
}

#[test]
fn shell_error_keeps_its_line() {
    let place = Place::new();
    let text = place.output("Bash", &command("echo one\nno-such-command"));
    assert!(text.starts_with("! one\nstderr:\n"), "{text}");
    assert!(text.contains("line 2") && text.contains("no-such-command"), "{text}");
    assert!(text.ends_with("[Exit code 127.]"), "{text}");
    let text = place.output("Bash", &command("if true; then"));
    assert!(text.contains("syntax error"), "{text}");
    assert_eq!(
        place.output("Bash", &command("  \n ")),
        "! `command` must be text that is not empty; it is blank."
    );
    let text = "! `command` contains a NUL character, which no shell accepts.";
    assert_eq!(place.output("Bash", &command("echo \0")), text);
    let long = format!("echo {}", "x".repeat(4_000_000));
    assert!(
        place.output("Bash", &command(&long)).starts_with("! The shell could not be started in `<root>`: ")
    );
}

#[test]
fn streams_and_exit_code_are_in_the_output() {
    let output = Place::new().run("Bash", &command("echo out; echo err >&2; exit 2"));
    assert_eq!((output.exit_code, output.failed), (Some(2), true));
    assert_eq!((output.stdout.as_deref(), output.stderr.as_deref()), (Some("out\n"), Some("err\n")));
}

#[test]
fn command_has_only_the_given_environment() {
    let mut place = Place::new();
    place.at.environment.push(("GIVEN".into(), "yes".into()));
    let text = place.output(
        "Bash",
        &command("env | cut -d= -f1 | grep -v '^_$' | sort | tr '\\n' ' '; echo $GIVEN $PWD"),
    );
    assert_eq!(text, "GIVEN PATH PWD SHLVL TENTER_RUN yes <root>");
}

#[test]
fn system_shell_replaces_a_missing_bash() {
    let mut place = Place::with([("src/x", "")]);
    place.at.environment = vec![("PATH".into(), "relative:/nowhere".into())];
    assert_eq!(
        place.output("Bash", &command("cd src; read x; echo \"<$x>\"; exit 3")),
        concat!("! <>\n[Exit code 3.]\n", "[The current folder is now `src`.]")
    );
}

#[test]
fn current_folder_stays_within_the_project() {
    let place = Place::with([("src/deep/x", ""), ("it's/x", "")]);
    fs::create_dir(place.path("gone")).unwrap();
    for (line, text) in [
        ("cd src && pwd", "<root>/src\n[The current folder is now `src`.]"),
        ("pwd; cd deep; exit 3", "! <root>/src\n[Exit code 3.]\n[The current folder is now `deep`.]"),
        ("ls; (cd /)", "x"),
        ("cd /tmp", "[`/tmp` is outside the project, so the current folder is the project root again.]"),
        ("pwd", "<root>"),
        ("cd \"it's\"", "[The current folder is now `it's`.]"),
        ("cd ..", "[The current folder is now `<root>`.]"),
        ("cd gone && rmdir ../gone", "(no output)"),
        ("cd src; echo /etc >&9", "[The current folder is now `src`.]"),
    ] {
        // Output on the pipe for the folder is not a folder, so none is reported.
        let text = if line.contains("&9") { "(no output)" } else { text };
        assert_eq!(place.output("Bash", &command(line)), text, "{line}");
    }
    place.run("Bash", &command("mkdir gone; cd gone"));
    fs::remove_dir(place.path("gone")).unwrap();
    assert_eq!(
        place.output("Bash", &command("pwd")),
        "<root>\n[`<root>/gone` is gone, so the command ran in the project root.]"
    );
}

#[test]
fn long_output_is_saved_and_shows_both_ends() {
    let place = Place::new();
    let output = place.run("Bash", &command("seq 1 200000; seq 1 100000 >&2"));
    assert!(output.output.starts_with("1\n2\n3\n") && output.output.ends_with("\n99999\n100000"));
    assert!(output.output.len() < 62_000, "{}", output.output.len());
    let path = output.output.split("all of it is in `").nth(1).unwrap().split('`').next().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 200_000);
    assert_eq!(output.stdout.unwrap().lines().last(), Some("200000"));
}

#[test]
fn timeout_ends_the_process_tree() {
    let place = Place::new();
    let line = "trap '' TERM; (setsid sleep 300 & echo $! >> pids); sleep 300 & echo $! >> pids; echo $$ >> pids; \
                echo begun; sleep 300; sleep 300";
    let begun = Instant::now();
    let output = place.run("Bash", &json!({ "command": line, "timeout": 300 }));
    assert!(begun.elapsed() < Duration::from_mins(1));
    let text = "[It was not done after 0.3 s and was ended, with every process it started. Set `timeout` to allow \
                more time, up to 600000 ms.]";
    assert!(output.output.starts_with("begun\n") && output.output.ends_with(text), "{}", output.output);
    assert_eq!((output.failed, output.exit_code), (true, None));
    assert_all_ended(&place);
    let text = place.output("Bash", &json!({ "command": "true", "timeout": 600_001 }));
    assert_eq!(text, "! `timeout` must be a whole number from 1 to 600000; it is `600001`.");
}

#[test]
fn sigterm_lets_a_command_clean_up() {
    let place = Place::new();
    let line = "(trap 'echo tidy > done; exit' TERM; while :; do sleep 0.01; done)";
    assert!(place.run("Bash", &json!({ "command": line, "timeout": 300 })).failed);
    assert_eq!(place.content("done"), "tidy\n");
}

#[test]
fn stopped_command_ends_at_once() {
    let place = Place::new();
    let stopped: Cell<Option<Instant>> = Cell::new(None);
    let stop = || {
        let begun = place.path("pids").exists();
        if begun && stopped.get().is_none() {
            stopped.set(Some(Instant::now()));
        }
        begun
    };
    let line =
        "sleep 300 & echo $! >> pids; (setsid sleep 300 & echo $! >> pids); echo $$ >> pids; sleep 300";
    let output = place.run_until("Bash", &command(line), &stop);
    assert!(stopped.get().unwrap().elapsed() < Duration::from_mins(1));
    // The shell may report that its children were ended.
    let text = "[It was stopped by the user, with every process it started.]";
    assert!(output.failed && output.output.ends_with(text), "{}", output.output);
    assert_all_ended(&place);
}

#[test]
fn leftover_processes_are_ended_and_counted() {
    let place = Place::new();
    let begun = Instant::now();
    let text = place.output("Bash", &command("sleep 300 & echo $! > pids; echo started"));
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert_eq!(text, "started\n[1 process that still ran was ended.]");
    assert_all_ended(&place);
}

/// Waits until all processes have ended.
pub(crate) fn assert_all_ended(place: &Place) {
    let pids: Vec<String> = place.content("pids").lines().map(str::to_owned).collect();
    assert!(!pids.is_empty());
    let patience = Instant::now() + Duration::from_secs(30);
    for pid in pids {
        let process = PathBuf::from("/proc").join(&pid);
        while process.exists() && Instant::now() < patience {
            thread::yield_now();
        }
        assert!(!process.exists(), "{pid} is left");
    }
}
