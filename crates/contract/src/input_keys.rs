//! Where tools keep commands, paths and working folders in their input.
//!
//! Agents' own tools have known keys, which their adapters translate. Tools of MCP servers and tools that no adapter
//! knows spell them as they like, so their input is searched: one name too many is better than one too few.
//! Keys are compared without case, blanks, `_` and `-`.

use serde_json::{Map, Value};

use crate::path_text::{self, LONGEST, looks_like_path};
use crate::{PathUse, ToolKind, command_line};

/// Keys of commands. `args` and its siblings are the words of one.
const COMMANDS: [&str; 11] = [
    "command",
    "cmd",
    "commands",
    "shellcommand",
    "bashcommand",
    "commandline",
    "commandtext",
    "script",
    "shell",
    "argv",
    "exec",
];
const WORDS: [&str; 4] = ["args", "arguments", "argv", "params"];

/// How keys of files end: `filePath`, `output_file`, `imagePaths`.
const PATH_ENDS: [&str; 6] = ["path", "paths", "file", "files", "filename", "filenames"];
/// Keys that end so and name no file.
const NO_PATHS: [&str; 4] = ["profile", "profiles", "xpath", "jsonpath"];

/// Keys that are those of files if the text looks like a path.
const PERHAPS: [&str; 14] = [
    "uri",
    "uris",
    "target",
    "targets",
    "source",
    "sources",
    "destination",
    "dest",
    "from",
    "to",
    "src",
    "dst",
    "location",
    "resource",
];

/// Keys of folders in which a tool works.
const FOLDERS: [&str; 24] = [
    "cwd",
    "dirpath",
    "workdir",
    "workingdir",
    "workingdirectory",
    "workingfolder",
    "directory",
    "dir",
    "folder",
    "basepath",
    "basedir",
    "basedirectory",
    "root",
    "rootpath",
    "rootdir",
    "repopath",
    "repo",
    "projectpath",
    "projectroot",
    "projectdir",
    "workspace",
    "workspacepath",
    "workspaceroot",
    "currentdirectory",
];

/// Keys of folders in which the call makes or lists files.
const TARGET_FOLDERS: [&str; 7] =
    ["directory", "dir", "folder", "parent", "parentdir", "parentdirectory", "parentfolder"];
/// Keys of folders into which a file goes, in a call that names a file.
const DESTINATIONS: [&str; 3] = ["destination", "dest", "dst"];

/// Keys under which tools that search take globs of files.
const GLOBS: [&str; 8] = [
    "glob",
    "globs",
    "include",
    "includes",
    "includepattern",
    "includepatterns",
    "filepattern",
    "filepatterns",
];
const GLOBS_OF_FINDERS: [&str; 3] = ["pattern", "patterns", "query"];

/// Keys of what a tool writes.
const CONTENTS: [&str; 7] = ["content", "contents", "text", "code", "oldstring", "newstring", "message"];

/// More texts than this are not judged one by one: a condition on paths holds for such a call.
const MOST_TEXTS: usize = 8_192;
const DEEPEST: usize = 512;
/// A text that is JSON itself is read up to this size.
const LONGEST_JSON: usize = 256 * 1024;

pub(crate) fn is(key: &str, names: &[&str]) -> bool {
    names.iter().any(|name| plain(key).eq(name.bytes().rev()))
}

/// The bytes of a key, from its end.
fn plain(key: &str) -> impl Iterator<Item = u8> {
    let meant = key.bytes().rev().filter(|byte| !b"_- ".contains(byte));
    meant.map(|byte| byte.to_ascii_lowercase())
}

fn ends(key: &str, names: &[&str]) -> bool {
    names.iter().any(|name| plain(key).take(name.len()).eq(name.bytes().rev()))
}

fn is_path_key(key: &str) -> bool {
    ends(key, &PATH_ENDS) && !ends(key, &NO_PATHS) && !is(key, &FOLDERS)
}

