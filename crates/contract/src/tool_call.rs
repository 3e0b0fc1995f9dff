//! A tool call, with the canonical names and keys that hooks are written against.

use crate::spelling::spelled;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::file_access::file_access;
use crate::file_patch::{self, FileChange};
use crate::{AgentName, PathText, PathUse, command_line, diff_text, input_keys, path_text};

spelled! {
    /// What a tool does, whatever an agent calls it.
    #[derive(Hash)]
    pub enum ToolKind {
        /// Runs a command.
        Shell = "shell",
        /// Creates or replaces a whole file.
        Write = "write",
        /// Changes part of a file.
        Edit = "edit",
        /// Reads a file.
        Read = "read",
        /// Looks for files or text.
        Search = "search",
        /// Gets something from the network.
        Fetch = "fetch",
        /// A tool of an MCP server.
        Mcp = "mcp",
        /// Starts a sub-agent.
        Task = "task",
        /// Anything else.
        Other = "other",
    }
}

/// A tool call of an agent.
///
/// `input` uses Claude Code's keys (`command`, `file_path`, `content`, …) under every agent, and `paths` for a
/// tool that takes several files at once, which Claude Code has none of; adapters translate both ways. Paths and the command are lifted out, so that hooks need not know the keys.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct ToolCall {
    /// The canonical name: `Bash`, `Write`, `Edit`, …
    pub name: String,
    /// The agent's own name for it.
    pub native_name: String,
    /// What it does.
    pub kind: ToolKind,
    /// The input after the rewrites of earlier hooks.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field"))]
    pub input: Map<String, Value>,
    /// What the model asked for, if a hook has rewritten it since.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field::optional"))]
    pub original_input: Option<Map<String, Value>>,
    /// The result, in the shape the agent gave it.
    #[cfg_attr(feature = "cache", serde(with = "crate::json_field::optional"))]
    pub output: Option<Value>,
    /// Standard output, if the agent reports it separately.
    pub stdout: Option<String>,
    /// Standard error, if the agent reports it separately.
    pub stderr: Option<String>,
    /// Exit code of a command, where it is known.
    pub exit_code: Option<i64>,
    /// The agent's id of this call.
    pub call_id: Option<String>,
    /// Every path the call touches, in the order of the input.
    pub paths: Vec<String>,
    /// The command line of a shell call, also if the agent sends it as a list of words.
    pub command: Option<String>,
    /// The key of the input that holds a patch of files, for a tool that takes one.
    pub patch_key: Option<String>,
}

impl ToolCall {
    /// A call with name, kind and input; paths and command come from the input.
    pub fn new(name: &str, kind: ToolKind, input: Map<String, Value>) -> Self {
        let mut call = Self {
            name: name.to_owned(),
            native_name: name.to_owned(),
            kind,
            input: Map::new(),
            original_input: None,
            output: None,
            stdout: None,
            stderr: None,
            exit_code: None,
            call_id: None,
            paths: Vec::new(),
            command: None,
            patch_key: None,
        };
        call.set_input(input);
        if kind == ToolKind::Other && !NO_SHELLS.contains(&name) {
            call.become_known();
        }
        call
    }

    /// Classifies a tool that no adapter knows by its input: a patch, an editor's command with a path, or a command.
    fn become_known(&mut self) {
        let changes: Vec<FileChange> =
            patched(&self.input, PatchKeys::Usual).iter().map(|(it, _)| *it).collect();
        let known = if !changes.is_empty() {
            let adds = changes.iter().all(|change| *change == FileChange::Adds);
            if adds { ("Write", ToolKind::Write) } else { ("Edit", ToolKind::Edit) }
        } else if self.command.is_none() {
            return;
        } else {
            let verb = self.input.get("command").and_then(Value::as_str).filter(|_| !self.paths.is_empty());
            match verb.unwrap_or_default() {
                "view" => ("Read", ToolKind::Read),
                "create" | "write" => ("Write", ToolKind::Write),
                "str_replace" | "insert" | "undo_edit" | "append" | "delete" | "rename" => {
                    ("Edit", ToolKind::Edit)
                }
                _ => ("Bash", ToolKind::Shell),
            }
        };
        (self.name, self.kind) = (known.0.to_owned(), known.1);
        if self.kind != ToolKind::Shell {
            self.command = None;
        }
    }

    /// A call of a tool that takes a patch of files under this key. It is a `Write` if all it does is to add files,
    /// and else an `Edit`; its first file is added to the input as `file_path`.
    pub fn from_patch(native_name: &str, key: &str, mut input: Map<String, Value>) -> Self {
        let files = patched(&input, PatchKeys::Any);
        let adds = !files.is_empty() && files.iter().all(|(change, _)| *change == FileChange::Adds);
        let first = files.first().map(|(_, path)| Value::from(path.as_str()));
        input.extend(first.map(|path| ("file_path".to_owned(), path)));
        let (name, kind) = if adds { ("Write", ToolKind::Write) } else { ("Edit", ToolKind::Edit) };
        let mut call = Self { native_name: native_name.to_owned(), ..Self::new(name, kind, Map::new()) };
        call.patch_key = Some(key.to_owned());
        call.set_input(input);
        call
    }

