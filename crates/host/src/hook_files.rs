//! Reads and loads hook files. A file that cannot be read is always reported.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tenter_config::{Format, Loaded, Severity, SourceText, load};
use tenter_contract::{HookSet, Layer, Level, Message};
use tenter_protocol::shorten::sha256_hex;
use tenter_store::read_regular;

use crate::file_versions::{ActiveVersion, DiskFile, FileVersions, Unreadable, closed_folder};
use crate::{Places, imports, profile};

/// The formats a hook file may have, in the order they are looked for.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "toml", "json"];

/// Larger than any hook file.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A hook file, its content and its problems.
#[derive(Debug)]
pub struct HookFile {
    /// The layer it belongs to.
    pub layer: Layer,
    /// The file, as the user would type it.
    pub name: String,
    /// Its hooks and problems; or why it could not be read at all.
    pub content: Result<Loaded, String>,
    /// Whether `content` is the file on disk or an earlier version of it.
    pub version: ActiveVersion,
    /// Notices for the user, apart from the problems of its content.
    pub(crate) notices: Vec<Message>,
    /// Guards that a valid change of it removed.
    pub(crate) lost_guards: Vec<Message>,
    /// The kept version on which all this depends.
    pub(crate) entry: Option<PathBuf>,
    /// The hash of the text that was loaded, for a file of a project.
    pub(crate) sha256: Option<String>,
}

impl HookFile {
    /// A file that is active as it is on disk.
    pub(crate) fn on_disk(layer: Layer, name: String, content: Result<Loaded, String>) -> Self {
        let version = ActiveVersion::OnDisk;
        let (notices, lost_guards) = (Vec::new(), Vec::new());
        Self { layer, name, content, version, notices, lost_guards, entry: None, sha256: None }
    }

    /// Its hooks, with those that deny because the file is broken.
    pub fn set(&self) -> HookSet {
        let mut set = self.set_of_content();
        if let ActiveVersion::Closed { hooks, .. } = &self.version {
            set.hooks.extend(hooks.iter().cloned());
        }
        set
    }

    /// The hooks of its content.
    pub(crate) fn set_of_content(&self) -> HookSet {
        let loaded = self.content.as_ref().ok();
        HookSet {
            overrides: loaded.map(|loaded| loaded.overrides.clone()).unwrap_or_default(),
            approver: loaded.and_then(|loaded| loaded.approver.clone()),
            stale_files: match &self.version {
                ActiveVersion::LastGood { notice, .. } => vec![notice.clone()],
                ActiveVersion::OnDisk | ActiveVersion::Closed { .. } => Vec::new(),
            },
            lost_guards: self.lost_guards.clone(),
            problems: self.problems(),
            ..HookSet::new(loaded.into_iter().flat_map(|loaded| loaded.hooks.iter().cloned()))
        }
    }

    /// All its problems, as messages.
    pub fn problems(&self) -> Vec<Message> {
        let mut all = self.notices.clone();
        match &self.version {
            ActiveVersion::OnDisk => all.extend(self.problems_of_content()),
            ActiveVersion::LastGood { notice, problems, .. } => {
                all.push(notice.clone());
                all.extend(problems.iter().cloned());
            }
            ActiveVersion::Closed { notice, .. } => {
                all.push(notice.clone());
                all.extend(self.problems_of_content());
            }
        }
        all
    }

    /// The problems of the file on disk.
    pub fn mistakes(&self) -> Vec<Message> {
        match &self.version {
            ActiveVersion::LastGood { problems, .. } => problems.clone(),
            ActiveVersion::OnDisk | ActiveVersion::Closed { .. } => {
                let twins = self.notices.iter().cloned();
                twins.chain(self.problems_of_content()).collect()
            }
        }
    }

    fn problems_of_content(&self) -> Vec<Message> {
        let level = |severity| match severity {
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        };
        match &self.content {
            Ok(loaded) => {
                let problems = loaded.problems.iter();
                problems.map(|it| Message { text: it.to_string(), level: level(it.severity()) }).collect()
            }
            Err(unreadable) => vec![Message { text: unreadable.clone(), level: Level::Error }],
        }
    }
}

/// Whether a folder of the user has a hook file.
pub(crate) fn has_hook_file(folder: &Path) -> bool {
    EXTENSIONS.iter().any(|extension| folder.join(format!("hooks.{extension}")).symlink_metadata().is_ok())
}

