use serde_json::json;
use tenter_contract::Layer;

use super::*;

fn entry() -> NewEntry {
    NewEntry {
        name: "fresh".to_owned(),
        event: "tool:pre".to_owned(),
        lines: vec![
            EntryLine::Comment("Which tools.".to_owned()),
            EntryLine::key("matcher", "Bash"),
            EntryLine::key("ask", json!({ "prompt": "Go on?", "timeout": "60s", "default": "deny" })),
        ],
    }
}

fn source(format: Format, text: &str) -> SourceText<'_> {
    let name = match format {
        Format::Yaml => "hooks.yaml",
        Format::Toml => "hooks.toml",
        Format::Json => "hooks.json",
    };
    SourceText { name, folder: "", layer: Layer::User, format, text }
}

/// Adds it, finds every line of the file in its place, and takes it out again.
fn check(format: Format, text: &str) -> String {
    let added = entry().added_to(&source(format, text)).unwrap_or_else(|| panic!("{text}"));
    let loaded = load(&source(format, &added));
    assert!(loaded.hooks.iter().any(|hook| hook.id.name == "fresh"), "{added}");
    let mut rest = added.chars();
    let kept = |letter: char, rest: &mut std::str::Chars<'_>| rest.any(|other| other == letter);
    assert!(text.chars().all(|letter| kept(letter, &mut rest)), "something is gone:\n{added}");
    let had_hooks = !load(&source(format, text)).hooks.is_empty();
    match entry().taken_out_of(&source(format, &added), None) {
        Some(Without::Text(left)) if had_hooks => assert_eq!(left.trim_end(), text.trim_end(), "{added}"),
        Some(Without::Text(left)) => assert!(!left.contains("fresh"), "{left}"),
        Some(Without::Nothing) => assert!(!had_hooks, "{added}"),
        None => panic!("{added}"),
    }
    let kept = entry().taken_out_of(&source(format, &added), Some(text));
    assert_eq!(kept, Some(Without::Text(text.to_owned())), "a kept text comes back byte for byte");
    added
}

const YAML: [&str; 7] = [
    "version: 1\n",
    "version: 1\nhooks:\n",
    "version: 1",
    "# mine\nversion: 1\nhooks:\n  tool:pre:\n    # a guard\n    - name: a\n      deny: \"no\" # really\n\n  tool:post:\n  - { name: b, command: \"true\" }\n",
    "version: 1\nhooks:\n  tool:pre:\n  - { name: a, deny: \"no\" }\nproject_variables: [X]",
    "version: 1\nhooks:\n  session:start:\n    - { name: a, inject: \"x\" }\n# the end\n",
    "version: 1\r\nhooks:\r\n  session:start:\r\n    - { name: a, inject: \"x\" }\r\n",
];

const TOML: [&str; 5] = [
    "version = 1\n",
    "version = 1",
    "# mine\nversion = 1 # one\n\n[[hooks.\"tool:pre\"]]\nname = \"a\"\ndeny = \"no\" # really\n",
    "version = 1\n[hooks]\n\"session:start\" = [ { name = \"a\", inject = \"x\" } ]\n",
    "version = 1\r\n[[hooks.PreToolUse]]\r\nname = \"a\"\r\ndeny = \"no\"\r\n",
];

const JSON: [&str; 10] = [
    "{ \"version\": 1 }\n",
    "{\n  \"version\": 1\n}\n",
    "{\n    \"version\": 1,\n    \"hooks\": {}\n}",
    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"tool:pre\": []\n  }\n}\n",
    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"tool:pre\": [{\"name\": \"a\", \"deny\": \"no\"}]\n  }\n}\n",
    "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"tool:pre\": [\n\t\t\t{ \"name\": \"a\", \"deny\": \"no\" } // a guard\n\t\t]\n\t}\n}\n",
    "{\n  // mine\n  \"version\": 1,\n  \"hooks\": {\n    \"tool:pre\": [\n      { \"name\": \"a\", \"deny\": \"no\" }, /* trailing */\n    ],\n  },\n}\n",
    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"session:start\": [{ \"name\": \"a\", \"inject\": \"x\" }] // the last\n  }\n}\n",
    "{\"version\":1,\"hooks\":{\"session:start\":[{\"name\":\"a\",\"inject\":\"x\"}]}}",
    "{\r\n  \"version\": 1,\r\n  \"hooks\": {\r\n    \"session:start\": []\r\n  }\r\n}\r\n",
];

#[test]
fn added_hook_can_be_removed_without_a_trace() {
    for (format, texts) in [(Format::Yaml, &YAML[..]), (Format::Toml, &TOML[..]), (Format::Json, &JSON[..])] {
        for text in texts {
            let added = check(format, text);
            assert_eq!(text.contains("\r\n"), added.contains("\r\n"), "{added:?}");
            assert!(!added.replace("\r\n", "").contains('\r'), "{added:?}");
        }
    }
}

