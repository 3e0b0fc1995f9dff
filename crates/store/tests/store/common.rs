//! A store in a folder of its own.

use std::path::PathBuf;
use std::sync::Mutex;

use tempfile::TempDir;
use tenter_contract::ports::{AuditTrail, TrailError};
use tenter_contract::{Decision, Diagnostics, RecordBody, Timestamp};
use tenter_store::audit::verify::{Condition, Verification, verify};
use tenter_store::{StateFolder, TrailFile};

/// A trail that keeps its notices for the test.
pub(crate) struct TestTrail {
    file: TrailFile,
    notices: Mutex<Vec<String>>,
}

impl TestTrail {
    pub(crate) fn new(state: &StateFolder) -> Self {
        TrailFile::new(state).into()
    }

    pub(crate) fn append(&self, records: &[RecordBody]) -> Result<u64, TrailError> {
        let mut diagnostics = Diagnostics::default();
        let appended = self.file.append(records, &mut diagnostics);
        let texts = diagnostics.take().into_iter().map(|notice| notice.text);
        self.notices.lock().unwrap().extend(texts);
        appended
    }

    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap())
    }
}

impl From<TrailFile> for TestTrail {
    fn from(file: TrailFile) -> Self {
        Self { file, notices: Mutex::default() }
    }
}

pub(crate) struct Store {
    _home: TempDir,
    pub(crate) state: StateFolder,
    pub(crate) trail: TestTrail,
}

impl Store {
    /// A store whose folder does not exist yet.
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().join("state"));
        Self { trail: TestTrail::new(&state), state, _home: home }
    }

    /// A store with that many records, appended one by one.
    pub(crate) fn with_records(count: u64) -> Self {
        let store = Self::new();
        for number in 1..=count {
            assert_eq!(store.append(&format!("record {number}")), number);
        }
        store
    }

    /// A store with one record and the key of another store.
    pub(crate) fn with_the_key_of(other: &Self) -> Self {
        let store = Self::new();
        std::fs::create_dir_all(store.path("")).unwrap();
        std::fs::copy(other.path("key"), store.path("key")).unwrap();
        store.append("record 1");
        store
    }

    /// The same store, with other writer options.
    pub(crate) fn written_by(mut self, options: impl FnOnce(TrailFile) -> TrailFile) -> Self {
        self.trail = options(TrailFile::new(&self.state)).into();
        self
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

    /// The only spill file.
    pub(crate) fn spill_file(&self) -> PathBuf {
        let mut names = std::fs::read_dir(self.path("spilled")).unwrap();
        let name = names.next().unwrap().unwrap().path();
        assert!(names.next().is_none());
        name
    }

    /// The number of records, if the chain and everything around it is sound.
    pub(crate) fn intact_records(&self) -> u64 {
        let verification = self.verify();
        assert!(verification.is_sound(), "{verification:?}");
        match verification.trail {
            Condition::Intact { records, .. } => records,
            Condition::Empty => 0,
            Condition::Lost { .. } | Condition::Broken { .. } => unreachable!("a broken trail is not sound"),
        }
    }

    /// Names in the folder of the trail, besides the trail, its head and its key.
    pub(crate) fn beside_the_trail(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.state.path().join("audit"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !["trail.jsonl", "head", "key"].contains(&name.as_str()))
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

/// The hash of a line, from 1, as `sha256sum` prints it.
pub(crate) fn sha256(trail: &[u8], line: usize) -> String {
    use sha2::Digest;
    let line = lines(trail)[line - 1].clone();
    hex(&sha2::Sha256::digest(line.strip_suffix(b"\n").unwrap()))
}

/// Bytes as lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The field `problem` of each line, which is what [`body`] was given.
pub(crate) fn texts(trail: &[u8]) -> Vec<String> {
    let text = |line: &Vec<u8>| {
        let record: serde_json::Value = serde_json::from_slice(line).unwrap();
        record["problem"].as_str().unwrap().split(" (").next().unwrap().to_owned()
    };
    lines(trail).iter().map(text).collect()
}

/// Lines with their newlines.
pub(crate) fn lines(trail: &[u8]) -> Vec<Vec<u8>> {
    trail.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}
