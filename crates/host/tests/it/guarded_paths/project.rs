//! A project with links, the calls of every agent, and the names of a guarded file.

mod no_folder;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Map, Value, json};
use tenter_contract::EventKind;
use tenter_contract::ports::{AgentAdapter, Decoded, Surroundings};

/// Folder of the agent and path of the call, all about `production`.
pub(crate) const ABOUT_PRODUCTION: &[(&str, &str)] = &[
    ("{root}", "{root}/production/a.txt"),
    ("{root}", "{root}/production/new.txt"),
    ("{root}", "{root}//production///a.txt"),
    ("{root}", "{root}/./production/./a.txt"),
    ("{root}", "{root}/src/../production/a.txt"),
    ("{root}", "{root}/none/../production/a.txt"),
    ("{root}", "/{root}/production/a.txt"),
    ("{root}", "{root}/production/sub/../a.txt"),
    ("{root}", "production/a.txt"),
    ("{root}", "./production/a.txt"),
    ("{root}", "src/../production/a.txt"),
    ("{root}/src", "../production/a.txt"),
    ("{root}/src", "../../{name}/production/a.txt"),
    ("{root}/production", "a.txt"),
    ("{root}/production", "./new.txt"),
    ("{root}/production/sub", "../a.txt"),
    ("{root}/production/sub", "b.txt"),
    // Links to a file, a folder, and above.
    ("{root}", "{root}/file-link"),
    ("{root}", "file-link"),
    ("{root}", "{root}/link-dir/a.txt"),
    ("{root}", "{root}/link-dir/new.txt"),
    ("{root}", "link-dir/sub/b.txt"),
    ("{root}", "{root}/src/up/production/a.txt"),
    ("{root}", "{root}/src/up/src/up/production/a.txt"),
    ("{root}", "{top}/above/production/a.txt"),
    ("{root}", "{top}/above/src/up/link-dir/a.txt"),
    ("{root}", "{top}/else/prod/a.txt"),
    ("{root}", "{root}/l1/a.txt"),
    ("{root}", "{root}/dangling"),
    ("{root}", "dangling-chain"),
    ("{root}", "{root}/relative-link"),
    // The folder around the target of a link.
    ("{root}", "{root}/deep/../a.txt"),
    ("{root}", "deep/../a.txt"),
    ("{root}", "{root}/deep/.././a.txt"),
    ("{root}/src", "../deep/../a.txt"),
    ("{root}", "{root}/to-src/../production/a.txt"),
    ("{root}/link-dir", "a.txt"),
    ("{root}/deep", "../a.txt"),
    ("{top}/above", "production/a.txt"),
    ("{top}/above/src", "../production/a.txt"),
    // Names by way of a process.
    ("{root}", "/proc/self/root{root}/production/a.txt"),
    ("{root}", "/proc/self/root/proc/self/root{root}/production/a.txt"),
    ("{root}", "/proc/thread-self/root{root}/production/a.txt"),
    ("{root}", "/proc/1/root{root}/production/a.txt"),
    ("{root}", "/proc/99999999/root{root}/production/a.txt"),
    ("{root}", "//proc/./self//root{root}/production/a.txt"),
    ("{root}", "/proc/self/task/1/root{root}/production/a.txt"),
    ("{root}", "/proc/self/cwd/production/a.txt"),
    ("{root}/production", "/proc/self/cwd/a.txt"),
    ("{root}/src", "/proc/self/cwd/../production/a.txt"),
    ("{root}", "/proc/self/cwd/link-dir/a.txt"),
    ("{root}", "{root}/by-proc/production/a.txt"),
    ("{root}", "{root}/by-cwd/a.txt"),
    ("{root}", "/dev/../{root}/production/a.txt"),
    // As agents read a path.
    ("{root}", "@production/a.txt"),
    ("{root}", "@/production/a.txt"),
    ("{root}", "@link-dir/a.txt"),
    ("{root}", "@{root}/production/a.txt"),
    ("{root}", "prod\u{0}uction/a.txt"),
    ("{root}", "{root}/production\u{0}/a.txt"),
    ("{root}", "production/a.txt\u{0}.md"),
    ("{root}", "\u{0}production/a.txt"),
    ("{root}", " production/a.txt"),
    ("{root}", "production/a.txt "),
    ("{root}", "\tproduction/a.txt\n"),
    ("{root}", "\u{A0}production/a.txt"),
    ("{root}", "\u{FEFF}production/a.txt"),
    ("{root}", " {root}/production/a.txt"),
    ("{root}", "\"production/a.txt\""),
    ("{root}", "'{root}/production/a.txt'"),
    ("{root}", "`production/a.txt`"),
    ("{root}", "file://{root}/production/a.txt"),
    ("{root}", "FILE://localhost{root}/production/a.txt"),
    ("{root}", "file:{root}/production/a.txt"),
    ("{root}", "file://{root}/prod%75ction/a.txt"),
    ("{root}", "file://{root}/production%2Fa.txt"),
    ("{root}", "file://{root}/link-dir/a.txt?x=1#y"),
    ("{root}", "file:production/a.txt"),
    ("{root}", "prod%75ction/a.txt"),
    ("{root}", "{root}/%70roduction/a.txt"),
    ("{root}", "production%2fa.txt"),
    ("{root}", "pro\\duction/a.txt"),
    ("{root}", "production\\a.txt"),
    ("{root}", " @ production/a.txt"),
    ("{root}", "@\"production/a.txt\""),
    ("{root}", "file://@production/../production/a.txt"),
    ("{root}", "production/../production/a.txt"),
    ("{root}", "link-dir/../production/a.txt"),
    ("{root}", "production/sub/b.txt/../../a.txt"),
    ("{root}", "src/x.rs/../../production/a.txt"),
    ("{root}", "{root}/src/up/../{name}/production/a.txt"),
    ("{root}/src", "up/production/a.txt"),
    ("{root}/src/up/src", "../production/a.txt"),
    ("{root}", "{root}/production/./sub/.././new/deep/file"),
    ("{root}", "{root}/l3/../production/a.txt"),
    ("{root}", "{top}/else/../{name}/production/a.txt"),
    ("{root}", "{root}/outside/prod/a.txt"),
    ("{root}", "outside/prod/../production/a.txt"),
    ("{root}", "{root}/two-links/up/production/a.txt"),
];

