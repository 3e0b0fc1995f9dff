//! Macs: what someone without the key cannot do.

use std::os::unix::fs::PermissionsExt;

use crate::common::{Store, body, lines, sha256};
use tenter_store::audit::verify::{Condition, Macs};

#[test]
fn every_record_has_a_mac_of_the_key() {
    let store = Store::with_records(3);
    assert_eq!(store.verify().macs, Macs { checked: 3, without: 0, unchecked: 0 });
}

#[test]
fn chain_recomputed_without_the_key_is_found() {
    let store = Store::with_records(5);
    let mut trail = Vec::new();
    let mut hash = sha256(b"\n", 1);
    for line in lines(&store.read("trail.jsonl")) {
        let mut record: serde_json::Value = serde_json::from_slice(&line).unwrap();
        record["prev"] = hash.into();
        record["agent"] = "another".into();
        let line = format!("{record}\n").into_bytes();
        hash = sha256(&line, 1);
        trail.extend(line);
    }
    store.write("trail.jsonl", &trail);
    let mut head: serde_json::Value = serde_json::from_slice(&store.read("head")).unwrap();
    head["hash"] = hash.into();
    store.write("head", format!("{:<319}\n", head.to_string()).as_bytes());
    assert!(matches!(store.verify().trail, Condition::Broken { seq: 1, .. }));
    assert_eq!(store.append("the first of a new trail"), 1);
    assert!(store.trail.take_notices()[0].contains("the mac of its head is wrong"));
    assert!(!store.verify().is_sound());
}

#[test]
fn anchor_finds_a_trail_cut_with_its_head() {
    let store = Store::with_records(5);
    let trail = store.read("trail.jsonl");
    let kept = lines(&trail)[..3].concat();
    let (hash, length) = (sha256(&trail, 3), kept.len());
    store.write("trail.jsonl", &kept);
    let old = format!(r#"{{"v":1,"seq":3,"hash":"{hash}","offset":{length}}}"#);
    let mut new: serde_json::Value = serde_json::from_slice(&store.read("head")).unwrap();
    (new["seq"], new["hash"], new["offset"]) = (3.into(), hash.into(), length.into());
    for (name, head) in
        [("version 1", format!("{old:<159}\n")), ("an old mac", format!("{:<319}\n", new.to_string()))]
    {
        store.write("head", head.as_bytes());
        assert!(
            matches!(store.verify().trail, Condition::Broken { seq: 3, .. }),
            "{name}: {:?}",
            store.verify()
        );
    }
    store.append("the first of a new trail");
    assert_eq!(store.verify().quarantined.len(), 1);
}

#[test]
fn another_key_is_found_by_readers_and_writers() {
    let (store, other) = (Store::with_records(3), Store::with_records(1));
    std::fs::copy(other.path("key"), store.path("key")).unwrap();
    let Condition::Broken { seq: 1, what, .. } = store.verify().trail else { panic!("{:?}", store.verify()) };
    assert!(what.contains("the key was replaced"), "{what}");
    assert_eq!(store.append("the first of a new trail"), 1);
    assert!(store.trail.take_notices()[0].contains("the key was replaced"));
    assert_eq!(store.verify().quarantined.len(), 1);
}

#[test]
fn chain_is_checked_without_the_key() {
    let store = Store::with_records(3);
    std::fs::remove_file(store.path("key")).unwrap();
    let found = store.verify();
    assert!(matches!(found.trail, Condition::Intact { records: 3, .. }), "{found:?}");
    assert_eq!((found.macs, found.is_sound()), (Macs { checked: 0, without: 0, unchecked: 3 }, false));
    assert!(!store.path("key").exists(), "who checks makes no key");
}

#[test]
fn writer_reports_a_removed_key() {
    let store = Store::with_records(3);
    std::fs::remove_file(store.path("key")).unwrap();
    assert_eq!(store.append("the first of a new trail"), 1);
    let notice = store.trail.take_notices().remove(0);
    assert!(notice.contains("its key was removed") && !notice.contains("replaced"), "{notice}");
    assert_eq!(store.verify().quarantined.len(), 1);
    assert_eq!(store.append("and the second"), 2);
}

#[test]
fn shared_key_is_refused_and_nothing_is_written() {
    let store = Store::with_records(1);
    let trail = store.read("trail.jsonl");
    std::fs::set_permissions(store.path("key"), PermissionsExt::from_mode(0o644)).unwrap();
    let refusal = store.trail.append(&[body("x")]).unwrap_err().to_string();
    assert!(refusal.contains("audit/key") && refusal.contains("chmod 600"), "{refusal}");
    assert_eq!((store.read("trail.jsonl"), store.beside_the_trail()), (trail, vec![]));
}

/// Two records as the first version of this program wrote them, and its head.
#[test]
fn records_without_keys_are_kept_and_counted() {
    let old = || {
        let store = Store::new();
        std::fs::create_dir_all(store.path("")).unwrap();
        let first = format!("{{\"v\":1,\"seq\":1,\"prev\":\"{}\",\"event\":\"a\"}}\n", sha256(b"\n", 1));
        let second =
            format!("{{\"v\":1,\"seq\":2,\"prev\":\"{}\",\"event\":\"b\"}}\n", sha256(first.as_bytes(), 1));
        let (hash, offset) = (sha256(second.as_bytes(), 1), first.len() + second.len());
        store.write("trail.jsonl", format!("{first}{second}").as_bytes());
        let head = format!(r#"{{"v":1,"seq":2,"hash":"{hash}","offset":{offset}}}"#);
        store.write("head", format!("{head:<159}\n").as_bytes());
        store
    };
    let store = old();
    assert_eq!(store.verify().macs, Macs { checked: 0, without: 2, unchecked: 0 });
    assert_eq!((store.intact_records(), store.append("the third")), (2, 3));
    assert_eq!(store.verify().macs, Macs { checked: 1, without: 2, unchecked: 0 });
    assert_eq!((store.intact_records(), store.trail.take_notices()), (3, vec![]));
    assert!(store.read("head").starts_with(br#"{"v":2,"#));

    let ahead = old();
    let (head, known) = (ahead.read("head"), ahead.read("trail.jsonl"));
    ahead.append("the third");
    ahead.write("head", &head);
    assert_eq!((ahead.append("the fourth"), ahead.intact_records()), (4, 4));
    assert!(ahead.read("trail.jsonl").starts_with(&known));
}
