use serde_json::json;

use super::*;

fn turn(say: Option<&str>, calls: Vec<ToolCall>) -> Turn {
    Turn { expect: Expectation::default(), say: say.map(str::to_owned), calls }
}

fn call(tool: &str, input: Value) -> ToolCall {
    let Value::Object(input) = input else { panic!("{input} is no mapping") };
    ToolCall { tool: tool.to_owned(), input }
}

#[test]
fn a_script_is_read_from_yaml_and_from_json_alike() {
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
fn what_is_no_script_is_told_with_its_place_and_what_to_write() {
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
        "version: 1\nturns: [ { say: x, say: y } ]",
        "version: 1\nturns: [",
        "version: 1\nturns: &a [ *a ]",
        "version: 1\nturns: [ !x y ]",
        "version: 1\n---\nversion: 1",
        "{\"version\": 1,}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    ];
    let told: Vec<String> = scripts
        .iter()
        .map(|script| {
            let error = Script::read(script, "/p").unwrap_err();
            format!("{script}\n    {error}\n    hint: {}", error.hint())
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}
