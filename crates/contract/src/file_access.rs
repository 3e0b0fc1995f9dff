//! Whether a tool that no adapter knows reads or changes the files that its input names.
//!
//! A guard for `Write|Edit` must hold for the file tools of an MCP server too. Their inputs and names are all there is
//! to go by. A tool that shows neither counts as both: one guard too many is better than one too few.

use serde_json::{Map, Value};

use crate::path_text::{self, looks_like_path};
use crate::{ToolCall, ToolKind, diff_text, file_patch, input_keys};

/// Keys of text that goes into a file.
const CONTENTS: [&str; 20] = [
    "content",
    "contents",
    "filecontent",
    "filetext",
    "text",
    "newtext",
    "data",
    "body",
    "code",
    "edits",
    "changes",
    "replacement",
    "replacements",
    "newstring",
    "newstr",
    "newsource",
    "newcontent",
    "inserttext",
    "patch",
    "diff",
];

/// Verbs in names of tools that change files.
const CHANGES: [&str; 40] = [
    "write",
    "edit",
    "create",
    "delete",
    "remove",
    "move",
    "rename",
    "append",
    "prepend",
    "patch",
    "replace",
    "insert",
    "copy",
    "save",
    "update",
    "put",
    "set",
    "add",
    "apply",
    "modify",
    "touch",
    "mkdir",
    "truncate",
    "upload",
    "download",
    "export",
    "store",
    "trash",
    "unlink",
    "link",
    "symlink",
    "overwrite",
    "format",
    "refactor",
    "sync",
    "extract",
    "unzip",
    "import",
    "rm",
    "mv",
];

/// Verbs in names of tools that only look.
const READS: [&str; 27] = [
    "read", "get", "list", "search", "find", "view", "show", "open", "cat", "head", "tail", "stat", "info",
    "load", "tree", "grep", "glob", "describe", "query", "count", "exists", "check", "lookup", "browse",
    "fetch", "hover", "analyze",
];

/// The names and kinds of Claude Code's tools that also match a call: none if it names no file.
#[inline(never)]
pub(crate) fn file_access(call: &ToolCall) -> &'static [&'static str] {
    const READ: &[&str] = &["Read", "read"];
    const CHANGE: &[&str] = &["Write", "write", "Edit", "edit"];
    const EITHER: &[&str] = &["Read", "read", "Write", "write", "Edit", "edit"];
    let verbs = words(call.native_name.rsplit("__").next().unwrap_or_default());
    let says = |list: &[&str]| verbs.iter().any(|verb| list.contains(&verb.as_str()));
    if !names_file(call) {
        &[]
    } else if has_contents(&call.input) || says(&CHANGES) {
        CHANGE
    } else if says(&READS) {
        READ
    } else if call.kind == ToolKind::Mcp {
        EITHER
    } else {
        // An agent's own tool that is new to tenter: most of these show or send a file.
        &[]
    }
}

/// Whether any text of the input is a path, whatever its key. Contents count only if they are a patch.
fn names_file(call: &ToolCall) -> bool {
    let mut found = !call.paths.is_empty();
    let mut look = |key: &str, text: &str| {
        found = found
            || !diff_text::paths(text).is_empty()
            || file_patch::files(text).next().is_some()
            || !input_keys::is(key, &CONTENTS)
                && (looks_like_path(text) || path_text::listed(text).next().is_some());
    };
    // An input too large to be searched may name any file.
    let is_whole = input_keys::walk(&call.input, &mut look);
    found || !is_whole
}

fn has_contents(input: &Map<String, Value>) -> bool {
    let own = input.keys().any(|key| input_keys::is(key, &CONTENTS));
    let nested = || {
        let mut found = false;
        input_keys::walk(input, &mut |key, _| found |= input_keys::is(key, &CONTENTS));
        found
    };
    own || nested()
}

/// The words of a name in any usual spelling, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mcp_file_tool_counts_as_read_or_as_write_and_edit() {
        const CHANGE: &str = "Write write Edit edit";
        for (name, input, expected) in [
            ("mcp__fs__write_file", json!({"path": "a", "content": "x"}), CHANGE),
            ("mcp__fs__writeFile", json!({"path": "a"}), CHANGE),
            ("mcp__fs__move-file", json!({"source": "./a", "destination": "./b"}), CHANGE),
            ("mcp__notes__get_summary", json!({"path": "a", "content": "x"}), CHANGE),
            ("mcp__fs__multi", json!({"files": [{"path": "a", "newText": "x"}]}), CHANGE),
            ("mcp__fs__read_file", json!({"path": "a"}), "Read read"),
            ("mcp__serena__find_symbol", json!({"relative_path": "a"}), "Read read"),
            ("mcp__browser__screenshot", json!({"filename": "a"}), "Read read Write write Edit edit"),
            ("mcp__fs__write_file", json!({"output": "p/a", "content": "x"}), CHANGE),
            ("mcp__fs__write_file", json!({"dir": "p", "name": "a.txt", "content": "x"}), CHANGE),
            ("mcp__fs__write_file", json!({"p/a.txt": "x"}), CHANGE),
            ("mcp__fs__delete", json!({"what": "p/a p/b"}), CHANGE),
            (
                "mcp__git__apply_patch",
                json!({"patch": "--- a/p/a\n+++ b/p/a\n@@ -1 +1 @@\n-x\n+y\n"}),
                CHANGE,
            ),
            ("mcp__weather__forecast", json!({"town": "a"}), ""),
            ("mcp__chat__post_message", json!({"text": "look at p/a.txt"}), ""),
            ("mcp__chat__post_message", json!({"text": "p/a.txt"}), ""),
        ] {
            let call = ToolCall::new(name, ToolKind::Mcp, input.as_object().cloned().unwrap());
            let expected = format!("{name} {name} mcp {expected}");
            assert_eq!(call.names().collect::<Vec<_>>().join(" "), expected.trim_end(), "{input}");
        }
    }

    #[test]
    fn unknown_tool_of_an_agent_counts_as_what_it_shows() {
        for (name, input, expected) in [
            ("Frob", json!({"file_path": "a", "content": "x"}), "Frob Frob other Write write Edit edit"),
            ("delete_file", json!({"path": "a"}), "delete_file delete_file other Write write Edit edit"),
            ("LSP", json!({"filePath": "a", "operation": "hover"}), "LSP LSP other"),
        ] {
            let call = ToolCall::new(name, ToolKind::Other, input.as_object().cloned().unwrap());
            assert_eq!(call.names().collect::<Vec<_>>().join(" "), expected, "{input}");
        }
    }
}
