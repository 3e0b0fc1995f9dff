//! The cache of compiled hook files, for the hot path. If the files have changed, they are read again.
//!
//! A stamp of every place of a hook file (device, inode, size, times of change) decides that, so new files are noticed as
//! well as changed ones. A file that was changed a moment ago is not cached: a second change within one tick of the clock
//! would be missed, and with it a guard.

use std::borrow::Cow;
use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tenter_config::compiled::{Compiled, CompiledView};
use tenter_contract::ports::HookSource;
use tenter_contract::{Event, EventKind, HookSet, Layer};
use tenter_store::{TrustedRoots, read_plain};

use crate::hook_files::Lookup;
use crate::installation::{self, Installation};
use crate::layers::add_trouble;
use crate::pending_changes::note_turn;
use crate::places::{Places, ResolvedPaths};

/// Changes whenever trust covers more files, so that older caches are not used.
const COVERAGE: u8 = 2;

/// The age that a change must have before a file is cached.
const SETTLED: Duration = Duration::from_secs(2);

/// The hooks of this machine, from the cache or from the files.
pub(crate) struct CachedHooks {
    pub(crate) resolved_paths: ResolvedPaths,
    /// Reads changed files. Without it only the full binary can.
    pub(crate) reader: Option<Reader>,
}

/// Reads the hook files of these places and this project for an event.
pub(crate) type Reader = fn(&Places, Option<&Path>, Option<&Event>) -> ReadHooks;

/// The result of reading the hook files.
pub(crate) struct ReadHooks {
    pub(crate) set: HookSet,
    /// Further files on which they depend.
    pub(crate) watched: Vec<String>,
    /// Whether they stay valid as long as no file changes.
    pub(crate) lasts: bool,
}

impl HookSource for CachedHooks {
    fn at(&self, event: Option<&Event>) -> Option<HookSet> {
        let root = self.root_of(event);
        let places = self.places_at(root, event);
        let mut set = match installation::check(&places, event) {
            Installation::Gone(closed) => return Some(closed),
            Installation::Complete => self.load(&places, root, event)?,
            Installation::Incomplete(more) => {
                let mut set = self.load(&places, root, event)?;
                set.extend(more);
                set
            }
        };
        if let Some(event) = event {
            note_turn(&places, event);
        }
        add_trouble(&mut set, &places);
        Some(set)
    }

    fn last_known(&self, event: Option<&Event>) -> HookSet {
        let cached = || {
            let root = self.root_of(event);
            let places = self.places_at(root, event);
            let mut set = CacheEntry::new(&places, root).find(event, |_| true)?;
            add_trouble(&mut set, &places);
            Some(set)
        };
        self.at(event).or_else(cached).unwrap_or_default()
    }
}

impl CachedHooks {
    /// The project of an event, else that of the working folder.
    fn root_of<'a>(&'a self, event: Option<&'a Event>) -> Option<&'a Path> {
        let named = event.and_then(|event| event.project_root.as_deref());
        named.map(Path::new).or(self.resolved_paths.project.as_deref())
    }

    /// The places that count for an event, with the trusted projects around it. Without trusted projects
    /// this costs one system call.
    fn places_at(&self, root: Option<&Path>, event: Option<&Event>) -> Cow<'_, Places> {
        let places = self.resolved_paths.at(root);
        let Some(state) = &places.state_folder else { return places };
        if !state.join("trust").exists() {
            return places;
        }
        let cwd = event.and_then(|event| event.cwd.as_deref()).map(Path::new);
        Cow::Owned(places.into_owned().with_outer_projects(root, cwd))
    }

    fn load(&self, places: &Places, root: Option<&Path>, event: Option<&Event>) -> Option<HookSet> {
        let entry = CacheEntry::new(places, root);
        // A session begins with the files: notices of a change end after a day, and a forged cache must not outlive the
        // session.
        let anew = event.is_some_and(|it| it.kind == EventKind::SessionStart);
        if !anew && let Some(set) = entry.find(event, |view| entry.is_current(view)) {
            return Some(set);
        }
        let before = entry.stamp(std::iter::empty());
        let read = self.reader?(places, root, event);
        if read.lasts && entry.stamp(std::iter::empty()) == before {
            entry.write(&read);
        }
        Some(read.set)
    }
}

/// The cache of the hook files at these places.
struct CacheEntry {
    lookup: Lookup,
    path: Option<PathBuf>,
    roots: Option<PathBuf>,
}

impl CacheEntry {
    fn new(places: &Places, project_root: Option<&Path>) -> Self {
        let lookup = Lookup::new(places, project_root);
        let state = places.state_folder.as_ref();
        let path = state.map(|state| cache_path(state, &lookup.files, &places.outer_projects));
        // A project around this one may become trusted.
        let roots = state.map(|state| TrustedRoots::path(state));
        Self { lookup, path, roots }
    }

