//! The audit trail: no file in its folder makes a reader, the check or a writer panic, and writing on never
//! makes a broken trail look sound.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use tempfile::TempDir;
use tenter_contract::ports::AuditTrail;
use tenter_contract::{Decision, Diagnostics, RecordBody, Timestamp};
use tenter_store::audit::read::{Filter, read};
use tenter_store::audit::verify::{Condition, verify};
use tenter_store::{StateFolder, TrailFile};

/// Separates the files of an input. None of them contains it.
pub const SEPARATOR: u8 = 0;

/// Puts an input into the folder of a trail: trail, head, key, a file that became full, a spill file.
pub fn trail(data: &[u8]) {
    let home = folder();
    let audit = home.path().join("audit");
    fs::create_dir(&audit).expect("the folder is new");
    let names = ["trail.jsonl", "head", "key", "trail-1.jsonl", "spilled/spill-1-1.jsonl"];
    for (name, bytes) in names.into_iter().zip(data.split(|byte| *byte == SEPARATOR)) {
        if !bytes.is_empty() {
            put(&audit.join(name), bytes);
        }
    }
    let state = StateFolder::new(home.path().to_owned());
    if let Ok(entries) = read(&state, Filter::default()) {
        entries.for_each(drop);
    }
    let before = verify(&state);
    let trail = TrailFile::new(&state);
    let appended = trail.append(&[body()], &mut Diagnostics::default());
    let after = verify(&state);
    if let (Ok(before), Ok(_), Ok(after)) = (before, appended, after) {
        let broken = matches!(before.trail, Condition::Broken { .. });
        assert!(!(broken && after.is_sound()), "{before:?} became {after:?}");
    }
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("the folder can be made");
    // A key that others may read is refused.
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).expect("the file can be written");
}

/// In memory where the system has such a place: every input makes a handful of files.
pub(crate) fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.expect("there is room for a folder")
}

fn body() -> RecordBody {
    RecordBody::Undecodable {
        agent: "claude".to_owned(),
        at: Timestamp::from_unix_ms(1_795_000_000_123),
        problem: "a record after all that".to_owned(),
        bytes: 1,
        decision: Decision::Abstain,
    }
}
