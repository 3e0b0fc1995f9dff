//! Files for the context: `paths` of the global configuration and of profiles, `resources` of agent files.
//!
//! Amazon Q reads paths and globs from the folder it works in, from home and whole ones, and says nothing of
//! those that are not there; here they are a hook of the built-in `context.files`, which does the same.

use tenter_contract::Layer;
use tenter_contract::builtin_names::CONTEXT_FILES;

use super::super::draft::{Converted, Name};
use super::super::nodes;
use super::super::report::NoteKind;
use crate::context::is_whole;
use crate::problem::{Expected, ProblemKind};
use crate::source::SourceText;
use crate::tree::Node;

const FILE: &str = "file://";

/// Whether a file says which files belong into the context.
pub(super) fn recognise(root: &Node) -> bool {
    listed(root).iter().any(|(key, node)| {
        let items = nodes::items(node).unwrap_or_default();
        let fits = |item: &Node| {
            nodes::as_text(item).is_some_and(|text| *key != "resources" || text.starts_with(FILE))
        };
        !items.is_empty() && items.iter().all(fits)
    })
}

/// One hook for all of them, or none.
pub(super) fn convert(root: &Node, source: &SourceText<'_>, converted: &mut Converted) {
    let of_project = matches!(source.layer, Layer::Project | Layer::Local);
    let (mut files, mut keys) = (Vec::new(), Vec::new());
    for (key, node) in listed(root) {
        let Some(items) = nodes::items(node) else {
            let (key, found) = (key.to_owned(), node.describe());
            converted
                .findings
                .add(node.place, ProblemKind::WrongType { key, expected: Expected::List, found });
            continue;
        };
        for item in items {
            let path = nodes::as_text(item);
            let path = if key == "resources" { path.and_then(|it| it.strip_prefix(FILE)) } else { path };
            match path.map(str::trim).filter(|path| !path.is_empty()) {
                None => {
                    let text = format!("{} is no file", item.describe());
                    converted.note(NoteKind::Lost, item.place, key, text);
                }
                Some(path) if of_project && is_whole(path) => {
                    let why = format!("`{path}` lies outside of the project");
                    converted
                        .findings
                        .add(item.place, ProblemKind::NotKept { key: key.to_owned(), why: why.clone() });
                    converted.note(NoteKind::Lost, item.place, key, why);
                }
                Some(path) => files.push(path),
            }
        }
        keys.push((key, node));
    }
    let (Some((key, node)), false) = (keys.first(), files.is_empty()) else { return };
    let mut draft = converted.draft("session:start", node);
    draft.name = Name::From("context".to_owned());
    draft.kept.push((*key).to_owned());
    let builtin =
        [("name", nodes::text(node.place, CONTEXT_FILES)), ("files", nodes::texts(node.place, files))];
    draft.put("builtin", nodes::table(node.place, builtin));
    converted.drafts.push(draft);
}

fn listed(root: &Node) -> Vec<(&'static str, &Node)> {
    let in_context = nodes::get(root, "context").and_then(|context| nodes::get(context, "paths"));
    let paths = nodes::get(root, "paths").or(in_context).map(|node| ("paths", node));
    let resources = nodes::get(root, "resources").map(|node| ("resources", node));
    paths.into_iter().chain(resources).collect()
}
