//! `tenter audit` and `tenter explain`: what happened, why, and whether that is still what was written.

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

/// A short session, all of whose answers are asked for elsewhere.
fn session() -> Dialogue {
    let world = World::with_hooks(HOOKS);
    for payload in [START, START, &bash("ls"), &bash("deploy"), &bash("rm -r build")] {
        assert_eq!(world.claude(payload).run().code, Some(0));
    }
    assert_eq!(world.claude("not JSON").run().code, Some(2));
    Dialogue::on(world)
}

#[test]
fn show_lists_records_and_filters_them() {
    let dialogue = session()
        .says(&["audit", "show"])
        .says(&["audit", "show", "--event", "SessionStart"])
        .says(&["audit", "show", "--hook", "lint", "--last", "2"])
        .says(&["audit", "show", "--session", "s9"])
        .says(&["audit", "show", "--verdict", "deny", "--tool", "bash"])
        .says(&["audit", "show", "--decision", "ask", "--since", "1h"])
        .says(&["audit", "show", "--failed", "--until", "2020-01-01"])
        .says(&["audit", "show", "--failed", "--last", "3"])
        .says(&["audit", "show", "--event", "tool:pree"])
        .says(&["audit", "show", "--json", "--last", "1"]);
    assert_dialogue!(dialogue);
}

/// Ids are found without reading JSON, and whoever mistypes one is told so by every command that takes one.
#[test]
fn sessions_are_listed_and_one_that_is_not_there_is_a_mistake_everywhere() {
    let later = START.replace("s1", "later-session");
    let dialogue = Dialogue::nowhere()
        .says(&["audit", "sessions"])
        .says(&["audit", "show", "--session", "s1"])
        .meanwhile("two sessions run", |world| {
            for payload in [START, &bash("ls"), &later] {
                assert_eq!(world.claude(payload).run().code, Some(0));
            }
        })
        .says(&["audit", "sessions"])
        .says(&["audit", "sessions", "--last", "1", "--json"])
        .says(&["audit", "show", "--session", "s1", "--event", "tool:pre"])
        .says(&["audit", "show", "--session", "s1", "--failed"])
        .says(&["audit", "show", "--session", "nobody-knows"])
        .says(&["audit", "show", "--session", "nobody-knows", "--json"])
        .says(&["hooks", "stats", "--session", "later-sesion"])
        .says(&["explain", "--session", "later"])
        .says(&["replay", "nobody-knows"])
        .says(&["context", "show", "--session", "nobody-knows"]);
    assert_dialogue!(dialogue);
}

#[test]
fn explain_tells_the_story_of_each_kind_of_record() {
    let count = 11;
    let mut dialogue = session();
    for number in 1..=count {
        dialogue = dialogue.says(&["explain", &number.to_string()]);
    }
    let dialogue = dialogue
        .says(&["explain"])
        .says(&["explain", "last", "--session", "s1"])
        .says(&["explain", "last", "--session", "s9"])
        .says(&["explain", "1", "--session", "s9"])
        .says(&["explain", "4", "--json"]);
    assert_dialogue!(dialogue.says(&["explain", "99"]));
}

#[test]
fn verify_finds_a_changed_byte_and_names_its_record() {
    let dialogue = session()
        .says(&["audit", "verify"])
        .meanwhile("somebody changes one letter of record 4", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let lines: Vec<String> = (1..)
                .zip(trail.lines())
                .map(
                    |(number, line)| if number == 4 { line.replacen("ls", "lz", 1) } else { line.to_owned() },
                )
                .collect();
            fs::write(world.trail(), lines.join("\n") + "\n").unwrap();
        })
        .says(&["audit", "verify"])
        .says(&["audit", "verify", "--json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn verify_finds_records_that_were_cut_off_at_the_end() {
    let dialogue = session()
        .meanwhile("somebody deletes the last record", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let kept = trail.trim_end().rfind('\n').unwrap();
            fs::write(world.trail(), &trail[..=kept]).unwrap();
        })
        .says(&["audit", "verify"])
        .says_with(&["hook", "claude"], &bash("ls").replace("toolu_1", "toolu_2"))
        .says(&["audit", "verify"]);
    assert_dialogue!(dialogue);
}

#[test]
fn a_trail_that_does_not_exist_yet_is_no_error() {
    let dialogue =
        Dialogue::nowhere().says(&["audit", "show"]).says(&["audit", "verify"]).says(&["explain", "1"]);
    assert_dialogue!(dialogue);
}

