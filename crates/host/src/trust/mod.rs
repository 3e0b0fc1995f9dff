//! Hooks of a project run only if the user has trusted exactly that content.
//!
//! Trust covers the hook files and everything they name inside the project ([`pins`]). It belongs to the
//! repository, so that worktrees share it. A content that was never trusted brings no hook. If another
//! content of the project was trusted before, its guards stay active and deny, because changing a byte must not disarm
//! them.

pub mod pins;
pub mod project;
mod copies;
mod dynamic_names;
mod hook_files;
mod line_words;
mod links;
mod pinned_executor;
mod python;
mod replacer;
mod runners;
mod walk;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tenter_config::compiled::Compiled;
use tenter_contract::{
    EventKind, Handler, HookId, HookSet, HookSpec, Layer, Level, McpTransport, Message, Pin, Policy, Template,
};
use tenter_protocol::shorten::sha256_hex;
use tenter_store::{StateFolder, TrustEntry, TrustFolder, TrustedFile, TrustedRoots, read_regular};

use pins::Pins;

pub(crate) use pinned_executor::PinnedExecutor;
pub use project::identity;

/// Text above this is not kept for a later comparison.
const SHOWN: u64 = 64 * 1024;

/// A file above this is not read.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The beginning of the hash of a link's pin; the target follows.
const LINK: &str = "link:";

/// The hash of a pin on nothing: there must be nothing still.
const ABSENT: &str = "absent";

/// The hash of a pin on a folder in whose place a file would be run: it must be one still.
const FOLDER: &str = "folder";

/// A project's hooks as they are now, and the trust in them.
pub struct ProjectHooks {
    /// The hooks of the files.
    pub set: HookSet,
    /// The files that they name.
    pub pins: Pins,
    /// Every file that trust covers, and its hash.
    pub files: Vec<TrustedFile>,
    /// The hash over all of them.
    pub content: String,
    /// Whether it is trusted.
    pub status: TrustStatus,
    /// Problems of hook files that cannot be read. They are shown before anything is trusted, since an unread file may
    /// hold a guard.
    unreadable: Vec<Message>,
    records: Vec<TrustRecord>,
    root: PathBuf,
    hook_files: Vec<PathBuf>,
}

/// The trust in a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustStatus {
    /// There is nothing to trust.
    Nothing,
    /// It is trusted.
    Trusted,
    /// Nothing of this project was trusted.
    Never,
    /// Another content was trusted, the latest of which this is.
    Changed(Box<TrustEntry>),
    /// Something was trusted, and the record of it is damaged or gone.
    Damaged,
}

