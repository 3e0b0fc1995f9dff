//! A patch of files, as some agents' models write one: `*** Begin Patch`, then a heading for each file.

use serde_json::{Map, Value};

use crate::path_text::trimmed;

/// What a patch does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It is new.
    Adds,
    /// Part of it becomes different.
    Edits,
    /// It goes away.
    Removes,
    /// It comes from elsewhere: the new path of a file that the heading before names.
    Moves,
}

const HEADINGS: [(&str, FileChange); 6] = [
    ("add file", FileChange::Adds),
    ("create file", FileChange::Adds),
    ("update file", FileChange::Edits),
    ("delete file", FileChange::Removes),
    ("move to", FileChange::Moves),
    ("move file to", FileChange::Moves),
];

/// The files of a patch, in the order of their headings.
///
/// Headings are read as loosely as any agent reads them: blanks around them, no blank after the colon or another one
/// than a space, U+FEFF, any line end. Inside a file such a line may also be one that stays as it is: then a file too
/// many is named, which is the safe side.
pub fn files(patch: &str) -> impl Iterator<Item = (FileChange, &str)> {
    raw_files(patch).filter_map(|(change, path)| {
        let path = trimmed(path);
        (!path.is_empty()).then_some((change, path))
    })
}

/// The same paths where an agent reads them in another way: after the one blank that belongs to the heading, with
/// all further blanks.
pub fn raw_paths(patch: &str) -> impl Iterator<Item = &str> {
    let strict = raw_files(patch).filter_map(|(_, path)| path.strip_prefix(' '));
    strict.map(str::trim_end).filter(|path| !path.is_empty())
}

fn raw_files(patch: &str) -> impl Iterator<Item = (FileChange, &str)> {
    patch.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '\u{B}', '\u{C}']).filter_map(|line| {
        let heading = trimmed_start(line).strip_prefix("***")?;
        let (words, path) = heading.split_once(':')?;
        let same = |known: &str| {
            let words = trimmed(words).split_whitespace().flat_map(|word| [word, " "]);
            let words = words.flat_map(str::bytes).map(|byte| byte.to_ascii_lowercase());
            words.eq(known.bytes().chain([b' ']))
        };
        HEADINGS.iter().find(|(known, _)| same(known)).map(|(_, change)| (*change, path))
    })
}

fn trimmed_start(line: &str) -> &str {
    let rest = trimmed(line);
    line.find(rest).map_or(line, |at| &line[at..])
}

/// What hooks look for in a patch that does one thing to one file: the whole of a new file (`content`), or the one
/// place that becomes different (`old_string`, `new_string`).
///
/// Nothing for any other patch, and nothing for one that is not written as it should be: half of it would be a lie.
pub fn one_change(patch: &str) -> Map<String, Value> {
    let mut files = files(patch);
    match (files.next(), files.next()) {
        (Some((FileChange::Adds, _)), None) => whole(patch).unwrap_or_default(),
        (Some((FileChange::Edits, _)), None) => part(patch).unwrap_or_default(),
        (Some(_) | None, _) => Map::new(),
    }
}

/// A patch that is about the same as this one and makes of the file what these keys say; none if this one has no such
/// keys, or if they are not all there.
pub fn changed(patch: &str, keys: &Map<String, Value>) -> Option<String> {
    let known = one_change(patch);
    let text = |key: &str| known.get(key).and_then(|_| keys.get(key)?.as_str());
    let body = match (text(CONTENT), text(OLD), text(NEW)) {
        (Some(content), _, _) => marked("+", content),
        (None, Some(old), Some(new)) => marked("-", old) + &marked("+", new),
        (None, _, _) => return None,
    };
    let is_change = |line: &&str| line.starts_with(['+', '-', ' ']) || line.is_empty();
    let (above, below) = body_of(patch)?;
    let places = above.iter().chain(below.iter().filter(|line| line.starts_with("@@")));
    let end = below.iter().filter(|line| !is_change(line) && !line.starts_with("@@"));
    let before: String = places.flat_map(|line| [*line, "\n"]).collect();
    let after = end.copied().collect::<Vec<_>>().join("\n");
    Some(format!("{before}{body}{after}"))
}

const CONTENT: &str = "content";
const OLD: &str = "old_string";
const NEW: &str = "new_string";

/// The keys that [`one_change`] may give.
pub const CHANGE_KEYS: [&str; 3] = [CONTENT, OLD, NEW];

/// The lines up to the heading of the only file, and those after it.
fn body_of(patch: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    let lines: Vec<&str> = patch.lines().collect();
    let heading = lines.iter().position(|line| files(line).next().is_some())?;
    let (above, below) = lines.split_at(heading + 1);
    Some((above.to_vec(), below.to_vec()))
}

/// The lines about the only file, without the words that end it.
fn lines_of(patch: &str) -> Option<Vec<&str>> {
    let (_, mut below) = body_of(patch)?;
    for end in ["*** End Patch", "*** End of File"] {
        below.pop_if(|line| line.trim() == end);
    }
    Some(below)
}

fn whole(patch: &str) -> Option<Map<String, Value>> {
    let lines: Option<Vec<&str>> = lines_of(patch)?.into_iter().map(|line| line.strip_prefix('+')).collect();
    Some(Map::from_iter([(CONTENT.to_owned(), joined(&lines?))]))
}