/// Paths outside `production`.
pub(crate) const ELSEWHERE: &[(&str, &str)] = &[
    ("{root}", "{root}/src/production.txt"),
    ("{root}", "{root}/production-notes/a"),
    ("{root}", "{root}/reproduction/x"),
    ("{root}", "{root}/production.md"),
    ("{root}", "{root}/src/x.rs"),
    ("{root}", "{root}/src/production/inner.rs"),
    ("{root}", "{root}/Production/a.txt"),
    ("{root}", "{root}/production/../src/y.rs"),
    ("{root}", "{root}/link-dir-not/a"),
    ("{root}", "{root}/to-src/x.rs"),
    ("{root}", "{top}/production/a.txt"),
    ("{root}", "/tmp/production/a.txt"),
    ("{root}", "{root}/not-there/at/all"),
    ("{root}", "{root}/productio"),
    ("{root}", "{root}/a-production/b"),
];

/// Patches, and whether one of their files is guarded.
pub(crate) const INSIDE_PATCHES: &[(&str, bool)] = &[
    ("*** Begin Patch\n*** Update File: production/a.txt\n@@\n-a\n+b\n*** End Patch", true),
    ("*** Begin Patch\n*** Update File:production/a.txt\n@@\n-a\n+b\n*** End Patch", true),
    ("*** Begin Patch\n*** Update File:\tproduction/a.txt\n@@\n-a\n+b\n*** End Patch", true),
    ("*** Begin Patch\n*** Update File:\u{A0}production/a.txt\n@@\n-a\n+b\n*** End Patch", true),
    ("*** Begin Patch\n*** Update File:\u{FEFF}production/a.txt\n@@\n-a\n+b\n*** End Patch", true),
    ("*** Begin Patch\n*** Update File: \u{FEFF} production/a.txt \n@@\n-a\n+b\n*** End Patch", true),
    ("*** Begin Patch\r\n*** Update File: production/a.txt\r\n@@\r\n-a\r\n+b\r\n*** End Patch", true),
    ("*** Begin Patch\n  *** Delete File: production/a.txt\n*** End Patch", true),
    ("*** Begin Patch\n\u{FEFF}*** Delete File: production/a.txt\n*** End Patch", true),
    ("*** Begin Patch\n***Delete File: production/a.txt\n*** End Patch", true),
    (
        "*** Begin Patch\n*** Update File: src/x.rs\n*** Move to: production/x.rs\n@@\n-a\n+b\n*** End Patch",
        true,
    ),
    (
        "*** Begin Patch\n*** Update File: src/x.rs\n*** Move to:production/x.rs\n@@\n-a\n+b\n*** End Patch",
        true,
    ),
    ("*** Begin Patch\n*** Add File: src/new\n+x\n*** Add File: production/new\n+x\n*** End Patch", true),
    ("*** Begin Patch\n*** Add File: src/new\n+x\n*** Add File: link-dir/new\n+x\n*** End Patch", true),
    ("*** Begin Patch\n*** Add File: src/../production/new\n+x\n*** End Patch", true),
    ("*** Begin Patch\n*** Add File: {root}/production/new\n+x\n*** End Patch", true),
    ("*** Begin Patch\n*** Add File: deep/../new\n+x\n*** End Patch", true),
    ("*** Begin Patch\n*** Add File:  blank/new\n+x\n*** End Patch", true),
    ("<<'EOF'\n*** Begin Patch\n*** Add File: production/new\n+x\n*** End Patch\nEOF", true),
    ("*** Begin Patch\n*** Environment ID: x\n*** Add File: production/new\n+x\n*** End Patch", true),
    (
        "*** Begin Patch\n*** Update File: src/x.rs\n@@\n-production/a.txt\n+production/b.txt\n*** End Patch",
        false,
    ),
    ("*** Begin Patch\n*** Add File: src/production.txt\n+x\n*** End Patch", false),
    ("*** Begin Patch\n*** Add File: production-notes/a\n+*** Add File: production/b\n*** End Patch", false),
];

