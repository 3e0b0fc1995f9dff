//! Reads hook files and loads them. What cannot be read is a problem, never a silence.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tenter_config::{Format, Loaded, Severity, SourceText, load};
use tenter_contract::{HookSpec, Layer, Level, Message};

use crate::{Places, imports};

/// The names the user's hook file may have, in the order they are looked for.
const NAMES: [&str; 4] = ["hooks.yaml", "hooks.yml", "hooks.toml", "hooks.json"];

/// More than anybody writes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A hook file and what became of it.
#[derive(Debug)]
pub struct HookFile {
    /// The layer it belongs to.
    pub layer: Layer,
    /// The file, as the user would type it.
    pub name: String,
    /// Its hooks and problems; or why it could not be read at all.
    pub content: Result<Loaded, String>,
}

impl HookFile {
    /// Everything that is wrong with it, ready to be shown.
    pub fn problems(&self) -> Vec<Message> {
        let level = |severity| match severity {
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        };
        match &self.content {
            Ok(loaded) => {
                let told = loaded.problems.iter();
                told.map(|it| Message { text: it.to_string(), level: level(it.severity()) }).collect()
            }
            Err(unreadable) => vec![Message { text: unreadable.clone(), level: Level::Error }],
        }
    }
}

/// What all hook files together say.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the hooks among what hook files say")]
pub(crate) struct Hooks {
    /// The hooks that are on.
    pub(crate) hooks: Vec<HookSpec>,
    /// What is wrong with the others, and with the files.
    pub(crate) problems: Vec<Message>,
    /// Files that were read besides those that are always looked for.
    pub(crate) imported: Vec<PathBuf>,
}

impl Hooks {
    /// What these files say.
    pub(crate) fn of(files: &[HookFile]) -> Self {
        let loaded = files.iter().filter_map(|file| file.content.as_ref().ok());
        Self {
            hooks: loaded.flat_map(|loaded| loaded.hooks.iter().cloned()).collect(),
            problems: files.iter().flat_map(HookFile::problems).collect(),
            imported: imports::places_of(files),
        }
    }

    /// And something that is wrong with the installation.
    pub(crate) fn with_problem(mut self, text: String) -> Self {
        self.problems.push(Message { text, level: Level::Error });
        self
    }
}

/// Every place where a hook file may lie, whether there is one or not.
pub fn candidates(places: &Places) -> Vec<PathBuf> {
    match (&places.config, &places.config_folder) {
        (Some(path), _) => vec![path.clone()],
        (None, Some(folder)) => NAMES.iter().map(|name| folder.join(name)).collect(),
        (None, None) => Vec::new(),
    }
}

/// Reads the hook files of every layer. Today that is the user's own, or the one named by `--config`.
pub fn read_all(places: &Places) -> Vec<HookFile> {
    if let Some(path) = &places.config {
        return imports::added_to(vec![read(path).unwrap_or_else(|| missing(path))]);
    }
    match &places.config_folder {
        None => return vec![nowhere()],
        Some(folder) if folder.exists() && !folder.is_dir() => return vec![no_folder(folder)],
        Some(_) => {}
    }
    let mut files: Vec<HookFile> = Vec::new();
    for path in candidates(places) {
        let Some(file) = read(&path) else { continue };
        match files.first() {
            None => files.push(file),
            // Two files would be two truths; the second is not loaded, and that is said.
            Some(first) => {
                let content = Err(format!(
                    "error: there are two hook files, and this one is not read\n  --> {}\nhint: move its hooks into `{}` and delete it",
                    file.name, first.name
                ));
                files.push(HookFile { content, ..file });
            }
        }
    }
    imports::added_to(files)
}

fn read(path: &Path) -> Option<HookFile> {
    let name = shown(path);
    let unreadable = |why: String| HookFile { layer: Layer::User, name: name.clone(), content: Err(why) };
    let bytes = match read_bounded(path) {
        Ok(bytes) => bytes,
        // A link that leads nowhere is a hook file that is gone, not one that never was.
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => return None,
        Err(error) => {
            return Some(unreadable(format!(
                "error: the hook file cannot be read: {error}\n  --> {name}\nhint: none of its hooks run until you can read it: try `ls -l {name}`"
            )));
        }
    };
    let Some(format) = Format::of_file_name(&name) else {
        return Some(unreadable(format!(
            "error: a hook file is YAML, TOML or JSON, by its extension\n  --> {name}\nhint: rename it to end in .yaml, .toml or .json"
        )));
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return Some(unreadable(format!(
            "error: the hook file is not UTF-8 text\n  --> {name}\nhint: save it as UTF-8"
        )));
    };
    let folder = path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let loaded = load(&SourceText { name: &name, folder: &folder, layer: Layer::User, format, text: &text });
    Some(HookFile { layer: Layer::User, name, content: Ok(loaded) })
}

/// A hook file is a file, and a small one: a pipe would be waited for, a device read until memory ends.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if about.len() > LARGEST {
        return Err(io::Error::other(format!("it is larger than {} KiB", LARGEST / 1024)));
    }
    fs::read(path)
}

fn nowhere() -> HookFile {
    let name = "$XDG_CONFIG_HOME/tenter/hooks.yaml".to_owned();
    let why = format!(
        "error: hook files cannot be looked for: neither XDG_CONFIG_HOME nor HOME is an absolute path\n  --> {name}\nhint: set HOME"
    );
    HookFile { layer: Layer::User, name, content: Err(why) }
}

fn no_folder(path: &Path) -> HookFile {
    let name = shown(path);
    let why = format!(
        "error: the folder of hook files is not a folder\n  --> {name}\nhint: make it one, with `hooks.yaml` in it"
    );
    HookFile { layer: Layer::User, name, content: Err(why) }
}

fn missing(path: &Path) -> HookFile {
    let name = shown(path);
    let why =
        format!("error: there is no such hook file\n  --> {name}\nhint: check the path after `--config`");
    HookFile { layer: Layer::User, name, content: Err(why) }
}

fn shown(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}
