//! What is remembered of sessions.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::common::Store;
use tenter_contract::ports::{Carried, CarriedText, ClaimOutcome, Mark, SessionShelf, Wanted};
use tenter_contract::{
    HookId, Injection, Layer, Level, Message, Role, Session, SessionId, Source, Strategy, Timestamp,
};
use tenter_store::{SessionFolders, StateFolder};

#[test]
fn of_sixteen_claims_at_once_exactly_one_is_granted() {
    let store = Store::new();
    let granted = at_once(16, |_| {
        let shelf = SessionFolders::new(&store.state);
        shelf.claim(&session("s"), "greet").unwrap() == ClaimOutcome::Granted
    });
    assert_eq!(granted.into_iter().filter(|granted| *granted).count(), 1);
}

#[test]
fn claims_are_kept_apart_by_session_and_by_what_is_claimed() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let rows = [
        ("one", "greet", ClaimOutcome::Granted),
        ("one", "greet", ClaimOutcome::Taken),
        ("one", "warn", ClaimOutcome::Granted),
        ("two", "greet", ClaimOutcome::Granted),
        ("../one", "../greet", ClaimOutcome::Granted),
        ("../one", "../greet", ClaimOutcome::Taken),
    ];
    for (id, what, expected) in rows {
        assert_eq!(shelf.claim(&session(id), what).unwrap(), expected, "{id} {what}");
    }
}

#[test]
fn a_claim_that_was_given_back_is_granted_again() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let session = session("s");
    shelf.release(&session, "never claimed").unwrap();
    assert_eq!(shelf.claim(&session, "greet").unwrap(), ClaimOutcome::Granted);
    shelf.release(&session, "greet").unwrap();
    assert_eq!(shelf.claim(&session, "greet").unwrap(), ClaimOutcome::Granted);
}

#[test]
fn of_sixteen_who_count_at_once_each_gets_a_number_of_its_own() {
    let store = Store::new();
    let count = |mark| SessionFolders::new(&store.state).tally(&session("s"), "calls", mark).unwrap();
    let mut numbers = at_once(16, |_| count(Mark::One));
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>());
}

#[test]
fn a_tally_counts_since_its_last_restart_however_long_ago_that_was() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let count = |what, mark| shelf.tally(&session("s"), what, mark).unwrap();
    assert_eq!(count("calls", Mark::Restart), 0);
    let numbers: Vec<u64> = (0..5000).map(|_| count("calls", Mark::One)).collect();
    assert_eq!(numbers, (1..=5000).collect::<Vec<_>>());
    assert_eq!((count("others", Mark::Look), count("others", Mark::One)), (0, 1));
    assert_eq!(count("calls", Mark::Look), 5000);
    assert_eq!((count("calls", Mark::Restart), count("calls", Mark::One)), (0, 1));
}

#[test]
fn the_first_project_root_stays() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let session = session("s");
    assert_eq!(shelf.recall(&session).unwrap(), Session::default());
    shelf.remember_project_root(&session, "/projects/a").unwrap();
    shelf.remember_project_root(&session, "/projects/b").unwrap();
    assert_eq!(shelf.recall(&session).unwrap().project_root.as_deref(), Some("/projects/a"));
}

#[test]
fn a_project_root_is_never_seen_in_part() {
    let store = Store::new();
    let long = |writer: usize| format!("/{}", writer.to_string().repeat(4000));
    let seen = at_once(16, |writer| {
        let shelf = SessionFolders::new(&store.state);
        shelf.remember_project_root(&session("s"), &long(writer % 10)).unwrap();
        shelf.recall(&session("s")).unwrap().project_root.unwrap()
    });
    assert!(seen.iter().all(|root| root == &seen[0]));
    assert!((0..10).any(|writer| seen[0] == long(writer)));
    assert_eq!(names_in(&store, "s"), ["id", "root"]);
}

#[test]
fn people_can_tell_whose_folder_it_is() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    shelf.claim(&session("abc-123"), "user/greet").unwrap();
    let folder = folder_of(&store, "abc-123");
    assert_eq!(std::fs::read_to_string(folder.join("id")).unwrap(), "abc-123");
    let names = names_in(&store, "abc-123");
    let claim = folder.join(names.iter().find(|name| name.starts_with("once-")).unwrap());
    assert_eq!(std::fs::read_to_string(&claim).unwrap(), "user/greet");
    for (path, mode) in [(folder.clone(), 0o700), (folder.join("id"), 0o600), (claim, 0o600)] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[test]
