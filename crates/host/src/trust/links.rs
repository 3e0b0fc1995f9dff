//! The links on the way to a file: re-pointing one changes what runs as much as changing the file does.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// More than this many links on one way are a circle, as they are for the system.
const MOST: usize = 40;

/// Adds the links inside the project that one passes on the way to a path. `real` is the project's folder without
/// links.
pub(super) fn on_the_way(path: &Path, root: &Path, real: &Path, links: &mut BTreeSet<PathBuf>) {
    // How the project's own folder is reached is not the project's business.
    let path = path.strip_prefix(root).map_or_else(|_| path.to_path_buf(), |below| real.join(below));
    let mut rest = steps(&path);
    let mut here = PathBuf::from("/");
    let mut passed = 0;
    while let Some(step) = rest.pop() {
        if step == ".." {
            here.pop();
            continue;
        }
        here.push(step);
        let Ok(target) = fs::read_link(&here) else { continue };
        if here.starts_with(real) {
            links.insert(here.clone());
        }
        passed += 1;
        if passed > MOST {
            return;
        }
        here.pop();
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        rest.extend(steps(&target));
    }
}

/// The steps of a path, the first of them last.
fn steps(path: &Path) -> Vec<OsString> {
    let step = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().rev().filter_map(step).collect()
}

/// Where a link leads, as it is written in it.
pub(super) fn target(link: &Path) -> Option<String> {
    Some(fs::read_link(link).ok()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn every_link_of_the_project_on_the_way_is_found_and_circles_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("one")).unwrap();
        symlink("../two", root.join("real/inner")).unwrap();
        symlink("/nowhere", root.join("two")).unwrap();
        symlink("round", root.join("round")).unwrap();
        let found = |path: &str| {
            let mut links = BTreeSet::new();
            on_the_way(&root.join(path), &root, &root, &mut links);
            let shown = |link: PathBuf| link.strip_prefix(&root).unwrap().display().to_string();
            links.into_iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(found("one/inner/x.sh"), ["one", "real/inner", "two"]);
        assert_eq!(found("real/x.sh"), Vec::<String>::new());
        assert_eq!(found("round"), ["round"]);
    }
}
