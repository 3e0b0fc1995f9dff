//! What is remembered of sessions.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::common::Store;
use tenter_contract::ports::{ClaimOutcome, CountOp, Deferred, DeferredText, SessionStore, Wanted};
use tenter_contract::{
    HookId, Injection, Layer, Level, Message, Role, RunPeriod, Session, SessionClaim, SessionCounter,
    SessionId, Source, Strategy, Timestamp,
};
use tenter_store::{SessionFolders, StateFolder};

/// The claim of a hook that runs once.
fn greeting(name: &str) -> SessionClaim {
    SessionClaim::HookRan { hook: HookId::new(Layer::User, name), period: RunPeriod::Context(0) }
}

#[test]
fn one_of_sixteen_parallel_claims_is_granted() {
    let store = Store::new();
    let granted = at_once(16, |_| {
        let session_store = SessionFolders::new(&store.state);
        session_store.claim(Some(&session("s")), &greeting("greet")).unwrap() == ClaimOutcome::Granted
    });
    assert_eq!(granted.into_iter().filter(|granted| *granted).count(), 1);
}

#[test]
fn claims_differ_by_session_and_kind() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let rows = [
        ("one", "greet", ClaimOutcome::Granted),
        ("one", "greet", ClaimOutcome::Taken),
        ("one", "warn", ClaimOutcome::Granted),
        ("two", "greet", ClaimOutcome::Granted),
        ("../one", "../greet", ClaimOutcome::Granted),
        ("../one", "../greet", ClaimOutcome::Taken),
    ];
    for (id, what, expected) in rows {
        assert_eq!(
            session_store.claim(Some(&session(id)), &greeting(what)).unwrap(),
            expected,
            "{id} {what}"
        );
    }
}

#[test]
fn released_claim_is_granted_again() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let session = session("s");
    session_store.release(Some(&session), &greeting("never claimed")).unwrap();
    assert_eq!(session_store.claim(Some(&session), &greeting("greet")).unwrap(), ClaimOutcome::Granted);
    session_store.release(Some(&session), &greeting("greet")).unwrap();
    assert_eq!(session_store.claim(Some(&session), &greeting("greet")).unwrap(), ClaimOutcome::Granted);
}

#[test]
fn sixteen_parallel_counts_are_distinct() {
    let store = Store::new();
    let count = |mark| {
        SessionFolders::new(&store.state).count(Some(&session("s")), &SessionCounter::Turns, mark).unwrap()
    };
    let mut numbers = at_once(16, |_| count(CountOp::Increment));
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>());
}

#[test]
fn tally_counts_since_its_last_restart() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let [calls, others] = [SessionCounter::Turns, SessionCounter::Contexts];
    let count = |what: &SessionCounter, mark| session_store.count(Some(&session("s")), what, mark).unwrap();
    assert_eq!(count(&calls, CountOp::Reset), 0);
    let numbers: Vec<u64> = (0..5000).map(|_| count(&calls, CountOp::Increment)).collect();
    assert_eq!(numbers, (1..=5000).collect::<Vec<_>>());
    assert_eq!((count(&others, CountOp::Read), count(&others, CountOp::Increment)), (0, 1));
    assert_eq!(count(&calls, CountOp::Read), 5000);
    assert_eq!((count(&calls, CountOp::Reset), count(&calls, CountOp::Increment)), (0, 1));
}

#[test]
fn first_project_root_is_kept() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let session = session("s");
    assert_eq!(session_store.recall(&session).unwrap(), Session::default());
    session_store.remember_project_root(&session, "/projects/a").unwrap();
    session_store.remember_project_root(&session, "/projects/b").unwrap();
    assert_eq!(session_store.recall(&session).unwrap().project_root.as_deref(), Some("/projects/a"));
}

#[test]
fn project_root_is_never_read_partially() {
    let store = Store::new();
    let long = |writer: usize| format!("/{}", writer.to_string().repeat(4000));
    let seen = at_once(16, |writer| {
        let session_store = SessionFolders::new(&store.state);
        session_store.remember_project_root(&session("s"), &long(writer % 10)).unwrap();
        session_store.recall(&session("s")).unwrap().project_root.unwrap()
    });
    assert!(seen.iter().all(|root| root == &seen[0]));
    assert!((0..10).any(|writer| seen[0] == long(writer)));
    assert_eq!(names_in(&store, "s"), ["id", "root"]);
}

