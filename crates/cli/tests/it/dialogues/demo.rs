//! `tenter demo`: what somebody sees who tries it for the first time.

use regex_lite::Regex;

use super::{Dialogue, assert_dialogue};

#[test]
fn the_demo_shows_context_a_deny_a_rewrite_and_the_record_of_it_all() {
    let mut dialogue = Dialogue::nowhere().says(&["demo"]);
    for (what, placeholder) in [
        // Shells differ in how they say it, and the text's length with them.
        (r"(project/release\.sh: ).*", "${1}<what this machine's shell says>"),
        (r"/\S*/tenter-demo-\w+/", "{demo}/"),
        (r"\+1\d\d bytes|\+\d\d bytes", "+00 bytes"),
        (r": 1\d\d bytes|: \d\d bytes", ": 00 bytes"),
    ] {
        dialogue.text = Regex::new(what).unwrap().replace_all(&dialogue.text, placeholder).into_owned();
    }
    assert_dialogue!(dialogue);
}