/// The places of hook files for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Files, with the layer each belongs to, whether they exist or not.
    pub files: Vec<(Layer, PathBuf)>,
    /// Folders whose hook files are all read.
    folders: Vec<(Layer, PathBuf)>,
}

impl Lookup {
    /// Every place where a hook file may lie.
    pub fn new(places: &Places, project_root: Option<&Path>) -> Self {
        let mut files = Vec::new();
        let mut named = |layer: Layer, folder: &Path, stem: &str| {
            files.extend(EXTENSIONS.map(|extension| (layer, folder.join(format!("{stem}.{extension}")))));
        };
        if let Some(folder) = &places.managed_folder {
            named(Layer::Managed, folder, "hooks");
        }
        match (&places.config, &places.config_folder) {
            (Some(_), _) | (None, None) => {}
            (None, Some(folder)) => {
                named(Layer::User, folder, "hooks");
                if let Some(profile) = profile::on_disk(places) {
                    named(Layer::Profile, &folder.join("profiles"), &profile);
                }
            }
        }
        let own = project_root.map(Self::of_project);
        files.extend(own.iter().flat_map(|own| own.files.clone()));
        files.extend(places.config.iter().map(|path| (Layer::User, path.clone())));
        files.sort_by_key(|(layer, _)| *layer);
        Self { files, folders: own.map(|own| own.folders).unwrap_or_default() }
    }

    /// The places of a project alone.
    pub(crate) fn of_project(root: &Path) -> Self {
        let own = root.join(".tenter");
        let named = [(Layer::Project, "hooks"), (Layer::Local, "hooks.local")];
        let files = named.into_iter().flat_map(|(layer, stem)| {
            EXTENSIONS.map(|extension| (layer, own.join(format!("{stem}.{extension}"))))
        });
        Self { files: files.collect(), folders: vec![(Layer::Project, own.join("hooks.d"))] }
    }

    /// The same, with the files that lie in folders now.
    pub fn expanded(&self) -> Vec<(Layer, PathBuf)> {
        let mut all = self.files.clone();
        for (layer, folder) in &self.folders {
            let Ok(found) = fs::read_dir(folder) else { continue };
            let mut paths: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
            paths.retain(|path| path.to_str().is_none_or(|name| Format::from_file_name(name).is_some()));
            paths.sort();
            all.extend(paths.into_iter().map(|path| (*layer, path)));
        }
        all.sort_by_key(|(layer, _)| *layer);
        all
    }

    /// Whether a file of this name is there in another format.
    pub(crate) fn has_twin(&self, path: &Path) -> bool {
        let stem = path.with_extension("");
        self.files.iter().any(|(_, file)| file.with_extension("") == stem && file.symlink_metadata().is_ok())
    }

    /// Whether a file of this name is read.
    fn has(&self, path: &Path) -> bool {
        self.files.iter().any(|(_, file)| file == path)
    }

    /// Folders that change when a hook file is added to them.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter().map(|(_, folder)| folder)
    }
}

/// The hook files of every layer.
pub struct HookFiles {
    /// Those that are there, and those that should be.
    pub files: Vec<HookFile>,
    /// Guards of files that were there before.
    pub(crate) lost_guards: Vec<Message>,
    /// Kept versions on which all this depends.
    pub(crate) entries: Vec<PathBuf>,
}

/// Reads the hook files of every layer.
pub(crate) fn read_all(places: &Places, project_root: Option<&Path>, versions: &FileVersions) -> HookFiles {
    let files: Vec<HookFile> = wrong_places(places).into_iter().collect();
    let lookup = Lookup::new(places, project_root);
    read_lookup(files, &lookup, places.config.as_deref(), versions)
}

