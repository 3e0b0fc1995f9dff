//! Commands that run while the agent goes on.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::running::nobody_is_left;
use crate::workspace::Place;

fn start(place: &Place, line: &str) -> String {
    place.says("Bash", &json!({ "command": line, "run_in_background": true }))
}

/// Looks until this was said, and gives all that was said until then.
fn said_until(place: &Place, input: &Value, end: &str) -> String {
    let patience = Instant::now() + Duration::from_mins(1);
    let mut said = String::new();
    while !said.contains(end) {
        assert!(Instant::now() < patience, "{said}");
        let now = place.says("BashOutput", input);
        if now != "[It is still running.]" {
            said.push_str(&now);
        }
        thread::yield_now();
    }
    said
}

#[test]
fn a_command_in_the_background_is_looked_at_and_ended() {
    let place = Place::new();
    let line =
        "echo $$ > pids; sleep 300 & echo $! >> pids; echo up; echo careful >&2; cat < /dev/zero > /dev/null";
    assert_eq!(
        start(&place, line),
        "It runs in the background as `shell_1`. `BashOutput` gives what it writes, and `KillShell` ends it."
    );
    let said = said_until(&place, &json!({ "bash_id": "shell_1" }), "careful");
    assert!(said.contains("up\n") && said.contains("stderr:\ncareful\n[It is still running.]"), "{said}");
    assert_eq!(place.says("BashOutput", &json!({ "bash_id": "shell_1" })), "[It is still running.]");
    // Others run meanwhile, and end nothing but their own.
    assert_eq!(place.says("Bash", &json!({ "command": "echo hello" })), "hello");
    assert_eq!(place.says("BashOutput", &json!({ "bash_id": "shell_1" })), "[It is still running.]");
    let said = place.says("KillShell", &json!({ "shell_id": "shell_1" }));
    assert!(said.ends_with("[`shell_1` is ended, with everything it had started.]"), "{said}");
    nobody_is_left(&place);
    assert_eq!(place.says("BashOutput", &json!({ "bash_id": "shell_1" })), "[It was ended by `KillShell`.]");
}

#[test]
fn one_that_ends_by_itself_says_how_and_only_lines_that_fit_are_given() {
    let place = Place::new();
    start(&place, "for i in 1 2 30; do echo \"line $i\"; done; exit 3");
    let said = said_until(&place, &json!({ "bash_id": "shell_1", "filter": "3|bash" }), "Exit code 3.");
    assert!(said.contains("line 30") && !said.contains("line 1") && !said.contains("line 2\n"), "{said}");
    let said = place.says("KillShell", &json!({ "shell_id": "shell_1" }));
    assert_eq!(said, "[`shell_1` had ended before.]");
    start(&place, "true");
    said_until(&place, &json!({ "bash_id": "shell_2" }), "[It has ended with exit code 0.]");
}

#[test]
fn a_name_that_is_none_is_answered_with_those_there_are() {
    let place = Place::new();
    for (tool, key) in [("BashOutput", "bash_id"), ("KillShell", "shell_id")] {
        let said = place.says(tool, &json!({ key: "shell_9" }));
        assert_eq!(said, "! There is no `shell_9`: nothing was started with `run_in_background`.");
    }
    start(&place, "true");
    assert_eq!(
        place.says("BashOutput", &json!({ "bash_id": "shell_9" })),
        "! There is no `shell_9`; there are `shell_1`."
    );
    let said = place.says("BashOutput", &json!({ "bash_id": "shell_1", "filter": "(" }));
    assert!(said.starts_with("! `filter` is no regular expression: "), "{said}");
}

#[test]
fn what_nobody_reads_does_not_pile_up() {
    let place = Place::new();
    start(&place, "yes 0123456789 | head -c 20000000; echo end; touch done");
    let patience = Instant::now() + Duration::from_mins(1);
    while !place.path("done").exists() && Instant::now() < patience {
        thread::yield_now();
    }
    let said = said_until(&place, &json!({ "bash_id": "shell_1" }), "[It has ended with exit code 0.]");
    assert!(said.contains("bytes went by unread") && said.len() < 70_000, "{}", said.len());
}

#[test]
fn all_of_them_end_with_the_agent() {
    let place = Place::new();
    for number in 1..=3 {
        start(&place, &format!("echo $$ >> pids; sleep 300 & echo $! >> pids; echo {number}; sleep 300"));
        said_until(&place, &json!({ "bash_id": format!("shell_{number}") }), &number.to_string());
    }
    let pids = place.content("pids");
    assert_eq!(pids.lines().count(), 6);
    let kept = Place::with([("pids", pids.as_str())]);
    drop(place);
    nobody_is_left(&kept);
}