impl ProjectHooks {
    /// Loads the hooks of a project. `files` are the hook files themselves.
    pub fn load(root: &Path, files: &[PathBuf], set: HookSet, state: Option<&Path>) -> Self {
        let pins = Pins::from_hooks(set.hooks.iter().map(AsRef::as_ref), root);
        let mut covered: Vec<TrustedFile> =
            files.iter().chain(&pins.files).map(|path| covered(path, root)).collect();
        covered.extend(pins.links.iter().map(|link| covered_link(link, root)));
        covered.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.sha256.cmp(&b.sha256)));
        covered.dedup_by(|a, b| a.path == b.path && a.sha256 == b.sha256);
        let content = content_of(&covered, &pins.runners);
        let records = state.map(|state| records(state, root)).unwrap_or_default();
        let status = status(&records, &content, files.is_empty());
        let (root, hook_files) = (root.to_path_buf(), files.to_vec());
        let unreadable = Vec::new();
        Self { set, pins, files: covered, content, status, unreadable, records, root, hook_files }
    }

    /// The same, with the problems of files that cannot be read.
    pub(crate) fn with_unreadable(self, unreadable: Vec<Message>) -> Self {
        Self { unreadable, ..self }
    }

    /// The same, if what was hashed is what was parsed before: a file that was exchanged in between is not trusted.
    pub(crate) fn parsed_as(mut self, parsed: &[(PathBuf, String)]) -> Self {
        let is_same = |(path, sha256): &(PathBuf, String)| self.hash_of(path) == Some(sha256);
        if self.status == TrustStatus::Trusted && !parsed.iter().all(is_same) {
            let entry = self.records.iter().find_map(|record| record.folder.find(&self.content));
            self.status = entry.map_or(TrustStatus::Damaged, |entry| TrustStatus::Changed(Box::new(entry)));
        }
        self
    }

    /// The hash of a covered file, as it was compared with what is trusted.
    fn hash_of(&self, path: &Path) -> Option<&String> {
        let name = shown(path, &self.root);
        self.files.iter().find(|file| file.path == name)?.sha256.as_ref()
    }

    /// The active hooks, and the problems for the user.
    pub fn active_hooks(&self) -> HookSet {
        match &self.status {
            TrustStatus::Nothing => self.set.clone(),
            TrustStatus::Trusted => {
                let mut set = self.set.clone();
                for hook in set.hooks.iter_mut().map(Arc::make_mut) {
                    hook.pins = self.pins_of(hook);
                    self.keep_from_compiled_files(hook);
                }
                set
            }
            TrustStatus::Never => {
                let problems = self.unreadable.iter().cloned().chain(self.not_trusted()).collect();
                HookSet { problems, ..HookSet::default() }
            }
            TrustStatus::Changed(before) => {
                let mut set = still_guarded(before, &self.files, &self.root);
                set.problems.extend(self.unreadable.iter().cloned());
                set
            }
            TrustStatus::Damaged => lost_guards(&self.root),
        }
    }

    /// The warning about hooks that are not trusted; none for files without hooks.
    fn not_trusted(&self) -> Option<Message> {
        let mistakes = self.set.problems.len() > self.unreadable.len();
        let brings = match self.set.hooks.len() {
            0 if mistakes => "hook files with mistakes".to_owned(),
            0 => return None,
            1 => "1 hook".to_owned(),
            count => format!("{count} hooks"),
        };
        let text = format!(
            "warning: this project brings {brings} that you have not trusted, so none of them runs\n  --> {}\nhint: `tenter trust` shows them and asks",
            self.root.display()
        );
        Some(Message { text, level: Level::Warning })
    }

    /// The user has not seen compiled files next to a trusted module: Python keeps its own in a folder of tenter, and
    /// reads no others. The worker for Python functions does this itself.
    fn keep_from_compiled_files(&self, hook: &mut HookSpec) {
        let Some(record) = self.record() else { return };
        let variables = match &mut hook.handler {
            Handler::Command(_) | Handler::Script(_) => &mut hook.env,
            Handler::Mcp(mcp) => match &mut mcp.server.transport {
                McpTransport::Stdio { env, .. } => env,
                McpTransport::Http { .. } => return,
            },
            _ => return,
        };
        variables.retain(|(name, _)| name != COMPILED_ELSEWHERE);
        let folder = compiled_modules(record).to_string_lossy().into_owned();
        variables.push((COMPILED_ELSEWHERE.to_owned(), folder));
    }

    /// What must be the same when a hook runs. The hashes are those that were compared with what is trusted: the files
    /// may have been exchanged since.
    fn pins_of(&self, hook: &HookSpec) -> Vec<Pin> {
        let own = PathBuf::from(&hook.source.file);
        let Pins { files, links, absent, named_folders, .. } = Pins::from_hooks([hook], &self.root);
        let pin = |path: &PathBuf, sha256| Pin { path: path.to_string_lossy().into_owned(), sha256 };
        let file = |path: &PathBuf| pin(path, self.hash_of(path).cloned());
        let link = |path: &PathBuf| {
            let covered = covered_link(path, &self.root);
            let target = links::target(path).filter(|_| self.files.contains(&covered));
            pin(path, target.map(|target| format!("{LINK}{target}")))
        };
        let of_files = std::iter::once(&own).chain(&files).map(file);
        let as_is = |paths: &BTreeSet<PathBuf>, what: &str| -> Vec<Pin> {
            paths.iter().map(|path| pin(path, Some(what.to_owned()))).collect()
        };
        let no_files = as_is(&absent, ABSENT).into_iter().chain(as_is(&named_folders, FOLDER));
        of_files.chain(links.iter().map(link)).chain(no_files).collect()
    }

    /// Whether its hooks run.
    pub fn counts(&self) -> bool {
        match self.status {
            TrustStatus::Nothing | TrustStatus::Trusted => true,
            TrustStatus::Never | TrustStatus::Changed(_) | TrustStatus::Damaged => false,
        }
    }

    /// Trusts this content from now on.
    pub fn trust(&self, at: u64) -> std::io::Result<()> {
        let Some(record) = self.record() else {
            return Err(std::io::Error::other("there is no place for state: set HOME"));
        };
        forget_compiled(record)?;
        let set = HookSet { problems: Vec::new(), ..self.set.clone() };
        let hooks = Compiled { set, ..Compiled::default() }.to_bytes().unwrap_or_default();
        record.add(&TrustEntry {
            content: self.content.clone(),
            at,
            project: self.root.to_string_lossy().into_owned(),
            files: self.files.clone(),
            runners: self.pins.runners.iter().cloned().collect(),
            hooks,
        })
    }

    /// The project's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The hook files themselves.
    pub fn hook_files(&self) -> &[PathBuf] {
        &self.hook_files
    }

    /// When this content was trusted, if it is.
    pub fn trusted_at(&self) -> Option<u64> {
        self.records.iter().find_map(|record| record.folder.find(&self.content)).map(|entry| entry.at)
    }

    /// Whether a covered path is a link that leads out of the project, where nothing is covered.
    pub fn leads_outside(&self, covered: &TrustedFile) -> bool {
        let real = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        let is_it = |link: &&PathBuf| covered_link(link, &self.root) == *covered;
        let link = self.pins.links.iter().find(is_it);
        link.and_then(|link| fs::canonicalize(link).ok()).is_some_and(|end| !end.starts_with(real))
    }

    /// Takes back all trust in this project.
    pub fn revoke(&self) -> std::io::Result<usize> {
        let mut count = 0;
        for TrustRecord { folder, .. } in &self.records {
            forget_compiled(folder)?;
            count += folder.revoke()?;
        }
        Ok(count)
    }

    /// Remembers that something is trusted at this root, which may be another worktree than the one it was trusted in.
    pub(crate) fn remember_root(&self) {
        let Some(record) = self.records.first().filter(|_| self.status == TrustStatus::Trusted) else {
            return;
        };
        if !record.is_known {
            // Only a help, for the day on which `.git` is gone.
            let _ = record.folder.remember_root(&self.root);
        }
    }

    fn record(&self) -> Option<&TrustFolder> {
        self.records.first().map(|record| &record.folder)
    }

    /// The paths whose change ends the validity of this: the covered files and the records of trust.
    pub(crate) fn watched(&self) -> Vec<String> {
        let Pins { files, links, absent, folders, .. } = &self.pins;
        let named = files.iter().chain(links).chain(absent).chain(folders);
        let covered = self.hook_files.iter().chain(named).map(PathBuf::as_path);
        let records = self.records.iter().map(|record| record.folder.path());
        covered.chain(records).map(|path| path.to_string_lossy().into_owned()).collect()
    }
}

