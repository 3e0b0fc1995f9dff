//! `Edit`: one text in a file becomes another.

use tenter_contract::ToolKind;

use super::files;
use super::keys::{Form, Given, Key};
use super::own::Own;
use super::passage::Passages;
use super::ran::{Change, Ran, Shown};
use super::workplace::{Knowledge, Workplace};
use super::write::changed_since;

const KEYS: &[Key] = &[
    Key::needed("file_path", Form::Name, "The file; a relative path starts at the current folder."),
    Key::needed("old_string", Form::Text, "The text to replace, exactly as it stands in the file."),
    Key::needed("new_string", Form::Text, "The text to put in its place."),
    Key::optional("replace_all", Form::Flag, "Whether every place is meant, and not the only one."),
];

/// The tool.
pub(super) const EDIT: Own = Own {
    name: "Edit",
    kind: ToolKind::Edit,
    description: "Replaces a text in a file that you have read. `old_string` must stand in the file exactly once, with all its \
         spaces and without the line numbers of `Read`; give more of the text around it if it occurs several times, or \
         set `replace_all`. The line ends of the file are kept.",
    keys: KEYS,
    alone: true,
    run: edit,
};

fn edit(given: &Given<'_>, at: &Workplace, _: &dyn Fn() -> bool) -> Result<Ran, String> {
    let path = at.path(given.needed("file_path"));
    let shown = at.shown(&path);
    let (old, new) = (given.needed("old_string"), given.needed("new_string"));
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
    let passages = Passages::of(&content, old);
    let count = match (passages.count(), given.flag("replace_all")) {
        (0, _) => return Err(passages.why_none(&shown)),
        (many @ 2.., false) => {
            let lines = passages.lines();
            return Err(format!(
                "`old_string` occurs {many} times in `{shown}` ({lines}); give more of the text around it, or set \
                 `replace_all`."
            ));
        }
        (count, _) => count,
    };
    let lines = passages.lines();
    let after = passages.replaced_by(new);
    let target = files::target(&path).map_err(|error| format!("`{shown}` cannot be written: {error}."))?;
    let before = files::writable(at, &target)?;
    files::replace(&target, before.as_ref(), &after)
        .map_err(|error| format!("`{shown}` cannot be written: {error}."))?;
    at.remember(&target, &after);
    let change = Change::of(&path, &shown, Some(&content), &after);
    let places = if count == 1 { String::new() } else { format!(" in {count} places") };
    Ok(Ran::done(format!("Edited `{shown}`{places}, {lines} ({}).", change.counts()), Shown::Change(change)))
}
