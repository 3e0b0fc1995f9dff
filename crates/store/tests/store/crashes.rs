//! Writers that were stopped at the worst moment, and disks that are full.

use std::process::{Command, Stdio};

use crate::common::{Store, TestTrail, body, lines, sha256};
use tenter_contract::ports::TrailError;
use tenter_store::StateFolder;
use tenter_store::audit::verify::Condition;

#[test]
fn crash_before_the_head_is_repaired() {
    for (known, written) in [(1, 2), (1, 4), (5, 7)] {
        let store = Store::with_records(known);
        let old_head = store.read("head");
        for number in known..written {
            store.append(&format!("record {}", number + 1));
        }
        store.write("head", &old_head);
        let found = store.verify();
        assert!(found.is_sound(), "{found:?}");
        assert!(
            matches!(found.trail, Condition::Intact { records, ahead, .. } if (records, ahead) == (written, written - known)),
            "{found:?}"
        );

        assert_eq!(store.append("the next one"), written + 1);
        assert_eq!(store.intact_records(), written + 1);
        let notices = store.trail.take_notices();
        assert!(notices[0].contains(&format!("records adopted: {}", written - known)), "{notices:?}");
        assert_eq!(store.trail.take_notices(), Vec::<String>::new());
    }
}

#[test]
fn forged_line_is_not_adopted() {
    let store = Store::with_records(2);
    let hash = sha256(&store.read("trail.jsonl"), 2);
    let mut trail = store.read("trail.jsonl");
    trail.extend_from_slice(format!("{{\"v\":1,\"seq\":3,\"prev\":\"{hash}\"}}\n").as_bytes());
    store.write("trail.jsonl", &trail);
    assert!(matches!(store.verify().trail, Condition::Broken { seq: 3, .. }));
    assert_eq!(store.append("the first of a new trail"), 1);
    assert!(store.trail.take_notices()[0].contains("after record 2: a record without a mac"));
}

/// Security case C8: half a line.
#[test]
fn torn_line_is_quarantined_and_recording_continues() {
    let store = Store::with_records(3);
    let old_head = store.read("head");
    let known = store.read("trail.jsonl").len();
    store.append("whole");
    store.append("torn");
    let all = store.read("trail.jsonl");
    let whole = known + lines(&all[known..])[0].len();
    for cut in [whole + 1, whole + 20, all.len() - 1] {
        store.write("trail.jsonl", &all[..cut]);
        store.write("head", &old_head);
        store.write("../witness", &old_head);
        assert!(matches!(store.verify().trail, Condition::Broken { seq: 5, line: 5, .. }));

        assert_eq!(store.append("the next one"), 5);
        assert_eq!(store.intact_records(), 5);
        let [torn] = store.beside_the_trail().try_into().unwrap();
        assert!(torn.starts_with("torn-5-"), "{torn}");
        assert_eq!(store.read(&torn), &all[whole..cut]);
        assert_eq!(store.verify().torn, [store.path(&torn)]);
        assert!(store.trail.take_notices()[0].contains(&torn));
        std::fs::remove_file(store.path(&torn)).unwrap();
    }
}

#[test]
fn damaged_trail_is_quarantined_and_recording_continues() {
    let store = Store::with_records(3);
    let (trail, head) = (store.read("trail.jsonl"), store.read("head"));
    let mut edited = trail.clone();
    edited.extend_from_slice(b"{\"seq\":9}\n");
    let rows: [(&str, &[u8], &[u8]); 6] = [
        ("shorter than its head says", &trail[..trail.len() - 1], &head),
        ("nothing left", b"", &head),
        ("a line that does not follow", &edited, &head),
        ("no head", &trail, b""),
        ("half a head", &trail, &head[..50]),
        ("a head with another offset", &trail, &shifted(&head)),
    ];
    for (name, trail, head) in rows {
        let store = Store::with_the_key_of(&store);
        store.write("trail.jsonl", trail);
        store.write("head", head);

        assert_eq!(store.append("the first of a new trail"), 1, "{name}");
        let verification = store.verify();
        assert!(matches!(verification.trail, Condition::Intact { records: 1, .. }), "{name}");
        assert!(!verification.is_sound(), "{name}: what was quarantined is a finding");
        let [folder] = verification.quarantined.try_into().unwrap();
        assert_eq!(std::fs::read(folder.join("trail.jsonl")).unwrap(), trail, "{name}");
        assert_eq!(std::fs::read(folder.join("head")).unwrap(), head, "{name}");
        let notices = store.trail.take_notices();
        assert!(notices[0].contains("tenter audit verify"), "{name}: {notices:?}");
        assert!(notices[0].contains(&folder.display().to_string()), "{name}: {notices:?}");
        assert_eq!((store.append("the second"), store.trail.take_notices()), (2, vec![]), "{name}");
    }
}

/// The same head, with an offset that is smaller by one.
fn shifted(head: &[u8]) -> Vec<u8> {
    let mut text: serde_json::Value = serde_json::from_slice(head).unwrap();
    text["offset"] = (text["offset"].as_u64().unwrap() - 1).into();
    format!("{text:<319}\n", text = text.to_string()).into_bytes()
}

/// A limit on the size of files is as good as a full disk: the last write is a short one.
#[test]
fn full_disk_leaves_no_torn_line() {
    let store = Store::with_records(1);
    let child = Command::new("sh")
        .args(["-c", r#"trap '' XFSZ; ulimit -f 8; exec "$0" --exact crashes::child_on_a_full_disk"#])
        .arg(std::env::current_exe().unwrap())
        .env("STORE_TEST_FULL", store.state.path())
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let before = store.intact_records();
    assert!(before > 1);
    assert_eq!(store.append("there is room again"), before + 2, "after the spilled one");
    assert_eq!(store.intact_records(), before + 2);
    assert_eq!(store.beside_the_trail(), Vec::<String>::new());
}

/// The work of a child: does nothing unless the environment names a folder.
#[test]
fn child_on_a_full_disk() {
    let Ok(state) = std::env::var("STORE_TEST_FULL") else { return };
    let trail = TestTrail::new(&StateFolder::new(state.into()));
    let aside = (0..1000).find(|_| trail.append(&[body(&"x".repeat(300))]).unwrap() == 0);
    assert!(aside.is_some());
    let refusal = trail.append(&[body(&"x".repeat(9000))]).unwrap_err();
    assert!(matches!(refusal, TrailError::Unusable { .. }), "{refusal:?}");
}

/// Security case C8: a crash in the middle of a write.
#[test]
fn killed_writers_damage_nothing() {
    let store = Store::new();
    let mut length = 0;
    for _ in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crashes::child_to_be_killed"])
            .env("STORE_TEST_KILLED", store.state.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while store.path("trail.jsonl").metadata().map_or(0, |found| found.len()) <= length {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        store.append("after a kill");
        assert!(store.intact_records() > 0);
        length = store.path("trail.jsonl").metadata().unwrap().len();
    }
}

/// The work of a child: does nothing unless the environment names a folder. The lines are long, so that the
/// kill meets a write.
#[test]
fn child_to_be_killed() {
    let Ok(state) = std::env::var("STORE_TEST_KILLED") else { return };
    let trail = TestTrail::new(&StateFolder::new(state.into()));
    let bodies: Vec<_> = (0..200).map(|_| body(&"x".repeat(10_000))).collect();
    for _ in 0..1000 {
        trail.append(&bodies).unwrap();
    }
}
