//! Where a text still is that was forgotten elsewhere.

use crate::common::Store;
use tenter_store::{Trace, traces};

/// What is looked for, and in which files how many lines have it.
type Row = (&'static str, &'static [&'static str], &'static [(&'static str, u64)]);

#[test]
fn text_is_found_in_every_state_file() {
    let store = Store::with_records(2);
    let two = store.path("trail.jsonl").metadata().unwrap().len();
    let store = store.written_by(|trail| trail.full_at(two));
    for text in ["of mem_1", "of \"quotes\" and\nlines", "of mem_1 and \"quotes\" and\nlines", "of nothing"] {
        store.append(text);
    }
    let session = store.state.path().join("sessions/s/pending");
    std::fs::create_dir_all(&session).unwrap();
    std::fs::write(session.join("1"), "\"quotes\" and\nanother line, mem_2 \u{e9}\n").unwrap();
    std::fs::create_dir_all(store.path("damaged-1")).unwrap();
    store.write("damaged-1/trail.jsonl", b"{\"text\":\"mem_3 \xff\"}\n{\"text\":\"torn mem_3");
    let rows: [Row; 7] = [
        ("an id", &["mem_1"], &[("audit/trail-3.jsonl", 1), ("audit/trail.jsonl", 1)]),
        (
            "a text with what JSON escapes",
            &["\"quotes\" and\nlines"],
            &[("audit/trail-3.jsonl", 1), ("audit/trail.jsonl", 1)],
        ),
        (
            "a record that has both counts once",
            &["mem_1", "lines"],
            &[("audit/trail-3.jsonl", 2), ("audit/trail.jsonl", 1)],
        ),
        ("what waits for a session", &["mem_2"], &[("sessions/s/pending/1", 1)]),
        (
            "a trail that was quarantined, also where it is no text",
            &["mem_3"],
            &[("audit/damaged-1/trail.jsonl", 2)],
        ),
        ("nowhere", &["mem_4"], &[]),
        ("nothing is looked for", &[], &[]),
    ];
    for (name, texts, expected) in rows {
        let found = traces(&store.state, texts).unwrap();
        let expected: Vec<Trace> = expected
            .iter()
            .map(|(path, lines)| Trace { path: store.state.path().join(path), lines: *lines })
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn missing_state_has_no_traces() {
    assert_eq!(traces(&Store::new().state, &["mem_1"]).unwrap(), []);
}
