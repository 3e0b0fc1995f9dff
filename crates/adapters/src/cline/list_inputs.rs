//! Inputs of Cline's tools that take a list. Cline accepts a list under a key, one item in its place, the list alone or a
//! text alone, and so do we: a form that we did not read would be a call that no guard sees.

use serde_json::{Map, Value, json};
use tenter_contract::template::shell_quote;

/// A tool that takes a list: its name, the keys of the list, and the translation of the items both ways.
pub(super) struct ListInput {
    tool: &'static str,
    keys: &'static [&'static str],
    ours: fn(&[&Value]) -> Map<String, Value>,
    theirs: fn(&Map<String, Value>) -> Value,
}

const LIST_INPUTS: [ListInput; 4] = [
    ListInput {
        tool: "run_commands",
        keys: &["commands", "command", "cmd"],
        ours: commands,
        // Several commands become one script: the judged text is the one that runs.
        theirs: |input| json!({ "commands": input.get("command").into_iter().collect::<Vec<_>>() }),
    },
    ListInput {
        tool: "read_files",
        keys: &["files", "file_paths", "paths", "path", "file_path", "filePath"],
        ours: files,
        theirs: native_files,
    },
    ListInput {
        tool: "search_codebase",
        keys: &["queries"],
        ours: |items| joined("pattern", items.iter().filter_map(|item| item.as_str())),
        theirs: |input| json!({ "queries": lines(input, "pattern") }),
    },
    ListInput { tool: "fetch_web_content", keys: &["requests"], ours: requests, theirs: native_requests },
];

/// The list of a tool, if it takes one.
pub(super) fn find(tool: &str) -> Option<&'static ListInput> {
    LIST_INPUTS.iter().find(|list| list.tool == tool)
}

impl ListInput {
    /// An input of theirs under our keys. Other fields keep their keys.
    pub(super) fn ours(&self, input: &Value) -> Map<String, Value> {
        let Value::Object(fields) = input else { return (self.ours)(&items(input)) };
        let held: Vec<&Value> = self.keys.iter().filter_map(|key| fields.get(*key)).collect();
        // The extension writes a list as a text.
        let read: Vec<Option<Value>> = held.iter().map(|held| list_in_text(held)).collect();
        let held = held.into_iter().zip(&read).map(|(held, read)| read.as_ref().unwrap_or(held));
        let single = ["args", "start_line", "end_line"].iter().any(|key| fields.contains_key(*key));
        let items: Vec<&Value> = if single && !fields.contains_key(self.keys[0]) {
            vec![input]
        } else {
            held.flat_map(items).collect()
        };
        let mut ours = (self.ours)(&items);
        for (key, value) in fields.iter().filter(|(key, _)| !self.keys.contains(&key.as_str())) {
            ours.entry(key.clone()).or_insert_with(|| value.clone());
        }
        ours
    }

    /// An input of ours as they take it.
    pub(super) fn theirs(&self, input: &Map<String, Value>) -> Value {
        (self.theirs)(input)
    }
}

/// The items of a list, or a single one.
fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => vec![value],
    }
}

fn list_in_text(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|text| text.trim_start().starts_with('['))?;
    serde_json::from_str(text).ok().filter(Value::is_array)
}

fn joined<'a>(key: &str, texts: impl Iterator<Item = &'a str>) -> Map<String, Value> {
    let texts: Vec<&str> = texts.collect();
    let joined = (!texts.is_empty()).then(|| (key.to_owned(), Value::from(texts.join("\n"))));
    joined.into_iter().collect()
}

fn lines<'a>(input: &'a Map<String, Value>, key: &str) -> Vec<&'a str> {
    input.get(key).and_then(Value::as_str).into_iter().flat_map(str::lines).collect()
}

