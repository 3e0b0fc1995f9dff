//! Reminders, runs and warnings.

use crate::support::{World, confirmed, hypothesis, now, run_of, who};

#[test]
fn the_tenth_tool_call_of_an_active_entry_is_the_one_that_reminds() {
    let world = World::new();
    let ann = who("ann");
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    for round in 0..2 {
        for call in 1..10 {
            assert_eq!(world.folder.count_tool(&ann, 10).unwrap(), None, "{round} {call}");
        }
        assert!(!world.folder.is_check_in_due(&ann, 10).unwrap());
        let due = world.folder.count_tool(&ann, 10).unwrap().unwrap();
        assert_eq!((&due.entry.id, due.tools), (&entry.id, 10));
    }
}

#[test]
fn without_an_entry_nothing_is_counted_and_no_file_is_made() {
    let world = World::new();
    for _ in 0..20 {
        assert_eq!(world.folder.count_tool(&who("ann"), 1).unwrap(), None);
    }
    assert!(!world.home.path().join("memory").exists());
}

#[test]
fn update_resets_the_count() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    for _ in 0..9 {
        world.folder.count_tool(&ann, 10).unwrap();
    }
    world.folder.update(&ann, &hypothesis("Two tests share a folder"), now()).unwrap();
    assert_eq!(world.folder.count_tool(&ann, 10).unwrap(), None);
    assert!(world.folder.is_check_in_due(&ann, 1).unwrap());
}

#[test]
fn a_resolved_entry_is_not_asked_about() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    world.folder.count_tool(&ann, 10).unwrap();
    world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap();
    assert_eq!(world.folder.count_tool(&ann, 1).unwrap(), None);
}

#[test]
fn simultaneous_calls_get_one_reminder() {
    let world = World::new();
    let ann = who("ann");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    let reminded: usize = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    (0..25).filter(|_| world.folder.count_tool(&ann, 10).unwrap().is_some()).count()
                })
            })
            .collect();
        calls.into_iter().map(|calls| calls.join().unwrap()).sum()
    });
    let left = std::fs::metadata(world.file(".tools")).unwrap().len();
    assert!((1..=20).contains(&reminded), "{reminded}");
    assert!(left < 10, "{left}");
}

#[test]
fn the_latest_runs_are_kept_with_their_entry() {
    let world = World::new();
    let ann = who("ann");
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    for number in 0..9 {
        let run = tenter_ghap::RunSeen { summary: format!("{number} failed"), ..run_of(&entry) };
        world.folder.note_run(&ann, &run).unwrap();
    }
    assert_eq!(world.folder.runs(&ann).unwrap().len(), 5);
    let resolved = world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap();
    let kept: Vec<&str> = resolved.runs.iter().map(|run| run.summary.as_str()).collect();
    assert_eq!(kept, ["4 failed", "5 failed", "6 failed", "7 failed", "8 failed"]);
}

#[test]
fn a_run_that_was_cut_off_while_written_is_left_out() {
    let world = World::new();
    let ann = who("ann");
    let entry = world.start(&ann, "Fix the flaky cache test").unwrap();
    world.folder.note_run(&ann, &run_of(&entry)).unwrap();
    let path = world.file(".runs");
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(world.folder.runs(&ann).unwrap().len() <= usize::from(length + 1 >= whole.len()), "{length}");
    }
}

#[test]
fn a_warning_is_given_once_until_an_entry_was_resolved() {
    let world = World::new();
    let ann = who("ann");
    assert!(world.folder.claim_premortem(&ann).unwrap());
    assert!(!world.folder.claim_premortem(&ann).unwrap());
    assert!(world.folder.claim_premortem(&who("bob")).unwrap());
    world.start(&ann, "Fix the flaky cache test").unwrap();
    assert!(!world.folder.claim_premortem(&ann).unwrap());
    world.folder.resolve(&ann, &confirmed("It passed ten times"), now()).unwrap();
    assert!(world.folder.claim_premortem(&ann).unwrap());
}

/// Scripts that ask at every call need no built-in next to them.
#[test]
fn each_question_is_a_call_without_a_counter() {
    let world = World::new();
    let ann = who("ann");
    assert!(!world.folder.is_check_in_due(&ann, 1).unwrap(), "nothing is tracked");
    world.start(&ann, "Fix the flaky cache test").unwrap();
    for round in 0..2 {
        let due: Vec<bool> = (0..10).map(|_| world.folder.is_check_in_due(&ann, 10).unwrap()).collect();
        assert_eq!(due.iter().position(|due| *due), Some(9), "{round}");
    }
}
