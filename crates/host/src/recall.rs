//! The hot path's way to the hooks: what was read before, if the files are still the same, else the files.
//!
//! Whether they are the same is asked of the file system alone (device, inode, size, times of change), for
//! every place a hook file may lie at, so that a new file is noticed as well as a changed one. A file that
//! was changed a moment ago is read and not remembered: a second change within one tick of the clock would
//! otherwise go unseen, and a guard with it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tenter_config::compiled::Compiled;

use crate::Places;
use crate::hook_files::{self, Hooks};

/// How long ago a file must have been changed to be remembered.
const SETTLED: Duration = Duration::from_secs(2);

/// What the hook files say, if nothing about them has changed since they were read.
pub(crate) fn hooks(places: &Places) -> Option<Hooks> {
    let candidates = hook_files::candidates(places);
    let memory = memory_of(places.state_folder.as_ref()?, &candidates);
    let same = |compiled: &Compiled| stamp(&watched(&candidates, &imported(compiled))) == compiled.stamp;
    recall(&memory).filter(same).map(hooks_of)
}

/// What they said when they were last read, whatever has changed since: for a program that cannot read
/// them, because a guard of yesterday is better than none.
pub(crate) fn last_known(places: &Places) -> Hooks {
    let memory = places.state_folder.as_ref().map(|state| memory_of(state, &hook_files::candidates(places)));
    memory.and_then(|memory| recall(&memory)).map(hooks_of).unwrap_or_default()
}

/// Reads the files, and remembers what they say.
pub(crate) fn read(places: &Places) -> Hooks {
    let candidates = hook_files::candidates(places);
    let before = stamp(&candidates);
    let hooks = Hooks::of(&hook_files::read_all(places));
    let watched = watched(&candidates, &hooks.imported);
    // What was changed a moment ago, imported or not, is not remembered; so nothing changed while it was read.
    if let Some(state) = &places.state_folder
        && settled(&watched)
        && stamp(&candidates) == before
    {
        let Hooks { hooks, problems, imported } = hooks.clone();
        let imported = imported.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let compiled = Compiled { stamp: stamp(&watched), hooks, problems, imported };
        // Only a memory: if it cannot be kept, the files are read again next time.
        let _ = compiled.to_bytes().and_then(|bytes| remember(&memory_of(state, &candidates), &bytes).ok());
    }
    hooks
}

fn hooks_of(compiled: Compiled) -> Hooks {
    let imported = imported(&compiled);
    Hooks { hooks: compiled.hooks, problems: compiled.problems, imported }
}

fn imported(compiled: &Compiled) -> Vec<PathBuf> {
    compiled.imported.iter().map(PathBuf::from).collect()
}

/// The hook files and what they import.
fn watched(candidates: &[PathBuf], imported: &[PathBuf]) -> Vec<PathBuf> {
    candidates.iter().chain(imported).cloned().collect()
}

/// Where the compiled form of these files lies.
fn memory_of(state: &Path, candidates: &[PathBuf]) -> PathBuf {
    let names: Vec<u8> =
        candidates.iter().flat_map(|path| path.as_os_str().as_encoded_bytes()).copied().collect();
    let name = tenter_protocol::shorten::sha256_hex(&names);
    state.join("cache").join(format!("hooks-{}", &name[..16]))
}

fn recall(memory: &Path) -> Option<Compiled> {
    let file = fs::File::open(memory).ok()?;
    // Somebody else's file is nobody's memory.
    if file.metadata().ok()?.uid() != rustix::process::geteuid().as_raw() {
        return None;
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut &file, &mut bytes).ok()?;
    Compiled::from_bytes(&bytes)
}

