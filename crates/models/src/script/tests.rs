use serde_json::json;

use super::*;

fn turn(say: Option<&str>, calls: Vec<ScriptCall>) -> Turn {
    Turn { say: say.map(str::to_owned), calls, ..Turn::default() }
}

fn call(tool: &str, input: Value) -> ScriptCall {
    let Value::Object(input) = input else { panic!("{input} is no mapping") };
    ScriptCall { tool: tool.to_owned(), input }
}

#[test]
fn yaml_and_json_give_the_same_script() {
    let yaml = r#"
version: 1
turns:
  - expect: { contains: "Fix the script", lacks: [secret, token] }
    say: "I will write it."
    call: { tool: Write, input: { file_path: "{project}/a.sh", content: "echo {project}", lines: [1, -2, 1.5, true, null, 1.2.3] } }
  - expect: { tool_result_contains: "Syntax error" }
    call:
      - { tool: Bash, input: { command: git push --force } }
      - { tool: TaskList }
  - say: Done.
"#;
    let json = json!({"version": 1, "turns": [
        {"expect": {"contains": "Fix the script", "lacks": ["secret", "token"]}, "say": "I will write it.",
         "call": {"tool": "Write", "input": {"file_path": "{project}/a.sh", "content": "echo {project}",
            "lines": [1, -2, 1.5, true, null, "1.2.3"]}}},
        {"expect": {"tool_result_contains": ["Syntax error"]},
         "call": [{"tool": "Bash", "input": {"command": "git push --force"}}, {"tool": "TaskList", "input": {}}]},
        {"say": "Done."},
    ]});
    let list = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect::<Vec<String>>();
    let lines = json!([1, -2, 1.5, true, null, "1.2.3"]);
    let expected = Script {
        turns: vec![
            Turn {
                expect: Expectation {
                    contains: list(&["Fix the script"]),
                    lacks: list(&["secret", "token"]),
                    tool_result_contains: Vec::new(),
                },
                ..turn(
                    Some("I will write it."),
                    vec![call(
                        "Write",
                        json!({"file_path": "/p/a.sh", "content": "echo /p", "lines": lines}),
                    )],
                )
            },
            Turn {
                expect: Expectation {
                    tool_result_contains: list(&["Syntax error"]),
                    ..Expectation::default()
                },
                ..turn(
                    None,
                    vec![call("Bash", json!({"command": "git push --force"})), call("TaskList", json!({}))],
                )
            },
            turn(Some("Done."), Vec::new()),
        ],
    };
    assert_eq!(Script::read(yaml, "/p"), Ok(expected.clone()));
    assert_eq!(Script::read(&json.to_string(), "/p"), Ok(expected));
}

#[test]
fn failures_of_a_turn() {
    let script = "version: 1\nturns:\n\
        - fails: { status: 429, headers: { retry-after: 2, x-should-retry: true }, message: slow down }\n\
        - fails: { status: 529 }\n\
        - { say: hello, fails: { cut: 3 } }\n\
        - fails: { stall: 0 }\n\
        - fails: { garbage: <html> }\n";
    let fails: Vec<_> =
        Script::read(script, "/p").unwrap().turns.into_iter().filter_map(|it| it.fails).collect();
    let status = |status, headers: &[(&str, &str)], message: &str| ScriptFailure::Status {
        status,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        message: message.to_owned(),
    };
    assert_eq!(
        fails,
        [
            status(429, &[("retry-after", "2"), ("x-should-retry", "true")], "slow down"),
            status(529, &[], "The script fails here."),
            ScriptFailure::Cut(3),
            ScriptFailure::Stall(0),
            ScriptFailure::Garbage("<html>".to_owned()),
        ]
    );
}

#[test]
fn script_errors_have_place_and_hint() {
    let scripts = [
        "",
        "version: 2\nturns: []",
        "version: 1",
        "version: 1\nturns: { say: x }",
        "version: 1\nturns: [ { sya: x } ]",
        "version: 1\nturns: [ { say: x, when: now } ]",
        "version: 1\nturns:\n  - say: a\n  - expect: { contains: a }",
        "version: 1\nturns: [ { say: 7 } ]",
        "version: 1\nturns: [ { say: '' } ]",
        "version: 1\nturns: [ { call: { input: {} } } ]",
        "version: 1\nturns: [ { call: { tool: Bash, input: ls } } ]",
        "version: 1\nturns: [ { say: x, expect: { contain: y } } ]",
        "version: 1\nturns: [ { fails: { cut: 1, stall: 2 } } ]",
        "version: 1\nturns: [ { fails: { cut: 1, message: x } } ]",
        "version: 1\nturns: [ { fails: { status: 200 } } ]",
        "version: 1\nturns: [ { fails: { status: 429, headers: { 'a b': c } } } ]",
        "version: 1\nturns: [ { fails: { stall: soon } } ]",
        "version: 1\nturns: [ { fails: 429 } ]",
        "version: 1\nturns: [ { say: x, say: y } ]",
        "version: 1\nturns: [",
        "version: 1\nturns: &a [ *a ]",
        "version: 1\nturns: [ !x y ]",
        "version: 1\n---\nversion: 1",
        "{\"version\": 1,}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    ];
    let errors: Vec<String> = scripts
        .iter()
        .map(|script| {
            let error = Script::read(script, "/p").unwrap_err();
            format!("{script}\n    {error}\n    hint: {}", error.hint())
        })
        .collect();
    insta::assert_snapshot!(errors.join("\n"));
}