#[test]
fn an_anchor_of_nothing_is_refused_with_the_way_to_a_first_record() {
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
fn an_anchor_shows_that_trail_and_head_were_rolled_back() {
    let dialogue = session();
    let files = ["trail.jsonl", "head", "../witness"].map(|name| dialogue.world.trail().with_file_name(name));
    let earlier = files.clone().map(|path| fs::read(path).unwrap());
    assert_eq!(dialogue.world.claude(&bash("to be forgotten")).run().code, Some(0));
    let anchor = dialogue.world.tenter(&["audit", "anchor"]).run().stdout;
    let kept = dialogue.world.home().join("anchor.json");
    fs::write(&kept, &anchor).unwrap();
    let kept = kept.to_str().unwrap();
    let dialogue = dialogue
        .says(&["audit", "anchor"])
        .says(&["audit", "verify", "--anchor", kept])
        .meanwhile("somebody takes trail and head back to what they were", |_| {
            for (path, content) in files.iter().zip(&earlier) {
                fs::write(path, content).unwrap();
            }
        })
        .says(&["audit", "verify"])
        .says(&["audit", "verify", "--anchor", kept])
        .says(&["audit", "verify", "--json", "--anchor", kept])
        .says_with(&["hook", "claude"], &bash("ls").replace("toolu_1", "toolu_2"))
        .says(&["audit", "verify", "--anchor", kept]);
    assert_dialogue!(dialogue);
}

#[test]
fn what_is_no_anchor_is_no_proof() {
    let dialogue = session();
    let anchor = dialogue.world.tenter(&["audit", "anchor"]).run().stdout;
    let changed = anchor.replace("\"seq\":11", "\"seq\":9");
    assert_ne!(anchor, changed);
    let dialogue = dialogue
        .says_with(&["audit", "verify", "--anchor", "-"], &format!("{changed}{{}}"))
        .says_with(&["audit", "verify", "--anchor", "-"], "\n")
        .says(&["audit", "verify", "--anchor", "nowhere.json"]);
    assert_dialogue!(dialogue);
}

#[test]
fn nothing_is_signed_that_has_findings() {
    let dialogue = session()
        .meanwhile("somebody changes one letter of record 4", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            fs::write(world.trail(), trail.replacen("\"ls\"", "\"lz\"", 1)).unwrap();
        })
        .says(&["audit", "anchor"]);
    assert_dialogue!(dialogue);
}

#[test]
fn verify_tells_a_removed_mac_a_damaged_one_a_replaced_key_and_a_missing_one_apart() {
    let dialogue = session()
        .meanwhile("somebody removes the mac of the last record", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let mac = trail.rfind(",\"mac\"").unwrap();
            fs::write(world.trail(), format!("{}}}\n", &trail[..mac])).unwrap();
        })
        .says(&["audit", "verify"]);
    let damaged = session()
        .meanwhile("somebody takes one digit out of the mac of record 4", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let fifth = trail.match_indices('\n').nth(3).unwrap().0;
            fs::write(world.trail(), format!("{}{}", &trail[..fifth - 3], &trail[fifth - 2..])).unwrap();
        })
        .says(&["audit", "verify"])
        .meanwhile("somebody takes half of the line away", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let fifth = trail.match_indices('\n').nth(3).unwrap().0;
            fs::write(world.trail(), format!("{}{}", &trail[..fifth - 90], &trail[fifth..])).unwrap();
        })
        .says(&["audit", "verify"]);
    let key = |world: &World| world.trail().with_file_name("key");
    let other = session()
        .meanwhile("somebody puts another key there", |world| fs::write(key(world), [7; 32]).unwrap())
        .says(&["audit", "verify"])
        .meanwhile("somebody cuts it off", |world| fs::write(key(world), [7; 10]).unwrap())
        .says(&["audit", "verify"])
        .says(&["audit", "verify", "--json"])
        .meanwhile("somebody removes it", |world| fs::remove_file(key(world)).unwrap())
        .says(&["audit", "verify"])
        .says(&["audit", "verify", "--json"]);
    insta::assert_snapshot!(dialogue.text + &damaged.text + &other.text);
}

#[test]
fn verify_says_no_more_of_the_records_before_a_bad_one_than_their_macs_do() {
    let changed = |from: &str, to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        session()
            .meanwhile(&format!("somebody writes `{to}` for `{from}`"), |world| {
                let trail = fs::read_to_string(world.trail()).unwrap();
                fs::write(world.trail(), trail.replacen(&from, &to, 1)).unwrap();
            })
            .says(&["audit", "verify"])
            .text
    };
    let without_macs = session()
        .meanwhile("somebody removes every mac", |world| {
            let trail = fs::read_to_string(world.trail()).unwrap();
            let mac = Regex::new(r#","mac":"[^"]*""#).unwrap();
            fs::write(world.trail(), mac.replace_all(&trail, "").as_ref()).unwrap();
        })
        .says(&["audit", "verify"]);
    insta::assert_snapshot!(changed("\"seq\":2,", "\"seq\":7,") + &without_macs.text);
}

#[test]
fn a_secret_in_a_command_is_not_in_the_trail() {
    let dialogue = session();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let payload = bash(&format!("git clone https://me:{token}@example.com/x"));
    assert_eq!(dialogue.world.claude(&payload).run().code, Some(0));
    assert!(!fs::read_to_string(dialogue.world.trail()).unwrap().contains(&token));
    assert_dialogue!(dialogue.says(&["explain", "12"]));
}

/// A reason may quote what a model wrote; no line of it can pass for one of ours.
#[test]
fn a_reason_of_many_lines_forges_no_line() {
    let hooks = "version: 1\nhooks:\n  tool:pre:\n    - name: quoting\n      command: \"printf 'no\\\\n  so: nobody objected\\\\nrecord 9: tool:pre' >&2; exit 2\"\n";
    let dialogue = Dialogue::with_hooks(hooks);
    assert_eq!(dialogue.world.claude(&bash("ls")).run().code, Some(0));
    assert_dialogue!(dialogue.says(&["explain", "1"]).says(&["audit", "show"]));
}