/// A project in a folder of its own.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let root = top.join("shop");
        for path in [
            "production/a.txt",
            "production/sub/b.txt",
            "src/x.rs",
            "src/production.txt",
            "production-notes/a",
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "a\n").unwrap();
        }
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(top.join("else")).unwrap();
        for (target, link) in [
            ("production", "link-dir"),
            ("production/a.txt", "file-link"),
            ("..", "src/up"),
            ("l2", "l1"),
            ("l3", "l2"),
            ("production", "l3"),
            ("production/new.txt", "dangling"),
            ("dangling", "dangling-chain"),
            ("src/../production/a.txt", "relative-link"),
            ("production/sub", "deep"),
            ("src", "to-src"),
            ("production", " blank"),
            ("../else", "outside"),
            ("src", "two-links"),
            ("/proc/self/cwd/production", "by-cwd"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(format!("/proc/self/root{}", root.display()), root.join("by-proc")).unwrap();
        symlink(&root, top.join("above")).unwrap();
        symlink(root.join("production"), top.join("else/prod")).unwrap();
        fs::hard_link(root.join("production/a.txt"), root.join("hard.txt")).unwrap();
        Self { folder }
    }

    fn top(&self) -> String {
        self.folder.path().canonicalize().unwrap().display().to_string()
    }

    pub(crate) fn root(&self) -> String {
        format!("{}/shop", self.top())
    }

    /// A spelling with the real names in it.
    pub(crate) fn fill(&self, spelling: &str) -> String {
        spelling.replace("{root}", &self.root()).replace("{top}", &self.top()).replace("{name}", "shop")
    }
}

/// A recorded call about one file.
pub(crate) struct Call {
    pub(crate) name: String,
    payload: Value,
    path: String,
    cwd: Option<String>,
}

impl Call {
    /// The same call about another file, in another folder; `None` if the agent cannot express it.
    pub(crate) fn about(&self, project: &Project, path: &str, cwd: &str) -> Option<Value> {
        let own = self.cwd.as_deref()?;
        let (mut tells_cwd, root) = (false, project.root());
        let payload = keyed("", &self.payload, &mut |key, text| {
            let is_root = key.to_ascii_lowercase().contains("root") || key.contains("workspace");
            if text == self.path {
                Some(path.to_owned())
            } else if text != own {
                None
            } else if is_root {
                Some(root.clone())
            } else {
                tells_cwd = true;
                Some(cwd.to_owned())
            }
        });
        (tells_cwd || cwd == root).then_some(payload)
    }
}

