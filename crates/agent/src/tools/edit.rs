//! `Edit`: replaces a text in a file.

use tenter_contract::ToolKind;

use super::builtin_tool::BuiltinTool;
use super::files;
use super::params::{Param, ParamType, ToolInput};
use super::text_matches::TextMatches;
use super::tool_output::{Change, ToolDisplay, ToolOutput};
use super::workspace::{Knowledge, Workspace};
use super::write::changed_since;

const PARAMS: &[Param] = &[
    Param::required("file_path", ParamType::Name, "The file; a relative path starts at the current folder."),
    Param::required("old_string", ParamType::Text, "The text to replace, exactly as it stands in the file."),
    Param::required("new_string", ParamType::Text, "The text to put in its place."),
    Param::optional("replace_all", ParamType::Flag, "Whether every place is meant, and not the only one."),
];

pub(super) const EDIT: BuiltinTool = BuiltinTool {
    name: "Edit",
    kind: ToolKind::Edit,
    description: "Replaces a text in a file that you have read. `old_string` must stand in the file exactly once, with all its \
         spaces and without the line numbers of `Read`; give more of the text around it if it occurs several times, or \
         set `replace_all`. The line ends of the file are kept.",
    params: PARAMS,
    alone: true,
    run: edit,
};

fn edit(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let path = at.path(input.required("file_path"));
    let shown = at.shown(&path);
    let (old, new) = (input.required("old_string"), input.required("new_string"));
    let content = files::whole(at, &path)?;
    if old.is_empty() {
        return Err(
            "`old_string` is empty, so there is nothing to replace. `Write` makes whole files.".to_owned()
        );
    }
    if old == new {
        return Err("`old_string` and `new_string` are the same, so there is nothing to do.".to_owned());
    }
    match at.knowledge(&path, &content) {
        Knowledge::Fresh => {}
        Knowledge::Stale => return Err(changed_since(&shown)),
        Knowledge::None => return Err(format!("`{shown}` has not been read yet. Read it, then change it.")),
    }
    let matches = TextMatches::of(&content, old);
    let count = match (matches.count(), input.flag("replace_all")) {
        (0, _) => return Err(matches.why_none(&shown)),
        (many @ 2.., false) => {
            let lines = matches.lines();
            return Err(format!(
                "`old_string` occurs {many} times in `{shown}` ({lines}); give more of the text around it, or set \
                 `replace_all`."
            ));
        }
        (count, _) => count,
    };
    let lines = matches.lines();
    let after = matches.replaced_by(new);
    let target = files::target(&path).map_err(|error| format!("`{shown}` cannot be written: {error}."))?;
    let before = files::writable(at, &target)?;
    files::replace(&target, before.as_ref(), &after)
        .map_err(|error| format!("`{shown}` cannot be written: {error}."))?;
    at.remember(&target, &after);
    let change = Change::of(&path, &shown, Some(&content), &after);
    let places = if count == 1 { String::new() } else { format!(" in {count} places") };
    Ok(ToolOutput::done(
        format!("Edited `{shown}`{places}, {lines} ({}).", change.counts()),
        ToolDisplay::Change(change),
    ))
}
