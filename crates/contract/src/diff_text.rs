//! The files of a diff: unified, context, git's headings and Subversion's.

use std::borrow::Cow;

const HEADINGS: [&str; 9] = [
    "--- ",
    "+++ ",
    "*** ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Index: ",
    "diff --git ",
];
/// Headings that no other text has at the start of a line.
const CERTAIN: [&str; 7] =
    ["+++ ", "***************", "rename from ", "rename to ", "copy from ", "copy to ", "diff --git "];

/// The paths that a diff names: as written, and without their first folder, which `git apply` and `patch -p1` leave
/// out.
pub(crate) fn paths(text: &str) -> Vec<String> {
    let is_certain = |line: &str| CERTAIN.iter().any(|heading| line.starts_with(heading));
    let mut found = Vec::new();
    if !text.lines().any(|line| is_certain(line.trim_start())) {
        return found;
    }
    for line in text.lines().map(str::trim_start) {
        let Some(heading) = HEADINGS.iter().find(|heading| line.starts_with(**heading)) else { continue };
        let rest = line[heading.len()..].trim();
        if *heading == "diff --git " {
            for name in names_of_git(rest) {
                add_path(name, &mut found);
            }
        } else {
            // A date follows behind a tab, or behind a blank.
            let name = rest.split('\t').next().unwrap_or(rest).trim_end();
            add_path(name, &mut found);
            add_path(name.split_whitespace().next().unwrap_or(name), &mut found);
        }
    }
    found
}

/// Both names of `a/x b/x`. Names with blanks have no quotes; then both names are the same.
fn names_of_git(rest: &str) -> Vec<&str> {
    let mut names: Vec<&str> = rest.split_whitespace().collect();
    if let Some(same) = rest.len().checked_div(2).and_then(|middle| rest.get(middle + 1..)) {
        names.push(same);
    }
    if rest.contains('"') {
        names.extend(rest.match_indices('"').filter_map(|(at, _)| rest.get(at..)));
    }
    names
}

fn add_path(name: &str, found: &mut Vec<String>) {
    let name = unquoted(name);
    if name.is_empty() || name == "/dev/null" {
        return;
    }
    let stripped = name.split_once('/').map(|(_, rest)| rest).filter(|_| !name.starts_with('/'));
    found.extend(stripped.filter(|rest| !rest.is_empty()).map(str::to_owned));
    found.push(name.into_owned());
}

/// A name as git quotes it: `"a/\303\244 \"b\""`.
fn unquoted(name: &str) -> Cow<'_, str> {
    let Some(inner) = name.strip_prefix('"') else { return name.into() };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => {
                let mut code = 0_u32;
                let mut digits = 0;
                while let Some(digit) = rest.next_if(|it| digits < 3 && (b'0'..=b'7').contains(it)) {
                    (code, digits) = (code * 8 + u32::from(digit - b'0'), digits + 1);
                }
                let escaped = if digits > 0 { u8::try_from(code).ok() } else { rest.next() };
                bytes.extend(escaped);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_names_its_files_in_every_form() {
        for diff in [
            "--- a/p/x\n+++ b/p/x\n@@ -1 +1 @@\n-a\n+b\n",
            "--- p/x\n+++ p/x\n@@ -1 +1 @@\n",
            "--- i/p/x\n+++ w/p/x\n",
            "--- other/p/x\n+++ other/p/x\n",
            "  --- a/p/x\n  +++ b/p/x\n",
            "--- a/p/x 2026-01-01 00:00\n+++ b/p/x 2026-01-01 00:00\n",
            "--- a/p/x\t2026\r\n+++ b/p/x\t2026\r\n",
            "--- /dev/null\n+++ b/p/x\n",
            "--- a/p/x\n+++ /dev/null\n",
            "+++ b/p/x\n",
            "--- \"a/\\160/x\"\n+++ \"b/\\160/x\"\n",
            "diff --git a/p/x b/p/x\nnew file mode 100644\n",
            "diff --git a/p/x b/p/x\ndeleted file mode 100644\n",
            "diff --git \"a/\\160/x\" \"b/\\160/x\"\nold mode 100644\n",
            "rename from src/y\nrename to p/x\n",
            "similarity index 100%\nrename from p/x\nrename to src/y",
            "copy from p/x\ncopy to src/y\n",
            "Index: p/x\n===\n--- p/x\t(revision 1)\n+++ p/x\t(working copy)\n",
            "*** p/x\t2026\n--- p/x\t2026\n***************\n*** 1 ****\n! a\n",
            "```diff\n--- a/s\n+++ b/s\n@@\n--- a/p/x\n+++ b/p/x\n```",
        ] {
            assert!(paths(diff).iter().any(|path| path == "p/x"), "{diff}: {:?}", paths(diff));
        }
        assert!(paths("diff --git a/p q/x b/p q/x\n").iter().any(|path| path == "p q/x"));
    }

    #[test]
    fn other_texts_name_no_paths() {
        for text in ["--- p/x\n", "- p/x\n+ p/x\n", "*** Begin Patch\n", "see p/x\n\n--- \nend"] {
            assert!(paths(text).is_empty(), "{text}");
        }
    }
}
