//! Anchors: what even someone with the key cannot hide from who kept one.

use std::os::unix::fs::PermissionsExt;

use crate::common::{Store, lines};
use tenter_store::audit::anchor::{Anchor, AnchorError, Holds, NoAnchor, check, sign};

fn verified(store: &Store, anchor: &Anchor) -> (bool, Holds) {
    let (verification, holds) = check(&store.state, std::slice::from_ref(anchor)).unwrap();
    let [holds] = holds.try_into().unwrap();
    (verification.is_sound(), holds)
}

#[test]
fn anchor_holds_while_the_trail_grows() {
    let store = Store::with_records(3);
    let anchor = sign(&store.state).unwrap();
    assert_eq!(
        (anchor.seq, anchor.hash.as_str()),
        (3, crate::common::sha256(&store.read("trail.jsonl"), 3).as_str())
    );
    assert_eq!(verified(&store, &anchor), (true, Holds::Yes));
    store.append("record 4");
    assert_eq!(verified(&store, &anchor), (true, Holds::Yes));
    assert_eq!(sign(&store.state).unwrap().public_key, anchor.public_key, "the key stays");
    assert_eq!(store.path("anchor-key").metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

/// Security case C8: rolled back as a whole.
#[test]
fn rollback_with_head_and_witness_needs_an_anchor() {
    let store = Store::with_records(3);
    let earlier = ["trail.jsonl", "head", "../witness"].map(|name| (name, store.read(name)));
    store.append("to be forgotten");
    let anchor = sign(&store.state).unwrap();
    for (name, content) in &earlier {
        store.write(name, content);
    }
    assert!(store.verify().is_sound(), "nothing in the folder shows it");
    assert_eq!(verified(&store, &anchor), (true, Holds::Gone));
    store.append("another one");
    let (sound, holds) = verified(&store, &anchor);
    assert!(sound && matches!(holds, Holds::Other { .. }), "{holds:?}");
}

#[test]
fn anchor_finds_a_recreated_trail() {
    let store = Store::with_records(3);
    let anchor = sign(&store.state).unwrap();
    std::fs::remove_dir_all(store.state.path()).unwrap();
    assert_eq!(verified(&store, &anchor), (true, Holds::Gone));
}

#[test]
fn anchor_needs_its_signature() {
    let store = Store::with_records(3);
    let anchor = sign(&store.state).unwrap();
    let good = serde_json::to_string(&anchor).unwrap();
    assert_eq!(Anchor::parse(&good), Ok(anchor.clone()));
    let other = sign(&Store::with_records(3).state).unwrap();
    for (name, bad) in [
        ("another number", Anchor { seq: 2, ..anchor.clone() }),
        ("another hash", Anchor { hash: other.hash, ..anchor.clone() }),
        ("another key", Anchor { public_key: other.public_key, ..anchor.clone() }),
        ("another signature", Anchor { signature: other.signature, ..anchor.clone() }),
        ("no signature", Anchor { signature: String::new(), ..anchor.clone() }),
        ("no key", Anchor { public_key: "x".repeat(64), ..anchor.clone() }),
    ] {
        assert_eq!(Anchor::parse(&serde_json::to_string(&bad).unwrap()), Err(NoAnchor::NotSigned), "{name}");
    }
    for bad in
        ["", "{}", "x", &good.replace("\"v\":1", "\"v\":2"), &good.replace("\"v\":1", "\"v\":1,\"w\":1")]
    {
        assert!(matches!(Anchor::parse(bad), Err(NoAnchor::Unreadable { .. })), "{bad}");
    }
}

#[test]
fn empty_or_unsound_trail_is_not_signed() {
    let store = Store::new();
    assert!(matches!(sign(&store.state), Err(AnchorError::Empty)));
    assert!(!store.state.path().exists());
    let store = Store::with_records(3);
    store.write("trail.jsonl", &lines(&store.read("trail.jsonl"))[..2].concat());
    assert!(matches!(sign(&store.state), Err(AnchorError::Unsound(_))));
    assert!(!store.path("anchor-key").exists());
}