/// Commands, one a line. A program with its arguments is written as a shell would take it.
fn commands(items: &[&Value]) -> Map<String, Value> {
    let line = |item: &&Value| match item {
        Value::String(line) => Some(line.clone()),
        Value::Object(fields) => {
            let program = fields.get("command").or_else(|| fields.get("cmd"))?.as_str()?;
            let words = fields.get("args").and_then(Value::as_array).into_iter().flatten();
            let words = words.map(|word| word.as_str().map_or_else(|| word.to_string(), as_word));
            Some([program.to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    };
    let all: Vec<String> = items.iter().filter_map(line).collect();
    joined("command", all.iter().map(String::as_str))
}

/// A word, quoted only where a shell would take it for more than itself.
fn as_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { shell_quote(word) }
}

/// One file as other agents name it, several as a list.
fn files(items: &[&Value]) -> Map<String, Value> {
    let path = |item: &Value| match item {
        Value::String(path) => Some(path.clone()),
        Value::Object(fields) => ["path", "file_path", "filePath"]
            .iter()
            .find_map(|key| fields.get(*key).and_then(Value::as_str))
            .map(str::to_owned),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    };
    match items {
        [one] => {
            let range = ["start_line", "end_line"].into_iter();
            let range = range.filter_map(|key| Some((key.to_owned(), one.get(key)?.clone())));
            let path = path(one).map(|path| ("file_path".to_owned(), Value::from(path)));
            path.into_iter().chain(range).collect()
        }
        several => {
            let paths: Vec<String> = several.iter().filter_map(|item| path(item)).collect();
            Map::from_iter([("paths".to_owned(), Value::from(paths))])
        }
    }
}

fn native_files(input: &Map<String, Value>) -> Value {
    let several = input.get("paths").and_then(Value::as_array).into_iter().flatten();
    let several = several.map(|path| json!({ "path": path }));
    let one = input.get("file_path").map(|path| {
        let range = ["start_line", "end_line"].into_iter();
        let range = range.filter_map(|key| Some((key.to_owned(), input.get(key)?.clone())));
        Value::Object([("path".to_owned(), path.clone())].into_iter().chain(range).collect())
    });
    json!({ "files": one.into_iter().chain(several).collect::<Vec<_>>() })
}

fn requests(items: &[&Value]) -> Map<String, Value> {
    let all = |key: &'static str| items.iter().filter_map(move |item| item.get(key)?.as_str());
    joined("url", all("url")).into_iter().chain(joined("prompt", all("prompt"))).collect()
}

fn native_requests(input: &Map<String, Value>) -> Value {
    let prompt = input.get("prompt").cloned().unwrap_or_default();
    let requests = lines(input, "url").into_iter().map(|url| json!({ "url": url, "prompt": prompt }));
    json!({ "requests": requests.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, theirs: &Value, expected: &Value, back: &Value) {
        let list = find(tool).unwrap();
        let ours = list.ours(theirs);
        assert_eq!(Value::Object(ours.clone()), *expected, "{theirs}");
        assert_eq!(list.theirs(&ours), *back, "{theirs}, and back");
    }

    #[test]
    fn commands_are_read_in_every_form() {
        let one = json!({"command": "git push --force"});
        let back = json!({"commands": ["git push --force"]});
        for theirs in [
            json!({"commands": ["git push --force"]}),
            json!({"commands": "git push --force"}),
            json!({"commands": "[\"git push --force\"]"}),
            json!({"commands": [{"command": "git", "args": ["push", "--force"]}]}),
            json!({"commands": {"command": "git push --force"}}),
            json!([{"command": "git", "args": ["push", "--force"]}]),
            json!({"cmd": "git push --force"}),
            json!(["git push --force"]),
            json!("git push --force"),
        ] {
            check("run_commands", &theirs, &one, &back);
        }
        let with_args = json!({"command": "git", "args": ["commit", "-m", "it's done"]});
        check(
            "run_commands",
            &with_args,
            &json!({"command": r"git commit -m 'it'\''s done'", "args": ["commit", "-m", "it's done"]}),
            &json!({"commands": [r"git commit -m 'it'\''s done'"]}),
        );
        check(
            "run_commands",
            &json!({"commands": ["ls", "rm -rf x"], "command": "hidden", "timeout": 5}),
            &json!({"command": "ls\nrm -rf x\nhidden", "timeout": 5}),
            &json!({"commands": ["ls\nrm -rf x\nhidden"]}),
        );
        check("run_commands", &json!({"commands": 7}), &json!({}), &json!({"commands": []}));
    }

    #[test]
    fn files_are_read_in_every_form() {
        let back = json!({"files": [{"path": "a"}]});
        for theirs in [
            json!({"files": [{"path": "a"}]}),
            json!({"files": [{"filePath": "a"}]}),
            json!({"files": {"path": "a"}}),
            json!({"files": "a"}),
            json!({"file_paths": ["a"]}),
            json!({"paths": "a"}),
            json!({"path": "a"}),
            json!({"file_path": "a"}),
            json!(["a"]),
            json!("a"),
        ] {
            check("read_files", &theirs, &json!({"file_path": "a"}), &back);
        }
        check(
            "read_files",
            &json!({"path": "a", "start_line": 3}),
            &json!({"file_path": "a", "start_line": 3}),
            &json!({"files": [{"path": "a", "start_line": 3}]}),
        );
        check(
            "read_files",
            &json!({"files": ["a", {"path": "b", "start_line": 2}]}),
            &json!({"paths": ["a", "b"]}),
            &json!({"files": [{"path": "a"}, {"path": "b"}]}),
        );
    }

    #[test]
    fn queries_and_requests_are_read() {
        check(
            "search_codebase",
            &json!({"queries": ["a", "b"]}),
            &json!({"pattern": "a\nb"}),
            &json!({"queries": ["a", "b"]}),
        );
        check(
            "fetch_web_content",
            &json!({"requests": [{"url": "https://a", "prompt": "p"}]}),
            &json!({"url": "https://a", "prompt": "p"}),
            &json!({"requests": [{"url": "https://a", "prompt": "p"}]}),
        );
    }
}
