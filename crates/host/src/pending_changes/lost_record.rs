//! Files whose record of the active version is lost, and the versions that are active then.

use std::path::{Path, PathBuf};

use tenter_protocol::shorten::sha256_hex;
use tenter_store::{GoodVersion, Hold, KeptVersion};

use super::text_of;
use crate::clock::now_ms;
use crate::hook_files::has_hook_file;
use crate::installation::NotedFile;
use crate::places::Places;

/// What is left of tenter's record of a file.
pub(super) enum Record {
    /// The record is there, or none is missing.
    Kept,
    /// It is gone, and the file is unchanged.
    LostUnchanged,
    /// It is gone, and the file is another one or gone too. This version is active until the user accepts the file.
    Lost(GoodVersion),
}

/// Compares a file without a record with what the installation noted.
pub(super) fn record_of(path: &Path, kept: &KeptVersion, noted: &[NotedFile]) -> Record {
    let noted: Vec<&NotedFile> = noted.iter().filter(|file| file.path == path).collect();
    if matches!(kept, KeptVersion::Good(_)) || noted.is_empty() {
        return Record::Kept;
    }
    let found = text_of(path);
    let hash = found.as_deref().map(|text| sha256_hex(text.as_bytes()));
    if noted.iter().any(|file| Some(&file.sha256) == hash.as_ref()) {
        return Record::LostUnchanged;
    }
    let active_text = noted.iter().find_map(|file| file.text.as_deref()).unwrap_or_else(|| closed(path));
    let what = if found.is_some() { "it changed" } else { "it was removed" };
    let reason = format!("{what}, and tenter's record of the version before is gone");
    let version = GoodVersion::new(path.to_string_lossy(), active_text, now_ms());
    Record::Lost(GoodVersion { hold: Some(Hold { since: now_ms(), reason }), ..version })
}

/// The user's hook file, if none is there although tenter has no record of any: every record was removed with it.
pub(super) fn lost_hook_file(places: &Places) -> Option<PathBuf> {
    let folder =
        places.config_folder.as_ref().filter(|folder| places.config.is_none() && !has_hook_file(folder))?;
    Some(folder.join("hooks.yaml"))
}

/// The active version of that file: it denies every tool call.
pub(super) fn lost_version(path: &Path) -> GoodVersion {
    let reason = "it was removed, and tenter's record of it is gone".to_owned();
    let version = GoodVersion::new(path.to_string_lossy(), closed(path), now_ms());
    GoodVersion { hold: Some(Hold { since: now_ms(), reason }), ..version }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|it| it.to_str()).unwrap_or_default()
}

/// A hook file without hooks: the version before a new file.
pub(super) fn empty(path: &Path) -> &'static str {
    match (extension(path), path.file_name().and_then(|it| it.to_str())) {
        (_, Some("disabled.json")) => "{}\n",
        (_, Some("profile")) => "",
        ("toml", _) => "version = 1\n",
        ("json", _) => "{\"version\": 1}\n",
        _ => "version: 1\n",
    }
}

/// The version before a file of which nothing is known, or nothing any more: it denies every tool call.
pub(super) fn closed(path: &Path) -> &'static str {
    match (extension(path), path.file_name().and_then(|it| it.to_str())) {
        (_, Some("disabled.json")) => "{}\n",
        (_, Some("profile")) => "",
        ("toml", _) => {
            "version = 1\n[[hooks.\"tool:pre\"]]\nname = \"changed-hook-file\"\ndeny = \"A hook file changed or appeared while an agent was working, and tenter has no version from before. Ask the user to run `tenter hooks accept`.\"\n"
        }
        _ => {
            "{\"version\": 1, \"hooks\": {\"tool:pre\": [{\"name\": \"changed-hook-file\", \"deny\": \"A hook file changed or appeared while an agent was working, and tenter has no version from before. Ask the user to run `tenter hooks accept`.\"}]}}\n"
        }
    }
}
