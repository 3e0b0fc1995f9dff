//! A deny inside other output is a deny, or at least a failure that `on_failure: deny` turns into one. Never silence.

use super::{exited, hook};
use crate::command::interpret::*;

/// What became of an output at `tool:pre`.
fn verdict_of(output: &[u8], code: i32) -> &'static str {
    let said =
        interpret(&exited(code, output, ""), &hook(InjectOutput::Unstated), &EventKind::ToolPre).output;
    match said {
        HookOutput::Reply(HookReply { verdict: Verdict::Deny { .. }, .. }) => "deny",
        HookOutput::Reply(HookReply { verdict: Verdict::Ask(_), .. }) => "ask",
        HookOutput::Reply(_) => "nothing",
        HookOutput::Failure(_) => "failure",
        HookOutput::Skipped { .. } | HookOutput::Started => "not run",
    }
}

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;

#[test]
fn deny_in_another_encoding_is_a_deny() {
    let units: Vec<u16> = DENY.encode_utf16().collect();
    let narrow_le: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let narrow_be: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    let wide_le: Vec<u8> = DENY.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let wide_be: Vec<u8> = DENY.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    let marks: [(&[u8], &[u8]); 4] = [
        (b"\xff\xfe", &narrow_le),
        (b"\xfe\xff", &narrow_be),
        (b"\xff\xfe\0\0", &wide_le),
        (b"\0\0\xfe\xff", &wide_be),
    ];
    for (mark, text) in marks {
        for (name, bytes) in [("with mark", [mark, text].concat()), ("without", text.to_vec())] {
            for end in [&b""[..], b"\n", b"\r\n\0"] {
                let output = [&bytes[..], end].concat();
                assert_eq!(verdict_of(&output, 0), "deny", "{mark:?} {name} {end:?}");
            }
        }
    }
    assert_eq!(verdict_of(&[b"\xef\xbb\xbf", DENY.as_bytes()].concat(), 0), "deny");
    assert_eq!(verdict_of(&[b"\xef\xbb\xbf\xef\xbb\xbf ", DENY.as_bytes()].concat(), 0), "deny");
    let bad_bytes = [b"{\"decision\":\"block\",\"reason\":\"\xff\xc3(\xed\xa0\xbd\"}".as_slice()];
    for output in bad_bytes {
        assert_eq!(verdict_of(output, 0), "deny", "{}", String::from_utf8_lossy(output));
    }
}

#[test]
fn deny_among_other_output_is_a_deny() {
    let large = "x".repeat(5 * 1024 * 1024);
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    for output in [
        format!("\u{1b}[31m{DENY}\u{1b}[0m\n"),
        format!("\u{1b}[2K\r{DENY}"),
        format!("INFO loading\r\nWARN slow\r\n{DENY}\r\n"),
        format!("{DENY}\nDone in 0.2 s\n"),
        format!("before\n{DENY}\nafter\n"),
        format!("{{\"log\":\"a\"}}\n{{\"log\":\"b\"}}\n{DENY}\n"),
        format!("{DENY}\n{{\"allow\":true}}\n"),
        format!("{{\"allow\":true}}\n{DENY}\n"),
        format!("[{DENY}]"),
        format!("[[{{}},{DENY}],1]"),
        format!("[1, \"a\", {DENY}, 2]\nbye"),
        format!("log\n  [{{\"x\":1}}, null, [true, {DENY}]]\nbye"),
        format!("```json\n{DENY}\n```\n"),
        format!("~~~\n{DENY}\n~~~"),
        format!("Here is my answer:\n\n```\n{DENY}\n```\nThanks!"),
        format!("data: {DENY}\n\n"),
        format!("<reply>{DENY}</reply>"),
        format!("\u{1e}{DENY}\n"),
        format!(")]}}',\n{DENY}"),
        format!("{DENY};"),
        format!("{DENY},"),
        format!("{DENY}{DENY}"),
        format!("[{{\"x\":1}}, {DENY}]"),
        format!("{{\"x\":1}} {DENY}\nbye"),
        format!("10 %\r100 %\r{DENY}\ndone"),
        format!("<?xml version=\"1.0\"?><pre>{DENY}</pre>\nbye"),
        format!("event: reply\ndata: {DENY}\n\nevent: end\n"),
        format!("ls {{\"a\":\n{DENY}\n}} \n"),
        format!("log\n{{\"a\":\n{DENY}\n}}\nlog"),
        format!("+ {{\"deny\":\n{DENY}\n}} \n"),
        format!("{large}\n{DENY}"),
        format!("{{\"x\":\"{large}\",\"deny\":\"no\"}}"),
        format!("{{\"deny\":\"{large}\"}}"),
        format!("{{\"x\":{deep},\"deny\":\"no\"}}"),
        r#"{"deny":"no","deny":""}"#.to_owned(),
        r#"{"decision":"approve","decision":"block"}"#.to_owned(),
        r#"{"decision":"block","decision":"approve"}"#.to_owned(),
        r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{}}"#.to_owned(),
        r#"{"hookSpecificOutput":{},"hookSpecificOutput":{"permissionDecision":"deny"}}"#.to_owned(),
        r#"{"deny":"no","x":NaN,"y":-Infinity,"z":undefined}"#.to_owned(),
        r#"{"deny":"no",,}"#.to_owned(),
        "{\"deny\":\"line\nbreak\tand \u{7} bell\"}".to_owned(),
        r#"{"deny":"\ud83d"}"#.to_owned(),
        r#"{"deny":"\x41\'"}"#.to_owned(),
    ] {
        for code in [0, 1, 2, 3, 127] {
            assert_eq!(verdict_of(output.as_bytes(), code), "deny", "{code} {output:.120}");
        }
    }
}

