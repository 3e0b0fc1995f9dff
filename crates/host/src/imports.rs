//! Reads files of other systems that a hook file imports (`imports`).

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_config::{
    Format, ImportRequest, Loaded, Place, Problem, ProblemKind, SourceText, is_generated, load, load_as,
};
use tenter_contract::{Dialect, HookSpec, Layer, Pattern};

use crate::file_versions::{DiskFile, FileVersions, Unreadable};
use crate::hook_files::{HookFile, read_bounded};
use crate::places::absolute;

/// The files, each followed by its imports, as hook files of the same layer. A name that is already taken gets a number,
/// so that no guard is dropped.
pub(crate) fn with_imports(files: Vec<HookFile>, versions: &FileVersions) -> Vec<HookFile> {
    let home = absolute("HOME");
    let mut all = Vec::with_capacity(files.len());
    for file in files {
        let imported = match &file.content {
            Ok(loaded) => read(Path::new(&file.name), file.layer, loaded, (home.as_deref(), versions)),
            Err(_) => Vec::new(),
        };
        all.push(file);
        all.extend(imported);
    }
    all
}

/// Every file and folder that these files import, present or not: a change of one makes the cache invalid.
pub(crate) fn places_of(files: &[HookFile]) -> Vec<PathBuf> {
    let home = absolute("HOME");
    let loaded = files.iter().filter_map(|file| Some((Path::new(&file.name), file.content.as_ref().ok()?)));
    loaded.flat_map(|(path, loaded)| places(path, loaded, home.as_deref())).collect()
}

/// Reads everything that one hook file imports; `home` is what `~` means.
fn read(
    path: &Path,
    layer: Layer,
    loaded: &Loaded,
    (home, versions): (Option<&Path>, &FileVersions),
) -> Vec<HookFile> {
    let mut taken: HashSet<String> = loaded.hooks.iter().map(|hook| hook.id.name.clone()).collect();
    taken.extend(loaded.disabled.iter().map(|id| id.name.clone()));
    let mut files = Vec::new();
    for request in &loaded.imports {
        for file in files_of(&place_of(path, request, home), request.from) {
            let mut file = read_import(&file, layer, request, (path, versions));
            if let Ok(loaded) = &mut file.content {
                rename_and_limit(loaded, request, &mut taken);
            }
            files.push(file);
        }
    }
    files
}

fn places(path: &Path, loaded: &Loaded, home: Option<&Path>) -> Vec<PathBuf> {
    let of_request = |request: &ImportRequest| {
        let place = place_of(path, request, home);
        let mut places = files_of(&place, request.from);
        // A folder changes when a file appears in it.
        places.push(place);
        places.dedup();
        places
    };
    loaded.imports.iter().flat_map(of_request).collect()
}

fn place_of(path: &Path, request: &ImportRequest, home: Option<&Path>) -> PathBuf {
    let file = request.file.as_str();
    let expanded = match (file.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(file),
    };
    path.parent().map_or(expanded.clone(), |folder| folder.join(expanded))
}

/// The files of a folder that are hook files there: `hooks.json` of it and of the folders in it for Amplifier,
/// every JSON file for Kiro; anything else is one file.
fn files_of(place: &Path, from: Option<Dialect>) -> Vec<PathBuf> {
    if !place.is_dir() {
        return vec![place.to_owned()];
    }
    let mut inside: Vec<PathBuf> =
        fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    inside.sort();
    match from {
        Some(Dialect::Amplifier) => {
            let folders = inside.into_iter().filter(|path| path.is_dir());
            let all =
                std::iter::once(place.to_owned()).chain(folders).map(|folder| folder.join("hooks.json"));
            all.filter(|file| file.is_file()).collect()
        }
        Some(Dialect::AmazonQ) => {
            inside.into_iter().filter(|path| path.extension().is_some_and(|it| it == "json")).collect()
        }
        Some(Dialect::Tenter | Dialect::Claude | Dialect::Gemini | Dialect::MassGen | Dialect::Ghap)
        | None => {
            vec![place.to_owned()]
        }
    }
}

fn read_import(
    file: &Path,
    layer: Layer,
    request: &ImportRequest,
    (importer, versions): (&Path, &FileVersions),
) -> HookFile {
    let name = file.to_string_lossy().into_owned();
    let text = text_of(file).map_err(|(why, bytes)| {
        let (by, line) = (importer.display(), request.place.line);
        let message = format!(
            "error: the file to import cannot be read: {why}\n  --> {by}:{line}\nhint: none of its hooks run; correct `file`, or remove the entry from `imports` ({name})"
        );
        Unreadable::new(message, Some(bytes))
    });
    let load_text = |text: &str| {
        let folder = file.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
        let format = Format::from_file_name(&name).unwrap_or(Format::Json);
        let source = SourceText { name: &name, folder: &folder, layer, format, text };
        let mut loaded = match request.from {
            Some(from) => load_as(&source, from),
            None => load(&source),
        };
        // Imports of imports are not read: two files could import each other.
        loaded.imports.clear();
        loaded
    };
    versions.resolve(&DiskFile { layer, name: name.clone(), text, load: &load_text })
}

