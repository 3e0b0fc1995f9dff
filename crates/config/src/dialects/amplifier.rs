//! Amplifier: the hook folders of its `hook-shell` (`.amplifier/hooks/hooks.json`, Claude Code's form with
//! rules of its own), and the list of hook modules in a mount plan.

use tenter_contract::Dialect;

use super::claude::{self, Rules};
use super::draft::{Converted, Name};
use super::{Origin, matchers, nodes};
use crate::source::SourceText;
use crate::tree::{Node, Value};

pub(super) const ORIGIN: Origin = Origin { dialect: Dialect::Amplifier, recognise, fits, convert };

/// A mount plan's list of modules, or a hook folder, which its place or its own key `parallel` distinguishes from Claude Code's
/// settings.
fn recognise(root: &Node, source: &SourceText<'_>) -> bool {
    let own = in_hook_folder(source) || groups(root).any(|group| nodes::has(group, "parallel"));
    modules(root).is_some() || (own && claude::recognise(root, source))
}

fn fits(root: &Node, source: &SourceText<'_>) -> bool {
    modules(root).is_some() || claude::recognise(root, source)
}

fn in_hook_folder(source: &SourceText<'_>) -> bool {
    [source.folder, source.name].iter().any(|path| path.contains(".amplifier/hooks"))
}

fn groups(root: &Node) -> impl Iterator<Item = &Node> {
    let events = nodes::get(root, "hooks").and_then(nodes::entries).unwrap_or_default();
    events.iter().filter_map(|(_, list)| nodes::items(list)).flatten()
}

fn modules(root: &Node) -> Option<&[Node]> {
    let list = nodes::items(nodes::get(root, "hooks")?)?;
    let is_module = |node: &Node| nodes::has(node, "module");
    (!list.is_empty() && list.iter().any(is_module)).then_some(list)
}

fn convert(root: &Node, source: &SourceText<'_>, converted: &mut Converted) {
    if let Some(modules) = modules(root) {
        for node in modules {
            module(node, converted);
        }
        return;
    }
    let rules = Rules { matcher: matchers::hook_shell, unit: "s", default: |_| "30s", bash: false };
    claude::walk(root, source, &rules, converted);
    for group in groups(root)
        .filter(|group| nodes::get(group, "parallel").is_some_and(|it| it.value == Value::Bool(true)))
    {
        let handlers = nodes::get(group, "hooks").and_then(nodes::items).unwrap_or_default();
        for draft in &mut converted.drafts {
            if handlers.iter().any(|handler| handler.place == draft.place) {
                draft.put("parallel", nodes::switch(group.place, true));
                draft.kept.push("parallel".to_owned());
            }
        }
    }
}

/// A module is a Python object that registers itself with Amplifier's session: there is nothing to run.
fn module(node: &Node, converted: &mut Converted) {
    let name = nodes::get(node, "module").and_then(nodes::as_text).unwrap_or("module").to_owned();
    let mut draft = converted.draft("its own", node);
    draft.refuse(node.place, format!("`{name}` is a module inside Amplifier"), instead_of(&name));
    draft.name = Name::Stated(name);
    converted.drafts.push(draft);
}

/// What does the same here.
fn instead_of(module: &str) -> &'static str {
    match module {
        "hooks-logging" => "every event is recorded anyway (`tenter audit show`)",
        "hooks-redaction" => "secrets are redacted before a record is written anyway",
        "hooks-approval" => "write hooks with `ask`",
        "hooks-status-context" => "write `builtin: git.status` and `builtin: date` at `prompt:submit`",
        "hooks-todo-reminder" => "write `builtin: todo.reminder` at `tool:post`",
        "hooks-python-check" => "write `builtin: lint.feedback` and `builtin: types.feedback` at `tool:post`",
        "hook-shell" => "import its folder: `tenter import --from amplifier .amplifier/hooks/hooks.json`",
        _ => "write what it does as a `command` or `python` hook",
    }
}
