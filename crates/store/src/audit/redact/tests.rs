//! The secrets in these rows are put together from pieces, so that nobody takes this file for a leak.

use serde_json::json;
use tenter_protocol::v1::record::RecordedTool;

use super::*;
use crate::audit::seal::Key;

/// A text with a secret, and what is left of it.
fn known_forms() -> Vec<(String, &'static str)> {
    let (word, dashes) = ("Ab1".repeat(14), "-".repeat(5));
    let pem = |kind: &str, end: &str| format!("a\n{dashes}BEGIN {kind}{dashes}\nMIIB\nxy==\n{end}");
    vec![
        (format!("git clone with ghp_{word}"), "git clone with [redacted:github]"),
        (format!("\"gho_{word}\","), "\"[redacted:github]\","),
        (format!("TOKEN=github_pat_11A_{word}"), "TOKEN=[redacted:github]"),
        (format!("sk-proj-{word}\nnext"), "[redacted:openai]\nnext"),
        (format!("x=sk-ant-api03-{word}-_AA"), "x=[redacted:anthropic]"),
        (format!("(AKIA{})", "IOSFODNN7EXAMPLE"), "([redacted:aws])"),
        (format!("xoxb-1234-5678-{word}"), "[redacted:slack]"),
        (format!("?key=AIza{}&x=1", &word[..35]), "?key=[redacted:google]&x=1"),
        (format!("t eyJ{word}.eyJ{word}.{word} u"), "t [redacted:jwt] u"),
        (format!("eyJ{word}.eyJ{word}"), "[redacted:jwt]"),
        (
            pem("RSA PRIVATE KEY", &format!("{dashes}END RSA PRIVATE KEY{dashes}\nb")),
            "a\n[redacted:private-key]\nb",
        ),
        (pem("PRIVATE KEY", ""), "a\n[redacted:private-key]"),
        ("Authorization: Bearer abc123def".to_owned(), "Authorization: Bearer [redacted:bearer]"),
        (format!("authorization: bearer {}", "abcd".repeat(5)), "authorization: bearer [redacted:bearer]"),
        ("psql postgres://me:pa:ss@w0rd@db/x".to_owned(), "psql postgres://me:[redacted:password]@db/x"),
        (
            "https://:pw@h and ftp://u:p@i".to_owned(),
            "https://:[redacted:password]@h and ftp://u:[redacted:password]@i",
        ),
    ]
}

#[test]
fn secrets_are_known_by_their_form() {
    let redactor = Redactor::default();
    for (text, expected) in known_forms() {
        assert_eq!(redactor.text(&text).as_deref(), Some(expected), "{text}");
        assert!(redactor.suspects(json!({ "x": text }).to_string().as_bytes()), "{text}");
        assert!(redactor.suspects(json!({ "x": format!("\n{text}") }).to_string().as_bytes()), "{text}");
        assert_eq!(redactor.text(expected), None, "what is left is clean");
    }
}

#[test]
fn ordinary_words_are_left_alone() {
    let redactor = Redactor::default();
    for text in [
        "task-management-and-planning-2026-v2",
        "the sk-learn-contributed-packages-list",
        "ghp_short",
        "AKIA is how they begin",
        "eyJ is base64 of a brace",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "the bearer of bad news",
        "https://example.com:8080/a@b",
        "git@github.com:me/it.git",
        "https://me@example.com/",
        "",
        "ä ö ü ://",
    ] {
        assert_eq!(redactor.text(text), None, "{text}");
    }
}

#[test]
fn values_of_the_environment_are_hidden_wherever_they_stand() {
    let values = ["hunter2hunter2", "hunter2h", "line\none \"two\"", "short"];
    let redactor = Redactor::hiding(values.map(str::to_owned));
    for (text, expected) in [
        ("x=hunter2hunter2;", Some("x=[redacted:environment];")),
        ("myhunter2h", Some("my[redacted:environment]")),
        ("a line\none \"two\" b", Some("a [redacted:environment] b")),
        ("short", None),
    ] {
        assert_eq!(redactor.text(text).as_deref(), expected);
        assert_eq!(redactor.suspects(json!(text).to_string().as_bytes()), expected.is_some(), "{text:?}");
    }
    assert!(!format!("{redactor:?}").contains("hunter2"));
}

#[test]
fn a_variable_holds_a_secret_if_its_name_says_so() {
    let rows = [
        ("GITHUB_TOKEN", "12345678", true),
        ("aws_secret_access", "abcdefgh", true),
        ("API_KEY", "öäüöäüöä", true),
        ("DB_PASSWORD", "1234567", false),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json", true),
        ("PATH", "/usr/bin:/bin", false),
    ];
    for (name, value, expected) in rows {
        let found = secret_values([(name.into(), value.into())]);
        assert_eq!(found, if expected { vec![value.to_owned()] } else { vec![] }, "{name}");
    }
}

#[test]
fn every_string_of_a_record_is_cleaned_and_nothing_else_changes() {
    let secret = "tool:pre";
    let record = RecordV1 {
        v: 1,
        event: "tool:pre".to_owned(),
        prompt: Some(format!("say {secret}")),
        tool: Some(RecordedTool {
            input: json!({"a": [1.0, 0.1, {"tool:pre": "tool:pre"}], "n": 12_345_678}),
            ..RecordedTool::default()
        }),
        unfit: vec!["none".to_owned(), secret.to_owned()],
        ..RecordV1::default()
    };
    let hidden = "[redacted:environment]";
    let mut expected = record.clone();
    expected.prompt = Some(format!("say {hidden}"));
    expected.tool.as_mut().unwrap().input = json!({"a": [1.0, 0.1, {hidden: hidden}], "n": 12_345_678});
    expected.unfit[1] = hidden.to_owned();
    let redactor = Redactor::hiding([secret.to_owned(), "12345678".to_owned()]);
    assert_eq!(redactor.draft(&record).unwrap(), Draft::of(&expected).unwrap());
    let plain = Redactor::default().draft(&record).unwrap();
    assert_eq!(
        plain.place(1, "", &Key::new([1; 32])),
        Draft::of(&record).unwrap().place(1, "", &Key::new([1; 32]))
    );
}