/// Reads the hook files of these places, and adds them to those that were found before.
pub(crate) fn read_lookup(
    mut files: Vec<HookFile>,
    lookup: &Lookup,
    config: Option<&Path>,
    versions: &FileVersions,
) -> HookFiles {
    let (mut lost_guards, mut entries) = (Vec::new(), Vec::new());
    files.extend(lookup.folders.iter().filter_map(|(layer, folder)| unreadable_folder(*layer, folder)));
    let mut places_of_files = lookup.expanded();
    for (layer, folder) in &lookup.folders {
        places_of_files.extend(versions.held_in(folder).into_iter().map(|path| (*layer, path)));
    }
    for (layer, path) in places_of_files {
        let name = shown(&path);
        let load = |text: &str| load_text(layer, &path, text);
        let text = match read(&path) {
            Found::Text(text) => text,
            Found::Nothing if versions.is_held(&name) => Err(Unreadable::new(gone(&name), None)),
            // The missing file of an active profile is an error, as that of an import.
            Found::Nothing if layer == Layer::Profile && versions.misses(&path, lookup) => {
                let why = "the profile is in use and its file is gone".to_owned();
                Err(Unreadable { why, ..Unreadable::new(gone(&name), None) })
            }
            Found::Nothing => {
                // A file that another hook file imports now is read.
                let is_read = |other: &Path| {
                    lookup.has(other) || imports::places_of(&files).iter().any(|it| it == other)
                };
                if let Some(now) = versions.renamed(&path, &is_read) {
                    files.push(versions.resolve(&DiskFile {
                        layer,
                        text: Err(renamed(&name, &shown(&now))),
                        name,
                        load: &load,
                    }));
                    entries.push(now);
                    continue;
                }
                if config == Some(path.as_path()) {
                    files.push(missing(&path));
                }
                if let Some((notice, entry)) = versions.removed(layer, &name, &load) {
                    lost_guards.push(notice);
                    entries.push(entry);
                }
                continue;
            }
            Found::BadFolder(folder, error) => {
                if files.iter().all(|file| file.name != shown(&folder)) {
                    let known = |(_, path): &(Layer, PathBuf)| {
                        path.parent() == Some(&folder) && versions.is_known(&shown(path))
                    };
                    let bad = bad_folder(layer, &folder, &error);
                    files.push(if lookup.files.iter().any(known) { bad } else { closed_folder(bad) });
                }
                if !versions.is_known(&name) {
                    continue;
                }
                Err(Unreadable::new(unreadable(&name, &error), None))
            }
        };
        // A file whose name is not UTF-8 cannot be found again.
        let is_of_project = matches!(layer, Layer::Project | Layer::Local) && path.to_str().is_some();
        let sha256 = text.as_ref().ok().filter(|_| is_of_project).map(|text| sha256_hex(text.as_bytes()));
        let mut file = versions.resolve(&DiskFile { layer, name, text, load: &load });
        file.sha256 = sha256;
        let twin = files.iter().find(|other| {
            let stem = |name: &str| Path::new(name).with_extension("");
            other.layer == layer && stem(&other.name) == stem(&file.name)
        });
        // Both count: one that does not could hold a guard.
        if let Some(first) = twin {
            let text = format!(
                "error: there are two hook files, and both are read\n  --> {}\nhint: move its hooks into `{}` and delete it",
                file.name, first.name
            );
            file.notices.push(Message { text, level: Level::Error });
        }
        files.push(file);
    }
    let files = imports::with_imports(files, versions);
    entries.extend(files.iter().filter_map(|file| file.entry.clone()));
    HookFiles { files, lost_guards, entries }
}

/// Keeps the version of a hook file that the user's command wrote, if it is a good one.
pub(crate) fn keep_version(layer: Layer, path: &Path, versions: &FileVersions) {
    let load = |text: &str| load_text(layer, path, text);
    if let Found::Text(text) = read(path) {
        versions.resolve(&DiskFile { layer, name: shown(path), text, load: &load });
    }
}

/// Reads one file as a hook file, with what it imports. Only what is on disk counts.
pub fn read_file(path: &Path) -> Vec<HookFile> {
    let in_project = path.parent().is_some_and(|it| it.ends_with(".tenter") || it.ends_with("hooks.d"));
    let layer = if in_project { Layer::Project } else { Layer::User };
    let versions = FileVersions::below(None);
    let load = |text: &str| load_text(layer, path, text);
    let file = match read(path) {
        Found::Text(text) => versions.resolve(&DiskFile { layer, name: shown(path), text, load: &load }),
        Found::Nothing => {
            let name = shown(path);
            let why = format!("error: there is no such hook file\n  --> {name}\nhint: check the path");
            HookFile::on_disk(layer, name, Err(why))
        }
        Found::BadFolder(folder, error) => bad_folder(layer, &folder, &error),
    };
    imports::with_imports(vec![file], &versions)
}

