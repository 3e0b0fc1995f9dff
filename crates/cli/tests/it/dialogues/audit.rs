//! `tenter audit` and `tenter explain`: records, explanations and verification.

use std::fs;

use regex_lite::Regex;

use super::{Dialogue, assert_dialogue};
use crate::world::{World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  session:start:
    - { name: notes, run: "!printf 'one\ntwo\n'", once: session }
  tool:pre:
    - { name: no-production, matcher: Bash, when: { command: "*production*" }, deny: "Not from here." }
    - { name: lint, matcher: Bash, command: "echo 'lint: no config' >&2; exit 3" }
    - name: with-time
      matcher: "Bash(deploy)"
      command: "echo '{\"modify\": {\"tool_input\": {\"command\": \"deploy --production\"}}, \"message\": \"made it production\"}'"
    - { name: sure, matcher: "Bash(rm)", ask: "Run `{tool.command}`?" }
"#;

const START: &str =
    r#"{"session_id": "s1", "hook_event_name": "SessionStart", "cwd": "/", "source": "startup"}"#;

/// A short session with one record of each kind.
fn session() -> Dialogue {
    let world = World::with_hooks(HOOKS);
    for payload in [START, START, &bash("ls"), &bash("deploy"), &bash("rm -r build")] {
        assert_eq!(world.claude(payload).run().code, Some(0));
    }
    assert_eq!(world.claude("not JSON").run().code, Some(2));
    Dialogue::in_world(world)
}

#[test]
fn show_lists_records_and_filters_them() {
    let dialogue = session()
        .run(&["audit", "show"])
        .run(&["audit", "show", "--event", "SessionStart"])
        .run(&["audit", "show", "--hook", "lint", "--last", "2"])
        .run(&["audit", "show", "--session", "s9"])
        .run(&["audit", "show", "--verdict", "deny", "--tool", "bash"])
        .run(&["audit", "show", "--decision", "ask", "--since", "1h"])
        .run(&["audit", "show", "--failed", "--until", "2020-01-01"])
        .run(&["audit", "show", "--failed", "--last", "3"])
        .run(&["audit", "show", "--event", "tool:pree"])
        .run(&["audit", "show", "--json", "--last", "1"]);
    assert_dialogue!(dialogue);
}

/// Every command that takes a session id rejects an unknown one.
#[test]
fn unknown_session_is_an_error_everywhere() {
    let later = START.replace("s1", "later-session");
    let dialogue = Dialogue::new()
        .run(&["audit", "sessions"])
        .run(&["audit", "show", "--session", "s1"])
        .step("two sessions run", |world| {
            for payload in [START, &bash("ls"), &later] {
                assert_eq!(world.claude(payload).run().code, Some(0));
            }
        })
        .run(&["audit", "sessions"])
        .run(&["audit", "sessions", "--last", "1", "--json"])
        .run(&["audit", "show", "--session", "s1", "--event", "tool:pre"])
        .run(&["audit", "show", "--session", "s1", "--failed"])
        .run(&["audit", "show", "--session", "unknown-session"])
        .run(&["audit", "show", "--session", "unknown-session", "--json"])
        .run(&["hooks", "stats", "--session", "later-sesion"])
        .run(&["explain", "--session", "later"])
        .run(&["replay", "unknown-session"])
        .run(&["context", "show", "--session", "unknown-session"]);
    assert_dialogue!(dialogue);
}

#[test]
fn explain_describes_each_kind_of_record() {
    let count = 11;
    let mut dialogue = session();
    for number in 1..=count {
        dialogue = dialogue.run(&["explain", &number.to_string()]);
    }
    let dialogue = dialogue
        .run(&["explain"])
        .run(&["explain", "last", "--session", "s1"])
        .run(&["explain", "last", "--session", "s9"])
        .run(&["explain", "1", "--session", "s9"])
        .run(&["explain", "4", "--json"]);
    assert_dialogue!(dialogue.run(&["explain", "99"]));
}

#[test]
fn verify_names_the_changed_record() {
    let dialogue = session()
        .run(&["audit", "verify"])
        .step("another program changes one letter of record 4", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let lines: Vec<String> = (1..)
                .zip(trail.lines())
                .map(
                    |(number, line)| if number == 4 { line.replacen("ls", "lz", 1) } else { line.to_owned() },
                )
                .collect();
            fs::write(world.trail(), lines.join("\n") + "\n").unwrap();
        })
        .run(&["audit", "verify"])
        .run(&["audit", "verify", "--json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn verify_finds_removed_last_records() {
    let dialogue = session()
        .step("another program deletes the last record", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let kept = trail.trim_end().rfind('\n').unwrap();
            fs::write(world.trail(), &trail[..=kept]).unwrap();
        })
        .run(&["audit", "verify"])
        .run_with_stdin(&["hook", "claude"], &bash("ls").replace("toolu_1", "toolu_2"))
        .run(&["audit", "verify"]);
    assert_dialogue!(dialogue);
}

#[test]
fn missing_trail_is_no_error() {
    let dialogue = Dialogue::new().run(&["audit", "show"]).run(&["audit", "verify"]).run(&["explain", "1"]);
    assert_dialogue!(dialogue);
}

#[test]
fn empty_trail_has_no_anchor() {
    let world = World::new();
    let refused = world.tenter(&["audit", "anchor"]).run();
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    let (error, hint) = refused.stderr.split_once("\nhint: ").unwrap();
    assert_eq!(error, "error: there are no records yet, so there is nothing to sign");
    assert!(hint.contains("`tenter emit session:start`"), "{hint}");
    assert_eq!(world.tenter(&["emit", "session:start"]).run().code, Some(0));
    assert_eq!(world.tenter(&["audit", "anchor"]).run().code, Some(0), "the hint helps");
}

#[test]
fn anchor_shows_a_rollback() {
    let dialogue = session();
    let files = ["trail.jsonl", "head", "../witness"].map(|name| dialogue.world.trail().with_file_name(name));
    let earlier = files.clone().map(|path| fs::read(path).unwrap());
    assert_eq!(dialogue.world.claude(&bash("to be forgotten")).run().code, Some(0));
    let anchor = dialogue.world.tenter(&["audit", "anchor"]).run().stdout;
    let kept = dialogue.world.home().join("anchor.json");
    fs::write(&kept, &anchor).unwrap();
    let kept = kept.to_str().unwrap();
    let dialogue = dialogue
        .run(&["audit", "anchor"])
        .run(&["audit", "verify", "--anchor", kept])
        .step("another program restores an earlier trail and head", |_| {
            for (path, content) in files.iter().zip(&earlier) {
                fs::write(path, content).unwrap();
            }
        })
        .run(&["audit", "verify"])
        .run(&["audit", "verify", "--anchor", kept])
        .run(&["audit", "verify", "--json", "--anchor", kept])
        .run_with_stdin(&["hook", "claude"], &bash("ls").replace("toolu_1", "toolu_2"))
        .run(&["audit", "verify", "--anchor", kept]);
    assert_dialogue!(dialogue);
}

#[test]
fn invalid_anchor_is_refused() {
    let dialogue = session();
    let anchor = dialogue.world.tenter(&["audit", "anchor"]).run().stdout;
    let changed = anchor.replace("\"seq\":11", "\"seq\":9");
    assert_ne!(anchor, changed);
    let dialogue = dialogue
        .run_with_stdin(&["audit", "verify", "--anchor", "-"], &format!("{changed}{{}}"))
        .run_with_stdin(&["audit", "verify", "--anchor", "-"], "\n")
        .run(&["audit", "verify", "--anchor", "nowhere.json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn damaged_trail_is_not_signed() {
    let dialogue = session()
        .step("another program changes one letter of record 4", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            fs::write(world.trail(), trail.replacen("\"ls\"", "\"lz\"", 1)).unwrap();
        })
        .run(&["audit", "anchor"]);
    assert_dialogue!(dialogue);
}

#[test]
fn verify_distinguishes_mac_and_key_damage() {
    let dialogue = session()
        .step("another program removes the mac of the last record", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let mac = trail.rfind(",\"mac\"").unwrap();
            fs::write(world.trail(), format!("{}}}\n", &trail[..mac])).unwrap();
        })
        .run(&["audit", "verify"]);
    let damaged = session()
        .step("another program takes one digit out of the mac of record 4", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let fifth = trail.match_indices('\n').nth(3).unwrap().0;
            fs::write(world.trail(), format!("{}{}", &trail[..fifth - 3], &trail[fifth - 2..])).unwrap();
        })
        .run(&["audit", "verify"])
        .step("another program takes half of the line away", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let fifth = trail.match_indices('\n').nth(3).unwrap().0;
            fs::write(world.trail(), format!("{}{}", &trail[..fifth - 90], &trail[fifth..])).unwrap();
        })
        .run(&["audit", "verify"]);
    let key = |world: &World| world.trail().with_file_name("key");
    let other = session()
        .step("another program replaces the key", |world| fs::write(key(world), [7; 32]).unwrap())
        .run(&["audit", "verify"])
        .step("another program truncates the key", |world| fs::write(key(world), [7; 10]).unwrap())
        .run(&["audit", "verify"])
        .run(&["audit", "verify", "--json"])
        .step("another program removes the key", |world| fs::remove_file(key(world)).unwrap())
        .run(&["audit", "verify"])
        .run(&["audit", "verify", "--json"]);
    insta::assert_snapshot!(dialogue.text + &damaged.text + &other.text);
}

