use std::collections::BTreeMap;

use serde_json::json;

use super::*;

#[test]
fn paths_come_from_every_usual_key() {
    for (input, expected) in [
        (json!({"file_path": "a"}), vec!["a"]),
        (json!({"path": "b", "notebook_path": "c", "file_path": "a"}), vec!["a", "c", "b"]),
        (json!({"paths": ["a", "", 7, "b/*.rs"]}), vec!["a", "b/*.rs"]),
        (json!({"paths": "a", "file_path": ["b"], "path": ""}), vec!["a", "b"]),
    ] {
        let call = ToolCall::new("Read", ToolKind::Read, input.as_object().cloned().unwrap());
        assert_eq!(call.paths, expected, "{input}");
    }
}

/// A tool with an unknown name does not bypass a guard for commands.
#[test]
fn unknown_tool_with_command_is_a_shell() {
    let input = json!({"command": "rm -rf x"});
    for (kind, expected) in
        [(ToolKind::Shell, Some("rm -rf x")), (ToolKind::Other, Some("rm -rf x")), (ToolKind::Edit, None)]
    {
        let call = ToolCall::new("run_it", kind, input.as_object().cloned().unwrap());
        assert_eq!(call.command.as_deref(), expected, "{kind:?}");
    }
}

#[test]
fn unknown_tool_is_classified_by_input() {
    let path = "p/a";
    for (kind, input, names, paths) in [
        (ToolKind::Other, json!({"command": "rm x"}), "Bash t shell", vec![]),
        (ToolKind::Other, json!({"cmd": ["rm", "x"]}), "Bash t shell", vec![]),
        (ToolKind::Mcp, json!({"command": "rm x"}), "t t mcp Bash shell", vec![]),
        (ToolKind::Other, json!({"command": "view", "path": path}), "Read t read", vec![path]),
        (ToolKind::Other, json!({"command": "str_replace", "path": path}), "Edit t edit", vec![path]),
        (ToolKind::Other, json!({"patch": "*** Add File: p/a\n+x"}), "Write t write", vec![path]),
        (ToolKind::Other, json!({"text": "rm x"}), "t t other", vec![]),
    ] {
        let call = ToolCall::new("t", kind, input.as_object().cloned().unwrap());
        assert_eq!(call.names().collect::<Vec<_>>().join(" "), names, "{input}");
        assert_eq!(call.paths, paths, "{input}");
    }
    let slash = ToolCall::new(
        "SlashCommand",
        ToolKind::Other,
        json!({"command": "/x"}).as_object().cloned().unwrap(),
    );
    assert_eq!(slash.kind, ToolKind::Other);
}

#[test]
fn file_changing_tools_are_write_or_edit() {
    for (name, kind, expected) in [
        ("NotebookEdit", ToolKind::Edit, "NotebookEdit NotebookEdit edit Edit"),
        ("Delete", ToolKind::Edit, "Delete Delete edit Edit"),
        ("Edit", ToolKind::Edit, "Edit Edit edit"),
        ("CreateFile", ToolKind::Write, "CreateFile CreateFile write Write"),
    ] {
        let call = ToolCall::new(name, kind, Map::new());
        assert_eq!(call.names().collect::<Vec<_>>().join(" "), expected);
    }
    let patch =
        json!({"command": "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: p/a\n*** End Patch\nE"});
    let call = ToolCall::new("Bash", ToolKind::Shell, patch.as_object().cloned().unwrap());
    assert!(call.names().any(|name| name == "Edit"));
    assert_eq!(call.paths, ["p/a"]);
}

/// Scripts know `content`, `old_string` and `new_string`, and none knows a patch.
#[test]
fn patch_and_keys_stay_in_sync() {
    let keys = |value: Value| value.as_object().cloned().unwrap();
    let add = |text: &str| format!("*** Begin Patch\n*** Add File: a\n+{text}\n*** End Patch");
    let both = |text: &str| json!({"patch": add(text), "file_path": "a", "content": format!("{text}\n")});
    // The model's own word counts for nothing.
    let call =
        ToolCall::from_patch("apply_patch", "patch", keys(json!({"patch": add("x"), "content": "lie"})));
    assert_eq!(Value::Object(call.input.clone()), both("x"));
    for (new, expected) in [
        (json!({"file_path": "a", "content": "y\n"}), both("y")),
        (json!({"patch": add("x"), "file_path": "a", "content": "y"}), both("y")),
        (json!({"patch": add("y"), "file_path": "a", "content": "x\n"}), both("y")),
        (json!({"patch": add("x"), "file_path": "a"}), both("x")),
        (json!({"file_path": "a", "content": "x\n"}), both("x")),
        (
            json!({"patch": "*** Delete File: a", "file_path": "a", "content": "x\n"}),
            json!({"patch": "*** Delete File: a", "file_path": "a"}),
        ),
        // What cannot be both is left for the agent's capabilities to refuse.
        (json!({"patch": add("x"), "content": 7}), json!({"patch": add("x"), "content": 7})),
        (json!({"patch": add("y"), "content": "z"}), json!({"patch": add("y"), "content": "z"})),
        (json!({"file_path": "a"}), json!({"file_path": "a"})),
    ] {
        let mut changed = call.clone();
        changed.set_input(keys(new.clone()));
        let ordered = |map: &Map<String, Value>| map.clone().into_iter().collect::<BTreeMap<_, _>>();
        assert_eq!(ordered(&changed.input), ordered(&keys(expected)), "{new}");
    }
}

#[test]
fn patch_is_write_or_edit() {
    for (patch, names, paths) in [
        ("*** Add File: a", "Write apply_patch write", vec!["a"]),
        ("*** Update File: a\n*** Move to: b", "Edit apply_patch edit", vec!["a", "b"]),
        ("*** Delete File: a\n*** Add File: b", "Edit apply_patch edit Write write", vec!["a", "b"]),
        ("*** Add File: a\n*** Add File: a\n*** Add File: b", "Write apply_patch write", vec!["a", "b"]),
        ("nothing", "Edit apply_patch edit", vec![]),
    ] {
        let input = json!({"patch": patch}).as_object().cloned().unwrap();
        let call = ToolCall::from_patch("apply_patch", "patch", input);
        assert_eq!(call.names().collect::<Vec<_>>().join(" "), names, "{patch}");
        assert_eq!(call.paths, paths, "{patch}");
        assert_eq!(call.input.get("file_path").and_then(Value::as_str), paths.first().copied(), "{patch}");
    }
}
