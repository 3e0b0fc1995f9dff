//! What is put in can be taken out again without a trace, and what is there stays.

use super::*;

const PROGRAM: &str = "/opt/it's here/tenter";

fn settings(agent: &str) -> &'static ServerSettings {
    ALL.iter().find(|settings| settings.agent == agent).unwrap()
}

/// Files of people, by the form they are for.
fn files(form: &Form) -> &'static [&'static str] {
    match form {
        Form::Json { .. } => &[
            "{}",
            "{}\n",
            "{\n  \"a\": 1\n}",
            "{\n\t\"a\": [1, 2], // mine\n\t\"b\": {}\n}\n",
            "{\"a\":1}",
            "{\n  \"mcpServers\": {},\n  \"z\": 1\n}\n",
            "{\r\n  \"mcpServers\": {\r\n    \"other\": { \"command\": \"x\" }\r\n  }\r\n}\r\n",
            "{\n  \"mcp\": { \"other\": { \"type\": \"remote\" } },\n}\n",
            "// only words\n",
        ],
        Form::Toml => &[
            "",
            "model = \"x\"",
            "model = \"x\"\n",
            "# mine\n[mcp_servers.other]\ncommand = \"x\"\nargs = [\"tenter\"]\n\n",
            "[a]\r\nb = 1\r\n",
            "text = '''\nx\n'''\n",
        ],
    }
}

#[test]
fn what_is_put_in_is_taken_out_again_byte_for_byte() {
    for place in &ALL {
        let agent = place.agent;
        for before in files(&place.form) {
            let with_us = place.register(Some(before), PROGRAM).unwrap();
            assert_eq!(place.registered(&with_us), Ok(Some(PROGRAM.to_owned())), "{agent}: {with_us}");
            assert_eq!(place.register(Some(&with_us), PROGRAM).unwrap(), with_us, "{agent}: twice is once");
            assert_eq!(
                place.unregister(&with_us, Some(before)),
                Ok(Uninstalled::Restored),
                "{agent}: {before:?}"
            );
            let moved = place.register(Some(&with_us), "/usr/bin/tenter").unwrap();
            assert_eq!(place.registered(&moved), Ok(Some("/usr/bin/tenter".to_owned())), "{agent}");
            assert_eq!(place.unregister(before, None), Ok(Uninstalled::NotInstalled), "{agent}: {before:?}");
        }
        let alone = place.register(None, PROGRAM).unwrap();
        assert_eq!(place.unregister(&alone, None), Ok(Uninstalled::NothingElse), "{agent}");
    }
}

#[test]
fn what_came_since_stays() {
    let codex = settings("codex");
    let with_us = codex.register(Some("model = \"x\"\n"), PROGRAM).unwrap();
    let since = format!("{with_us}\n[projects.\"/w\"]\ntrust_level = \"trusted\"\n");
    let text = "model = \"x\"\n\n[projects.\"/w\"]\ntrust_level = \"trusted\"\n".to_owned();
    assert_eq!(codex.unregister(&since, Some("model = \"x\"\n")), Ok(Uninstalled::Cut { text }));

    let claude = settings("claude");
    let with_us = claude.register(Some("{\n  \"numStartups\": 1\n}\n"), PROGRAM).unwrap();
    let since = with_us.replace("\"numStartups\": 1", "\"numStartups\": 2");
    let text = "{\n  \"numStartups\": 2\n}\n".to_owned();
    let before = Some("{\n  \"numStartups\": 1\n}\n");
    assert_eq!(claude.unregister(&since, before), Ok(Uninstalled::Cut { text }));
}

#[test]
fn foreign_server_with_our_name_is_kept() {
    let json = r#"{"mcpServers": {"tenter": {"command": "npx", "args": ["tenter-like"]}}}"#;
    let toml = "[mcp_servers.tenter]\ncommand = \"npx\"\nargs = [\"tenter-like\"]\n";
    for (agent, text) in [("cursor", json), ("codex", toml)] {
        let place = settings(agent);
        assert_eq!(place.register(Some(text), PROGRAM), Err(taken()), "{agent}");
        assert_eq!(place.unregister(text, None), Ok(Uninstalled::NotInstalled), "{agent}");
    }
}

#[test]
fn what_cannot_be_edited_is_refused_and_says_why() {
    let rows = [
        ("cursor", "[]", "its content"),
        ("cursor", "{\"mcpServers\": 7}", "`mcpServers`"),
        ("cursor", "{", "object"),
        ("codex", "mcp_servers = { other = { command = \"x\" } }\n", "leaves no room"),
        ("codex", "mcp_servers.tenter.command = \"x\"\n", "leaves no room"),
    ];
    for (agent, text, expected) in rows {
        let error = settings(agent).register(Some(text), PROGRAM).unwrap_err().to_string();
        assert!(error.contains(expected), "{agent} {text}: {error}");
    }
}

#[test]
fn every_place_is_of_an_agent_that_is_known() {
    for place in &ALL {
        assert!(crate::by_name(place.agent).is_some(), "{}", place.agent);
        assert!(place.user.or(place.project).is_some(), "{}", place.agent);
    }
}