/// Where trust in a project is kept: the folder of its repository first, then those of repositories that were trusted
/// at the same root. A project whose `.git` was renamed, or made anew, is still the one that was trusted there.
fn records(state: &Path, root: &Path) -> Vec<TrustRecord> {
    let roots = TrustedRoots::read_all(state);
    let state = StateFolder::new(state.to_path_buf());
    let own = TrustFolder::open(&state, &identity(root));
    let mut records =
        vec![TrustRecord { is_known: roots.folders_of(root).any(|name| name == own.name()), folder: own }];
    for name in roots.folders_of(root) {
        if records.iter().all(|record| record.folder.name() != name) {
            records.push(TrustRecord { folder: TrustFolder::named(&state, name), is_known: true });
        }
    }
    records
}

/// A folder that keeps trust, and whether something is known to have been trusted at this root.
struct TrustRecord {
    folder: TrustFolder,
    is_known: bool,
}

fn status(records: &[TrustRecord], content: &str, no_files: bool) -> TrustStatus {
    if records.iter().any(|record| record.folder.find(content).is_some()) {
        return TrustStatus::Trusted;
    }
    let before = records.iter().flat_map(|record| record.folder.all()).max_by_key(|entry| entry.at);
    let is_lost = |record: &TrustRecord| record.is_known || record.folder.is_damaged();
    match before {
        Some(before) => TrustStatus::Changed(Box::new(before)),
        None if records.iter().any(is_lost) => TrustStatus::Damaged,
        None if no_files => TrustStatus::Nothing,
        None => TrustStatus::Never,
    }
}