    /// All names that a matcher can use for it: its name, the agent's, and its kind. A patch that adds a file and
    /// does something to another is both `Write` and `Edit`. A tool of an MCP server that takes a command is also a
    /// shell, and one that takes a file is also a `Read`, or a `Write` and an `Edit` (`file_access`).
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let writes_too = self.kind == ToolKind::Edit
            && self.patch_key.is_some()
            && patched(&self.input, PatchKeys::Any).iter().any(|(change, _)| *change == FileChange::Adds);
        let runs_too = self.kind == ToolKind::Mcp && self.command.is_some();
        let own = [self.name.as_str(), self.native_name.as_str(), self.kind.as_str()];
        let access = match self.kind {
            ToolKind::Mcp | ToolKind::Other => file_access(self),
            // `apply_patch <<EOF`: some agents take a patch as a command.
            ToolKind::Shell
                if self.command.as_deref().is_some_and(|line| line.contains("*** Begin Patch")) =>
            {
                &["Write", "write", "Edit", "edit"]
            }
            _ => &[],
        };
        own.into_iter()
            .chain(access.iter().copied())
            .chain(self.usual_name())
            .chain(["Write", ToolKind::Write.as_str()].into_iter().filter(move |_| writes_too))
            .chain(["Bash", ToolKind::Shell.as_str()].into_iter().filter(move |_| runs_too))
    }

    /// `Write` or `Edit`, for another tool that does the same, such as `NotebookEdit` or one that deletes files.
    fn usual_name(&self) -> Option<&'static str> {
        let name = match self.kind {
            ToolKind::Write => "Write",
            ToolKind::Edit => "Edit",
            _ => return None,
        };
        (self.name != name).then_some(name)
    }

    /// The texts of the input that are paths, or may be, for an agent's tool.
    pub fn path_texts(&self, agent: &AgentName) -> Vec<PathText> {
        let looked_up = self.kind == ToolKind::Edit && LOOK_UP.contains(&agent.as_str());
        let use_as = if looked_up { PathUse::LookedUp } else { PathUse::Path };
        let mut texts: Vec<PathText> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut add = |text: &str, use_as: PathUse| {
            let text = path_text::plain(text);
            if seen.insert(text.to_string()) {
                texts.push(PathText { text: text.into_owned(), use_as });
            }
        };
        for path in &self.paths {
            add(path, use_as);
            path_text::listed(path).for_each(|part| add(part, use_as));
        }
        let keys = PatchKeys::new(self.patch_key.as_deref());
        let is_whole = patch_texts(&self.input, keys, &mut |text| {
            let of_diff = diff_text::paths(text);
            let raw = file_patch::raw_paths(text);
            raw.chain(of_diff.iter().map(String::as_str)).for_each(|path| add(path, PathUse::Path));
        });
        match self.kind {
            ToolKind::Mcp | ToolKind::Other => {
                for (text, use_as) in input_keys::candidates(&self.input) {
                    add(&text, use_as);
                }
                input_keys::walk(&self.input, &mut |_, text| {
                    let of_diff = diff_text::paths(text);
                    let from_patch = file_patch::files(text).map(|(_, path)| path);
                    from_patch
                        .chain(of_diff.iter().map(String::as_str))
                        .for_each(|path| add(path, PathUse::Path));
                });
            }
            ToolKind::Search => {
                for glob in input_keys::globs(&self.input, self.name == "Glob") {
                    add(&glob, PathUse::Path);
                }
            }
            ToolKind::Write
            | ToolKind::Edit
            | ToolKind::Read
            | ToolKind::Shell
            | ToolKind::Fetch
            | ToolKind::Task => {}
        }
        if !is_whole {
            texts.push(PathText { text: String::new(), use_as: PathUse::Unknown });
        }
        texts
    }

    /// The folders in which the call itself says that it works.
    pub fn working_folders(&self) -> Vec<String> {
        let mut folders = input_keys::folders(&self.input);
        // A glob begins in the folder that is searched.
        folders.extend(self.paths.iter().filter(|_| self.kind == ToolKind::Search).cloned());
        folders
    }

    /// The current patch.
    pub fn patch(&self) -> Option<&str> {
        self.input.get(self.patch_key.as_deref()?).and_then(Value::as_str)
    }

    /// The first path, if there is one.
    pub fn path(&self) -> Option<&str> {
        self.paths.first().map(String::as_str)
    }

    /// The input as the model asked for it, before any rewrite.
    pub fn asked_input(&self) -> &Map<String, Value> {
        self.original_input.as_ref().unwrap_or(&self.input)
    }

    /// Replaces the input and updates paths and command.
    ///
    /// A patch that does one thing to one file has it also under the keys that hooks know: `content`, or
    /// `old_string` and `new_string`. If a hook changes one form, the other follows.
    pub fn set_input(&mut self, mut input: Map<String, Value>) {
        if let Some(key) = &self.patch_key {
            settle_patch(key, &self.input, &mut input);
        }
        // If a hook writes a line where the agent sent words, the agent gets words again.
        if let (Some(Value::Array(words)), Some(Value::String(line))) =
            (self.input.get("command"), input.get("command"))
        {
            let words = command_line::words(words, line);
            input.insert("command".to_owned(), words);
        }
        let mut named = input_keys::paths(self.kind, &input);
        let keys = PatchKeys::new(self.patch_key.as_deref());
        if matches!(self.kind, ToolKind::Write | ToolKind::Edit | ToolKind::Other | ToolKind::Mcp) {
            named.extend(patched(&input, keys).into_iter().map(|(_, path)| path));
        }
        self.command = input_keys::command(self.kind, &input);
        // Some agents take a patch as a command.
        if let Some(command) = self.command.as_deref().filter(|command| command.contains("*** Begin Patch")) {
            named.extend(file_patch::files(command).map(|(_, path)| path.to_owned()));
        }
        // The first file of a patch is named twice, and a model may name any file twice.
        let mut seen = BTreeSet::new();
        named.retain(|path| seen.insert(path.clone()));
        self.paths = named;
        self.input = input;
    }
}