fn part(patch: &str) -> Option<Map<String, Value>> {
    let (mut old, mut new, mut places) = (Vec::new(), Vec::new(), 0);
    for line in lines_of(patch)? {
        match line.as_bytes().first() {
            Some(b'@') if line.starts_with("@@") && old.is_empty() && new.is_empty() => places += 1,
            Some(b'+') => new.push(&line[1..]),
            Some(b'-') => old.push(&line[1..]),
            Some(b' ') => {
                old.push(&line[1..]);
                new.push(&line[1..]);
            }
            None => {
                old.push("");
                new.push("");
            }
            Some(_) => return None,
        }
    }
    let keys = [(OLD.to_owned(), joined(&old)), (NEW.to_owned(), joined(&new))];
    (places <= 1).then(|| Map::from_iter(keys))
}

fn joined(lines: &[&str]) -> Value {
    Value::from(lines.iter().flat_map(|line| [*line, "\n"]).collect::<String>())
}

fn marked(mark: &str, text: &str) -> String {
    text.lines().flat_map(|line| [mark, line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn single_change_patch_gets_usual_keys() {
        for (patch, expected) in [
            ("*** Begin Patch\n*** Add File: a\n+x\n+\n+y\n*** End Patch", json!({"content": "x\n\ny\n"})),
            ("*** Begin Patch\r\n*** Add File: a\r\n+x\r\n*** End Patch\r\n", json!({"content": "x\n"})),
            ("*** Begin Patch\n*** Add File: a\n*** End Patch", json!({"content": ""})),
            (
                "*** Begin Patch\n*** Update File: a\n@@ fn f()\n stays\n-old\n+new\n*** End Patch",
                json!({"old_string": "stays\nold\n", "new_string": "stays\nnew\n"}),
            ),
            (
                "*** Update File: a\n-old\n+new\n*** End of File\n*** End Patch",
                json!({"old_string": "old\n", "new_string": "new\n"}),
            ),
            // Two places, two files, another name, and what is not written as it should be.
            ("*** Update File: a\n@@\n-x\n+y\n@@\n-v\n+w", json!({})),
            ("*** Update File: a\n@@ class C\n@@ fn f()\n-x\n+y", json!({})),
            ("*** Add File: a\n+x\n*** Add File: b\n+y", json!({})),
            ("*** Update File: a\n*** Move to: b\n@@\n-x\n+y", json!({})),
            ("*** Delete File: a", json!({})),
            ("*** Add File: a\n+x\ny", json!({})),
            ("*** Update File: a\n-x\n+y\nwhat", json!({})),
            ("+x", json!({})),
        ] {
            assert_eq!(Value::Object(one_change(patch)), expected, "{patch}");
        }
    }

    #[test]
    fn rewritten_keys_become_a_patch() {
        let keys = |value: Value| value.as_object().cloned().unwrap();
        let add = "*** Begin Patch\n*** Add File: a b\n+x\n*** End Patch";
        let edit = "*** Begin Patch\n*** Update File: a\n@@ fn f()\n stays\n-x\n+y\n*** End Patch";
        for (patch, new, expected) in [
            (
                add,
                json!({"content": "v\n\nw"}),
                Some("*** Begin Patch\n*** Add File: a b\n+v\n+\n+w\n*** End Patch"),
            ),
            (add, json!({"content": ""}), Some("*** Begin Patch\n*** Add File: a b\n*** End Patch")),
            (
                edit,
                json!({"old_string": "stays\nx", "new_string": "z"}),
                Some("*** Begin Patch\n*** Update File: a\n@@ fn f()\n-stays\n-x\n+z\n*** End Patch"),
            ),
            (edit, json!({"new_string": "z"}), None),
            (edit, json!({"content": "z"}), None),
            (add, json!({"content": 7}), None),
            ("*** Delete File: a", json!({"content": "z"}), None),
        ] {
            assert_eq!(changed(patch, &keys(new.clone())).as_deref(), expected, "{patch} {new}");
        }
        for patch in [add, edit] {
            let again = changed(patch, &one_change(patch)).unwrap();
            assert_eq!(one_change(&again), one_change(patch), "{again}");
        }
    }

    #[test]
    fn patch_headings_name_files() {
        for (patch, expected) in [
            ("*** Begin Patch\n*** Add File: a b.txt\n+x\n*** End Patch", "Adds a b.txt"),
            (
                "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch",
                "Edits a, Moves b, Removes c",
            ),
            ("*** Begin Patch\r\n  *** Add File:  a \r\n+x\r\n", "Adds a"),
            ("*** Add File: a\n+*** Add File: b\n-*** Delete File: c", "Adds a"),
            ("*** Add File: \n*** Add File:a\nAdd File: b", "Adds a"),
            (
                "*** Add File:\ta\n***Update File:\u{A0}b\n*** delete  file :\u{FEFF}c\r*** Move to:d",
                "Adds a, Edits b, Removes c, Moves d",
            ),
            ("\u{FEFF} *** Add File: a", "Adds a"),
            ("", ""),
        ] {
            let found: Vec<String> =
                files(patch).map(|(change, path)| format!("{change:?} {path}")).collect();
            assert_eq!(found.join(", "), expected, "{patch}");
        }
    }
}