/// Guards that were trusted and cannot be read any more: what they could have guarded is denied.
fn lost_guards(root: &Path) -> HookSet {
    let reason = "the record of what you trusted in this project is damaged, and its guards with it; review its hooks with `tenter trust`, or type `tenter trust revoke`";
    let guards: Vec<HookSpec> = unknown_guards().iter().filter_map(|hook| denying(hook, reason)).collect();
    let text =
        format!("error: {reason}\n  --> {}\nhint: until then tool calls are denied here", root.display());
    HookSet::new(guards).with_problem(Message { text, level: Level::Error })
}

/// Guards that were trusted before stay guards: they deny, since their answer is unknown.
fn still_guarded(before: &TrustEntry, now: &[TrustedFile], root: &Path) -> HookSet {
    let trusted = Compiled::from_bytes(&before.hooks).map(|compiled| compiled.set);
    let what = changed(&before.files, now).join(", ");
    let reason = format!(
        "this project's hooks were changed since you trusted them ({what}); review them with `tenter trust`"
    );
    let hooks = trusted.iter().flat_map(|set| &set.hooks);
    let guards: Vec<HookSpec> = match &trusted {
        Some(_) => {
            hooks.clone().filter(|hook| hook.is_guard()).filter_map(|hook| denying(hook, &reason)).collect()
        }
        None => unknown_guards().iter().filter_map(|hook| denying(hook, &reason)).collect(),
    };
    let rest = hooks.count().saturating_sub(guards.len());
    let until = match (guards.len(), rest) {
        (0, _) => "none of them runs",
        (_, 0) => "its guards deny what they guard",
        (_, _) => "its guards deny what they guard, and the others do not run",
    };
    let text = format!("error: {reason}\n  --> {}\nhint: until then {until}", root.display());
    HookSet::new(guards).with_problem(Message { text, level: Level::Error })
}

/// The record of another build does not reveal which hooks were guards: every event with a possible guard is denied.
fn unknown_guards() -> [HookSpec; 2] {
    [EventKind::ToolPre, EventKind::PermissionRequest].map(|event| {
        let id = HookId::new(Layer::Project, "hooks that were trusted before");
        HookSpec::new(id, event, Handler::InProcess)
    })
}

/// The same hook, asked about the same things, and always against.
fn denying(hook: &HookSpec, reason: &str) -> Option<HookSpec> {
    // Braces in a path must not be read as a placeholder.
    let reason =
        Template::parse(reason).or_else(|_| Template::parse("this project's hooks were changed")).ok()?;
    let on_failure = tenter_contract::OnFailure::always(Policy::Deny);
    Some(HookSpec { handler: Handler::Deny(reason), on_failure, pins: Vec::new(), ..hook.clone() })
}

