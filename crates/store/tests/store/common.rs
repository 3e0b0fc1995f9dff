//! A store in a folder of its own.

use std::path::PathBuf;

use tempfile::TempDir;
use tenter_contract::ports::AuditTrail;
use tenter_contract::{Decision, RecordBody, Timestamp};
use tenter_store::audit::verify::{Condition, Verification, verify};
use tenter_store::{StateFolder, TrailFile};

pub(crate) struct Store {
    _home: TempDir,
    pub(crate) state: StateFolder,
    pub(crate) trail: TrailFile,
}

impl Store {
    /// A store whose folder does not exist yet.
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().join("state"));
        Self { trail: TrailFile::new(&state), state, _home: home }
    }

    /// A store with that many records, appended one by one.
    pub(crate) fn with_records(count: u64) -> Self {
        let store = Self::new();
        for number in 1..=count {
            assert_eq!(store.append(&format!("record {number}")), number);
        }
        store
    }

    pub(crate) fn append(&self, text: &str) -> u64 {
        self.trail.append(&[body(text)]).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.state.path().join("audit").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn verify(&self) -> Verification {
        verify(&self.state).unwrap()
    }

    /// The number of records, if the chain and everything around it is sound.
    pub(crate) fn intact_records(&self) -> u64 {
        let verification = self.verify();
        assert!(verification.is_sound(), "{verification:?}");
        match verification.trail {
            Condition::Intact { records, .. } => records,
            Condition::Empty => 0,
            Condition::Broken { .. } => unreachable!("a broken trail is not sound"),
        }
    }

    /// Names in the folder of the trail, besides the trail and its head.
    pub(crate) fn beside_the_trail(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.state.path().join("audit"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "trail.jsonl" && name != "head")
            .collect();
        names.sort();
        names
    }
}

/// A record that says nothing but this text.
pub(crate) fn body(text: &str) -> RecordBody {
    RecordBody::Undecodable {
        agent: "claude".to_owned(),
        at: Timestamp::from_unix_ms(1_795_000_000_123),
        problem: text.to_owned(),
        bytes: text.len(),
        decision: Decision::Abstain,
    }
}

/// Lines with their newlines.
pub(crate) fn lines(trail: &[u8]) -> Vec<Vec<u8>> {
    trail.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}
