//! What Python and Node find to be a deny is a deny here. They are asked, where they are installed.

use std::io::Write;
use std::process::{Command, Stdio};

use super::{exited, hook};
use crate::command::interpret::*;

/// Prints `1` for each reply that is a deny to this reader and `0` for every other. Replies come as JSON texts, one per
/// line, so that each reader gets the same characters.
const PYTHON: &str = r#"
import json, sys
sys.setrecursionlimit(100000)
def is_deny(text):
    try: reply = json.loads(text)
    except (ValueError, RecursionError): return False
    if not isinstance(reply, dict): return False
    specific = reply.get("hookSpecificOutput")
    specific = specific if isinstance(specific, dict) else {}
    return (isinstance(reply.get("deny"), str) or reply.get("decision") in ("block", "deny")
        or specific.get("permissionDecision") == "deny" or reply.get("continue") is False)
for line in sys.stdin: print(int(is_deny(json.loads(line))))
"#;

const NODE: &str = r#"
const isDeny = text => {
  let reply; try { reply = JSON.parse(text) } catch { return false }
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) return false
  const specific = reply.hookSpecificOutput ?? {}
  return typeof reply.deny === "string" || ["block", "deny"].includes(reply.decision)
    || specific.permissionDecision === "deny" || reply.continue === false
}
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(line => line)
console.log(lines.map(line => isDeny(JSON.parse(line)) ? 1 : 0).join("\n"))
"#;

/// Replies close to what hooks print, and to what makes readers differ.
fn replies() -> Vec<String> {
    let values = [
        "null",
        "true",
        "1",
        "-0",
        "1e999",
        "1E5",
        "123456789012345678901234567890",
        "\"\\ud83d\"",
        "\"\\ude00x\"",
        "\"\u{7f}\\u0000\\/\"",
        "NaN",
        "-Infinity",
        "[]",
        "[[[{}]]]",
        "{\"deny\":1}",
        "\"a\nb\"",
        "'x'",
        "01",
        "\"\\x\"",
    ];
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let stops = [
        r#""deny":"no""#,
        r#""decision":"block""#,
        r#""continue":false"#,
        r#""hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"deny"}"#,
        r#""d\u0065ny":"\ud83d""#,
        r#""deny":null,"deny":"no""#,
        r#""deny":"no","deny":null"#,
        r#""hookSpecificOutput":{"x":1,"permissionDecision":"deny"},"y":2"#,
        r#""allow":true"#,
        r#""decision":"approve""#,
    ];
    let deep: Vec<String> = [1, 127, 128, 200, 900].map(deep).into();
    let mut replies = Vec::new();
    for stop in stops {
        for value in values.iter().map(|value| (*value).to_owned()).chain(deep.iter().cloned()) {
            for text in [
                format!("{{{stop},\"x\":{value}}}"),
                format!("{{\"x\":{value},{stop}}}"),
                format!(" \n{{ \"x\" : {value} ,\t{stop} }}\r\n"),
                format!("{{\"x\":{value},{stop},}}"),
                format!("{{\"x\":{value},{stop}"),
                format!("[{{\"x\":{value},{stop}}}]"),
            ] {
                replies.push(text);
            }
        }
    }
    replies.push(format!(r#"{{"x":"{}","deny":"no"}}"#, "y".repeat(1_500_000)));
    replies
}

fn asked(program: &str, arguments: &[&str], replies: &[String]) -> Option<Vec<bool>> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let lines: Vec<String> = replies.iter().map(|reply| serde_json::to_string(reply).unwrap()).collect();
    let feeder = std::thread::spawn(move || stdin.write_all((lines.join("\n") + "\n").as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = feeder.join().unwrap();
    let found: Vec<bool> = String::from_utf8_lossy(&output.stdout).lines().map(|line| line == "1").collect();
    (found.len() == replies.len()).then_some(found)
}

#[test]
fn python_and_node_denies_are_denies() {
    let replies = replies();
    let mut denies = 0;
    for (program, arguments) in [("python3", ["-c", PYTHON]), ("node", ["-e", NODE])] {
        let Some(found) = asked(program, &arguments, &replies) else {
            // Not the macro: printing is a lint error.
            let notice = format!("skipped: {program} could not be run, so its reading was not compared\n");
            std::io::Write::write_all(&mut std::io::stderr(), notice.as_bytes()).unwrap();
            continue;
        };
        for (reply, is_deny) in replies.iter().zip(found) {
            for code in [0, 1, 2, 127] {
                let said = interpret(
                    &exited(code, reply.as_bytes(), "why"),
                    &hook(InjectOutput::Unstated),
                    &EventKind::ToolPre,
                )
                .output;
                let denied = matches!(&said, HookOutput::Reply(reply) if matches!(reply.verdict, Verdict::Deny { .. }));
                assert!(denied || !is_deny, "{program} {code} {reply:.200}: {said:?}");
                denies += usize::from(is_deny);
            }
        }
    }
    // Python is needed for other tests as well.
    assert!(denies > 1000, "{denies}");
}