/// The files that are not what they were.
pub fn changed(before: &[TrustedFile], now: &[TrustedFile]) -> Vec<String> {
    let of = |files: &[TrustedFile], path: &str| {
        files.iter().find(|file| file.path == path).and_then(|file| file.sha256.clone())
    };
    let mut paths: Vec<&str> = before.iter().chain(now).map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let changed: Vec<String> =
        paths.into_iter().filter(|path| of(before, path) != of(now, path)).map(str::to_owned).collect();
    if changed.is_empty() { vec!["what they run".to_owned()] } else { changed }
}

fn content_of(files: &[TrustedFile], runners: &BTreeSet<String>) -> String {
    let files =
        files.iter().map(|file| format!("{}\0{}\n", file.path, file.sha256.as_deref().unwrap_or("absent")));
    let runners = runners.iter().map(|runner| format!("runs\0{runner}\n"));
    let text: String = files.chain(runners).collect();
    sha256_hex(text.as_bytes())
}

/// A path as it is shown: below the project if it lies there.
fn shown(path: &Path, root: &Path) -> String {
    // The root may be spelled with links, and what was found below it without.
    let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let folder = path.parent().filter(|_| path.components().any(|part| part == Component::ParentDir));
    let resolved = folder.and_then(|folder| fs::canonicalize(folder).ok());
    let path =
        resolved.map_or_else(|| path.to_path_buf(), |it| it.join(path.file_name().unwrap_or_default()));
    let below = path.strip_prefix(root).or_else(|_| path.strip_prefix(real)).unwrap_or(&path);
    below.to_string_lossy().into_owned()
}

fn covered(path: &Path, root: &Path) -> TrustedFile {
    let bytes = read(path);
    let text = bytes.as_ref().filter(|bytes| bytes.len() as u64 <= SHOWN);
    TrustedFile {
        path: shown(path, root),
        sha256: bytes.as_deref().map(sha256_hex),
        text: text.and_then(|bytes| String::from_utf8(bytes.clone()).ok()),
    }
}

/// Where a link leads is covered, be it inside the project or not.
fn covered_link(link: &Path, root: &Path) -> TrustedFile {
    let target = links::target(link);
    TrustedFile {
        path: format!("{} (a link)", shown(link, root)),
        sha256: target.as_deref().map(|target| sha256_hex(target.as_bytes())),
        text: target.map(|target| format!("leads to {target}\n")),
    }
}

/// The variable for the folder of Python's compiled files.
const COMPILED_ELSEWHERE: &str = "PYTHONPYCACHEPREFIX";

/// Where it keeps it for hooks of projects.
fn compiled_modules(record: &TrustFolder) -> PathBuf {
    record.state().path().join("cache").join("python")
}

/// Where copies of what hooks of projects run are kept.
pub(crate) fn copies_folder(state: &Path) -> PathBuf {
    state.join("cache").join("trusted")
}

/// What was compiled of one content is not for another: Python compares no more than a time and a size. Copies of what
/// is not trusted any more go too.
fn forget_compiled(record: &TrustFolder) -> std::io::Result<()> {
    for folder in [compiled_modules(record), copies_folder(record.state().path())] {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Compares what a pin names with what it was; the content if it is a file.
fn compare(pin: &Pin) -> Result<Option<Vec<u8>>, ()> {
    let path = Path::new(&pin.path);
    let is_same = match pin.sha256.as_deref() {
        Some(ABSENT) => path.symlink_metadata().is_err(),
        Some(FOLDER) => path.is_dir(),
        Some(hash) if hash.starts_with(LINK) => links::target(path).as_deref() == hash.strip_prefix(LINK),
        hash => {
            let bytes = read(path);
            let is_same = bytes.as_deref().map(sha256_hex).as_deref() == hash;
            return if is_same { Ok(bytes) } else { Err(()) };
        }
    };
    if is_same { Ok(None) } else { Err(()) }
}

/// A regular file that is not too large to review.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    read_regular(path, LARGEST).ok()
}

#[cfg(test)]
mod tests;
