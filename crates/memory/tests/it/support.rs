//! A memory in a folder of its own, with an embedding of words.

use std::sync::Arc;

use tempfile::TempDir;
use tenter_contract::ports::Clock;
use tenter_contract::{SessionId, Timestamp};
use tenter_ghap::{Domain, Entry, Resolution, Start, Status, Strategy, Who};
use tenter_memory::{Embedder, ExperienceQuery, Memory, MemoryConfig, Project, Scope};
use tenter_store::StateFolder;

/// A state folder of its own.
pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) memory: Memory,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let memory = open(home.path(), "words-64");
        Self { home, memory }
    }

    /// The same folder, as another process finds it.
    pub(crate) fn again(&self) -> Memory {
        open(self.home.path(), "words-64")
    }

    pub(crate) fn database(&self) -> std::path::PathBuf {
        self.home.path().join("memory/memory.db")
    }

    /// An entry that came true.
    pub(crate) fn learn(&self, goal: &str, hypothesis: &str) -> Entry {
        self.learn_in(Some(&shop()), goal, hypothesis)
    }

    pub(crate) fn learn_in(&self, project: Option<&Project>, goal: &str, hypothesis: &str) -> Entry {
        let start = Start { hypothesis: hypothesis.to_owned(), ..start(goal) };
        self.memory.start_ghap(&ann(), project, &start).unwrap();
        self.memory.resolve_ghap(&ann(), &Resolution::new(Status::Confirmed, "It came true")).unwrap().entry
    }

    /// Every byte that lies in the state folder.
    pub(crate) fn all_bytes(&self) -> Vec<u8> {
        fn add(folder: &std::path::Path, all: &mut Vec<u8>) {
            for file in std::fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if path.is_dir() {
                    add(&path, all);
                } else {
                    all.extend(std::fs::read(path).unwrap());
                }
            }
        }
        let mut all = Vec::new();
        add(self.home.path(), &mut all);
        all
    }

    pub(crate) fn found(&self, text: &str) -> Vec<String> {
        goals(&self.memory, &ExperienceQuery::new(text, Scope::Everywhere))
    }
}

pub(crate) fn goals(memory: &Memory, query: &ExperienceQuery) -> Vec<String> {
    memory.search_experiences(query).unwrap().into_iter().map(|hit| hit.entry.goal).collect()
}

pub(crate) fn open(home: &std::path::Path, model: &'static str) -> Memory {
    open_with(home, Arc::new(Words(model)))
}

pub(crate) fn open_with(home: &std::path::Path, embedder: Arc<dyn Embedder>) -> Memory {
    let means =
        MemoryConfig { clock: Arc::new(Machine), embedder, secrets: vec!["hunter2hunter2".to_owned()] };
    Memory::open(StateFolder::new(home.to_owned()), means)
}

pub(crate) fn ann() -> Who {
    Who::new(SessionId::parse("ann").unwrap())
}

pub(crate) fn shop() -> Project {
    Project::named("github.com/ann/shop")
}

pub(crate) fn start(goal: &str) -> Start {
    Start {
        domain: Domain::Debugging,
        strategy: Strategy::ReadTheError,
        goal: goal.to_owned(),
        hypothesis: "Something is stale".to_owned(),
        action: "Look".to_owned(),
        prediction: "Green".to_owned(),
    }
}

pub(crate) fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Files have the time of the machine, so the clock of these tests goes with it.
struct Machine;

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp::from_unix_ms(u64::try_from(since_1970.as_millis()).unwrap())
    }
}

/// Each word is a direction; `vehicle` and `car` are the same one.
pub(crate) struct Words(pub(crate) &'static str);

impl Embedder for Words {
    fn model_id(&self) -> &str {
        self.0
    }

    fn dimensions(&self) -> usize {
        64
    }

    fn embed(&self, text: &str) -> Vec<i8> {
        let mut vector = vec![0_i8; 64];
        for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 2) {
            let word = word.to_lowercase();
            let word = if word == "vehicle" { "car" } else { &word };
            let place = word
                .bytes()
                .fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(usize::from(byte)));
            vector[place % 64] = vector[place % 64].saturating_add(20);
        }
        vector
    }
}