    fn find(&self, event: Option<&Event>, counts: impl FnOnce(&CompiledView<'_>) -> bool) -> Option<HookSet> {
        // Only a plain file of this user: a pipe would keep the agent waiting.
        let bytes = read_plain(self.path.as_deref()?).ok()?;
        let view = CompiledView::parse(&bytes)?;
        if counts(&view) { view.hook_set(event) } else { None }
    }

    fn is_current(&self, view: &CompiledView<'_>) -> bool {
        self.stamp(view.watched()) == view.stamp()
    }

    fn stamp<'w>(&self, watched: impl Iterator<Item = &'w str>) -> Vec<u8> {
        let mut stamp = Stamp::default();
        for (_, path) in &self.lookup.files {
            stamp.add(path);
        }
        for folder in self.lookup.folders() {
            stamp.add(folder);
        }
        if let Some(roots) = &self.roots {
            stamp.add(roots);
        }
        for path in watched {
            stamp.add(Path::new(path));
        }
        stamp.bytes
    }

    /// Writes the cache. If that fails, the files are read again next time.
    fn write(&self, read: &ReadHooks) {
        let Some(path) = &self.path else { return };
        let in_folders = self.lookup.expanded().into_iter().filter(|file| !self.lookup.files.contains(file));
        let mut watched = read.watched.clone();
        watched.extend(in_folders.map(|(_, path)| path.to_string_lossy().into_owned()));
        watched.sort();
        watched.dedup();
        let files = self.lookup.files.iter().map(|(_, path)| path.as_path());
        if !settled(files.chain(watched.iter().map(Path::new))) {
            return;
        }
        let stamp = self.stamp(watched.iter().map(String::as_str));
        let compiled = Compiled { stamp, watched, set: read.set.clone() };
        let _ = compiled.to_bytes().and_then(|bytes| write_cache(path, &bytes).ok());
    }
}

/// The path of the cache of these files. Two lists of files with the same path do no harm: their stamps differ.
fn cache_path(state: &Path, files: &[(Layer, PathBuf)], outer_projects: &[PathBuf]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(COVERAGE);
    for path in files.iter().map(|(_, path)| path).chain(outer_projects) {
        hasher.write(path.as_os_str().as_encoded_bytes());
    }
    state.join("cache").join(format!("hooks-{:016x}", hasher.finish()))
}

/// Forgets all compiled hook files of a state folder, so that they are read again.
pub(crate) fn forget(state: &Path) -> std::io::Result<()> {
    let Ok(found) = fs::read_dir(state.join("cache")) else { return Ok(()) };
    let is_compiled = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("hooks-");
    found.flatten().filter(is_compiled).try_for_each(|entry| fs::remove_file(entry.path()))
}