#[test]
fn folder_names_its_session() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    session_store.claim(Some(&session("abc-123")), &greeting("user/greet")).unwrap();
    let folder = folder_of(&store, "abc-123");
    assert_eq!(std::fs::read_to_string(folder.join("id")).unwrap(), "abc-123");
    let names = names_in(&store, "abc-123");
    let claim = folder.join(names.iter().find(|name| name.starts_with("once-")).unwrap());
    assert_eq!(std::fs::read_to_string(&claim).unwrap(), "once user/user/greet");
    for (path, mode) in [(folder.clone(), 0o700), (folder.join("id"), 0o600), (claim, 0o600)] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[test]
fn reading_makes_no_folder() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    session_store.recall(&session("s")).unwrap();
    session_store.release(Some(&session("s")), &greeting("greet")).unwrap();
    assert_eq!(session_store.take_deferred(&session("s"), Wanted::Everything, LATER).unwrap(), []);
    assert!(!store.state.path().exists());
}

#[test]
fn uncreatable_folder_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let session_store = SessionFolders::new(&StateFolder::new(file.path().to_owned()));
    let session = session("s");
    let path = file.path().join("sessions").display().to_string();
    for refusal in [
        session_store.recall(&session).unwrap_err(),
        session_store.remember_project_root(&session, "/").unwrap_err(),
        session_store.claim(Some(&session), &greeting("greet")).unwrap_err(),
        session_store.release(Some(&session), &greeting("greet")).unwrap_err(),
        session_store.keep_context(Some(&session), "a").unwrap_err(),
        session_store.defer(&session, &[text("hint", "a")]).unwrap_err(),
        session_store.take_deferred(&session, Wanted::Everything, LATER).unwrap_err(),
    ] {
        assert!(refusal.to_string().contains(&path), "{refusal}");
    }
}

#[test]
fn contexts_are_kept_apart_for_their_owner_only() {
    let store = Store::new();
    let paths = at_once(8, |thread| {
        let session_store = SessionFolders::new(&store.state);
        let path = session_store.keep_context(Some(&session("s")), &format!("text {thread}")).unwrap();
        (path, format!("text {thread}"))
    });
    for (path, text) in paths {
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(names_in(&store, "s").iter().filter(|name| name.starts_with("context-")).count(), 8);
}

#[test]
fn deferred_texts_come_back_once_in_order() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let context = |role, strategy| {
        let text = Injection { role, strategy, ephemeral: true, ..Injection::text("ä\n\"") };
        DeferredText::Context(text)
    };
    let mut texts = vec![
        Deferred { by: Source::Approver, text: context(Role::User, Strategy::ToolResult) },
        Deferred { by: Source::Tenter, text: context(Role::Assistant, Strategy::UserMessage) },
    ];
    texts.extend(Layer::ALL.map(|layer| Deferred {
        by: Source::Hook(HookId::new(layer, "hint")),
        text: DeferredText::Context(Injection::text(layer.as_str())),
    }));
    texts.extend(Level::ALL.map(|level| Deferred {
        by: Source::Tenter,
        text: DeferredText::Message(Message { text: "ä\n\"".to_owned(), level }),
    }));
    session_store.defer(&session("other"), &[text("hint", "of another session")]).unwrap();
    for two in texts.chunks(2) {
        session_store.defer(&session("s"), two).unwrap();
    }
    assert_eq!(session_store.take_deferred(&session("s"), Wanted::Everything, LATER).unwrap(), texts);
    assert_eq!(session_store.take_deferred(&session("s"), Wanted::Everything, LATER).unwrap(), []);
    assert_eq!(names_in(&store, "s"), ["id", "pending"]);
}

#[test]
fn event_without_context_takes_messages_alone() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let take = |wanted| session_store.take_deferred(&session("s"), wanted, LATER).unwrap();
    session_store.defer(&session("s"), &[text("hint", "a")]).unwrap();
    session_store.defer(&session("s"), &[message("first"), message("second")]).unwrap();
    session_store.defer(&session("s"), &[message("third"), text("hint", "b")]).unwrap();
    assert_eq!(take(Wanted::Messages), [message("first"), message("second")]);
    assert_eq!(take(Wanted::Messages), []);
    assert_eq!(take(Wanted::Everything), [text("hint", "a"), message("third"), text("hint", "b")]);
}

