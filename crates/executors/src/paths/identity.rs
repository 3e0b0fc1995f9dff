//! Other names of the same file or folder: bind mounts, hard links, and folders that conditions name by links.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tenter_contract::canonical_path::{joined, normalized};
use tenter_contract::{CanonicalPath, PathBase};

use crate::search::{Start, is_glob, search};

type Id = (u64, u64);

/// The places that conditions name, by the identity of their files.
pub(super) struct Places<'q> {
    /// The absolute name in the condition, and the identity.
    known: Vec<(String, Id)>,
    globs: &'q [String],
    root: Option<&'q str>,
    home: Option<&'q str>,
}

impl<'q> Places<'q> {
    pub(super) fn new(globs: &'q [String], base: &'q PathBase) -> Self {
        let root = base.root.as_deref().or(base.cwd.as_deref());
        let home = base.home.as_deref();
        let mut known: Vec<(String, Id)> = Vec::new();
        let literal = globs.iter().map(|glob| literal_part(glob));
        for place in std::iter::once("").chain(literal) {
            let place = match (place.strip_prefix("~/"), root, home) {
                (Some(rest), _, Some(home)) => joined(home, rest),
                (None, Some(root), _) if !place.starts_with('/') => joined(root, place),
                _ => place.to_owned(),
            };
            let place = normalized(&place);
            if place.starts_with('/')
                && place != "/"
                && !known.iter().any(|(name, _)| *name == place)
                && let Some(id) = id(Path::new(&place))
            {
                known.push((place, id));
            }
        }
        Self { known, globs, root, home }
    }

    /// Adds the names of a path below these places.
    pub(super) fn add_names(&self, end: &str, path: &mut CanonicalPath) {
        let end = Path::new(end);
        for above in end.ancestors() {
            let Some(found) = id(above) else { continue };
            let Some(rest) = end.strip_prefix(above).ok().and_then(Path::to_str) else { continue };
            for (place, _) in self.known.iter().filter(|(_, id)| *id == found) {
                path.add_name(&joined(place, rest));
            }
        }
        let linked = fs::metadata(end).ok().filter(|file| file.is_file() && file.nlink() > 1);
        if let Some(file) = linked {
            self.add_hard_links((file.dev(), file.ino()), path);
        }
    }

    /// Adds the hard links that match a condition. A search that takes too long counts as a match.
    #[inline(never)]
    fn add_hard_links(&self, wanted: Id, path: &mut CanonicalPath) {
        let start = Start { root: self.root.map(Path::new), home: self.home.map(Path::new), skipped: &[] };
        for glob in self.globs.iter().filter(|glob| is_glob(glob)) {
            let anywhere = format!("**/{glob}");
            let glob = if glob.contains('/') { glob } else { &anywhere };
            let found = search(glob, &start, &mut |file| {
                if fs::symlink_metadata(file).is_ok_and(|it| (it.dev(), it.ino()) == wanted)
                    && let Some(name) = file.to_str()
                {
                    path.add_name(name);
                }
                false
            });
            path.unknown |= found.is_none();
        }
    }
}

/// A glob up to its first component with a wildcard.
fn literal_part(glob: &str) -> &str {
    let mut end = 0;
    for part in glob.split_inclusive('/') {
        if is_glob(part) {
            return glob[..end].trim_end_matches('/');
        }
        end += part.len();
    }
    glob
}

fn id(path: &Path) -> Option<Id> {
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}
