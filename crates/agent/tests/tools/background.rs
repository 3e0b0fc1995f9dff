//! Commands in the background.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::running::assert_all_ended;
use crate::workspace::Place;

fn start(place: &Place, line: &str) -> String {
    place.output("Bash", &json!({ "command": line, "run_in_background": true }))
}

/// Reads until this text arrives, and returns all output.
fn output_until(place: &Place, input: &Value, end: &str) -> String {
    let patience = Instant::now() + Duration::from_mins(1);
    let mut text = String::new();
    while !text.contains(end) {
        assert!(Instant::now() < patience, "{text}");
        let now = place.output("BashOutput", input);
        if now != "[It is still running.]" {
            text.push_str(&now);
        }
        thread::yield_now();
    }
    text
}

#[test]
fn background_command_has_output_and_ends() {
    let place = Place::new();
    let line =
        "echo $$ > pids; sleep 300 & echo $! >> pids; echo up; echo careful >&2; cat < /dev/zero > /dev/null";
    assert_eq!(
        start(&place, line),
        "It runs in the background as `shell_1`. `BashOutput` returns its output, and `KillShell` ends it."
    );
    let text = output_until(&place, &json!({ "bash_id": "shell_1" }), "careful");
    assert!(text.contains("up\n") && text.contains("stderr:\ncareful\n[It is still running.]"), "{text}");
    assert_eq!(place.output("BashOutput", &json!({ "bash_id": "shell_1" })), "[It is still running.]");
    // Other commands end only their own processes.
    assert_eq!(place.output("Bash", &json!({ "command": "echo hello" })), "hello");
    assert_eq!(place.output("BashOutput", &json!({ "bash_id": "shell_1" })), "[It is still running.]");
    let text = place.output("KillShell", &json!({ "shell_id": "shell_1" }));
    assert!(text.ends_with("[`shell_1` was ended, with every process it started.]"), "{text}");
    assert_all_ended(&place);
    assert_eq!(
        place.output("BashOutput", &json!({ "bash_id": "shell_1" })),
        "[It was ended by `KillShell`.]"
    );
}

#[test]
fn ended_command_has_exit_code_and_filter() {
    let place = Place::new();
    start(&place, "for i in 1 2 30; do echo \"line $i\"; done; exit 3");
    let text = output_until(&place, &json!({ "bash_id": "shell_1", "filter": "3|bash" }), "Exit code 3.");
    assert!(text.contains("line 30") && !text.contains("line 1") && !text.contains("line 2\n"), "{text}");
    let text = place.output("KillShell", &json!({ "shell_id": "shell_1" }));
    assert_eq!(text, "[`shell_1` had ended before.]");
    start(&place, "true");
    output_until(&place, &json!({ "bash_id": "shell_2" }), "[It has ended with exit code 0.]");
}

#[test]
fn unknown_id_lists_the_known_ones() {
    let place = Place::new();
    for (tool, key) in [("BashOutput", "bash_id"), ("KillShell", "shell_id")] {
        let text = place.output(tool, &json!({ key: "shell_9" }));
        assert_eq!(text, "! There is no `shell_9`: no command was started with `run_in_background`.");
    }
    start(&place, "true");
    assert_eq!(
        place.output("BashOutput", &json!({ "bash_id": "shell_9" })),
        "! There is no `shell_9`; there are `shell_1`."
    );
    let text = place.output("BashOutput", &json!({ "bash_id": "shell_1", "filter": "(" }));
    assert!(text.starts_with("! `filter` is not a regular expression: "), "{text}");
}

#[test]
fn unread_output_is_bounded() {
    let place = Place::new();
    start(&place, "yes 0123456789 | head -c 20000000; echo end; touch done");
    let patience = Instant::now() + Duration::from_mins(1);
    while !place.path("done").exists() && Instant::now() < patience {
        thread::yield_now();
    }
    let text = output_until(&place, &json!({ "bash_id": "shell_1" }), "[It has ended with exit code 0.]");
    assert!(text.contains("bytes were dropped unread") && text.len() < 70_000, "{}", text.len());
}

#[test]
fn background_commands_end_with_the_agent() {
    let place = Place::new();
    for number in 1..=3 {
        start(&place, &format!("echo $$ >> pids; sleep 300 & echo $! >> pids; echo {number}; sleep 300"));
        output_until(&place, &json!({ "bash_id": format!("shell_{number}") }), &number.to_string());
    }
    let pids = place.content("pids");
    assert_eq!(pids.lines().count(), 6);
    let kept = Place::with([("pids", pids.as_str())]);
    drop(place);
    assert_all_ended(&kept);
}
