//! A folder with entries in it, and words to fill them.

use tempfile::TempDir;
use tenter_contract::{SessionId, Timestamp};
use tenter_ghap::{
    ActiveFolder, Cleaner, Domain, Entry, GhapError, Liveness, OrphanSearch, Resolution, Revision, RunSeen,
    Start, Status, Strategy, Who,
};
use tenter_store::StateFolder;

/// The project of every test that has only one.
pub(crate) const PROJECT: Option<&str> = Some("github.com/ann/shop");

/// A state folder of its own.
pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) folder: ActiveFolder,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        Self { home, folder }
    }

    pub(crate) fn start(&self, who: &Who, goal: &str) -> Result<Entry, GhapError> {
        self.folder.start(who, PROJECT, &goal_of(goal), now())
    }

    /// What waits for the store.
    pub(crate) fn waiting(&self) -> Vec<Entry> {
        self.folder.waiting().read().unwrap().entries
    }

    /// The files of active entries, by what they are.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = std::fs::read_dir(self.home.path().join("memory/active"))
            .map(|listed| {
                listed.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect()
            })
            .unwrap_or_default();
        files.retain(|file| file != "lock");
        files.sort();
        files
    }

    /// The one file of this kind.
    pub(crate) fn file(&self, what: &str) -> std::path::PathBuf {
        let name = self.files().into_iter().find(|file| file.ends_with(what)).unwrap();
        self.home.path().join("memory/active").join(name)
    }
}

pub(crate) fn folder(home: &std::path::Path) -> ActiveFolder {
    ActiveFolder::new(StateFolder::new(home.to_owned()), Cleaner::hiding(vec!["hunter2hunter2".to_owned()]))
}

pub(crate) fn who(session: &str) -> Who {
    Who::new(SessionId::parse(session).unwrap())
}

/// A process who searches for orphans and knows nothing of any session.
pub(crate) fn seeking(who: &Who, now: Timestamp) -> OrphanSearch<'_> {
    seeking_where(who, now, &|_| Liveness::Unknown)
}

/// The same for a user who knows.
pub(crate) fn seeking_where<'a>(
    who: &'a Who,
    now: Timestamp,
    life: &'a dyn Fn(&str) -> Liveness,
) -> OrphanSearch<'a> {
    OrphanSearch { who, project: PROJECT, now, life }
}

/// Files have the time of the machine, so the clock of these tests goes with it.
pub(crate) fn now() -> Timestamp {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::from_unix_ms(u64::try_from(since_1970.as_millis()).unwrap())
}

pub(crate) fn minutes_from_now(minutes: u64) -> Timestamp {
    Timestamp::from_unix_ms(now().unix_ms + minutes * 60_000)
}

pub(crate) fn goal_of(goal: &str) -> Start {
    Start {
        domain: Domain::Debugging,
        strategy: Strategy::ReadTheError,
        goal: goal.to_owned(),
        hypothesis: "The cache keeps a stale key".to_owned(),
        action: "Clear it in the set-up".to_owned(),
        prediction: "The test passes ten times in a row".to_owned(),
    }
}

pub(crate) fn hypothesis(text: &str) -> Revision {
    Revision { hypothesis: Some(text.to_owned()), ..Revision::default() }
}

pub(crate) fn confirmed(result: &str) -> Resolution {
    Resolution::new(Status::Confirmed, result)
}

pub(crate) fn falsified(result: &str) -> Resolution {
    Resolution {
        surprise: Some("It failed in another test".to_owned()),
        root_cause: Some(("test-isolation".to_owned(), "Two tests share a folder".to_owned())),
        ..Resolution::new(Status::Falsified, result)
    }
}

pub(crate) fn run_of(entry: &Entry) -> RunSeen {
    RunSeen {
        entry: entry.id.clone(),
        iteration: entry.iteration_count,
        seen_at: now(),
        runner: "pytest".to_owned(),
        passed: true,
        summary: "4 passed".to_owned(),
        says: Some(Status::Confirmed),
    }
}
