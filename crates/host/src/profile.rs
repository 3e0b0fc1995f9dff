//! Profiles: further sets of hooks of the user. One of them is active.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tenter_contract::Layer;
use tenter_store::{StateFolder, read_regular_text};

use crate::Places;
use crate::hook_files::HookFile;
use crate::pending_changes::PendingChanges;

/// The word for no profile.
pub const NONE: &str = "none";

/// The file that says which profile is active.
fn chosen(places: &Places) -> Option<PathBuf> {
    places.state_folder.as_ref().map(|state| state.join("profile"))
}

/// More than the name of a profile.
const LARGEST_CHOICE: u64 = 4096;

/// The active profile: the requested one, else the one that was chosen last. A pending choice does not count.
pub fn active(places: &Places) -> Option<String> {
    on_disk(&with_active_profile(places))
}

/// The same with pending choices, for the hot path: the full binary decides which hooks are active.
pub(crate) fn on_disk(places: &Places) -> Option<String> {
    let name = places.profile.clone().or_else(|| {
        let text = read_regular_text(&chosen(places)?, LARGEST_CHOICE).ok()?;
        Some(text.trim().to_owned()).filter(|name| !name.is_empty())
    })?;
    if name == NONE {
        return None;
    }
    // It becomes part of a path.
    is_name(&name).then_some(name)
}

/// The same places with the active profile, if another choice is pending.
pub(crate) fn with_active_profile(places: &Places) -> Cow<'_, Places> {
    let kept = || PendingChanges::new(places)?.active_text(&chosen(places)?);
    match kept().filter(|_| places.profile.is_none()) {
        None => Cow::Borrowed(places),
        Some(text) => {
            let name = Some(text.trim()).filter(|name| !name.is_empty()).unwrap_or(NONE);
            Cow::Owned(places.clone().with_profile(Some(name)))
        }
    }
}

/// Whether a profile can be called that.
pub fn is_name(name: &str) -> bool {
    !name.starts_with('.')
        && name.len() <= 80
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Chooses a profile for every session from now on; `None` goes back to none.
pub fn choose(places: &Places, name: Option<&str>) -> io::Result<()> {
    let path = chosen(places).ok_or_else(|| io::Error::other("there is no place for state: set HOME"))?;
    match name {
        None => match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        },
        Some(name) => {
            if let Some(folder) = path.parent() {
                StateFolder::new(folder.to_path_buf()).make()?;
            }
            fs::write(&path, format!("{name}\n"))?;
        }
    }
    PendingChanges::accept_own(&path)
}

/// The profiles that exist, by name.
pub fn all(places: &Places) -> Vec<String> {
    let Some(folder) = places.config_folder.as_ref().map(|folder| folder.join("profiles")) else {
        return Vec::new();
    };
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    let stem = |path: PathBuf| {
        tenter_config::Format::from_file_name(path.to_str()?)?;
        Some(path.file_stem()?.to_str()?.to_owned()).filter(|name| is_name(name))
    };
    let mut names: Vec<String> = found.flatten().filter_map(|entry| stem(entry.path())).collect();
    names.sort();
    names.dedup();
    names
}

/// The problem of an active profile that does not exist.
pub(crate) fn missing(places: &Places, folder: &Path) -> Option<HookFile> {
    let asked = places.profile.clone().or_else(|| active(places)).filter(|name| name != NONE)?;
    if is_name(&asked) && all(places).contains(&asked) {
        return None;
    }
    let file = folder.join("profiles").join(format!("{asked}.yaml")).to_string_lossy().into_owned();
    let why = format!(
        "error: the active profile `{asked}` does not exist\n  --> {file}\nhint: `tenter profile list` shows those that do, `tenter profile use none` goes without"
    );
    Some(HookFile::on_disk(Layer::Profile, file, Err(why)))
}
