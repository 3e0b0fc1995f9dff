//! `Edit`: replaces text in a file.

use tenter_contract::ToolKind;

use super::files;
use super::text_matches::TextMatches;
use super::workspace::Knowledge;
use super::write::changed_since;
use super::{BuiltinTool, Change, Param, ParamType, ToolDisplay, ToolInput, ToolOutput, Workspace};

pub(super) const EDIT: BuiltinTool = BuiltinTool {
    name: "Edit",
    kind: ToolKind::Edit,
    description: "Replaces text in a file that you have read. `old_string` must occur in the file exactly once, with all its \
         spaces and without the line numbers of `Read`; include more of the surrounding text if it occurs several times, \
         or set `replace_all`. The line endings of the file are kept.",
    params: &[
        Param::FILE_PATH,
        Param::required("old_string", ParamType::Text, "The text to replace, exactly as in the file."),
        Param::required("new_string", ParamType::Text, "The new text."),
        Param::optional("replace_all", ParamType::Flag, "Replace all matches instead of a single one."),
    ],
    alone: true,
    run: edit,
};

fn edit(input: &ToolInput<'_>, at: &Workspace, _: &dyn Fn() -> bool) -> Result<ToolOutput, String> {
    let path = at.path(input.required("file_path"));
    let shown = at.shown(&path);
    let (old, new) = (input.required("old_string"), input.required("new_string"));
    let content = files::whole(at, &path)?;
    if old.is_empty() {
        return Err("`old_string` is empty. To replace the whole file, use `Write`.".to_owned());
    }
    if old == new {
        return Err("`old_string` and `new_string` are the same.".to_owned());
    }
    match at.knowledge(&path, &content) {
        Knowledge::Fresh => {}
        Knowledge::Stale => return Err(changed_since(&shown)),
        Knowledge::None => return Err(format!("`{shown}` has not been read yet. Read it, then change it.")),
    }
    let matches = TextMatches::find(&content, old);
    let count = match (matches.count(), input.flag("replace_all", false)) {
        (0, _) => return Err(matches.why_none(&shown)),
        (many @ 2.., false) => {
            let lines = matches.lines();
            return Err(format!(
                "`old_string` occurs {many} times in `{shown}` ({lines}); include more of the surrounding text, or set \
                 `replace_all`."
            ));
        }
        (count, _) => count,
    };
    let lines = matches.lines();
    let after = matches.replaced_by(new);
    let unwritten = |error: std::io::Error| format!("`{shown}` cannot be written: {error}.");
    let target = files::target(&path).map_err(unwritten)?;
    let before = files::writable(at, &target)?;
    files::replace(&target, before.as_ref(), &after).map_err(unwritten)?;
    at.remember(&target, &after);
    let change = Change::new(&path, &shown, Some(&content), &after);
    let places = if count == 1 { String::new() } else { format!(" in {count} places") };
    Ok(ToolOutput::done(
        format!("Edited `{shown}`{places}, {lines} ({}).", change.counts()),
        ToolDisplay::Change(change),
    ))
}