/// Writes a draft and renames it, so that readers find a complete file, however many processes write at once.
fn write_cache(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let draft = path.with_extension(std::process::id().to_string());
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// The state of files in the file system.
#[derive(Default)]
struct Stamp {
    bytes: Vec<u8>,
    /// The last folder and its error: files in a missing folder need no system call.
    folder: Option<(PathBuf, Option<i32>)>,
}

impl Stamp {
    fn add(&mut self, path: &Path) {
        if let Some(error) = self.folder_fails(path.parent().unwrap_or(Path::new("/"))) {
            return self.failed(error);
        }
        // Both the link and its target count; a link to nothing is different from nothing.
        match fs::symlink_metadata(path) {
            Ok(it) if it.is_symlink() => {
                self.found(&it);
                match fs::metadata(path) {
                    Ok(target) => self.found(&target),
                    Err(_) => self.bytes.push(2),
                }
            }
            Ok(it) => self.found(&it),
            Err(error) => self.failed(error.raw_os_error().unwrap_or(0)),
        }
    }

    fn folder_fails(&mut self, folder: &Path) -> Option<i32> {
        match &self.folder {
            // Compared as text, which is faster: both come from the same parts.
            Some((known, error)) if known.as_os_str() == folder.as_os_str() => *error,
            _ => {
                let error = fs::metadata(folder).err().map(|error| error.raw_os_error().unwrap_or(0));
                self.folder = Some((folder.to_path_buf(), error));
                error
            }
        }
    }

    fn failed(&mut self, error: i32) {
        self.bytes.push(3);
        self.bytes.extend_from_slice(&error.to_le_bytes());
    }

    fn found(&mut self, it: &fs::Metadata) {
        self.bytes.push(1);
        for number in [it.dev(), it.ino(), it.size()] {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        for time in [it.mtime(), it.mtime_nsec(), it.ctime(), it.ctime_nsec()] {
            self.bytes.extend_from_slice(&time.to_le_bytes());
        }
    }
}

fn settled<'p>(mut paths: impl Iterator<Item = &'p Path>) -> bool {
    let now = SystemTime::now();
    let settled = |path: &Path| match fs::metadata(path).and_then(|it| it.modified()) {
        Ok(changed) => now.duration_since(changed).is_ok_and(|since| since >= SETTLED),
        Err(_) => true,
    };
    paths.all(settled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_contract::{AgentName, EventKind, Timestamp};

    const GUARD: &str = "version: 1\nhooks:\n  tool:pre:\n    - { name: guard, deny: \"no\" }\n";
    const OTHER: &str = "version: 1\nhooks:\n  tool:pre:\n    - { name: other, deny: \"no\" }\n";

    struct World {
        folder: tempfile::TempDir,
    }

    impl World {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap() }
        }
        fn places(&self) -> Places {
            Places {
                config_folder: Some(self.folder.path().join("config")),
                state_folder: Some(self.folder.path().join("state")),
                ..Places::default()
            }
        }
        /// Writes the hook file as if that many seconds ago.
        fn write(&self, text: &str, seconds_ago: u64) {
            let path = self.folder.path().join("config/hooks.yaml");
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let then = SystemTime::now() - Duration::from_secs(seconds_ago);
            fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        }
        fn names(&self) -> Vec<String> {
            self.hooks().hooks.iter().map(|hook| hook.id.name.clone()).collect()
        }
        /// As a call finds them.
        fn hooks(&self) -> HookSet {
            // The user writes the files here; no agent is in a turn.
            let _ = fs::remove_dir_all(self.folder.path().join("state/agents"));
            self.source(Some(crate::layers::read)).at(Some(&self.event())).unwrap()
        }
        /// As `tenter-hook` finds them.
        fn cached(&self) -> Option<HookSet> {
            self.source(None).at(Some(&self.event()))
        }
        fn source(&self, reader: Option<Reader>) -> CachedHooks {
            CachedHooks { resolved_paths: ResolvedPaths::new(&self.places(), None), reader }
        }
        fn event(&self) -> Event {
            let agent = AgentName::from_static("claude");
            let mut event = Event::new(EventKind::ToolPre, agent, None, Timestamp::default());
            event.project_root = Some(self.root().to_string_lossy().into_owned());
            event
        }
        fn root(&self) -> PathBuf {
            self.folder.path().join("project")
        }
        fn cache(&self) -> PathBuf {
            CacheEntry::new(&self.places(), Some(&self.root())).path.unwrap()
        }
    }

    #[test]
    fn changed_file_is_read_again() {
        let world = World::new();
        world.write(GUARD, 60);
        assert_eq!(world.names(), ["guard"]);
        assert!(world.cache().is_file());
        assert_eq!(world.names(), ["guard"]);
        world.write(OTHER, 30);
        assert_eq!(world.names(), ["other"]);
        fs::remove_file(world.folder.path().join("config/hooks.yaml")).unwrap();
        assert_eq!(world.names(), Vec::<String>::new());
    }

    #[test]
    fn new_file_is_not_cached() {
        let world = World::new();
        world.write(GUARD, 0);
        assert_eq!(world.names(), ["guard"]);
        assert!(!world.cache().exists());
    }

    #[test]
    fn second_file_is_noticed() {
        let world = World::new();
        world.write(GUARD, 60);
        world.names();
        fs::write(world.folder.path().join("config/hooks.toml"), "version = 1\n").unwrap();
        assert_eq!(world.hooks().problems.len(), 1);
    }

    #[test]
    fn changed_import_is_noticed() {
        let world = World::new();
        let imported = world.folder.path().join("config/q.json");
        let write = |command: &str, seconds_ago: u64| {
            let text =
                format!(r#"{{"hooks": {{"per_prompt": [{{"name": "{command}", "command": "true"}}]}}}}"#);
            fs::write(&imported, text).unwrap();
            let then = SystemTime::now() - Duration::from_secs(seconds_ago);
            fs::File::options().write(true).open(&imported).unwrap().set_modified(then).unwrap();
        };
        world.write("version: 1\nimports: [ q.json ]\n", 60);
        write("first", 60);
        assert_eq!(world.names(), ["first"]);
        assert!(world.cache().is_file());
        write("second", 30);
        assert_eq!(world.names(), ["second"]);
        write("third", 0);
        assert_eq!(world.names(), ["third"]);
        // The hook file still names it, so its last version stays active.
        fs::remove_file(&imported).unwrap();
        assert_eq!(world.names(), ["third"]);
        assert_eq!(world.hooks().problems.len(), 2);
    }

    #[test]
    fn damaged_cache_is_ignored() {
        let world = World::new();
        world.write(GUARD, 60);
        world.names();
        let whole = fs::read(world.cache()).unwrap();
        for damage in [Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0; whole.len()]] {
            fs::write(world.cache(), damage).unwrap();
            assert_eq!(world.names(), ["guard"]);
            assert_eq!(fs::read(world.cache()).unwrap(), whole);
        }
    }

    #[test]
    fn problems_are_cached() {
        let world = World::new();
        world.write(&GUARD.replace("deny", "comand"), 60);
        let first = world.hooks();
        assert_eq!(first.problems.len(), 1, "{:?}", first.problems);
        assert!(world.cache().is_file());
        assert_eq!(world.cached(), Some(first));
    }

    #[test]
    fn concurrent_writes_leave_one_cache() {
        let world = World::new();
        world.write(GUARD, 60);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(world.names(), ["guard"])));
            }
        });
        assert!(Compiled::from_bytes(&fs::read(world.cache()).unwrap()).is_some());
        let left: Vec<_> = fs::read_dir(world.cache().parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }
}
