//! We do not wait for the disk, so a power cut may take the last records. That is reported and recorded, and it
//! is not called tampering; but only the machine's own word for it counts.

use crate::common::{Store, hex, lines, texts};
use crate::steps::kill_at;
use tenter_store::audit::Step;
use tenter_store::audit::verify::Condition;

/// Another run of the machine.
const EARLIER: &str = "00000000-0000-4000-8000-000000000000";

/// A store as it was left by a machine that has been started anew since. The head is written by the store
/// itself in another run of the machine, for no one else has the key.
fn from_before_the_last_start(records: u64) -> Option<Store> {
    let store = Store::with_records(records);
    let head = String::from_utf8(store.read("head")).unwrap();
    let boot = head.split("\"boot\":\"").nth(1)?.split('"').next()?.to_owned();
    if boot.is_empty() {
        return None; // This machine does not say when it was started: nothing is put down to a power cut.
    }
    let earlier = head.split(",\"mac\"").next()?.replace(&boot, EARLIER) + "}";
    store.write("head", &sealed(&earlier, &store.read("key")));
    Some(store)
}

/// HMAC, written a second time so that the tests do not depend on the code they test.
fn sealed(line: &str, key: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let pad = |with: u8| {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(line).finalize();
    let mac = Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize();
    let line = format!("{},\"mac\":\"{}\"}}", line.strip_suffix('}').unwrap(), hex(&mac));
    format!("{line:<319}\n").into_bytes()
}

#[test]
fn records_lost_in_a_power_cut_are_reported() {
    for (name, cut) in [("whole lines", 0), ("and half a line", 30)] {
        let Some(store) = from_before_the_last_start(5) else { return };
        let all = store.read("trail.jsonl");
        let left = lines(&all)[..3].concat();
        store.write("trail.jsonl", &all[..left.len() + cut]);
        if cut == 0 {
            let Condition::Lost { seq: 4, what } = store.verify().trail else {
                panic!("{:?}", store.verify())
            };
            assert!(what.contains("records 4 to 5 were lost in a power cut"), "{what}");
        }
        assert!(!store.verify().is_sound());

        assert_eq!(store.append("the next one"), 5, "{name}: after the record of the loss");
        let notices = store.trail.take_notices();
        assert!(notices[0].contains("records 4 to 5 were lost in a power cut"), "{notices:?}");
        let said = texts(&store.read("trail.jsonl"));
        assert_eq!(said[..3], ["record 1", "record 2", "record 3"]);
        assert!(said[3].contains("lost in a power cut") && said[4] == "the next one", "{said:?}");
        let found = store.verify();
        assert_eq!((found.losses.as_slice(), found.lost.len(), found.quarantined.len()), (&[4][..], 1, 0));
        assert!(matches!(found.trail, Condition::Intact { records: 5, .. }), "{found:?}");
        assert!(!found.is_sound(), "a loss is a finding until the user has looked at it");
        assert_eq!(found.lost[0].join("torn").exists(), cut > 0);
        std::fs::remove_dir_all(&found.lost[0]).unwrap();
        assert_eq!(store.intact_records(), 5);
    }
}

#[test]
fn loss_is_reported_even_if_its_writer_is_killed() {
    let Some(store) = from_before_the_last_start(3) else { return };
    store.write("trail.jsonl", &lines(&store.read("trail.jsonl"))[..2].concat());
    kill_at(&store, Step::LossKept, u64::MAX);
    assert_eq!(store.append("next"), 3);
    assert_eq!((texts(&store.read("trail.jsonl")).len(), store.verify().lost.len()), (3, 1));
}

#[test]
fn file_lost_in_a_power_cut_is_reported() {
    let Some(store) = from_before_the_last_start(2) else { return };
    let store = store.written_by(|trail| trail.full_at(1));
    store.append("record 3");
    let head = String::from_utf8(store.read("head")).unwrap();
    let boot = head.split("\"boot\":\"").nth(1).unwrap().split('"').next().unwrap();
    let earlier = head.split(",\"mac\"").next().unwrap().replace(boot, EARLIER) + "}";
    store.write("head", &sealed(&earlier, &store.read("key")));
    store.write("trail.jsonl", b"");
    assert_eq!(store.append("next"), 4, "after the record of the loss");
    std::fs::remove_dir_all(&store.verify().lost[0]).unwrap();
    assert_eq!(store.intact_records(), 4);
}

#[test]
fn loss_without_restart_is_tampering() {
    let store = Store::with_records(5);
    let left = lines(&store.read("trail.jsonl"))[..3].concat();
    store.write("trail.jsonl", &left);
    assert!(matches!(store.verify().trail, Condition::Broken { seq: 4, .. }));
    assert_eq!(store.append("the first of a new trail"), 1);
    assert_eq!((store.verify().quarantined.len(), store.verify().lost.len()), (1, 0));
}

#[test]
fn head_with_a_forged_boot_id_is_tampering() {
    let store = Store::with_records(5);
    let Some(earlier) = from_before_the_last_start(5) else { return };
    store.write("trail.jsonl", &lines(&store.read("trail.jsonl"))[..3].concat());
    store.write("head", &earlier.read("head"));
    assert!(matches!(store.verify().trail, Condition::Broken { .. }));
    assert_eq!(store.append("the first of a new trail"), 1);
}

#[test]
fn power_cut_changes_only_the_end() {
    let Some(store) = from_before_the_last_start(5) else { return };
    let mut left = lines(&store.read("trail.jsonl"));
    left.remove(1);
    left.pop();
    store.write("trail.jsonl", &left.concat());
    assert!(matches!(store.verify().trail, Condition::Broken { seq: 2, .. }));
    assert_eq!(store.append("the first of a new trail"), 1);
    assert_eq!((store.verify().quarantined.len(), store.verify().lost.len()), (1, 0));
}

#[test]
fn restart_without_loss_is_no_finding() {
    let Some(store) = from_before_the_last_start(2) else { return };
    assert_eq!(store.intact_records(), 2);
    assert_eq!((store.append("the third"), store.trail.take_notices()), (3, vec![]));
    assert_eq!(store.intact_records(), 3);
}