/// The text of a file, or why it has none, and its bytes as far as they can be read.
fn text_of(file: &Path) -> Result<String, (String, Vec<u8>)> {
    let bytes = read_bounded(file).map_err(|error| (error.to_string(), Vec::new()))?;
    if Format::from_file_name(&file.to_string_lossy()).is_none() {
        return Err(("it must end in .json, .yaml, .yml or .toml".to_owned(), bytes));
    }
    String::from_utf8(bytes).map_err(|error| ("it is not UTF-8 text".to_owned(), error.into_bytes()))
}

/// Gives every hook a free name, and the agents of the import.
fn rename_and_limit(loaded: &mut Loaded, request: &ImportRequest, taken: &mut HashSet<String>) {
    let dialect = loaded.dialect;
    let mut renamed = Vec::new();
    for hook in &mut loaded.hooks {
        limit(hook, &request.agents);
        hook.may_allow |= request.may_allow;
        let name = hook.id.name.clone();
        if taken.contains(&name) {
            let mut numbered = (2_u32..).map(|number| format!("{name}-{number}"));
            hook.id.name = numbered.find(|other| !taken.contains(other)).unwrap_or_else(|| name.clone());
            if !is_generated(&name, dialect) {
                renamed.push(taken_name(hook, &name));
            }
        }
        taken.insert(hook.id.name.clone());
    }
    loaded.problems.extend(renamed);
}

fn taken_name(hook: &HookSpec, name: &str) -> Problem {
    let why = format!("another hook is called `{name}`, so this one is called `{}` here", hook.id.name);
    Problem {
        kind: ProblemKind::NotKept { key: "name".to_owned(), why },
        file: hook.source.file.clone(),
        format: Format::from_file_name(&hook.source.file).unwrap_or(Format::Json),
        place: Place { line: hook.source.line, column: 1 },
        hook: Some(hook.id.name.clone()),
    }
}

/// Those of the import and those of the hook: an agent left out by either is left out.
fn limit(hook: &mut HookSpec, agents: &[String]) {
    let wanted = || agents.iter().map(|agent| Pattern::from_checked(agent.clone()));
    let named = |pattern: &Pattern| !pattern.as_str().starts_with('!');
    if hook.agents.iter().any(named) {
        hook.agents.extend(wanted().filter(|pattern| !named(pattern)));
    } else {
        hook.agents.extend(wanted());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        folder: tempfile::TempDir,
    }

    impl World {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap() }
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn import(&self, own: &str) -> Vec<HookFile> {
            let path = self.folder.path().join("config/hooks.yaml");
            let folder = path.parent().unwrap().to_string_lossy().into_owned();
            let source = SourceText {
                name: "hooks.yaml",
                folder: &folder,
                layer: Layer::User,
                format: Format::Yaml,
                text: own,
            };
            let loaded = load(&source);
            assert_eq!(loaded.problems, []);
            let versions = FileVersions::below(None);
            read(&path, Layer::User, &loaded, (Some(self.folder.path()), &versions))
        }
    }

    fn names(files: &[HookFile]) -> Vec<String> {
        let loaded = files.iter().filter_map(|file| file.content.as_ref().ok());
        loaded.flat_map(|loaded| loaded.hooks.iter().map(|hook| hook.id.name.clone())).collect()
    }

    const CLAUDE: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;

    #[test]
    fn imported_names_stay_unique() {
        let world = World::new();
        world.write(".claude/settings.json", CLAUDE);
        world.write("config/project.json", CLAUDE);
        world.write("q.json", r#"{"hooks": {"per_prompt": [{"name": "status", "command": "git status"}]}}"#);
        let files = world.import(
            "version: 1\nimports:\n  - { from: claude, file: ~/.claude/settings.json, agents: [\"!claude\"] }\n  - project.json\n  - { file: ../q.json }\nhooks:\n  prompt:submit: [ { name: status, inject: x } ]\n",
        );
        assert_eq!(names(&files), ["claude-Stop-1", "claude-Stop-1-2", "status-2"]);
        let problems: Vec<String> = files.iter().flat_map(HookFile::problems).map(|it| it.text).collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("another hook is called `status`"), "{problems:?}");
        let agents = &files[0].content.as_ref().unwrap().hooks[0].agents;
        assert_eq!(agents.iter().map(Pattern::as_str).collect::<Vec<_>>(), ["!claude"]);
    }

    #[test]
    fn hook_folder_includes_subfolders() {
        let world = World::new();
        for name in ["hooks.json", "lint/hooks.json", "lint/deep/hooks.json", "notes.json"] {
            world.write(&format!(".amplifier/hooks/{name}"), CLAUDE);
        }
        let files = world.import("version: 1\nimports: [ { from: amplifier, file: ~/.amplifier/hooks } ]\n");
        assert_eq!(names(&files), ["amplifier-Stop-1", "amplifier-Stop-1-2"]);
    }

    #[test]
    fn failed_imports_are_reported() {
        let world = World::new();
        world.write("other.json", r#"{"hooks": {"per_prompt": []}}"#);
        world.write("config/hooks.yaml", "");
        let files = world.import(
            "version: 1\nimports:\n  - missing.json\n  - { from: claude, file: ~/other.json }\n  - ..\n",
        );
        let problems: Vec<String> = files.iter().flat_map(HookFile::problems).map(|it| it.text).collect();
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].contains("hooks.yaml:3"), "{problems:?}");
        assert!(problems[1].contains("it does not have the form of Claude Code"), "{problems:?}");
        assert!(problems[2].contains("is not a regular file"), "{problems:?}");
    }
}