/// A hook that logs commands, diffs or prose must not deny because of what they quote.
#[test]
fn deny_in_the_middle_of_a_line_is_text() {
    for output in [
        r#"curl -d {"action":"deny"} http://localhost"#,
        "diff --git a/x b/x\n+  {\"decision\":\"block\"}\n-  {\"deny\":\"no\"}\n context\n",
        "932324c9 write {\"deny\":\"no\"} for guards\n6820ea53 add a test\n",
        "A hook prints {\"deny\":\"no\"} to stop a call.",
        "* {\"deny\":\"no\"} stops\n> {\"deny\":\"no\"} quoted\n1. {\"deny\":\"no\"} first\n",
        "input: {\n  \"rules\": [\n    {\"action\": \"deny\"}\n  ]\n}\nend\n",
        r#""curl -d {\"action\":\"deny\"} http://localhost""#,
        "[see {\"deny\":\"no\"}, it stops]\nend",
        "[\"a\" b {\"deny\":\"no\"}]\nend",
        "[12] {\"deny\":\"no\"} seen\n[INFO] {\"deny\":\"no\"} seen\n[] x {\"deny\":\"no\"} seen",
        "a < b {\"deny\":\"no\"} c",
        "debug {\"deny\":\"no\"} x",
        "PreToolUse: {\n  \"deny\": \"no\"\n} was seen\n",
    ] {
        for crlf in [output.to_owned(), output.replace('\n', "\r\n")] {
            assert_eq!(verdict_of(crlf.as_bytes(), 0), "nothing", "{crlf}");
            assert_eq!(verdict_of(crlf.as_bytes(), 1), "failure", "{crlf}");
        }
    }
}

/// At the end of the output it may be a reply behind a log line without its line break.
#[test]
fn deny_in_the_middle_of_the_last_line_is_a_failure() {
    for output in [
        format!("checking… {DENY}"),
        format!("log\n[INFO] {DENY}\n\n"),
        format!("+  {DENY}\n"),
        format!("for(;;);{DENY}"),
        format!("callback({DENY});\n"),
        format!("answer: <reply>{DENY}</reply>\n"),
        format!("reply = {DENY}\u{1b}[0m\r\n"),
        format!("seen {{\"deny\":\"no\"}} then {DENY}"),
    ] {
        assert_eq!(verdict_of(output.as_bytes(), 0), "failure", "{output}");
    }
}

/// No usual JSON reader takes these for a deny.
#[test]
fn deny_that_is_no_json_is_not_silence() {
    for output in [
        r#"{"deny":"no""#.to_owned(),
        r"{'decision': 'block', 'reason': 'no'}".to_owned(),
        r"{ decision: 'block', reason: 'no' }".to_owned(),
        r#"{"deny":"no" /* why */}"#.to_owned(),
        "{\"deny\":\"no\" // why\n}".to_owned(),
        serde_json::to_string(DENY).unwrap(),
        serde_json::to_string(&serde_json::to_string(DENY).unwrap()).unwrap(),
        serde_json::to_string(&[DENY]).unwrap(),
        r#"{"output":"{\"deny\":\"no\"}"}"#.to_owned(),
        format!("{{\"result\":{DENY}}}"),
        format!("{{\"replies\":[{DENY}]}}"),
        r#"{"deny":1}"#.to_owned(),
        r#"{"Deny":"no"}"#.to_owned(),
        r#"{"decision":"BLOCK"}"#.to_owned(),
        r#"{"decision":"reject"}"#.to_owned(),
        r#"{"permissionDecision":"deny"}"#.to_owned(),
    ] {
        let said = verdict_of(output.as_bytes(), 0);
        assert!(["deny", "failure"].contains(&said), "{said}: {output}");
    }
}
