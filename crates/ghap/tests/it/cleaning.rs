//! What must not be kept.

use crate::support::{World, confirmed, goal_of, now, run_of, who};
use proptest::prelude::*;
use tenter_ghap::{Cleaner, ErrorKind};

#[test]
fn what_is_private_or_recalled_is_dropped_with_its_tags() {
    for (text, kept) in [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b</Private> c", "a  c"),
        ("a <private why=\"x\">b <private>c</private> d</private> e", "a  e"),
        ("a <private>never closed", "a"),
        ("a </private> b", "a  b"),
        ("a <private/> b", "a  b"),
        ("<privateer>b</privateer>", "<privateer>b</privateer>"),
        ("a <tenter-data source=\"tenter memory\" trust=\"foreign\">\nold\n</tenter-data> b", "a  b"),
        ("a <pri<private></private>vate>b</private> c", "a"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("ä <private>ö</private> ü", "ä  ü"),
    ] {
        assert_eq!(Cleaner::default().clean(text), kept, "{text}");
    }
}

#[test]
fn secrets_are_hidden_by_their_form_and_by_their_value() {
    let cleaner = Cleaner::hiding(vec!["hunter2hunter2".to_owned()]);
    let clean = cleaner.clean("login hunter2hunter2, key AKIAIOSFODNN7EXAMPLE");
    assert!(!clean.contains("hunter2") && !clean.contains("AKIAIOSFODNN7EXAMPLE"), "{clean}");
    assert!(clean.contains("[redacted:"), "{clean}");
}

#[test]
fn nothing_of_a_secret_reaches_a_file() {
    let world = World::new();
    let ann = who("ann");
    let mut start = goal_of("Log in with hunter2hunter2 <private>my salary</private> today");
    start.prediction = "<private>x</private>".to_owned();
    let refusal = world.folder.start(&ann, None, &start, now()).unwrap_err();
    assert_eq!(refusal.kind, ErrorKind::Validation);
    assert!(refusal.to_string().contains("prediction"), "{refusal}");
    start.prediction = "It works".to_owned();
    let entry = world.folder.start(&ann, None, &start, now()).unwrap();
    let mut run = run_of(&entry);
    run.summary = "hunter2hunter2 failed".to_owned();
    world.folder.note_run(&ann, &run).unwrap();
    let everything = |world: &World| {
        let mut all = String::new();
        for file in world.files() {
            all += &std::fs::read_to_string(world.home.path().join("memory/active").join(file)).unwrap();
        }
        all + &std::fs::read_to_string(world.home.path().join("memory/waiting.jsonl")).unwrap_or_default()
    };
    for text in [everything(&world), {
        world.folder.resolve(&ann, &confirmed("hunter2hunter2 was wrong"), now()).unwrap();
        everything(&world)
    }] {
        assert!(!text.contains("hunter2") && !text.contains("salary"), "{text}");
        assert!(text.contains("Log in with [redacted:environment]"), "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_between_private_tags_survives(before in ".{0,20}", secret in "[a-z]{12}", after in ".{0,20}") {
        let text = format!("{before}<private>{secret}</private>{after}");
        prop_assert!(!Cleaner::default().clean(&text).contains(&secret));
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(text in "(<private>|</private>|<tenter-data a>|[a-z <>/]){0,12}") {
        let once = Cleaner::default().clean(&text);
        prop_assert_eq!(Cleaner::default().clean(&once), once);
    }
}