/// Tools of known agents whose `command` is not a shell command.
const NO_SHELLS: [&str; 1] = ["SlashCommand"];

/// Agents whose tool looks a path up by its end if nothing lies there.
const LOOK_UP: [&str; 2] = ["gemini", "qwen"];

/// Under which keys a patch is looked for.
#[derive(Clone, Copy, PartialEq)]
enum PatchKeys {
    /// Under all but those of contents: the tool takes a patch.
    Any,
    /// Under those that such tools have.
    Usual,
}

const PATCH_KEYS: [&str; 8] =
    ["patch", "patchText", "patch_text", "input", "value", "diff", "command", "arguments"];

impl PatchKeys {
    fn new(patch_key: Option<&str>) -> Self {
        if patch_key.is_some() { Self::Any } else { Self::Usual }
    }
}

/// Visits the patches of an input, in any shape. Returns whether all of the input was visited.
fn patch_texts(input: &Map<String, Value>, keys: PatchKeys, seen: &mut dyn FnMut(&str)) -> bool {
    input_keys::walk(input, &mut |key, text| {
        let looked_at = match keys {
            PatchKeys::Any => !file_patch::CHANGE_KEYS.contains(&key),
            PatchKeys::Usual => PATCH_KEYS.contains(&key),
        };
        if looked_at && (text.contains("***") || text.contains('\n')) {
            seen(text);
        }
    })
}

/// The files of these patches.
fn patched(input: &Map<String, Value>, keys: PatchKeys) -> Vec<(FileChange, String)> {
    let mut files = Vec::new();
    patch_texts(input, keys, &mut |text| {
        files.extend(file_patch::files(text).map(|(change, path)| (change, path.to_owned())));
    });
    files
}

/// Makes a patch and the keys about its only file agree. If a hook did not change the patch, the other keys win. If
/// they cannot agree, they stay as they are, and no agent gets them.
#[inline(never)]
fn settle_patch(key: &str, old: &Map<String, Value>, new: &mut Map<String, Value>) {
    let patch = |input: &Map<String, Value>| input.get(key).and_then(Value::as_str).map(str::to_owned);
    let before = patch(old);
    let listed = before.as_deref().map(file_patch::one_change).unwrap_or_default();
    let left = before.as_ref().filter(|before| new.get(key).is_none_or(|now| now == *before));
    let same = listed.iter().all(|(key, was)| new.get(key).is_none_or(|now| now == was));
    let mentioned = file_patch::CHANGE_KEYS.iter().any(|key| new.contains_key(*key));
    let written = left.filter(|_| !same).and_then(|left| file_patch::changed(left, new));
    let kept = left.filter(|_| same && mentioned).cloned();
    // The model's own values under these keys do not count; those of a hook are in the patch now.
    let settled = before.is_none() || written.is_some();
    new.extend(written.or(kept).map(|patch| (key.to_owned(), Value::from(patch))));
    new.retain(|key, value| {
        let stale = listed.get(key) == Some(value);
        let settled = settled && file_patch::CHANGE_KEYS.contains(&key.as_str());
        !stale && !settled
    });
    for (key, value) in patch(new).map(|patch| file_patch::one_change(&patch)).unwrap_or_default() {
        new.entry(key).or_insert(value);
    }
}

#[cfg(test)]
mod tests;
