//! `--help` of every command.

use super::{Dialogue, assert_dialogue};

#[test]
fn help_texts() {
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
        .fold(Dialogue::new(), |dialogue, command| dialogue.run(&[*command, &["--help"]].concat()));
    assert_dialogue!(dialogue);
}

#[test]
fn usage_errors() {
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
    assert_dialogue!(mistakes.iter().fold(Dialogue::new(), |dialogue, words| dialogue.run(words)));
}

#[test]
fn synonyms_suggest_hook_commands() {
    let world = crate::world::World::new();
    for (words, command) in [
        (&["hooks", "ls"][..], "tenter hooks list"),
        (&["hooks", "statistics"], "tenter hooks stats"),
        (&["hooks", "validate"], "tenter hooks check"),
        (&["hooks", "acept"], "tenter hooks accept"),
        (&["hooks", "rm", "x"], "tenter hooks disable HOOK"),
        (&["ls"], "tenter hooks list"),
        (&["stats"], "tenter hooks stats"),
        (&["validate"], "tenter hooks check"),
        (&["accept"], "tenter hooks accept"),
        (&["hook", "list"], "tenter hooks list"),
        (&["hook", "ls"], "tenter hooks list"),
        (&["hook", "stats"], "tenter hooks stats"),
        (&["hook", "validate"], "tenter hooks check"),
        (&["hook", "accept"], "tenter hooks accept"),
    ] {
        let ran = world.tenter(words).run();
        assert_ne!(ran.code, Some(0), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains(&format!("`{command}`")), "{words:?}: {ran:?}");
    }
}

/// A hint must differ from the typed command.
#[test]
fn missing_scope_suggests_an_existing_one() {
    let world = crate::world::World::new();
    for agent in tenter_adapters::names().map(|name| name.to_string()) {
        for scope in ["user", "project", "local"] {
            let typed = ["init", &agent, "--allow-build-path", "--dry-run"];
            let ran = world.tenter(&[&typed[..], &["--scope", scope]].concat()).run();
            if ran.code == Some(0) {
                continue;
            }
            assert!(ran.stderr.contains("has no settings of scope"), "{agent} {scope}: {ran:?}");
            let hint = ran.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap();
            let options = hint.split('`').nth(1).unwrap();
            let more: Vec<&str> = options.split(' ').skip_while(|word| !word.starts_with("--")).collect();
            let again = world.tenter(&[&typed[..], &more].concat()).run();
            assert_eq!(again.code, Some(0), "{agent} {scope}: {hint}: {again:?}");
        }
    }
}
