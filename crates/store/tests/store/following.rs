//! What `tenter audit show --follow` is given.

use std::fs::OpenOptions;
use std::io::Write;

use tenter_store::audit::follow::Follower;
use tenter_store::audit::read::Content;

use crate::common::Store;

fn seqs(follower: &mut Follower) -> Vec<u64> {
    let seq = |content: Content| match content {
        Content::Record(record) => record.seq,
        Content::Foreign(_) | Content::Unreadable { .. } => 0,
    };
    follower.more().unwrap().into_iter().map(seq).collect()
}

#[test]
fn follower_gets_every_record_once() {
    let store = Store::with_records(2);
    let mut follower = Follower::at_end(&store.state).unwrap();
    assert_eq!(seqs(&mut follower), [0; 0]);
    store.append("a third");
    assert_eq!(seqs(&mut follower), [3]);
    assert_eq!(seqs(&mut follower), [0; 0]);
    store.append("a fourth");
    store.append("a fifth");
    assert_eq!(seqs(&mut follower), [4, 5]);
}

#[test]
fn follower_waits_for_a_new_trail() {
    let store = Store::new();
    let mut follower = Follower::at_end(&store.state).unwrap();
    assert_eq!(seqs(&mut follower), [0; 0]);
    store.append("the first");
    assert_eq!(seqs(&mut follower), [1]);
}

#[test]
fn follower_continues_after_rotation() {
    let store = Store::new().written_by(|trail| trail.full_at(600));
    store.append("the first");
    let mut follower = Follower::at_end(&store.state).unwrap();
    let mut found = Vec::new();
    for number in 2..=12 {
        store.append(&format!("record {number}"));
        if number % 2 == 0 {
            found.extend(seqs(&mut follower));
        }
    }
    assert_eq!(found, (2..=12).collect::<Vec<u64>>());
}

#[test]
fn partial_line_waits_for_its_end() {
    let store = Store::with_records(1);
    let mut follower = Follower::at_end(&store.state).unwrap();
    let mut trail = OpenOptions::new().append(true).open(store.path("trail.jsonl")).unwrap();
    trail.write_all(b"{\"v\":1,\"se").unwrap();
    assert_eq!(seqs(&mut follower), [0; 0]);
    trail.write_all(b"q\":7}\n").unwrap();
    assert_eq!(seqs(&mut follower), [7]);
}
