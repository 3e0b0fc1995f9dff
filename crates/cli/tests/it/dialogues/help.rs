//! `--help` of every command: the first thing anybody reads.

use super::{Dialogue, assert_dialogue};

#[test]
fn help_is_written_for_people() {
    let commands: &[&[&str]] = &[
        &[],
        &["init"],
        &["uninstall"],
        &["hook"],
        &["emit"],
        &["hooks"],
        &["hooks", "list"],
        &["hooks", "show"],
        &["hooks", "explain"],
        &["hooks", "test"],
        &["hooks", "new"],
        &["hooks", "disable"],
        &["hooks", "stats"],
        &["context"],
        &["context", "show"],
        &["trust"],
        &["trust", "show"],
        &["profile"],
        &["profile", "use"],
        &["audit"],
        &["audit", "show"],
        &["audit", "verify"],
        &["explain"],
        &["prove"],
        &["model"],
        &["schema"],
        &["demo"],
    ];
    let dialogue = commands
        .iter()
        .fold(Dialogue::nowhere(), |dialogue, command| dialogue.says(&[*command, &["--help"]].concat()));
    assert_dialogue!(dialogue);
}

#[test]
fn what_is_typed_wrong_is_usage() {
    let dialogue = Dialogue::nowhere()
        .says(&[])
        .says(&["hoks", "list"])
        .says(&["hooks", "list", "--jsn"])
        .says(&["explain", "seven"])
        .says(&["--version"]);
    assert_dialogue!(dialogue);
}
