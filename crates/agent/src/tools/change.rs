//! The diff of a changed file.

use std::path::Path;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::tool_output::Change;

/// Finding the smallest diff of two long texts can take minutes; after this time any diff is accepted.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);
const MOST_LINES: usize = 400;
const LONGEST_LINE: usize = 400;

impl Change {
    /// The change from the old content, if there was a file, to the new.
    pub(super) fn new(path: &Path, shown: &str, before: Option<&[u8]>, after: &[u8]) -> Self {
        let created = before.is_none();
        let before = before.unwrap_or_default();
        if before.contains(&0) || after.contains(&0) {
            let diff = "(binary, so no diff is shown)".to_owned();
            return Self { path: path.to_owned(), created, added: 0, removed: 0, diff };
        }
        let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
        let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(before.as_ref(), after.as_ref());
        let count =
            |wanted: ChangeTag| diff.iter_all_changes().filter(|change| change.tag() == wanted).count();
        let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let old = if created { "/dev/null".to_owned() } else { format!("a/{shown}") };
        let unified = diff.unified_diff().context_radius(3).header(&old, &format!("b/{shown}")).to_string();
        Self { path: path.to_owned(), created, added, removed, diff: bounded(&unified) }
    }

    pub(super) fn counts(&self) -> String {
        format!("+{} −{} lines", self.added, self.removed)
    }
}

fn bounded(diff: &str) -> String {
    let mut lines = diff.lines();
    let mut shown: Vec<String> = lines
        .by_ref()
        .take(MOST_LINES)
        .map(|line| match line.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_owned(),
        })
        .collect();
    let more = lines.count();
    if more > 0 {
        shown.push(format!("… {more} more lines"));
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<&str>, after: &str) -> Change {
        Change::new(Path::new("/p/x"), "x", before.map(str::as_bytes), after.as_bytes())
    }

    #[test]
    fn change_is_a_unified_diff() {
        let changed = change(Some("a\nb\nc\n"), "a\nB\nc\nd");
        assert_eq!((changed.added, changed.removed, changed.created), (2, 1, false));
        assert_eq!(
            changed.diff,
            "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n\\ No newline at end of file"
        );
        let created = change(None, "a\n");
        assert_eq!(
            (created.diff.as_str(), created.created),
            ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a", true)
        );
    }

    #[test]
    fn large_change_is_cut_and_counted() {
        let after: String = (0..5_000).flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
        let created = change(None, &after);
        assert_eq!((created.added, created.diff.lines().count()), (5_000, MOST_LINES + 1));
        assert!(created.diff.ends_with("… 4603 more lines"), "{}", created.diff);
        assert!(change(None, &"x".repeat(100_000)).diff.len() < 1_000);
        assert_eq!(change(Some("\0"), "a").diff, "(binary, so no diff is shown)");
    }
}