fn to_look_makes_no_folder() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    shelf.recall(&session("s")).unwrap();
    shelf.release(&session("s"), "greet").unwrap();
    assert_eq!(shelf.take_carried(&session("s"), Wanted::Everything, LATER).unwrap(), []);
    assert!(!store.state.path().exists());
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let shelf = SessionFolders::new(&StateFolder::new(file.path().to_owned()));
    let session = session("s");
    let path = file.path().join("sessions").display().to_string();
    for refusal in [
        shelf.recall(&session).unwrap_err(),
        shelf.remember_project_root(&session, "/").unwrap_err(),
        shelf.claim(&session, "greet").unwrap_err(),
        shelf.release(&session, "greet").unwrap_err(),
        shelf.keep_context(&session, "a").unwrap_err(),
        shelf.carry(&session, &[text("hint", "a")]).unwrap_err(),
        shelf.take_carried(&session, Wanted::Everything, LATER).unwrap_err(),
    ] {
        assert!(refusal.to_string().contains(&path), "{refusal}");
    }
}

#[test]
fn contexts_are_kept_apart_for_their_owner_only() {
    let store = Store::new();
    let paths = at_once(8, |thread| {
        let shelf = SessionFolders::new(&store.state);
        let path = shelf.keep_context(&session("s"), &format!("text {thread}")).unwrap();
        (path, format!("text {thread}"))
    });
    for (path, text) in paths {
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(names_in(&store, "s").iter().filter(|name| name.starts_with("context-")).count(), 8);
}

#[test]
fn what_is_carried_comes_back_once_as_it_was_and_in_order() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let context = |role, strategy| {
        let text = Injection { role, strategy, ephemeral: true, ..Injection::text("ä\n\"") };
        CarriedText::Context(text)
    };
    let mut texts = vec![
        Carried { by: Source::Desk, text: context(Role::User, Strategy::ToolResult) },
        Carried { by: Source::Tenter, text: context(Role::Assistant, Strategy::UserMessage) },
    ];
    texts.extend(Layer::ALL.map(|layer| Carried {
        by: Source::Hook(HookId::new(layer, "hint")),
        text: CarriedText::Context(Injection::text(layer.as_str())),
    }));
    texts.extend(Level::ALL.map(|level| Carried {
        by: Source::Tenter,
        text: CarriedText::Message(Message { text: "ä\n\"".to_owned(), level }),
    }));
    shelf.carry(&session("other"), &[text("hint", "of another session")]).unwrap();
    for two in texts.chunks(2) {
        shelf.carry(&session("s"), two).unwrap();
    }
    assert_eq!(shelf.take_carried(&session("s"), Wanted::Everything, LATER).unwrap(), texts);
    assert_eq!(shelf.take_carried(&session("s"), Wanted::Everything, LATER).unwrap(), []);
    assert_eq!(names_in(&store, "s"), ["id", "pending"]);
}

#[test]
fn an_event_without_context_takes_the_messages_and_leaves_the_rest() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let take = |wanted| shelf.take_carried(&session("s"), wanted, LATER).unwrap();
    shelf.carry(&session("s"), &[text("hint", "a")]).unwrap();
    shelf.carry(&session("s"), &[message("first"), message("second")]).unwrap();
    shelf.carry(&session("s"), &[message("beside"), text("hint", "b")]).unwrap();
    assert_eq!(take(Wanted::Messages), [message("first"), message("second")]);
    assert_eq!(take(Wanted::Messages), []);
    assert_eq!(take(Wanted::Everything), [text("hint", "a"), message("beside"), text("hint", "b")]);
}

#[test]
fn an_event_gets_nothing_that_was_kept_after_it_had_arrived() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let take = |at: u128| {
        let at = Timestamp::from_unix_ms(at.try_into().unwrap());
        shelf.take_carried(&session("s"), Wanted::Everything, at).unwrap()
    };
    let arrived = now();
    shelf.carry(&session("s"), &[message("meanwhile")]).unwrap();
    assert_eq!(take(arrived), []);
    assert_eq!(take(now() + 1), [message("meanwhile")]);
}

