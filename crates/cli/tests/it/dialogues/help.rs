//! `--help` of every command: the first thing anybody reads.

use super::{Dialogue, assert_dialogue};

#[test]
fn help_is_written_for_people() {
    let commands: &[&[&str]] = &[
        &[],
        &["init"],
        &["uninstall"],
        &["doctor"],
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
        &["import"],
        &["trust"],
        &["trust", "show"],
        &["profile"],
        &["profile", "use"],
        &["audit"],
        &["audit", "show"],
        &["audit", "verify"],
        &["explain"],
        &["replay"],
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
    let mistakes: &[&[&str]] = &[
        &[],
        &["help"],
        &["hoks", "list"],
        &["audit", "shw"],
        &["--jsn"],
        &["hooks", "list", "--jsn"],
        &["hooks", "list", "--json=yes"],
        &["memory", "stats", "--foo"],
        &["memory", "stats", "-x"],
        &["ghap", "list", "-x"],
        &["ghap", "list", "--limit", "-xy"],
        &["ghap", "resolve", "confirmed", "--result", "-5 %"],
        &["memory", "add", "-x"],
        &["explain", "seven"],
        &["explain", "1", "2"],
        &["audit", "show", "--since", "yesterday"],
        &["audit", "show", "--verdict", "no"],
        &["audit", "show", "--last", "2", "--last", "3"],
        &["audit", "show", "--last", "0"],
        &["replay"],
        &["init", "claude", "--scope"],
        &["init", "claude", "--scope", "usr"],
        &["hooks", "new", "--kind", "guard"],
        &["import", "settings.json", "--from", "vim"],
        &["import", "settings.json", "--write", "--out", "hooks.yaml"],
        &["trust", "--yes", "show"],
        &["prove", "--agent-path", "claude"],
        &["model"],
        &["--version"],
    ];
    assert_dialogue!(mistakes.iter().fold(Dialogue::nowhere(), |dialogue, words| dialogue.says(words)));
}