#[test]
fn event_gets_no_text_deferred_after_its_arrival() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let take = |at: u128| {
        let at = Timestamp::from_unix_ms(at.try_into().unwrap());
        session_store.take_deferred(&session("s"), Wanted::Everything, at).unwrap()
    };
    let arrived = now();
    session_store.defer(&session("s"), &[message("meanwhile")]).unwrap();
    assert_eq!(take(arrived), []);
    assert_eq!(take(now() + 1), [message("meanwhile")]);
}

#[test]
fn last_words_follow_the_death_of_their_writer() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let take = |wanted| session_store.take_deferred(&session("s"), wanted, LATER).unwrap();
    let keep =
        |words: &str| session_store.keep_crash_notice(&session("s"), &[message(words)]).unwrap().unwrap();
    let (first, second) = (keep("first"), keep("second"));
    session_store.defer(&session("s"), &[message("said")]).unwrap();
    assert_eq!(take(Wanted::Everything), [message("said")]);
    first.withdraw();
    assert_eq!(take(Wanted::Everything), []);
    // The lock ends with the file, as it does with the process.
    drop(second);
    assert_eq!(take(Wanted::Messages), [message("second")]);
    assert_eq!(names_in(&store, "s"), ["id", "pending"]);
}

fn content(deferred: Deferred) -> String {
    match deferred.text {
        DeferredText::Context(injection) => injection.content,
        DeferredText::Message(message) => message.text,
    }
}

#[test]
fn parallel_readers_get_each_text_once() {
    let store = Store::new();
    let taken = at_once(16, |thread| {
        let session_store = SessionFolders::new(&store.state);
        let mut taken = Vec::new();
        for number in 0..20 {
            session_store.defer(&session("s"), &[text("hint", &format!("{thread} {number}"))]).unwrap();
            taken.extend(session_store.take_deferred(&session("s"), Wanted::Everything, LATER).unwrap());
        }
        taken
    });
    let rest =
        SessionFolders::new(&store.state).take_deferred(&session("s"), Wanted::Everything, LATER).unwrap();
    let mut all: Vec<String> = taken.into_iter().flatten().chain(rest).map(content).collect();
    all.sort();
    let mut expected: Vec<String> =
        (0..16).flat_map(|thread| (0..20).map(move |number| format!("{thread} {number}"))).collect();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
fn unreadable_deferred_text_is_quarantined() {
    let store = Store::new();
    let session_store = SessionFolders::new(&store.state);
    let session = session("s");
    session_store.defer(&session, &[text("hint", "before")]).unwrap();
    let pending = folder_of(&store, "s").join("pending");
    std::fs::write(pending.join("5-damaged"), "{").unwrap();
    std::fs::write(pending.join("6-emptied-by-a-power-cut"), "").unwrap();
    let behind = std::fs::read_dir(&pending).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(behind.count(), 3);
    assert_eq!(
        session_store.take_deferred(&session, Wanted::Everything, LATER).unwrap(),
        [text("hint", "before")]
    );
    let refusal = session_store.take_deferred(&session, Wanted::Everything, LATER).unwrap_err();
    assert!(refusal.to_string().contains("pending"), "{refusal}");
    assert_eq!(session_store.take_deferred(&session, Wanted::Everything, LATER).unwrap(), []);
    assert_eq!(names_in(&store, "s"), ["id", "pending", "unread-5-damaged"]);
}

/// The time of an event that arrives when everything here is over.
const LATER: Timestamp = Timestamp { unix_ms: u64::MAX };

fn text(hook: &str, content: &str) -> Deferred {
    let text = DeferredText::Context(Injection::text(content));
    Deferred { by: Source::Hook(HookId::new(Layer::User, hook)), text }
}

fn message(text: &str) -> Deferred {
    let message = Message { text: text.to_owned(), level: Level::Error };
    Deferred { by: Source::Tenter, text: DeferredText::Message(message) }
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
