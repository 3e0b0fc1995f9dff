//! The names of a path on this machine: through links, `/proc`, other names of a folder, and hard links.
//!
//! Conditions, grants and protection all use it. Limits: links that change later, and names in the namespaces of other
//! processes.

mod follow;
mod identity;
mod spellings;

use std::path::Path;

use tenter_contract::{CanonicalPath, PathBase, PathQuery, PathText, PathUse};

use crate::project_folders::is_project;
use crate::search::{Start, is_glob, search};

/// A glob with more matches counts as unknown.
const MOST_FOUND: usize = 200;

/// The paths of a call with all of their names. A text that may not be a path is left out if no such file exists.
pub fn resolve(query: &PathQuery) -> Vec<CanonicalPath> {
    let home = std::env::home_dir().and_then(|home| home.to_str().map(str::to_owned));
    let base = PathBase { home: query.base.home.clone().or(home), ..query.base.clone() };
    let places = identity::Places::new(&query.globs, &base);
    query.texts.iter().filter_map(|text| resolved(text, &base, &places)).collect()
}

fn resolved(text: &PathText, base: &PathBase, places: &identity::Places) -> Option<CanonicalPath> {
    if text.use_as == PathUse::Unknown {
        return Some(CanonicalPath::unknown());
    }
    let mut spellings = base.spellings(&text.text);
    let variables = spellings::with_variables(&text.text, base);
    spellings.extend(variables.iter().flat_map(|text| base.spellings(text)));
    let exists = |spelling: &String| Path::new(spelling).symlink_metadata().is_ok();
    let there = spellings.iter().any(exists);
    // A word that names a folder is probably only a word: `environment: production`.
    let is_folder = |spelling: &String| Path::new(spelling).symlink_metadata().is_ok_and(|it| it.is_dir());
    if text.use_as == PathUse::IfExists && (!there || spellings.iter().any(is_folder)) {
        return None;
    }
    let mut path = CanonicalPath::by_text(&text.text, base);
    let mut ends: Vec<String> = Vec::new();
    for spelling in &spellings {
        add_followed(&mut path, &mut ends, spelling, base);
    }
    if !there {
        let alternatives = spellings.iter().flat_map(|spelling| spellings::brace_alternatives(spelling));
        for spelling in alternatives {
            if is_glob(&spelling) {
                add_found(&mut path, &mut ends, &spelling, base, None);
            } else if !spellings.contains(&spelling) {
                add_followed(&mut path, &mut ends, &spelling, base);
            }
        }
        if text.use_as == PathUse::LookedUp
            && let Some(root) = &base.root
        {
            let found = tenter_contract::path_text::readings(&text.text);
            for reading in found.iter().filter(|reading| !reading.starts_with('/') && !is_glob(reading)) {
                add_found(&mut path, &mut ends, &format!("**/{reading}"), base, Some(root));
            }
        }
    }
    ends.sort();
    ends.dedup();
    for end in &ends {
        places.add_names(end, &mut path);
        path.aliases.extend(name_elsewhere(end, base));
    }
    if let Some(home) = &base.home {
        let below: Vec<String> = path.names.iter().filter_map(|name| below_home(name, home)).collect();
        path.aliases.extend(below);
    }
    Some(path)
}

/// A spelling with the names that it has by links.
fn add_followed(path: &mut CanonicalPath, ends: &mut Vec<String>, spelling: &str, base: &PathBase) {
    let followed = follow::follow(spelling, base);
    path.unknown |= followed.unfinished;
    for name in &followed.names {
        path.add_name(name);
    }
    ends.extend(followed.ends);
}

/// Adds the matches of a glob, or the files that an agent finds by the end of a path.
fn add_found(
    path: &mut CanonicalPath,
    ends: &mut Vec<String>,
    wanted: &str,
    base: &PathBase,
    root: Option<&String>,
) {
    let mut found = 0;
    let start = Start { root: root.map(Path::new), home: None, skipped: &[".git", "node_modules"] };
    let enough = search(wanted, &start, &mut |file| {
        if let Some(name) = file.to_str() {
            add_followed(path, ends, name, base);
        }
        found += 1;
        found >= MOST_FOUND
    });
    path.unknown |= enough.unwrap_or(true);
}

/// The name of a file below its own project, if that is another one than the agent's and not a part of it.
fn name_elsewhere(end: &str, base: &PathBase) -> Option<String> {
    let end = Path::new(end);
    let agents = base.root.as_deref().map(Path::new);
    if agents.is_some_and(|root| end.starts_with(root)) {
        return None;
    }
    let home = base.home.as_deref().map(Path::new);
    let is_home = |folder: &Path| home.is_some_and(|home| home.starts_with(folder));
    let root = end.ancestors().skip(1).find(|folder| !is_home(folder) && is_project(folder))?;
    Some(end.strip_prefix(root).ok()?.to_str()?.to_owned())
}

/// The name as people write it in a pattern: `~/.ssh/config`.
fn below_home(name: &str, home: &str) -> Option<String> {
    name.strip_prefix(home.trim_end_matches('/'))?.strip_prefix('/').map(|rest| format!("~/{rest}"))
}

#[cfg(test)]
mod tests;