/// The problem of a place that cannot have a hook file and should.
fn wrong_places(places: &Places) -> Option<HookFile> {
    match (&places.config, &places.config_folder) {
        (Some(_), _) => None,
        (None, None) => places.trouble.is_none().then(nowhere),
        (None, Some(folder)) if folder.exists() && !folder.is_dir() => Some(no_folder(folder)),
        (None, Some(folder)) => profile::missing(places, folder),
    }
}

/// A folder of hook files that cannot be read may hold a guard.
fn unreadable_folder(layer: Layer, folder: &Path) -> Option<HookFile> {
    let error = fs::read_dir(folder).err()?;
    if error.kind() == ErrorKind::NotFound && folder.symlink_metadata().is_err() {
        return None;
    }
    Some(bad_folder(layer, folder, &error))
}

/// What was found at the place of a hook file.
enum Found {
    Nothing,
    Text(Result<String, Unreadable>),
    /// The folder cannot be searched.
    BadFolder(PathBuf, io::Error),
}

fn read(path: &Path) -> Found {
    let name = shown(path);
    let bytes = match read_bounded(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            // A link that leads nowhere is a hook file that is gone, not one that never was.
            return match path.symlink_metadata() {
                Ok(_) => Found::Text(Err(Unreadable::new(unreadable(&name, &error), None))),
                Err(error) if error.kind() == ErrorKind::NotFound => Found::Nothing,
                Err(error) => Found::BadFolder(path.parent().unwrap_or(Path::new("/")).to_path_buf(), error),
            };
        }
    };
    if Format::from_file_name(&name).is_none() {
        let message = format!(
            "error: a hook file is YAML, TOML or JSON, by its extension\n  --> {name}\nhint: rename it to end in .yaml, .toml or .json"
        );
        return Found::Text(Err(Unreadable::new(message, Some(bytes))));
    }
    Found::Text(String::from_utf8(bytes).map_err(|error| {
        let message = format!("error: the hook file is not UTF-8 text\n  --> {name}\nhint: save it as UTF-8");
        Unreadable::new(message, Some(error.into_bytes()))
    }))
}

fn load_text(layer: Layer, path: &Path, text: &str) -> Loaded {
    let name = shown(path);
    let folder = path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let format = Format::from_file_name(&name).unwrap_or(Format::Yaml);
    load(&SourceText { name: &name, folder: &folder, layer, format, text })
}

fn unreadable(name: &str, error: &io::Error) -> String {
    format!("error: the hook file cannot be read: {error}\n  --> {name}\nhint: try `ls -l {name}`")
}

fn gone(name: &str) -> String {
    format!("error: the hook file is gone\n  --> {name}\nhint: `tenter hooks accept` accepts that")
}

fn renamed(name: &str, now: &str) -> Unreadable {
    let message = format!(
        "error: the hook file was renamed to a name that tenter does not read\n  --> {now}\nhint: rename it to `{name}`; to switch it off, type `tenter hooks accept`"
    );
    Unreadable { why: format!("it was renamed to `{now}`"), ..Unreadable::new(message, None) }
}

fn bad_folder(layer: Layer, folder: &Path, error: &io::Error) -> HookFile {
    let name = shown(folder);
    let why = format!(
        "error: the folder of hook files cannot be read: {error}\n  --> {name}\nhint: none of its hooks run until you can read it: try `ls -ld {name}`"
    );
    HookFile::on_disk(layer, name, Err(why))
}

/// A hook file is a file, and a small one: a pipe would be waited for, a device read until memory ends.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    read_regular(path, LARGEST)
}

fn nowhere() -> HookFile {
    let name = "$XDG_CONFIG_HOME/tenter/hooks.yaml".to_owned();
    let why = format!(
        "error: hook files cannot be looked for: neither XDG_CONFIG_HOME nor HOME is an absolute path\n  --> {name}\nhint: set HOME"
    );
    HookFile::on_disk(Layer::User, name, Err(why))
}

fn no_folder(path: &Path) -> HookFile {
    let name = shown(path);
    let why = format!(
        "error: the folder of hook files is not a folder\n  --> {name}\nhint: make it one, with `hooks.yaml` in it"
    );
    HookFile::on_disk(Layer::User, name, Err(why))
}

fn missing(path: &Path) -> HookFile {
    let name = shown(path);
    let why =
        format!("error: there is no such hook file\n  --> {name}\nhint: check the path after `--config`");
    HookFile::on_disk(Layer::User, name, Err(why))
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
