//! `tenter demo`: the first contact with tenter.

use regex_lite::Regex;

use super::{Dialogue, assert_dialogue};

#[test]
fn demo_shows_context_deny_rewrite_and_records() {
    let mut dialogue = Dialogue::new().run(&["demo"]);
    for (what, placeholder) in [
        // The message of the shell and its length vary.
        (r"( release\.sh: ).*", "${1}<what this machine's shell says>"),
        (r"chat-\d+-\d+-\w+", "{session}"),
        (r"\+\d+ bytes", "+00 bytes"),
        (r": \d+ bytes", ": 00 bytes"),
        (r", \d+ bytes\)", ", 00 bytes)"),
        (r" +\d+ bytes +\d+ tokens +given", "  00 bytes  0 tokens  given"),
        (r" +\d+ of (\d+), \d+ left", "  0 of $1, 0 left"),
    ] {
        dialogue.text = Regex::new(what).unwrap().replace_all(&dialogue.text, placeholder).into_owned();
    }
    assert_dialogue!(dialogue);
}
