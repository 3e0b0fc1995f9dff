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
fn what_a_command_writes_and_how_it_ends_is_given() {
    let place = Place::with([("a b", "")]);
    for (line, said) in [
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
        assert_eq!(place.says("Bash", &command(line)), said, "{line}");
    }
}

#[test]
fn a_mistake_in_the_shell_is_told_with_its_line() {
    let place = Place::new();
    let said = place.says("Bash", &command("echo one\nno-such-command"));
    assert!(said.starts_with("! one\nstderr:\n"), "{said}");
    assert!(said.contains("line 2") && said.contains("no-such-command"), "{said}");
    assert!(said.ends_with("[Exit code 127.]"), "{said}");
    let said = place.says("Bash", &command("if true; then"));
    assert!(said.contains("syntax error"), "{said}");
    assert_eq!(
        place.says("Bash", &command("  \n ")),
        "! `command` must be a text that is not empty; it is blank."
    );
    let said = "! `command` has a NUL character in it, which no shell takes.";
    assert_eq!(place.says("Bash", &command("echo \0")), said);
    let long = format!("echo {}", "x".repeat(4_000_000));
    assert!(
        place.says("Bash", &command(&long)).starts_with("! The shell could not be started in `<root>`: ")
    );
}

#[test]
fn both_streams_and_the_code_are_there_for_hooks() {
    let output = Place::new().run("Bash", &command("echo out; echo err >&2; exit 2"));
    assert_eq!((output.exit_code, output.failed), (Some(2), true));
    assert_eq!((output.stdout.as_deref(), output.stderr.as_deref()), (Some("out\n"), Some("err\n")));
}

#[test]
fn a_command_has_the_environment_it_was_given_and_no_other() {
    let mut place = Place::new();
    place.at.environment.push(("GIVEN".into(), "yes".into()));
    let said = place
        .says("Bash", &command("env | cut -d= -f1 | grep -v '^_$' | sort | tr '\\n' ' '; echo $GIVEN $PWD"));
    assert_eq!(said, "GIVEN PATH PWD SHLVL TENTER_RUN yes <root>");
}

#[test]
fn where_there_is_no_bash_the_shell_of_the_system_does() {
    let mut place = Place::with([("src/x", "")]);
    place.at.environment = vec![("PATH".into(), "relative:/nowhere".into())];
    assert_eq!(
        place.says("Bash", &command("cd src; read x; echo \"<$x>\"; exit 3")),
        concat!("! <>\n[Exit code 3.]\n", "[The current folder is now `src`.]")
    );
}

#[test]
fn the_current_folder_goes_along_within_the_project() {
    let place = Place::with([("src/deep/x", ""), ("it's/x", "")]);
    fs::create_dir(place.path("gone")).unwrap();
    for (line, said) in [
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
        // What a command writes where the shell says its folder is no folder, and then nothing is known.
        let said = if line.contains("&9") { "(no output)" } else { said };
        assert_eq!(place.says("Bash", &command(line)), said, "{line}");
    }
    place.run("Bash", &command("mkdir gone; cd gone"));
    fs::remove_dir(place.path("gone")).unwrap();
    assert_eq!(
        place.says("Bash", &command("pwd")),
        "<root>\n[`<root>/gone` is gone, so the command ran in the project root.]"
    );
}

#[test]
fn of_a_flood_both_ends_are_given_and_a_file_has_all_of_it() {
    let place = Place::new();
    let output = place.run("Bash", &command("seq 1 200000; seq 1 100000 >&2"));
    assert!(output.output.starts_with("1\n2\n3\n") && output.output.ends_with("\n99999\n100000"));
    assert!(output.output.len() < 62_000, "{}", output.output.len());
    let path = output.output.split("all of it is in `").nth(1).unwrap().split('`').next().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 200_000);
    assert_eq!(output.stdout.unwrap().lines().last(), Some("200000"));
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_everything_it_started() {
    let place = Place::new();
    let line = "trap '' TERM; (setsid sleep 300 & echo $! >> pids); sleep 300 & echo $! >> pids; echo $$ >> pids; \
                echo begun; sleep 300; sleep 300";
    let begun = Instant::now();
    let output = place.run("Bash", &json!({ "command": line, "timeout": 300 }));
    assert!(begun.elapsed() < Duration::from_mins(1));
    let said = "[It was not done after 0.3 s and was ended, with everything it had started. `timeout` gives it more \
                time, up to 600000 ms.]";
    assert!(output.output.starts_with("begun\n") && output.output.ends_with(said), "{}", output.output);
    assert_eq!((output.failed, output.exit_code), (true, None));
    nobody_is_left(&place);
    let said = place.says("Bash", &json!({ "command": "true", "timeout": 600_001 }));
    assert_eq!(said, "! `timeout` must be a whole number from 1 to 600000; it is `600001`.");
}

#[test]
fn a_command_that_is_asked_to_end_may_put_its_files_in_order() {
    let place = Place::new();
    let line = "(trap 'echo tidy > done; exit' TERM; while :; do sleep 0.01; done)";
    assert!(place.run("Bash", &json!({ "command": line, "timeout": 300 })).failed);
    assert_eq!(place.content("done"), "tidy\n");
}

#[test]
fn whoever_stops_a_command_does_not_wait_for_it() {
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
    // A shell that notices in time says that its children were ended.
    let said = "[It was stopped by the user, with everything it had started.]";
    assert!(output.failed && output.output.ends_with(said), "{}", output.output);
    nobody_is_left(&place);
}

#[test]
fn what_a_command_leaves_running_is_ended_and_said() {
    let place = Place::new();
    let begun = Instant::now();
    let said = place.says("Bash", &command("sleep 300 & echo $! > pids; echo started"));
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert_eq!(said, "started\n[1 process that it left running was ended.]");
    nobody_is_left(&place);
}

/// Looks until all of them are gone; whoever is killed takes a moment to be.
pub(crate) fn nobody_is_left(place: &Place) {
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
