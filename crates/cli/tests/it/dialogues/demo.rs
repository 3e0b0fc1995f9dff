//! `tenter demo`: what somebody sees who tries it for the first time.

use regex_lite::Regex;

use super::{Dialogue, assert_dialogue};

#[test]
fn the_demo_shows_context_a_deny_a_rewrite_and_the_record_of_it_all() {
    let mut dialogue = Dialogue::nowhere().says(&["demo"]);
    for (what, placeholder) in [
        // Shells differ in how they say it, and the text's length with them.
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
