//! The secrets in these rows are put together from pieces, so that no one takes this file for a leak.

use serde_json::json;
use tenter_protocol::v1::record::RecordedTool;

use super::*;
use crate::audit::seal::Key;

mod corpus;

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
        (format!("keyAKIA{}", "IOSFODNN7EXAMPLE"), "key[redacted:aws]"),
        (format!("keyASIA{}or", "IOSFODNNXEXAMPLE"), "key[redacted:aws]or"),
        (format!("KEYAKIA{}.", "IOSFODNN7EXAMPLE"), "KEY[redacted:aws]."),
        (format!("1AKIA{}x", "IOSFODNN7EXAMPLE"), "1[redacted:aws]x"),
        (format!("xoxb-1234-5678-{word}"), "[redacted:slack]"),
        (format!("xoxp-{word}"), "[redacted:slack]"),
        (
            format!("git clone https://oauth2:glpat-{word}@h/x"),
            "git clone https://oauth2:[redacted:gitlab]@h/x",
        ),
        (format!("PRIVATE-TOKEN: glpat-{word}"), "PRIVATE-TOKEN: [redacted:gitlab]"),
        (format!("_authToken=npm_{word}"), "_authToken=[redacted:npm]"),
        (format!("twine -p pypi-{word}{word}"), "twine -p [redacted:pypi]"),
        (format!("hf_{word} "), "[redacted:huggingface] "),
        (
            format!("one\nAuthorization: SSWS 00{}\nend", &word[..40]),
            "one\nAuthorization: SSWS [redacted:authorization]\nend",
        ),
        (
            format!("one\\nAuthorization: SSWS 00{}\\nend", &word[..40]),
            "one\\nAuthorization: SSWS [redacted:authorization]\\nend",
        ),
        (format!("tgp_v1_{word}"), "[redacted:together]"),
        (format!("SEARCH_ADMIN_KEY={} x", "0a1b".repeat(8)), "SEARCH_ADMIN_KEY=[redacted:key] x"),
        (format!("stripe sk_live_{word}, rk_test_{word}"), "stripe [redacted:stripe], [redacted:stripe]"),
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
fn values_of_secret_names_are_hidden() {
    let redactor = Redactor::default();
    for (text, expected) in [
        ("PASSWORD=hunter2", "PASSWORD=[redacted:password]"),
        ("export DB_PASSWORD=correcthorse; ls", "export DB_PASSWORD=[redacted:password]; ls"),
        ("API_KEY=abc123def456 ./run", "API_KEY=[redacted:key] ./run"),
        ("SECRET='s3cr3t-s3cr3t'", "SECRET='[redacted:secret]'"),
        ("env TOKEN=\"aB3dE5gH\" make", "env TOKEN=\"[redacted:token]\" make"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MD+x=", "AWS_SECRET_ACCESS_KEY=[redacted:key]"),
        ("password=hunter2&user=me", "password=[redacted:password]&user=me"),
        ("https://h/x?access_token=a1b2c3d4e5", "https://h/x?access_token=[redacted:token]"),
        ("connect(password=\"swordfish\")", "connect(password=\"[redacted:password]\")"),
        ("{\"api_key\": \"abc-123-def\"}", "{\"api_key\": \"[redacted:key]\"}"),
        ("{\\\"password\\\":\\\"hunter2\\\"}", "{\\\"password\\\":\\\"[redacted:password]\\\"}"),
        ("db:\n  password: hunter2\n  user: me", "db:\n  password: [redacted:password]\n  user: me"),
        ("client_secret: 8f14e45fceea167a", "client_secret: [redacted:secret]"),
        (
            "'passphrase' => 'open sesame1', 'token' => 'x1x2x3x4'",
            "'passphrase' => 'open sesame1', 'token' => '[redacted:token]'",
        ),
        ("password = hunter2", "password = [redacted:password]"),
        ("password=hunter2secret", "password=[redacted:password]"),
        ("password: Tr0ub4dor&3x, then", "password: [redacted:password], then"),
        ("token := \"abcd1234\"", "token := \"[redacted:token]\""),
        ("cfg[\"secret\"] = \"abcd1234\"", "cfg[\"secret\"] = \"[redacted:secret]\""),
        ("DB_PWD=123456", "DB_PWD=[redacted:password]"),
        ("mysql --password=hunter2)", "mysql --password=[redacted:password])"),
    ] {
        assert_eq!(redactor.text(text).as_deref(), Some(expected), "{text}");
        assert!(redactor.suspects(json!({ "x": text }).to_string().as_bytes()), "{text}");
        assert_eq!(redactor.text(expected), None, "what is left is clean");
    }
    let long = "token=".repeat(20_000);
    assert_eq!(redactor.text(&long), None);
}

#[test]
fn every_name_is_met_in_every_case() {
    let redactor = Redactor::default();
    for name in [
        "password",
        "passwd",
        "db_pwd",
        "passphrase",
        "secret",
        "token",
        "api_key",
        "api-key",
        "apikey",
        "access_key",
        "secret_key",
        "private_key",
        "signing_key",
        "encryption_key",
    ] {
        for text in [format!("{name}=abcd1234"), format!("{}: abcd1234", name.to_uppercase())] {
            assert!(redactor.text(&text).is_some_and(|clean| !clean.contains("abcd")), "{text}");
        }
    }
}

#[test]
fn secret_names_in_code_are_not_redacted() {
    let redactor = Redactor::default();
    for text in [
        "password = get_password()",
        "password=getpass1()",
        "token = None",
        "token=None",
        "API_KEY=$KEY",
        "API_KEY=${KEY:-x}",
        "API_KEY=\"$(cat key)\"",
        "TOKEN=%TOKEN%",
        "API_KEY=<your key>",
        "API_KEY=your-api-key-1",
        "API_KEY=API_KEY",
        "login(password=user.password, token=token)",
        "self.token = tokens[12]",
        "if token == \"abcd1234\" {",
        "password: String,",
        "token: Option<u64>, secret: Zeroizing<[u8; 32]>",
        "password: string;",
        "struct X { token: [u8; 32], secret: &'static str }",
        "token: Token256;",
        "\"password\": \"Passwort\"",
        "\"password\": \"Must have 8 characters\"",
        "\"token\": \"next-page\"",
        "secret: my-app-credentials",
        "max_tokens: 4096, next_token: 128",
        "\"token_count\": 12345678",
        "TOKEN_URL=https://h/token1",
        "PASSWORD_FILE=/run/secrets/db1",
        "DB_PASSWORD=/run/secrets/db1",
        "PWD=/home/me1",
        "password: \"${DB_PASSWORD}\"",
        "password: !vault x1",
        "password: ********",
        "const SECRET: u32 = 5;",
        "What is the password: 8 letters?",
        "let secret = thread_rng().gen::<u64>();",
        "git log --format=oneline token",
        "=",
        "token=",
        "password: ",
    ] {
        assert_eq!(redactor.text(text), None, "{text}");
    }
}

#[test]
fn private_text_is_hidden_except_in_commands() {
    let record = RecordV1 {
        v: 1,
        event: "tool:pre".to_owned(),
        prompt: Some("Mail <private>ann@x</private> and <PRIVATE a=1>bob <b>x</b>".to_owned()),
        tool: Some(RecordedTool {
            input: json!({
                "command": "echo '<private>'; rm -rf ~; PASSWORD=hunter2 x",
                "content": "a<private>b<private>c</private>d</private>e",
                "list": ["<private>x</private>", "</private> alone", "<private/>", "<privateer>"],
                "password": "hunter2",
                "token": "next-page",
            }),
            ..RecordedTool::default()
        }),
        ..RecordV1::default()
    };
    let private = "[redacted:private]";
    let mut expected = record.clone();
    expected.prompt = Some(format!("Mail {private} and {private}"));
    expected.tool.as_mut().unwrap().input = json!({
        "command": "echo '<private>'; rm -rf ~; PASSWORD=[redacted:password] x",
        "content": format!("a{private}e"),
        "list": [private, "</private> alone", "<private/>", "<privateer>"],
        "password": "[redacted:password]",
        "token": "next-page",
    });
    assert_eq!(Redactor::default().draft(&record).unwrap(), Draft::new(&expected).unwrap());
}

#[test]
fn ordinary_words_are_left_alone() {
    let redactor = Redactor::default();
    for text in [
        "task-management-and-planning-2026-v2",
        "the sk-learn-contributed-packages-list",
        "ghp_short",
        "AKIA is how they begin",
        "SLOVAKIA, EURASIA and AUSTRALASIA",
        "the slovAKIA and eurASIA of camelCASE",
        "CZECHOSLOVAKIAWASACOUNTRYINEUROPE",
        "EURASIAWITHSIXTEENMORE",
        "JBSWY3DPAKIAEHPK3PXPJBSWY3DPEHPK3PXP",
        "0A1B2C3D4E5F60718293A4B5C6D7E8F9ASIA",
        "dGhlAKIAc2VjcmV0IGlzIG5vdCBoZXJl",
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
fn environment_values_are_hidden_everywhere() {
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
fn variable_with_a_secret_name_is_a_secret() {
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
fn redaction_changes_strings_alone() {
    let secret = "tool:pre";
    let record = RecordV1 {
        v: 1,
        event: "tool:pre".to_owned(),
        prompt: Some(format!("say {secret}")),
        tool: Some(RecordedTool {
            input: json!({"a": [1.0, 0.1, {"tool:pre": "tool:pre"}], "n": 12_345_678}),
            ..RecordedTool::default()
        }),
        degraded: vec!["none".to_owned(), secret.to_owned()],
        ..RecordV1::default()
    };
    let hidden = "[redacted:environment]";
    let mut expected = record.clone();
    expected.prompt = Some(format!("say {hidden}"));
    expected.tool.as_mut().unwrap().input = json!({"a": [1.0, 0.1, {hidden: hidden}], "n": 12_345_678});
    expected.degraded[1] = hidden.to_owned();
    let redactor = Redactor::hiding([secret.to_owned(), "12345678".to_owned()]);
    assert_eq!(redactor.draft(&record).unwrap(), Draft::new(&expected).unwrap());
    let plain = Redactor::default().draft(&record).unwrap();
    assert_eq!(
        plain.place(1, "", &Key::new([1; 32])),
        Draft::new(&record).unwrap().place(1, "", &Key::new([1; 32]))
    );
}