/// Written beside and moved into place, so that a reader finds a whole file, however many write at once.
fn remember(memory: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = memory.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let beside = memory.with_extension(std::process::id().to_string());
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, memory));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// What the file system says about each file.
fn stamp(candidates: &[PathBuf]) -> Vec<u8> {
    let mut stamp = Vec::with_capacity(candidates.len() * 64);
    for path in candidates {
        match fs::metadata(path) {
            Ok(it) => {
                stamp.push(1);
                for number in [it.dev(), it.ino(), it.size()] {
                    stamp.extend_from_slice(&number.to_le_bytes());
                }
                for time in [it.mtime(), it.mtime_nsec(), it.ctime(), it.ctime_nsec()] {
                    stamp.extend_from_slice(&time.to_le_bytes());
                }
            }
            Err(error) => {
                stamp.push(0);
                stamp.extend_from_slice(&error.raw_os_error().unwrap_or(0).to_le_bytes());
            }
        }
    }
    stamp
}

fn settled(candidates: &[PathBuf]) -> bool {
    let now = SystemTime::now();
    let changed = |path: &PathBuf| {
        let changed = fs::metadata(path).and_then(|it| it.modified()).ok()?;
        Some(now.duration_since(changed).is_ok_and(|since| since >= SETTLED))
    };
    candidates.iter().filter_map(changed).all(|it| it)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                config: None,
                config_folder: Some(self.folder.path().join("config")),
                state_folder: Some(self.folder.path().join("state")),
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
        fn hooks(&self) -> Hooks {
            hooks(&self.places()).unwrap_or_else(|| read(&self.places()))
        }
        fn memory(&self) -> PathBuf {
            memory_of(&self.folder.path().join("state"), &hook_files::candidates(&self.places()))
        }
    }

    #[test]
    fn a_changed_file_is_read_again() {
        let world = World::new();
        world.write(GUARD, 60);
        assert_eq!(world.names(), ["guard"]);
        assert!(world.memory().is_file());
        assert_eq!(world.names(), ["guard"]);
        world.write(OTHER, 30);
        assert_eq!(world.names(), ["other"]);
        fs::remove_file(world.folder.path().join("config/hooks.yaml")).unwrap();
        assert_eq!(world.names(), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_was_just_written_is_not_remembered() {
        let world = World::new();
        world.write(GUARD, 0);
        assert_eq!(world.names(), ["guard"]);
        assert!(!world.memory().exists());
    }

    #[test]
    fn a_second_file_is_noticed_although_the_first_has_not_changed() {
        let world = World::new();
        world.write(GUARD, 60);
        world.names();
        fs::write(world.folder.path().join("config/hooks.toml"), "version = 1\n").unwrap();
        assert_eq!(world.hooks().problems.len(), 1);
    }

    #[test]
    fn a_change_of_an_imported_file_is_noticed() {
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
        assert!(world.memory().is_file());
        write("second", 30);
        assert_eq!(world.names(), ["second"]);
        write("third", 0);
        assert_eq!(world.names(), ["third"]);
        fs::remove_file(&imported).unwrap();
        assert_eq!(world.names(), Vec::<String>::new());
        assert_eq!(world.hooks().problems.len(), 1);
    }

    #[test]
    fn a_damaged_memory_is_no_memory() {
        let world = World::new();
        world.write(GUARD, 60);
        world.names();
        let whole = fs::read(world.memory()).unwrap();
        for damage in [Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0; whole.len()]] {
            fs::write(world.memory(), damage).unwrap();
            assert_eq!(world.names(), ["guard"]);
            assert_eq!(fs::read(world.memory()).unwrap(), whole);
        }
    }

    #[test]
    fn problems_are_remembered_too() {
        let world = World::new();
        world.write(&GUARD.replace("deny", "denny"), 60);
        let first = world.hooks();
        assert_eq!(first.problems.len(), 1, "{:?}", first.problems);
        assert!(world.memory().is_file());
        assert_eq!(hooks(&world.places()), Some(first));
    }

    #[test]
    fn many_processes_at_once_leave_one_whole_memory() {
        let world = World::new();
        world.write(GUARD, 60);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(world.names(), ["guard"])));
            }
        });
        assert!(Compiled::from_bytes(&fs::read(world.memory()).unwrap()).is_some());
        let left: Vec<_> = fs::read_dir(world.memory().parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }
}
