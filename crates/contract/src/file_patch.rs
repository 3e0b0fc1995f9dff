//! A patch of files, as some agents' models write one: `*** Begin Patch`, then a heading for each file.

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

const HEADINGS: [(&str, FileChange); 4] = [
    ("*** Add File: ", FileChange::Adds),
    ("*** Update File: ", FileChange::Edits),
    ("*** Delete File: ", FileChange::Removes),
    ("*** Move to: ", FileChange::Moves),
];

/// The files of a patch, in the order of their headings.
///
/// Blanks before a heading are skipped, as agents do. Inside a file they may also be the mark of a line that stays
/// as it is: then a file too many is named, which is the safe side.
pub fn files(patch: &str) -> impl Iterator<Item = (FileChange, &str)> {
    patch.lines().filter_map(|line| {
        let line = line.trim();
        HEADINGS.iter().find_map(|(heading, change)| {
            let path = line.strip_prefix(heading)?.trim();
            (!path.is_empty()).then_some((*change, path))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_patch_stand_in_its_headings() {
        for (patch, expected) in [
            ("*** Begin Patch\n*** Add File: a b.txt\n+x\n*** End Patch", "Adds a b.txt"),
            (
                "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch",
                "Edits a, Moves b, Removes c",
            ),
            ("*** Begin Patch\r\n  *** Add File:  a \r\n+x\r\n", "Adds a"),
            ("*** Add File: a\n+*** Add File: b\n-*** Delete File: c", "Adds a"),
            ("*** Add File: \n*** Add File:a\nAdd File: b", ""),
            ("", ""),
        ] {
            let found: Vec<String> =
                files(patch).map(|(change, path)| format!("{change:?} {path}")).collect();
            assert_eq!(found.join(", "), expected, "{patch}");
        }
    }
}
