//! The ledger of a session: what was spent, what a context has, and who had the page.

use std::sync::Barrier;
use std::thread;

use tenter_contract::ports::SessionStore;
use tenter_contract::*;
use tenter_store::sessions::ledger::{Ledger, Total};
use tenter_store::{SessionFolders, StateFolder};

use crate::common::Store;

fn session() -> SessionId {
    SessionId::parse("s1").unwrap()
}

fn moment(turn: &str, generation: u64) -> Moment {
    Moment {
        at: Timestamp::from_unix_ms(0),
        event: EventKind::ToolPost,
        turn: turn.to_owned(),
        context: ContextId { generation, agent_id: None },
    }
}

fn hook(name: &str) -> Source {
    Source::Hook(HookId::new(Layer::User, name))
}

/// A text that the agent has got whole, at a token per byte.
fn given(by: &str, text: &str) -> LedgerEntry {
    LedgerEntry {
        spilled: None,
        by: hook(by),
        injection: Injection::text(text),
        role: Role::System,
        category: BudgetCategory::Hooks,
        status: InjectionStatus::Delivered,
        bytes: text.len(),
        tokens: text.len() as u64,
    }
}

struct SessionFiles(SessionFolders, StateFolder, #[expect(dead_code, reason = "keeps the folder")] Store);

impl SessionFiles {
    fn new() -> Self {
        let store = Store::new();
        Self(SessionFolders::new(&store.state), store.state.clone(), store)
    }

    fn enter(&self, moment: &Moment, entries: &[LedgerEntry]) {
        self.0.open_ledger(&session(), moment).unwrap().enter(entries).unwrap();
    }

    fn spent(&self, moment: &Moment) -> Spent {
        self.0.open_ledger(&session(), moment).unwrap().spent()
    }

    /// Whether the context has a text, and whether its hook stated it last.
    fn known(&self, moment: &Moment, by: &str, injection: &Injection) -> (bool, bool) {
        let page = self.0.open_ledger(&session(), moment).unwrap();
        let by = hook(by);
        (page.is_in_context(&by, injection).unwrap(), page.is_latest(&by, injection).unwrap())
    }

    fn ledger(&self) -> Ledger {
        Ledger::read(&self.1, &session()).unwrap()
    }
}

#[test]
fn session_without_injections_has_no_ledger() {
    let session_store = SessionFiles::new();
    assert!(!session_store.0.has_ledger(&session()).unwrap());
    assert_eq!(session_store.ledger(), Ledger::default());
    assert!(!session_store.1.path().exists());
    session_store.enter(&moment("t", 0), &[given("a", "x")]);
    assert!(session_store.0.has_ledger(&session()).unwrap());
}

#[test]
fn turns_categories_and_session_are_counted_separately() {
    let session_store = SessionFiles::new();
    let remembered = LedgerEntry { category: BudgetCategory::Memory, ..given("recall", "1234567") };
    session_store.enter(&moment("one", 0), &[given("a", "123"), remembered]);
    session_store.enter(&moment("two", 0), &[given("a", "12345")]);
    session_store.enter(&moment("one", 1), &[given("b", "1")]);
    assert_eq!(session_store.spent(&moment("one", 0)), Spent { turn: 4, memory: 7, session: 16 });
    assert_eq!(session_store.spent(&moment("two", 5)), Spent { turn: 5, memory: 0, session: 16 });
    assert_eq!(session_store.spent(&moment("new", 0)), Spent { turn: 0, memory: 0, session: 16 });
    let ledger = session_store.ledger();
    let total = |injections, bytes, tokens, memory_tokens| Total { injections, bytes, tokens, memory_tokens };
    assert_eq!(ledger.whole(), total(4, 16, 9, 7));
    assert_eq!(ledger.turns(), [("one", total(3, 11, 4, 7)), ("two", total(1, 5, 5, 0))]);
    assert_eq!(ledger.contexts(), [(0, total(3, 15, 8, 7)), (1, total(1, 1, 1, 0))]);
}

#[test]
fn text_is_known_by_its_content_or_its_key() {
    let session_store = SessionFiles::new();
    let now = moment("t", 0);
    let keyed = |text: &str| Injection { key: Some("status".to_owned()), ..Injection::text(text) };
    let long = |digest| Injection {
        form: Form::Beginning(Shortened { bytes: 20_000, digest, all: WholeText::At(format!("/{digest}")) }),
        ..Injection::text("the same beginning")
    };
    let entry = |injection: Injection| LedgerEntry { injection, ..given("a", "") };
    session_store.enter(&now, &[given("a", "x"), entry(keyed("at 12:00")), entry(long(1))]);
    assert_eq!(session_store.known(&now, "a", &Injection::text("x")), (true, true));
    assert_eq!(session_store.known(&now, "a", &keyed("at 12:01")), (true, true));
    assert_eq!(session_store.known(&now, "a", &long(1)), (true, true));
    assert_eq!(session_store.known(&now, "a", &long(2)), (false, false));
    assert_eq!(session_store.known(&now, "a", &Injection::text("status")), (false, false));
    // Another hook that has stated nothing yet would only say it once more; a key is its hook's own.
    assert_eq!(session_store.known(&now, "b", &Injection::text("x")), (false, true));
    assert_eq!(session_store.known(&now, "b", &keyed("at 12:00")), (false, false));
    assert_eq!(session_store.known(&moment("t", 1), "a", &Injection::text("x")), (false, false));
    let of_subagent = ContextId { generation: 0, agent_id: Some("reviewer".to_owned()) };
    let elsewhere = Moment { context: of_subagent, ..now.clone() };
    assert_eq!(session_store.known(&elsewhere, "a", &Injection::text("x")), (false, false));
    session_store.enter(&moment("u", 0), &[given("a", "y")]);
    assert_eq!(session_store.known(&now, "a", &Injection::text("x")), (true, false));
}

/// What each of these says, one event after the other; a text that is a repeat is left out.
#[test]
fn repeats_compare_the_last_text_of_a_hook() {
    for (said, expected) in [
        (&[("a", "clean"), ("a", "dirty"), ("a", "clean")][..], &[true, true, true][..]),
        (&[("a", "clean"), ("a", "clean"), ("a", "dirty"), ("a", "clean")], &[true, false, true, true]),
        (&[("a", "x"), ("b", "x"), ("a", "x"), ("b", "x")], &[true, false, false, false]),
        // What a hook has stated since is its own state; what another one says does not hide that it is back.
        (&[("a", "x"), ("b", "x"), ("b", "y"), ("b", "x")], &[true, false, true, true]),
        (&[("a", "x"), ("b", "x"), ("a", "y"), ("a", "x")], &[true, false, true, true]),
        (&[("a", "x"), ("a", "y"), ("b", "x")], &[true, true, true]),
        (&[("a", "x"), ("b", "y"), ("a", "x"), ("b", "y")], &[true, true, false, false]),
    ] {
        let session_store = SessionFiles::new();
        for (at, ((by, text), new)) in said.iter().zip(expected).enumerate() {
            let now = moment(&at.to_string(), 0);
            let is_repeat = session_store.known(&now, by, &Injection::text(*text)).1;
            assert_eq!(!is_repeat, *new, "{at} of {said:?}");
            let status = if is_repeat { InjectionStatus::LeftOut } else { InjectionStatus::Delivered };
            session_store.enter(&now, &[LedgerEntry { status, ..given(by, text) }]);
        }
        assert!(
            !session_store.known(&moment("x", 1), said[0].0, &Injection::text(said[0].1)).1,
            "a new context"
        );
    }
}

/// Of two reports in a row only the second counts, also if it was left out; of two hooks at one event both count.
#[test]
fn left_out_text_counts_as_the_last_of_its_hook() {
    let left_out = |by: &str, text: &str| LedgerEntry { status: InjectionStatus::LeftOut, ..given(by, text) };
    let session_store = SessionFiles::new();
    let now = moment("t", 0);
    session_store.enter(&now, &[given("a", "x"), given("a", "y")]);
    session_store.enter(&now, &[left_out("a", "x")]);
    assert_eq!(session_store.known(&now, "a", &Injection::text("y")), (true, false));
    session_store.enter(&now, &[given("a", "z"), left_out("b", "z")]);
    assert_eq!(session_store.known(&now, "b", &Injection::text("z")), (false, true));
    // What no one got is not known by being left out elsewhere.
    let cut = LedgerEntry { status: InjectionStatus::Cut, ..given("a", "long") };
    session_store.enter(&now, &[cut, left_out("c", "long")]);
    assert_eq!(session_store.known(&now, "c", &Injection::text("long")), (false, false));
}

#[test]
fn undelivered_text_is_in_the_ledger_only() {
    let session_store = SessionFiles::new();
    let now = moment("t", 0);
    for status in InjectionStatus::ALL.into_iter().filter(|status| !status.reached_agent()) {
        session_store.enter(&now, &[LedgerEntry { status, bytes: 0, tokens: 0, ..given("a", "x") }]);
        assert_eq!(session_store.known(&now, "a", &Injection::text("x")), (false, false), "{status:?}");
    }
    let statuses: Vec<String> = session_store.ledger().lines.into_iter().map(|line| line.status).collect();
    assert_eq!(statuses, ["left out", "rejected", "over budget", "deferred", "unheard"]);
    assert_eq!(session_store.ledger().whole(), Total::default());
}

#[test]
fn ledger_line_is_complete() {
    let session_store = SessionFiles::new();
    let injection = Injection {
        role: Role::User,
        strategy: Strategy::ToolResult,
        ephemeral: true,
        key: Some("k".to_owned()),
        ..Injection::text("ä\n")
    };
    let entry =
        LedgerEntry { injection, status: InjectionStatus::Line, bytes: 41, tokens: 11, ..given("lint", "") };
    session_store.enter(&moment("our 2", 3), &[entry]);
    let folder = std::fs::read_dir(session_store.1.path().join("sessions")).unwrap().next().unwrap().unwrap();
    let line = std::fs::read_to_string(folder.path().join("ledger/entries")).unwrap();
    let expected = r#"{"v":1,"timestamp":"1970-01-01T00:00:00.000Z","turn":"our 2","context":3,"event":"tool:post","hook":"user/lint","role":"system","requested_role":"user","strategy":"tool_result","ephemeral":true,"category":"hooks","status":"one line","said":3,"bytes":41,"tokens":11,"sha256":"fa01eaef8962a20f52e637a5baeb33d8cc1744dcc291465411e7f367827e6074","key":"k"}"#;
    assert_eq!(line.trim_end(), expected);
}

#[test]
fn torn_line_is_skipped_without_loss() {
    let session_store = SessionFiles::new();
    session_store.enter(&moment("t", 0), &[given("a", "one")]);
    let folder = std::fs::read_dir(session_store.1.path().join("sessions")).unwrap().next().unwrap().unwrap();
    let entries = folder.path().join("ledger/entries");
    let whole = std::fs::read_to_string(&entries).unwrap();
    std::fs::write(&entries, format!("{whole}{{\"v\":1,\"turn\":\"t")).unwrap();
    session_store.enter(&moment("t", 0), &[given("a", "two")]);
    let ledger = session_store.ledger();
    assert_eq!((ledger.lines.len(), ledger.unreadable), (2, 1));
    assert_eq!(session_store.spent(&moment("t", 0)).turn, 6);
}

/// Each of many at once sees what the others have spent, and of the same text exactly one is the first.
#[test]
fn twenty_processes_agree_on_the_ledger() {
    let session_store = SessionFiles::new();
    let barrier = Barrier::new(20);
    let seen: Vec<(u64, bool)> = thread::scope(|scope| {
        let one = || {
            barrier.wait();
            let page = session_store.0.open_ledger(&session(), &moment("t", 0)).unwrap();
            let before = page.spent().turn;
            let known = page.is_in_context(&hook("a"), &Injection::text("x")).unwrap();
            page.enter(&[given("a", "x")]).unwrap();
            (before, known)
        };
        let running: Vec<_> = (0..20).map(|_| scope.spawn(one)).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut before: Vec<u64> = seen.iter().map(|(before, _)| *before).collect();
    before.sort_unstable();
    assert_eq!(before, (0..20).collect::<Vec<u64>>());
    assert_eq!(seen.iter().filter(|(_, known)| !known).count(), 1);
    assert_eq!(session_store.ledger().whole().tokens, 20);
}