/// The same value with other texts, by their keys.
fn keyed(key: &str, value: &Value, change: &mut dyn FnMut(&str, &str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => change(key, text).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(|item| keyed(key, item, change)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, field)| (key.clone(), keyed(key, field, change)));
            fields.collect::<Map<_, _>>().into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn mapped(value: &Value, change: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => change(text).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(|item| mapped(item, change)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), mapped(field, change)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn decoded(agent: &dyn AgentAdapter, payload: &Value) -> Option<tenter_contract::Event> {
    match agent.decode(payload.to_string().as_bytes(), &Surroundings::default()) {
        Ok(Decoded::Event(event)) => Some(*event),
        Ok(Decoded::NotForUs) | Err(_) => None,
    }
}

fn recorded(agent: &dyn AgentAdapter) -> Vec<(String, Value)> {
    let name = agent.name().to_string();
    let folder = if name == "claude" { "claude_code" } else { &name };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/src").join(folder).join("fixtures");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &std::path::PathBuf| serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    files
        .iter()
        .map(|file| (format!("{name}/{}", file.file_name().unwrap().to_string_lossy()), read(file)))
        .collect()
}

/// The calls of an agent that name one file as a text of its own, before they run.
pub(crate) fn calls(agent: &dyn AgentAdapter) -> Vec<Call> {
    let mut calls = Vec::new();
    for (name, payload) in recorded(agent) {
        let Some(event) = decoded(agent, &payload).filter(|event| event.kind == EventKind::ToolPre) else {
            continue;
        };
        let Some(path) = event.tool.as_ref().and_then(|tool| tool.path()).map(str::to_owned) else {
            continue;
        };
        // Its folder is replaced as well.
        if event.cwd.as_ref() == Some(&path) {
            continue;
        }
        // A path within a patch is tried elsewhere.
        let moved = mapped(&payload, &|text| (text == path).then(|| "moved".to_owned()));
        let event_moved = decoded(agent, &moved).and_then(|event| event.tool);
        if event_moved.is_some_and(|tool| tool.paths == ["moved"]) {
            calls.push(Call { name, payload, path, cwd: event.cwd.clone() });
        }
    }
    calls
}

/// Inputs of MCP tools, and whether they are about a guarded file.
pub(crate) fn mcp_inputs() -> Vec<(Value, bool)> {
    let file = "production/a.txt";
    let mut inputs: Vec<(Value, bool)> = [
        "path",
        "filePath",
        "file_path",
        "filepath",
        "uri",
        "target",
        "targetFile",
        "relative_path",
        "relativePath",
        "source",
        "destination",
        "from",
        "to",
        "src",
        "dst",
        "file",
        "filename",
        "absolute_path",
        "output_path",
        "local_path",
        "whatever",
        "document",
        "key",
        "name",
    ]
    .iter()
    .map(|key| (json!({ *key: file }), true))
    .collect();
    inputs.extend([
        (json!({"paths": [file]}), true),
        (json!({"files": ["src/x.rs", file]}), true),
        (json!({"files": [{"path": file, "content": "x"}]}), true),
        (json!({"files": {"production/new": "x"}}), true),
        (json!({"edits": [{"filePath": file, "old": "a"}]}), true),
        (
            json!({"operations": [{"type": "move", "source": "src/x.rs", "destination": "production/x.rs"}]}),
            true,
        ),
        (json!({"arguments": {"path": file}}), true),
        (json!({"arguments": "{\"path\": \"production/a.txt\"}"}), true),
        (json!({"uri": "file://ROOT/production/a.txt"}), true),
        (json!({"path": "link-dir/a.txt"}), true),
        (json!({"name": "file-link"}), true),
        (json!({"directory": "production", "name": "a.txt"}), true),
        (json!({"cwd": "production", "file": "new.txt"}), true),
        (json!({"workdir": "ROOT/production", "path": "new.txt"}), true),
        (json!({"dir_path": "src", "path": "../production/a.txt"}), true),
        (json!({"repo_path": "ROOT", "relative_path": "production/a.txt"}), true),
        (json!({"patch": "--- a/production/a.txt\n+++ b/production/a.txt\n@@\n-a\n+b\n"}), true),
        (
            json!({"patch": "*** Begin Patch\n*** Update File:production/a.txt\n@@\n-a\n+b\n*** End Patch"}),
            true,
        ),
        (json!({"path": "src/x.rs", "content": "see production/a.txt for more"}), false),
        (json!({"path": "production-notes/a"}), false),
        (json!({"title": "production/a.txt is broken"}), false),
        (json!({"url": "https://a.example/production/a.txt"}), false),
        (json!({"query": "production"}), false),
    ]);
    inputs
}

/// A call of an MCP tool under an agent: one of its recorded calls with another tool and input.
pub(crate) fn mcp_call(agent: &dyn AgentAdapter, project: &Project, input: &Value) -> Option<Value> {
    let input = mapped(input, &|text| Some(text.replace("ROOT", &project.root())));
    let tool = agent.native_tool_name("mcp__files__handle").into_owned();
    for (_, payload) in recorded(agent) {
        let Some(event) = decoded(agent, &payload).filter(|event| event.kind == EventKind::ToolPre) else {
            continue;
        };
        let (Some(call), Some(cwd)) = (&event.tool, &event.cwd) else { continue };
        let native = call.native_name.clone();
        let renamed = mapped(&payload, &|text| {
            if text == native { Some(tool.clone()) } else { (text == cwd).then(|| project.root()) }
        });
        let replaced = with_input(&renamed, &call.input, &input)?;
        if decoded(agent, &replaced).and_then(|event| event.tool).is_some_and(|call| call.native_name == tool)
        {
            return Some(replaced);
        }
    }
    None
}

/// The payload with another input: in the place of the object that holds most of the old one's values.
fn with_input(payload: &Value, old: &Map<String, Value>, new: &Value) -> Option<Value> {
    let Value::Object(fields) = payload else { return None };
    let is_input = |value: &Value| {
        let Some(fields) = value.as_object() else { return false };
        !fields.is_empty() && fields.values().all(|value| old.values().any(|known| known == value))
    };
    let mut found = false;
    let mut replaced = Map::new();
    for (key, value) in fields {
        let new = if is_input(value) { Some(new.clone()) } else { with_input(value, old, new) };
        found |= new.is_some();
        replaced.insert(key.clone(), new.unwrap_or_else(|| value.clone()));
    }
    found.then_some(Value::Object(replaced))
}

type WithPatch = Box<dyn Fn(&Value) -> Value>;

/// The agents with a tool that takes a patch.
pub(crate) fn patch_calls(project: &Project) -> Vec<(&'static dyn AgentAdapter, WithPatch)> {
    let root = project.root();
    let claude_like = |agent: &str, tool: &'static str, key: &'static str| {
        let agent = tenter_adapters::by_name(agent).unwrap();
        let root = root.clone();
        let build: WithPatch = Box::new(move |patch: &Value| {
            let input = if key.is_empty() { patch.clone() } else { json!({ key: patch }) };
            json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": root, "tool_name": tool,
                "tool_input": input})
        });
        (agent, build)
    };
    let opencode = |agent: &str| {
        let agent = tenter_adapters::by_name(agent).unwrap();
        let (_, payload) =
            recorded(agent).into_iter().find(|(name, _)| name.contains("tool-execute-before.write")).unwrap();
        let call = decoded(agent, &payload).unwrap();
        let (cwd, root) = (call.cwd.unwrap(), root.clone());
        let old = call.tool.unwrap();
        let build: WithPatch = Box::new(move |patch: &Value| {
            let renamed = mapped(&payload, &|text| {
                if text == old.native_name {
                    Some("apply_patch".to_owned())
                } else {
                    (text == cwd).then(|| root.clone())
                }
            });
            with_input(&renamed, &old.input, &json!({ "patchText": patch })).unwrap()
        });
        (agent, build)
    };
    vec![
        claude_like("codex", "apply_patch", "command"),
        claude_like("codex", "apply_patch", "input"),
        claude_like("claude", "apply_patch", "patch"),
        claude_like("vscode", "apply_patch", "input"),
        claude_like("factory", "ApplyPatch", "patch"),
        claude_like("copilot", "apply_patch", "patch"),
        claude_like("qwen", "apply_patch", "patch"),
        opencode("opencode"),
        opencode("kilo"),
    ]
}

/// A patch as a text, a list and an object.
pub(crate) fn shapes(patch: &str) -> Vec<Value> {
    vec![json!(patch), json!(["apply_patch", patch]), json!({"input": patch}), json!({"patch": [patch]})]
}