#[test]
fn verify_claims_only_checked_macs() {
    let changed = |from: &str, to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        session()
            .step(&format!("another program writes `{to}` for `{from}`"), |world| {
                let trail = fs::read_to_string(world.trail()).unwrap();
                fs::write(world.trail(), trail.replacen(&from, &to, 1)).unwrap();
            })
            .run(&["audit", "verify"])
            .text
    };
    let without_macs = session()
        .step("another program removes every mac", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let mac = Regex::new(r#","mac":"[^"]*""#).unwrap();
            fs::write(world.trail(), mac.replace_all(&trail, "").as_ref()).unwrap();
        })
        .run(&["audit", "verify"]);
    insta::assert_snapshot!(changed("\"seq\":2,", "\"seq\":7,") + &without_macs.text);
}

#[test]
fn secret_of_a_command_is_redacted() {
    let dialogue = session();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let payload = bash(&format!("git clone https://me:{token}@example.com/x"));
    assert_eq!(dialogue.world.claude(&payload).run().code, Some(0));
    assert!(!fs::read_to_string(dialogue.world.trail()).unwrap().contains(&token));
    assert_dialogue!(dialogue.run(&["explain", "12"]));
}

/// A reason may quote a model. No line of it may look like output of tenter.
#[test]
fn multiline_reason_forges_no_line() {
    let hooks = "version: 1\nhooks:\n  tool:pre:\n    - name: quoting\n      command: \"printf 'no\\\\n  so: no hook objected\\\\nrecord 9: tool:pre' >&2; exit 2\"\n";
    let dialogue = Dialogue::with_hooks(hooks);
    assert_eq!(dialogue.world.claude(&bash("ls")).run().code, Some(0));
    assert_dialogue!(dialogue.run(&["explain", "1"]).run(&["audit", "show"]));
}
