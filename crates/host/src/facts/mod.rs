//! What is known of the place where an event happened, asked of the file system and of our own environment.

mod branch;
mod files;

use std::env;
use std::path::Path;

use tenter_contract::ports::FactFinder;
use tenter_contract::{Facts, WantedFacts};

pub(crate) struct PlaceFacts;

impl FactFinder for PlaceFacts {
    fn find(&self, wanted: &WantedFacts, project_root: Option<&str>) -> Facts {
        let root = project_root.map(Path::new);
        let variable =
            |name: &String| Some((name.clone(), env::var_os(name)?.to_string_lossy().into_owned()));
        Facts {
            branch: root.filter(|_| wanted.branch).and_then(branch::checked_out),
            variables: wanted.variables.iter().filter_map(variable).collect(),
            paths: wanted.paths.as_ref().map(tenter_executors::paths::resolve).unwrap_or_default(),
            folders: wanted.folders.as_ref().map(tenter_executors::paths::resolve).unwrap_or_default(),
            files: wanted.files.iter().filter(|path| files::exists(path, root)).cloned().collect(),
        }
    }

    fn fingerprint(&self, files: &[String], project_root: Option<&str>) -> Option<String> {
        files::fingerprint(files, project_root.map(Path::new))
    }
}