#[test]
fn last_words_are_given_once_their_writer_is_gone_and_never_if_it_withdraws_them() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let take = |wanted| shelf.take_carried(&session("s"), wanted, LATER).unwrap();
    let keep = |words: &str| shelf.keep_last_words(&session("s"), &[message(words)]).unwrap().unwrap();
    let (first, second) = (keep("first"), keep("second"));
    shelf.carry(&session("s"), &[message("said")]).unwrap();
    assert_eq!(take(Wanted::Everything), [message("said")]);
    first.withdraw();
    assert_eq!(take(Wanted::Everything), []);
    // The lock ends with the file, as it does with the process.
    drop(second);
    assert_eq!(take(Wanted::Messages), [message("second")]);
    assert_eq!(names_in(&store, "s"), ["id", "pending"]);
}

fn content(carried: Carried) -> String {
    match carried.text {
        CarriedText::Context(injection) => injection.content,
        CarriedText::Message(message) => message.text,
    }
}

#[test]
fn of_many_who_put_and_take_at_once_each_text_goes_to_one() {
    let store = Store::new();
    let taken = at_once(16, |thread| {
        let shelf = SessionFolders::new(&store.state);
        let mut taken = Vec::new();
        for number in 0..20 {
            shelf.carry(&session("s"), &[text("hint", &format!("{thread} {number}"))]).unwrap();
            taken.extend(shelf.take_carried(&session("s"), Wanted::Everything, LATER).unwrap());
        }
        taken
    });
    let rest =
        SessionFolders::new(&store.state).take_carried(&session("s"), Wanted::Everything, LATER).unwrap();
    let mut all: Vec<String> = taken.into_iter().flatten().chain(rest).map(content).collect();
    all.sort();
    let mut expected: Vec<String> =
        (0..16).flat_map(|thread| (0..20).map(move |number| format!("{thread} {number}"))).collect();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
fn a_carried_text_that_cannot_be_read_is_told_and_set_aside_and_nothing_is_lost_with_it() {
    let store = Store::new();
    let shelf = SessionFolders::new(&store.state);
    let session = session("s");
    shelf.carry(&session, &[text("hint", "before")]).unwrap();
    let pending = folder_of(&store, "s").join("pending");
    std::fs::write(pending.join("5-damaged"), "{").unwrap();
    std::fs::write(pending.join("6-emptied-by-a-power-cut"), "").unwrap();
    let behind = std::fs::read_dir(&pending).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(behind.count(), 3);
    assert_eq!(shelf.take_carried(&session, Wanted::Everything, LATER).unwrap(), [text("hint", "before")]);
    let refusal = shelf.take_carried(&session, Wanted::Everything, LATER).unwrap_err();
    assert!(refusal.to_string().contains("pending"), "{refusal}");
    assert_eq!(shelf.take_carried(&session, Wanted::Everything, LATER).unwrap(), []);
    assert_eq!(names_in(&store, "s"), ["id", "pending", "unread-5-damaged"]);
}

/// The time of an event that arrives when everything here is over.
const LATER: Timestamp = Timestamp { unix_ms: u64::MAX };

fn text(hook: &str, content: &str) -> Carried {
    let text = CarriedText::Context(Injection::text(content));
    Carried { by: Source::Hook(HookId::new(Layer::User, hook)), text }
}

fn message(text: &str) -> Carried {
    let message = Message { text: text.to_owned(), level: Level::Error };
    Carried { by: Source::Tenter, text: CarriedText::Message(message) }
}

pub(crate) fn session(id: &str) -> SessionId {
    SessionId::parse(id).unwrap()
}

/// `sha256sum` of the id, cut to 32 characters: the only folder there is.
fn folder_of(store: &Store, id: &str) -> PathBuf {
    let sessions = store.state.path().join("sessions");
    let holds = |folder: &PathBuf| std::fs::read_to_string(folder.join("id")).unwrap() == id;
    let folder = std::fs::read_dir(sessions).unwrap().map(|entry| entry.unwrap().path()).find(holds).unwrap();
    assert_eq!(folder.file_name().unwrap().len(), 32);
    folder
}

fn names_in(store: &Store, id: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder_of(store, id)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs the same on many threads that start together.
pub(crate) fn at_once<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|number| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(number)
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
