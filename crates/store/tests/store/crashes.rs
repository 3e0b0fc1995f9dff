//! Writers that were stopped at the worst moment, and disks that are full.

use std::process::{Command, Stdio};

use crate::common::{Store, body, lines};
use tenter_contract::ports::{AuditTrail, TrailError};
use tenter_store::audit::verify::Condition;
use tenter_store::{StateFolder, TrailFile};

#[test]
fn a_crash_between_the_lines_and_the_head_is_put_right() {
    for (known, written) in [(0, 1), (0, 3), (1, 2), (5, 7)] {
        let store = Store::with_records(known);
        if known == 0 {
            store.append("made to get the head of an empty trail");
            std::fs::remove_file(store.path("trail.jsonl")).unwrap();
            let start = r#"{"v":1,"seq":0,"hash":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","offset":0}"#;
            store.write("head", format!("{start:<159}\n").as_bytes());
        }
        let old_head = store.read("head");
        for number in known..written {
            store.append(&format!("record {}", number + 1));
        }
        store.write("head", &old_head);
        assert!(matches!(store.verify().trail, Condition::Broken { seq, .. } if seq == known + 1));

        assert_eq!(store.append("the next one"), written + 1);
        assert_eq!(store.intact_records(), written + 1);
        let notices = store.trail.take_notices();
        assert!(notices[0].contains(&format!("records adopted: {}", written - known)), "{notices:?}");
        assert_eq!(store.trail.take_notices(), Vec::<String>::new());
    }
}

#[test]
fn half_a_line_is_set_aside_and_recording_goes_on() {
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
fn a_damaged_trail_is_set_aside_whole_and_recording_goes_on() {
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
        ("a head into the middle of a line", &trail, &shifted(&head)),
    ];
    for (name, trail, head) in rows {
        let store = Store::with_records(1);
        store.write("trail.jsonl", trail);
        store.write("head", head);

        assert_eq!(store.append("the first of a new trail"), 1, "{name}");
        let verification = store.verify();
        assert!(matches!(verification.trail, Condition::Intact { records: 1, .. }), "{name}");
        assert!(!verification.is_sound(), "{name}: what was set aside is a finding");
        let [folder] = verification.set_aside.try_into().unwrap();
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
    format!("{text:<159}\n", text = text.to_string()).into_bytes()
}

/// A limit on the size of files is as good as a full disk: the last write is a short one.
#[test]
fn a_full_disk_leaves_no_half_line() {
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
    assert_eq!(store.append("there is room again"), before + 1);
    assert_eq!(store.intact_records(), before + 1);
    assert_eq!(store.beside_the_trail(), Vec::<String>::new());
}

/// The work of a child: does nothing unless the environment names a folder.
#[test]
fn child_on_a_full_disk() {
    let Ok(state) = std::env::var("STORE_TEST_FULL") else { return };
    let trail = TrailFile::new(&StateFolder::new(state.into()));
    let refusal = (0..1000).find_map(|_| trail.append(&[body(&"x".repeat(300))]).err()).unwrap();
    assert!(matches!(refusal, TrailError::Unusable { .. }), "{refusal:?}");
}

#[test]
fn writers_that_are_killed_at_any_moment_damage_nothing() {
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
    let trail = TrailFile::new(&StateFolder::new(state.into()));
    let bodies: Vec<_> = (0..200).map(|_| body(&"x".repeat(10_000))).collect();
    for _ in 0..1000 {
        trail.append(&bodies).unwrap();
    }
}
