//! `context`: files that the agent is given when a session begins.
//!
//! They become a hook of the built-in `context.files`, so that they are listed, trusted, switched off, recorded
//! and counted as everything else that a hook file asks for.

use serde_json::{Map, Value as Json};
use tenter_contract::builtin_names::CONTEXT_FILES;
use tenter_contract::{Builtin, EnvInheritance, EventKind, Handler, HookId, HookSource, HookSpec, Layer};

use crate::fields::{Field, Fields};
use crate::place::Place;
use crate::problem::{Expected, Finding, Findings, ProblemKind};
use crate::source::SourceText;
use crate::tree::Value;
use crate::values;

/// The name of that hook. A hook of the same file with this name is reported as a duplicate.
pub(crate) const NAME: &str = "context-files";

const KEYS: &str = "files";

/// The hook that a `context` section represents; none if it names no file, or one that it may not.
pub(crate) fn read(field: &Field<'_>, source: &SourceText<'_>, findings: &mut Findings) -> Option<HookSpec> {
    if field.node.value == Value::Null {
        return None;
    }
    let fields = findings.keep(Fields::from_field(field, "context"))?;
    fields.check(KEYS, findings);
    let files = fields.get("files")?;
    // All entries commented out.
    if files.node.value == Value::Null || files.node.value == Value::List(Vec::new()) {
        return None;
    }
    let named = findings.keep(self::files(&files))?;
    outside(&named, source.layer).for_each(|finding| findings.push(finding));
    let listed: Vec<Json> = named.iter().map(|(path, _)| Json::from(*path)).collect();
    let options = Map::from_iter([("files".to_owned(), Json::from(listed))]);
    let handler = Handler::Builtin(Builtin { name: CONTEXT_FILES.to_owned(), options });
    let mut hook = HookSpec::new(HookId::new(source.layer, NAME), EventKind::SessionStart, handler);
    // It starts nothing that would have an environment.
    hook.inherit_env = EnvInheritance::Minimal;
    hook.source = HookSource {
        file: source.name.to_owned(),
        folder: source.folder.to_owned(),
        line: field.key_place.line,
    };
    (!findings.have_errors()).then_some(hook)
}

/// Paths and globs, and where each is.
pub(crate) fn files<'a>(field: &Field<'a>) -> Result<Vec<(&'a str, Place)>, Finding> {
    let items = if let Value::List(_) = &field.node.value {
        values::items(field, Expected::TextOrList)?
    } else {
        vec![field.clone()]
    };
    if items.is_empty() {
        return Err(field.problem(ProblemKind::EmptyValue { key: field.path.clone() }));
    }
    items.iter().map(|item| Ok((file(item)?, item.node.place))).collect()
}

fn file<'a>(field: &Field<'a>) -> Result<&'a str, Finding> {
    let Value::Text(path) = &field.node.value else { return Err(field.wrong_type(Expected::TextOrList)) };
    if path.trim().is_empty() {
        return Err(field.problem(ProblemKind::EmptyValue { key: field.path.clone() }));
    }
    if path.starts_with('/') && path.ends_with('/') {
        return Err(field.problem(ProblemKind::PathNotRegex { key: field.path.clone() }));
    }
    Ok(path)
}

/// The same for a hook that names the built-in itself, as far as its file has any say.
pub(crate) fn check(hook: &HookSpec, fields: &Fields<'_>, findings: &mut Findings) {
    let Handler::Builtin(builtin) = &hook.handler else { return };
    let (Some(files), Some(field)) = (builtin.context_files(), fields.get("builtin")) else { return };
    let named: Vec<(&str, Place)> = files.into_iter().map(|path| (path, field.node.place)).collect();
    outside(&named, hook.id.layer).for_each(|finding| findings.push(finding));
}

/// Paths that leave the project where they may not: a project's file names nothing outside, and what is
/// meant from the root does not go up from there.
fn outside(files: &[(&str, Place)], layer: Layer) -> impl Iterator<Item = Finding> {
    let leaves = move |path: &str| match layer {
        Layer::Project | Layer::Local => is_whole(path) || goes_up(path),
        Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => !is_whole(path) && goes_up(path),
    };
    files.iter().filter(move |(path, _)| leaves(path)).map(move |(path, place)| {
        Finding::at(*place, ProblemKind::OutsideProject { path: (*path).to_owned(), layer })
    })
}

/// Whether it says where it begins.
pub(crate) fn is_whole(path: &str) -> bool {
    path.starts_with(['/', '~'])
}

fn goes_up(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}
