//! The ledger of a session: what was spent, what a context has, and who had the page.

use std::sync::Barrier;
use std::thread;

use tenter_contract::ports::SessionShelf;
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
        fund: Fund::Hooks,
        fate: Fate::Given,
        bytes: text.len(),
        tokens: text.len() as u64,
    }
}

struct Shelf(SessionFolders, StateFolder, #[expect(dead_code, reason = "keeps the folder")] Store);

impl Shelf {
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

    /// Whether the context has a text, and whether its hook said it last.
    fn known(&self, moment: &Moment, by: &str, injection: &Injection) -> (bool, bool) {
        let page = self.0.open_ledger(&session(), moment).unwrap();
        let by = hook(by);
        (page.is_in_context(&by, injection).unwrap(), page.was_said_last(&by, injection).unwrap())
    }

    fn ledger(&self) -> Ledger {
        Ledger::read(&self.1, &session()).unwrap()
    }
}

#[test]
fn a_session_that_nothing_was_injected_into_has_no_ledger_and_reading_makes_none() {
    let shelf = Shelf::new();
    assert!(!shelf.0.has_ledger(&session()).unwrap());
    assert_eq!(shelf.ledger(), Ledger::default());
    assert!(!shelf.1.path().exists());
    shelf.enter(&moment("t", 0), &[given("a", "x")]);
    assert!(shelf.0.has_ledger(&session()).unwrap());
}

#[test]
fn turns_funds_and_the_session_are_counted_each_for_itself_in_whatever_order_turns_come() {
    let shelf = Shelf::new();
    let remembered = LedgerEntry { fund: Fund::Memory, ..given("recall", "1234567") };
    shelf.enter(&moment("one", 0), &[given("a", "123"), remembered]);
    shelf.enter(&moment("two", 0), &[given("a", "12345")]);
    shelf.enter(&moment("one", 1), &[given("b", "1")]);
    assert_eq!(shelf.spent(&moment("one", 0)), Spent { turn: 4, memory: 7, session: 16 });
    assert_eq!(shelf.spent(&moment("two", 5)), Spent { turn: 5, memory: 0, session: 16 });
    assert_eq!(shelf.spent(&moment("new", 0)), Spent { turn: 0, memory: 0, session: 16 });
    let ledger = shelf.ledger();
    let total = |injections, bytes, tokens, memory_tokens| Total { injections, bytes, tokens, memory_tokens };
    assert_eq!(ledger.whole(), total(4, 16, 9, 7));
    assert_eq!(ledger.turns(), [("one", total(3, 11, 4, 7)), ("two", total(1, 5, 5, 0))]);
    assert_eq!(ledger.contexts(), [(0, total(3, 15, 8, 7)), (1, total(1, 1, 1, 0))]);
}

#[test]
fn a_text_is_known_to_its_hook_in_its_context_by_what_it_says_or_by_its_key() {
    let shelf = Shelf::new();
    let now = moment("t", 0);
    let keyed = |text: &str| Injection { key: Some("status".to_owned()), ..Injection::text(text) };
    let long = |digest| Injection {
        form: Form::Beginning(Shortened { bytes: 20_000, digest, all: WholeText::At(format!("/{digest}")) }),
        ..Injection::text("the same beginning")
    };
    let entry = |injection: Injection| LedgerEntry { injection, ..given("a", "") };
    shelf.enter(&now, &[given("a", "x"), entry(keyed("at 12:00")), entry(long(1))]);
    assert_eq!(shelf.known(&now, "a", &Injection::text("x")), (true, true));
    assert_eq!(shelf.known(&now, "a", &keyed("at 12:01")), (true, true));
    assert_eq!(shelf.known(&now, "a", &long(1)), (true, true));
    assert_eq!(shelf.known(&now, "a", &long(2)), (false, false));
    assert_eq!(shelf.known(&now, "a", &Injection::text("status")), (false, false));
    // Another hook that has said nothing yet would only say it once more; a key is its hook's own.
    assert_eq!(shelf.known(&now, "b", &Injection::text("x")), (false, true));
    assert_eq!(shelf.known(&now, "b", &keyed("at 12:00")), (false, false));
    assert_eq!(shelf.known(&moment("t", 1), "a", &Injection::text("x")), (false, false));
    let of_subagent = ContextId { generation: 0, agent_id: Some("reviewer".to_owned()) };
    let elsewhere = Moment { context: of_subagent, ..now.clone() };
    assert_eq!(shelf.known(&elsewhere, "a", &Injection::text("x")), (false, false));
    shelf.enter(&moment("u", 0), &[given("a", "y")]);
    assert_eq!(shelf.known(&now, "a", &Injection::text("x")), (true, false));
}

/// What each of these says, one event after the other; a text that is a repeat is left out.
#[test]
fn repeats_are_told_by_the_last_text_of_a_hook() {
    for (said, expected) in [
        (&[("a", "clean"), ("a", "dirty"), ("a", "clean")][..], &[true, true, true][..]),
        (&[("a", "clean"), ("a", "clean"), ("a", "dirty"), ("a", "clean")], &[true, false, true, true]),
        (&[("a", "x"), ("b", "x"), ("a", "x"), ("b", "x")], &[true, false, false, false]),
        // What a hook has said since is its own state; what another one says does not hide that it is back.
        (&[("a", "x"), ("b", "x"), ("b", "y"), ("b", "x")], &[true, false, true, true]),
        (&[("a", "x"), ("b", "x"), ("a", "y"), ("a", "x")], &[true, false, true, true]),
        (&[("a", "x"), ("a", "y"), ("b", "x")], &[true, true, true]),
        (&[("a", "x"), ("b", "y"), ("a", "x"), ("b", "y")], &[true, true, false, false]),
    ] {
        let shelf = Shelf::new();
        for (at, ((by, text), new)) in said.iter().zip(expected).enumerate() {
            let now = moment(&at.to_string(), 0);
            let is_repeat = shelf.known(&now, by, &Injection::text(*text)).1;
            assert_eq!(!is_repeat, *new, "{at} of {said:?}");
            let fate = if is_repeat { Fate::LeftOut } else { Fate::Given };
            shelf.enter(&now, &[LedgerEntry { fate, ..given(by, text) }]);
        }
        assert!(!shelf.known(&moment("x", 1), said[0].0, &Injection::text(said[0].1)).1, "a new context");
    }
}

/// Of two reports in a row only the second counts, also if it was left out; of two hooks at one event both count.
#[test]
fn a_left_out_text_is_what_its_hook_said_last() {
    let left_out = |by: &str, text: &str| LedgerEntry { fate: Fate::LeftOut, ..given(by, text) };
    let shelf = Shelf::new();
    let now = moment("t", 0);
    shelf.enter(&now, &[given("a", "x"), given("a", "y")]);
    shelf.enter(&now, &[left_out("a", "x")]);
    assert_eq!(shelf.known(&now, "a", &Injection::text("y")), (true, false));
    shelf.enter(&now, &[given("a", "z"), left_out("b", "z")]);
    assert_eq!(shelf.known(&now, "b", &Injection::text("z")), (false, true));
    // What nobody got is not known by being left out elsewhere.
    let cut = LedgerEntry { fate: Fate::Cut, ..given("a", "long") };
    shelf.enter(&now, &[cut, left_out("c", "long")]);
    assert_eq!(shelf.known(&now, "c", &Injection::text("long")), (false, false));
}

#[test]
fn what_never_reached_the_agent_is_in_the_ledger_and_not_in_the_context() {
    let shelf = Shelf::new();
    let now = moment("t", 0);
    for fate in Fate::ALL.into_iter().filter(|fate| !fate.reached_the_agent()) {
        shelf.enter(&now, &[LedgerEntry { fate, bytes: 0, tokens: 0, ..given("a", "x") }]);
        assert_eq!(shelf.known(&now, "a", &Injection::text("x")), (false, false), "{fate:?}");
    }
    let fates: Vec<String> = shelf.ledger().lines.into_iter().map(|line| line.fate).collect();
    assert_eq!(fates, ["left out", "rejected", "over budget", "carried", "unheard"]);
    assert_eq!(shelf.ledger().whole(), Total::default());
}

#[test]
fn a_line_says_all_there_is_to_know() {
    let shelf = Shelf::new();
    let injection = Injection {
        role: Role::User,
        strategy: Strategy::ToolResult,
        ephemeral: true,
        key: Some("k".to_owned()),
        ..Injection::text("ä\n")
    };
    let entry = LedgerEntry { injection, fate: Fate::Line, bytes: 41, tokens: 11, ..given("lint", "") };
    shelf.enter(&moment("our 2", 3), &[entry]);
    let folder = std::fs::read_dir(shelf.1.path().join("sessions")).unwrap().next().unwrap().unwrap();
    let line = std::fs::read_to_string(folder.path().join("ledger/entries")).unwrap();
    let expected = r#"{"v":1,"timestamp":"1970-01-01T00:00:00.000Z","turn":"our 2","context":3,"event":"tool:post","hook":"user/lint","role":"system","requested_role":"user","strategy":"tool_result","ephemeral":true,"fund":"hooks","fate":"one line","said":3,"bytes":41,"tokens":11,"sha256":"fa01eaef8962a20f52e637a5baeb33d8cc1744dcc291465411e7f367827e6074","key":"k"}"#;
    assert_eq!(line.trim_end(), expected);
}

#[test]
fn half_a_line_is_passed_over_and_nothing_is_lost_behind_it() {
    let shelf = Shelf::new();
    shelf.enter(&moment("t", 0), &[given("a", "one")]);
    let folder = std::fs::read_dir(shelf.1.path().join("sessions")).unwrap().next().unwrap().unwrap();
    let entries = folder.path().join("ledger/entries");
    let whole = std::fs::read_to_string(&entries).unwrap();
    std::fs::write(&entries, format!("{whole}{{\"v\":1,\"turn\":\"t")).unwrap();
    shelf.enter(&moment("t", 0), &[given("a", "two")]);
    let ledger = shelf.ledger();
    assert_eq!((ledger.lines.len(), ledger.unreadable), (2, 1));
    assert_eq!(shelf.spent(&moment("t", 0)).turn, 6);
}

/// Each of many at once sees what the others have spent, and of the same text exactly one is the first.
#[test]
fn twenty_at_once_agree_on_what_was_spent_and_said() {
    let shelf = Shelf::new();
    let barrier = Barrier::new(20);
    let seen: Vec<(u64, bool)> = thread::scope(|scope| {
        let one = || {
            barrier.wait();
            let page = shelf.0.open_ledger(&session(), &moment("t", 0)).unwrap();
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
    assert_eq!(shelf.ledger().whole().tokens, 20);
}