#[test]
fn empty_file_gets_a_version() {
    for (format, text) in [
        (Format::Yaml, ""),
        (Format::Yaml, "\n"),
        (Format::Yaml, "# my hooks\n\n  # to come"),
        (Format::Yaml, "# my hooks\r\n"),
        (Format::Yaml, "---\n# my hooks\n"),
        (Format::Yaml, "\u{feff}"),
        (Format::Toml, ""),
        (Format::Toml, "# my hooks\n"),
        (Format::Json, ""),
        (Format::Json, "\n"),
    ] {
        let added = check(format, text);
        let loaded = load(&source(format, &added));
        assert_eq!((loaded.hooks.len(), loaded.problems), (1, vec![]), "{added}");
        assert!(added.starts_with(text), "{added}");
    }
}

#[test]
fn kept_file_is_never_deleted() {
    for (before, left) in [("version: 1\n", "version: 1\n"), ("", ""), (YAML[3], "version: 1\n")] {
        let alone = entry().alone(Format::Yaml);
        let without = entry().taken_out_of(&source(Format::Yaml, &alone), Some(before));
        assert_eq!(without, Some(Without::Text(left.to_owned())), "{before}");
    }
}

#[test]
fn added_hook_looks_like_its_siblings() {
    insta::assert_snapshot!(check(Format::Json, JSON[5]), @r#"
    {
    	"version": 1,
    	"hooks": {
    		"tool:pre": [
    			{ "name": "a", "deny": "no" }, // a guard
    			{
    				"name": "fresh",
    				"matcher": "Bash",
    				"ask": {
    					"prompt": "Go on?",
    					"timeout": "60s",
    					"default": "deny"
    				}
    			}
    		]
    	}
    }
    "#);
    insta::assert_snapshot!(check(Format::Toml, TOML[2]), @r##"
    # mine
    version = 1 # one

    [[hooks."tool:pre"]]
    name = "a"
    deny = "no" # really

    [[hooks."tool:pre"]]
    name = "fresh"
    # Which tools.
    matcher = "Bash"
    ask = { prompt = "Go on?", timeout = "60s", default = "deny" }
    "##);
    insta::assert_snapshot!(check(Format::Yaml, YAML[3]), @r##"
    # mine
    version: 1
    hooks:
      tool:pre:
        # a guard
        - name: a
          deny: "no" # really
        - name: fresh
          # Which tools.
          matcher: Bash
          ask: { prompt: "Go on?", timeout: 60s, default: deny }

      tool:post:
      - { name: b, command: "true" }
    "##);
}

#[test]
fn unusual_files_are_not_edited() {
    for (format, text) in [
        (Format::Yaml, "version: 1\nhooks: { tool:pre: [ { name: a, deny: \"no\" } ] }\n"),
        (Format::Yaml, "version: 1\nhooks:\n  tool:pre: [ { name: a, deny: \"no\" } ]\n"),
        (Format::Yaml, "version: 1\nhooks: [\n"),
        (Format::Toml, "version = 1\n[hooks]\n\"tool:pre\" = [ { name = \"a\", deny = \"no\" } ]\n"),
        (Format::Toml, "version = 1\nhooks = {}\n"),
        (Format::Json, "{ \"version\": 1, \"hooks\": [] }"),
        (Format::Json, "{ \"version\": 1, \"hooks\": { \"tool:pre\": {} } }"),
        (Format::Json, "[]"),
    ] {
        assert_eq!(entry().added_to(&source(format, text)), None, "{text}");
    }
}

#[test]
fn pasted_hook_loads_in_a_list() {
    let paste = |format| entry().to_paste(format);
    for (format, text) in [
        (Format::Yaml, format!("version: 1\nhooks: {{ tool:pre: [ {} ] }}\n", paste(Format::Yaml))),
        (Format::Toml, format!("version = 1\nhooks = {{ \"tool:pre\" = [ {} ] }}\n", paste(Format::Toml))),
        (
            Format::Json,
            format!("{{ \"version\": 1, \"hooks\": {{ \"tool:pre\": [ {} ] }} }}", paste(Format::Json)),
        ),
    ] {
        let loaded = load(&source(format, &text));
        assert_eq!((loaded.hooks.len(), loaded.problems), (1, vec![]), "{text}");
    }
}

#[test]
fn own_file_is_valid_and_removable() {
    for format in [Format::Yaml, Format::Toml, Format::Json] {
        let text = entry().alone(format);
        let loaded = load(&source(format, &text));
        assert_eq!((loaded.hooks.len(), loaded.problems), (1, vec![]), "{text}");
        assert_eq!(entry().taken_out_of(&source(format, &text), None), Some(Without::Nothing));
    }
}

#[test]
fn changed_entries_are_left_alone() {
    for text in [YAML[3], YAML[5]] {
        let added = check(Format::Yaml, text);
        for changed in [added.replace("Go on?", "Really?"), added.replace("60s", "61s"), text.to_owned()] {
            assert_eq!(entry().taken_out_of(&source(Format::Yaml, &changed), Some(text)), None, "{changed}");
        }
        // What others have added stays.
        let more = added.replace("version: 1\n", "version: 1\nproject_variables: [Y]\n");
        let left = text.replace("version: 1\n", "version: 1\nproject_variables: [Y]\n");
        assert_eq!(entry().taken_out_of(&source(Format::Yaml, &more), Some(text)), Some(Without::Text(left)));
    }
}
