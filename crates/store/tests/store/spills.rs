//! Records that cannot be written are spilled, and the next writer adds them.

use std::os::unix::fs::PermissionsExt;

use crate::common::{Store, TestTrail, body, lines, texts};
use tenter_contract::ports::TrailError;
use tenter_store::StateFolder;
use tenter_store::audit::verify::verify;

/// What is done to a spill file.
type Row = (&'static str, fn(String) -> String);

/// A store with one record, and two that are spilled because someone sits on the lock.
fn with_two_aside() -> Store {
    let store = Store::with_records(1);
    let held = std::fs::File::open(store.path("head")).unwrap();
    held.lock().unwrap();
    std::thread::scope(|scope| {
        let append = scope.spawn(|| store.trail.append(&[body("aside 1"), body("aside 2")]));
        let look = scope.spawn(|| verify(&store.state));
        assert_eq!(append.join().unwrap().unwrap(), 0, "they have no numbers yet");
        assert!(matches!(look.join().unwrap(), Err(TrailError::Busy { .. })));
    });
    store
}

fn spill(store: &Store) -> String {
    let [path] = store.verify().spilled.try_into().unwrap();
    format!("spilled/{}", path.file_name().unwrap().to_str().unwrap())
}

#[test]
fn writer_without_the_lock_spills_its_records() {
    let store = with_two_aside();
    let [notice] = store.trail.take_notices().try_into().unwrap();
    let name = spill(&store);
    assert!(notice.contains("was locked by others for too long; this record is spilled to"), "{notice}");
    assert!(
        notice.contains(&name) && name.starts_with(&format!("spilled/spill-{}-", std::process::id())),
        "{notice}"
    );
    assert_eq!(store.path(&name).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(store.path("spilled").metadata().unwrap().permissions().mode() & 0o777, 0o700);

    assert_eq!(store.append("the next one"), 4);
    assert_eq!(texts(&store.read("trail.jsonl")), ["record 1", "aside 1", "aside 2", "the next one"]);
    assert_eq!((store.intact_records(), store.beside_the_trail()), (4, vec![]));
    assert_eq!(store.trail.take_notices(), Vec::<String>::new());
}

#[test]
fn merged_spill_is_not_merged_again() {
    let store = with_two_aside();
    let name = spill(&store);
    let content = store.read(&name);
    store.append("the next one");
    std::fs::create_dir(store.path("spilled")).unwrap();
    store.write(&name, &content);
    store.append("one more");
    let expected = ["record 1", "aside 1", "aside 2", "the next one", "one more"];
    assert_eq!(
        (texts(&store.read("trail.jsonl")), store.intact_records()),
        (expected.map(str::to_owned).to_vec(), 5)
    );
    assert_eq!(store.beside_the_trail(), Vec::<String>::new());
}

#[test]
fn partially_merged_spill_is_completed() {
    let store = with_two_aside();
    let (name, head, known) = (spill(&store), store.read("head"), store.read("trail.jsonl"));
    let content = store.read(&name);
    store.append("never written");
    let all = lines(&store.read("trail.jsonl"));
    store.write("trail.jsonl", &[&known[..], &all[1], &all[2][..40]].concat());
    store.write("head", &head);
    store.write("../witness", &head);
    std::fs::create_dir(store.path("spilled")).unwrap();
    store.write(&name, &content);
    store.append("the next one");
    let expected = ["record 1", "aside 1", "aside 2", "the next one"];
    assert_eq!(
        (texts(&store.read("trail.jsonl")), store.intact_records()),
        (expected.map(str::to_owned).to_vec(), 4)
    );
}

#[test]
fn spills_are_merged_in_order() {
    let store = Store::with_records(1);
    std::fs::rename(store.path("trail.jsonl"), store.path("kept")).unwrap();
    std::fs::create_dir(store.path("trail.jsonl")).unwrap();
    for number in 1..=12 {
        assert_eq!(store.append(&format!("aside {number}")), 0);
    }
    std::fs::remove_dir(store.path("trail.jsonl")).unwrap();
    std::fs::rename(store.path("kept"), store.path("trail.jsonl")).unwrap();
    assert_eq!(store.append("the next one"), 14);
    let aside = (1..=12).map(|number| format!("aside {number}"));
    let expected: Vec<String> =
        ["record 1".into()].into_iter().chain(aside).chain(["the next one".into()]).collect();
    assert_eq!((texts(&store.read("trail.jsonl")), store.intact_records()), (expected, 14));
}

#[test]
fn foreign_records_are_not_merged() {
    let rows: [Row; 4] = [
        ("an edit", |text| text.replace("aside 1", "ASIDE 1")),
        ("half a line", |text| text[..text.len() - 5].to_owned()),
        ("a line without a mac", |text| text + "{\"v\":1,\"seq\":0,\"prev\":\"\",\"event\":\"x\"}\n"),
        ("garbage", |_| "garbage\n".to_owned()),
    ];
    for (name, tamper) in rows {
        let store = with_two_aside();
        let file = spill(&store);
        let content = tamper(String::from_utf8(store.read(&file)).unwrap());
        store.write(&file, content.as_bytes());
        store.trail.take_notices();
        assert_eq!(store.append("the next one"), 2, "{name}");
        let notices = store.trail.take_notices();
        assert!(notices[0].contains("cannot be used"), "{name}: {notices:?}");
        let found = store.verify();
        assert_eq!((found.quarantined.len(), found.spilled.len(), found.is_sound()), (1, 0, false), "{name}");
        let kept = found.quarantined[0].join(store.path(&file).file_name().unwrap());
        assert_eq!(std::fs::read(kept).unwrap(), content.as_bytes(), "{name}");
    }
}

#[test]
fn trail_of_a_later_version_is_not_changed() {
    let store = Store::with_records(1);
    let head = br#"{"v":3,"seq":1}"#;
    store.write("head", head);
    assert_eq!(store.append("x"), 0);
    assert!(store.trail.take_notices()[0].contains("this program is too old for it"));
    assert_eq!((store.read("head"), store.verify().spilled.len()), (head.to_vec(), 1));
}

#[test]
fn trail_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can give a file away; `place` tests the refusal itself for everybody.
    }
    let store = Store::with_records(1);
    std::os::unix::fs::chown(store.path("trail.jsonl"), Some(12_345), None).unwrap();
    assert_eq!(store.append("x"), 0);
    assert!(store.trail.take_notices()[0].contains("belongs to user 12345"));
}

#[test]
fn failed_spill_names_the_trail() {
    let store = Store::with_records(1);
    std::fs::remove_file(store.path("trail.jsonl")).unwrap();
    std::fs::create_dir(store.path("trail.jsonl")).unwrap();
    store.write("spilled", b"");
    let refusal = TestTrail::new(&StateFolder::new(store.state.path().to_owned())).append(&[body("x")]);
    assert!(refusal.unwrap_err().to_string().contains("trail.jsonl"));
}
