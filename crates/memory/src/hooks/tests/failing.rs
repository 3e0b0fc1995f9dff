//! What an agent is warned by when something fails while nothing is tracked.

use tenter_contract::SessionId;
use tenter_ghap::{Resolution, Status, Who};

use super::{FOOTER, Fixture, HOUR, effects, injected_text, injections, start};

#[test]
fn a_failure_while_nothing_is_tracked_comes_once_with_what_went_wrong_before() {
    let fixture = Fixture::new();
    let report = fixture.run(&fixture.failed("s1"));
    let advice = "Consider starting a GHAP entry (a tracked hypothesis: goal, hypothesis, action, prediction) to track your debugging approach.";
    assert_eq!(injected_text(&report), format!("Test FAILED.\n\n{advice}"), "nothing went wrong before");

    let who = Who::new(SessionId::parse("s0").unwrap());
    let memory = fixture.memory();
    memory
        .start_ghap(&who, Some(&fixture.project()), &start("Fix the logout", "the cookie is too old"))
        .unwrap();
    let end = Resolution {
        surprise: Some("A new cookie fails too".to_owned()),
        root_cause: Some(("wrong-scope".to_owned(), "The proxy strips it".to_owned())),
        lesson: Some(("Ask the proxy first".to_owned(), None)),
        ..Resolution::new(Status::Falsified, "the test still fails")
    };
    let id = memory.resolve_ghap(&who, &end).unwrap().entry.id;
    let report = fixture.run(&fixture.failed("s2"));
    let [warning, asks] = injections(&report)[..] else { panic!("{:?}", injected_text(&report)) };
    assert_eq!(
        warning.content,
        format!(
            "Test FAILED.\n\n## Premortem: What went wrong before in debugging\n\n\
             ### Common Failures\n- Fix the logout: it was not \"the cookie is too old\" [1: {id}]\n\n\
             ### Unexpected Outcomes\n- A new cookie fails too [1]\n\n\
             ### Root Causes\n- wrong-scope: The proxy strips it [1]\n\n\
             ### What Helped\n- Ask the proxy first [1]\n\n{FOOTER}"
        )
    );
    assert_eq!((warning.foreign.as_deref(), asks.foreign.as_deref()), (Some("memory"), None));
    assert_eq!(asks.content, advice);
    assert_eq!(effects(&fixture.run(&fixture.failed("s2"))), [], "once in a cycle");
}

#[test]
fn a_failure_comes_with_what_is_about_it_or_with_the_latest_two() {
    let fixture = Fixture::new();
    for goal in [
        "Keep the session cookie after the login",
        "Let the cache forget keys that expire",
        "Round prices of the invoice to cents",
        "Draw the map of Bavaria",
        "Send parcels by post",
    ] {
        fixture.falsify("s0", goal);
        fixture.later(HOUR);
    }
    let cookie = "E       ValueError: the cookie is empty\nFAILED test_login.py::test_login_keeps_the_cookie";
    let cache = "FAILED test_cache.py::test_expired_keys_are_forgotten - AssertionError: cache has 1 key";
    let other = "FAILED test_zip.py::test_archive - ValueError: not a zip archive";
    for (printed, expected) in [
        (cookie, vec!["Keep the session cookie after the login"]),
        (cache, vec!["Let the cache forget keys that expire"]),
        (other, vec!["Send parcels by post", "Draw the map of Bavaria"]),
    ] {
        let text = injected_text(&fixture.run(&fixture.failed_with(printed, printed)));
        let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
        let failed: Vec<&str> = lines.filter_map(|line| Some(line.split_once(": it was not")?.0)).collect();
        assert_eq!(failed, expected, "{printed}: {text}");
        let ids = text.matches("ghap_").count();
        assert_eq!(ids, expected.len(), "each id stands once: {text}");
    }
}

#[test]
fn own_new_lesson_is_not_repeated() {
    let fixture = Fixture::new();
    fixture.falsify("s1", "Keep the session cookie after the login");
    let cookie = "E       ValueError: the cookie is empty\nFAILED test_login.py::test_login_keeps_the_cookie";
    assert!(!injected_text(&fixture.run(&fixture.failed_with("s1", cookie))).contains("Premortem"));
    assert!(
        injected_text(&fixture.run(&fixture.failed_with("s2", cookie))).contains("Keep the session cookie")
    );
}

#[test]
fn repeated_failure_points_at_the_first_text() {
    let fixture = Fixture::new();
    fixture.falsify("s0", "Keep the session cookie after the login");
    fixture.run(&fixture.started("s1", "startup"));
    let cookie = "E       ValueError: the cookie is empty\nFAILED test_login.py::test_login_keeps_the_cookie";
    let text = injected_text(&fixture.run(&fixture.failed_with("s1", cookie)));
    let expected = format!(
        "Test FAILED.\n\n## Premortem: What went wrong before in debugging\n\n\
         ### Shown at the start of this session, and relevant here\n\
         - Keep the session cookie after the login\n  \
         Surprise: Surprised: Keep the session cookie after the login\n  \
         Root cause: Reason: Keep the session cookie after the login\n\n{FOOTER}\n---\n\
         Consider starting a GHAP entry (a tracked hypothesis: goal, hypothesis, action, prediction) to track your debugging approach."
    );
    assert_eq!(text, expected);
}