/// The command line in an input of a tool of this kind.
pub(crate) fn command(kind: ToolKind, input: &Map<String, Value>) -> Option<String> {
    match kind {
        ToolKind::Shell | ToolKind::Other | ToolKind::Mcp => {}
        ToolKind::Write
        | ToolKind::Edit
        | ToolKind::Read
        | ToolKind::Search
        | ToolKind::Fetch
        | ToolKind::Task => return None,
    }
    let known = input.get("command");
    // A known key with a wrong type is left to the caller, which refuses it.
    if kind != ToolKind::Mcp && known.is_some_and(|it| !it.is_null() && command_line::from_json(it).is_none())
    {
        return None;
    }
    if kind == ToolKind::Shell && known.is_some_and(Value::is_string) && input.len() == 1 {
        return known.and_then(command_line::from_json);
    }
    other_command(kind, input)
}

#[inline(never)]
fn other_command(kind: ToolKind, input: &Map<String, Value>) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let first = input.get("command").and_then(command_line::from_json);
    // The shell of a known tool runs its `command`; its other keys are options.
    if kind == ToolKind::Shell && first.is_some() {
        lines.extend(first);
    } else {
        let nested = input.values().filter_map(Value::as_object).filter(|_| kind != ToolKind::Shell);
        for input in [input].into_iter().chain(nested) {
            lines.extend(
                input.iter().filter(|(key, _)| is(key, &COMMANDS)).flat_map(|(key, it)| line(key, it)),
            );
        }
    }
    let words = input.iter().filter(|(key, it)| is(key, &WORDS) && !is(key, &COMMANDS) && it.is_array());
    let words: Vec<String> = words.filter_map(|(_, it)| command_line::from_json(it)).collect();
    if let Some(first) = lines.first_mut() {
        for word in &words {
            *first = format!("{first} {word}");
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn line(key: &str, value: &Value) -> Vec<String> {
    let several = is(key, &["commands"]);
    match value {
        Value::Array(items) if several => items.iter().flat_map(|item| line("", item)).collect(),
        Value::Object(fields) if several || key.is_empty() => {
            command(ToolKind::Mcp, fields).into_iter().collect()
        }
        other => command_line::from_json(other).into_iter().collect(),
    }
}

/// The files that an input of a tool of this kind names, those under the usual keys first.
pub(crate) fn paths(kind: ToolKind, input: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["file_path", "notebook_path", "path"] {
        found.extend(input.get(key).and_then(Value::as_str).map(str::to_owned));
    }
    let several = input.get("paths").and_then(Value::as_array).into_iter().flatten();
    found.extend(several.filter_map(Value::as_str).map(str::to_owned));
    match kind {
        ToolKind::Write
        | ToolKind::Edit
        | ToolKind::Read
        | ToolKind::Search
        | ToolKind::Mcp
        | ToolKind::Other => {
            walk(input, &mut |key, text| {
                if is_path_key(key) || (is(key, &PERHAPS) && looks_like_path(text)) {
                    found.push(text.to_owned());
                }
            });
        }
        ToolKind::Fetch => {
            walk(input, &mut |_, text| {
                found.extend(path_text::is_file_uri(text).then(|| text.to_owned()));
            });
        }
        ToolKind::Shell | ToolKind::Task => {}
    }
    found.retain(|path| !path.is_empty());
    found
}

/// The working folders that an input names.
pub(crate) fn folders(input: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    walk(input, &mut |key, text| {
        if is(key, &FOLDERS) && !text.is_empty() && text.len() <= LONGEST {
            found.push(text.to_owned());
        }
    });
    found
}

/// Every other text that may be a path.
#[inline(never)]
pub(crate) fn candidates(input: &Map<String, Value>) -> Vec<(String, PathUse)> {
    let (mut found, mut destinations) = (Vec::new(), Vec::new());
    walk(input, &mut |key, text| {
        let plain = path_text::plain(text);
        let is_path = looks_like_path(text) || looks_like_path(&plain) || is(key, &TARGET_FOLDERS);
        if is_path {
            found.push((plain.into_owned(), PathUse::Path));
        } else if is(key, &DESTINATIONS) {
            destinations.push((text.to_owned(), PathUse::Path));
        } else if text.len() <= LONGEST && !text.contains('\n') && !text.trim().is_empty() {
            found.push((text.to_owned(), PathUse::IfExists));
        }
        found.extend(path_text::listed(text).map(|part| (part.to_owned(), PathUse::Path)));
    });
    let names_files = found.iter().any(|(_, use_as)| *use_as == PathUse::Path);
    found.extend(destinations.into_iter().filter(|_| names_files));
    found
}

/// The globs of files that a tool takes which searches, up to their first `**`.
#[inline(never)]
pub(crate) fn globs(input: &Map<String, Value>, finds_files: bool) -> Vec<String> {
    let mut found = Vec::new();
    walk(input, &mut |key, text| {
        if is(key, &GLOBS) || finds_files && is(key, &GLOBS_OF_FINDERS) {
            let wanted = text.trim_start_matches('!');
            let start = wanted.find("**").map_or(wanted, |at| &wanted[..at]).trim_end_matches('/');
            found.extend((!matches!(start, "" | "*" | ".")).then(|| start.to_owned()));
        }
    });
    found
}

/// Every text of an input with its key; those of a list have the key of the list. Keys that look like paths are
/// texts too, and a text that is JSON is looked into. Returns whether everything was visited.
pub(crate) fn walk(input: &Map<String, Value>, seen: &mut dyn FnMut(&str, &str)) -> bool {
    let mut left = MOST_TEXTS;
    for (key, value) in input {
        if looks_like_path(key) {
            seen("", key);
        }
        visit(key, value, DEEPEST, &mut left, seen);
    }
    left > 0
}

fn visit(key: &str, value: &Value, depth: usize, left: &mut usize, seen: &mut dyn FnMut(&str, &str)) {
    if depth == 0 {
        *left = 0;
    }
    if *left == 0 {
        return;
    }
    match value {
        Value::String(text) => {
            *left -= 1;
            seen(key, text);
            let inner = text.trim_start();
            if inner.starts_with(['{', '['])
                && !is(key, &CONTENTS)
                && inner.len() <= LONGEST_JSON
                && let Ok(inner) = serde_json::from_str::<Value>(inner)
            {
                visit(key, &inner, depth - 1, left, seen);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| visit(key, item, depth - 1, left, seen)),
        Value::Object(fields) => {
            for (inner, value) in fields {
                if looks_like_path(inner) {
                    seen(key, inner);
                }
                visit(inner, value, depth - 1, left, seen);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn command_of_unknown_tool_is_found_under_any_usual_key() {
        for (input, expected) in [
            (json!({"command": "rm -rf x"}), Some("rm -rf x")),
            (json!({"cmd": "rm -rf x", "timeout": 1}), Some("rm -rf x")),
            (json!({"commandLine": "rm -rf x"}), Some("rm -rf x")),
            (json!({"shell_command": ["bash", "-lc", "rm -rf x"]}), Some("rm -rf x")),
            (json!({"command": "rm", "args": ["-rf", "a b"]}), Some("rm -rf 'a b'")),
            (json!({"commands": ["ls", {"command": "rm", "args": ["x"]}]}), Some("ls\nrm x")),
            (json!({"command": "ls", "cmd": "rm x"}), Some("ls\nrm x")),
            (json!({"arguments": {"command": "rm x"}}), Some("rm x")),
            (json!({"path": "a"}), None),
        ] {
            assert_eq!(command(ToolKind::Mcp, &object(&input)).as_deref(), expected, "{input}");
        }
        let shell = json!({"command": "ls", "description": "x", "script": "not run"});
        assert_eq!(command(ToolKind::Shell, &object(&shell)).as_deref(), Some("ls"));
    }

    #[test]
    fn path_of_mcp_tool_is_found_under_any_usual_key() {
        for input in [
            json!({"filePath": "p/a"}),
            json!({"uri": "p/a"}),
            json!({"target": "p/a"}),
            json!({"files": ["p/a"]}),
            json!({"files": [{"path": "p/a"}]}),
            json!({"edits": [{"relative_path": "p/a"}]}),
            json!({"operations": {"to": "p/a"}}),
            json!({"files": {"p/a": "content"}}),
            json!({"arguments": "{\"path\": \"p/a\"}"}),
        ] {
            assert_eq!(paths(ToolKind::Mcp, &object(&input)), ["p/a"], "{input}");
        }
        for input in [json!({"to": "bob"}), json!({"source": "https://a.example/x"}), json!({"query": "p/a"})]
        {
            assert!(paths(ToolKind::Mcp, &object(&input)).is_empty(), "{input}");
        }
    }
}
