//! What is stored is found, by words, by meaning, by both; and what is not asked for is not.

use crate::support::{World, ann, goals, shop, start};
use proptest::prelude::*;
use tenter_ghap::{Domain, Resolution, Start, Status};
use tenter_memory::{Axis, EntryFilter, ExperienceHit, ExperienceQuery, Project, Scope, SearchMode};

fn everywhere(text: &str) -> ExperienceQuery {
    ExperienceQuery::new(text, Scope::Everywhere)
}

#[test]
fn each_mode_finds_what_it_can() {
    let world = World::new();
    world.learn("Repair the car", "The engine is cold");
    world.learn("Water the garden", "The soil is dry");
    let found = |text: &str, mode| goals(&world.memory, &ExperienceQuery { mode, ..everywhere(text) });
    assert_eq!(found("cars", SearchMode::Keyword), ["Repair the car"], "by its stem");
    assert_eq!(found("vehicle", SearchMode::Keyword), Vec::<String>::new());
    assert_eq!(found("vehicle", SearchMode::Semantic)[0], "Repair the car", "by its meaning");
    assert_eq!(found("vehicle engine", SearchMode::Hybrid)[0], "Repair the car");
    assert_eq!(found("garden", SearchMode::Hybrid)[0], "Water the garden");
}

#[test]
fn a_question_about_something_else_finds_nothing_by_words() {
    let world = World::new();
    world.learn("Repair the car", "The engine is cold");
    let query = ExperienceQuery { mode: SearchMode::Keyword, ..everywhere("the is a what") };
    let hits = world.memory.search_experiences(&query).unwrap();
    assert!(hits.iter().all(|hit| hit.fit.bm25.is_some()));
    assert_eq!(
        goals(&world.memory, &ExperienceQuery { text: "quantum".to_owned(), ..query }),
        Vec::<String>::new()
    );
}

#[test]
fn results_are_filtered_before_they_are_counted() {
    let world = World::new();
    for number in 0..30 {
        world.learn(&format!("Repair the car number {number}"), &format!("Hypothesis {number}"));
    }
    let start = Start { domain: Domain::Security, ..start("Repair the car lock") };
    world.memory.start_ghap(&ann(), Some(&Project::named("garage")), &start).unwrap();
    world.memory.resolve_ghap(&ann(), &Resolution::new(Status::Abandoned, "No time left")).unwrap();
    for query in [
        ExperienceQuery { domain: Some(Domain::Security), limit: 3, ..everywhere("repair car") },
        ExperienceQuery { outcome: Some(Status::Abandoned), limit: 3, ..everywhere("repair car") },
        ExperienceQuery {
            limit: 3,
            ..ExperienceQuery::new("repair car", Scope::Project(Project::named("garage")))
        },
        ExperienceQuery { domain: Some(Domain::Security), ..everywhere("") },
    ] {
        assert_eq!(goals(&world.memory, &query), ["Repair the car lock"], "{query:?}");
    }
}

#[test]
fn what_belongs_to_no_project_is_found_in_each() {
    let world = World::new();
    world.learn_in(None, "Repair the car", "Everywhere");
    assert_eq!(
        goals(&world.memory, &ExperienceQuery::new("repair car", Scope::Project(shop()))),
        ["Repair the car"]
    );
}

#[test]
fn only_what_was_wrong_has_a_surprise_and_a_root_cause() {
    let world = World::new();
    world.learn("Repair the car", "The engine is cold");
    world.memory.start_ghap(&ann(), Some(&shop()), &start("Repair the bicycle")).unwrap();
    let resolution = Resolution {
        surprise: Some("The chain was frozen".to_owned()),
        root_cause: Some(("environment-issue".to_owned(), "Winter in the shed".to_owned())),
        ..Resolution::new(Status::Falsified, "It did not move")
    };
    world.memory.resolve_ghap(&ann(), &resolution).unwrap();
    for (axis, text, expected) in [
        (Axis::Surprise, "frozen chain", vec!["Repair the bicycle"]),
        (Axis::RootCause, "winter shed", vec!["Repair the bicycle"]),
        (Axis::RootCause, "environment issue", vec!["Repair the bicycle"]),
        (Axis::Surprise, "engine", vec![]),
        (Axis::Strategy, "read the error car", vec!["Repair the car", "Repair the bicycle"]),
    ] {
        let query = ExperienceQuery { axis, mode: SearchMode::Keyword, ..everywhere(text) };
        assert_eq!(goals(&world.memory, &query), expected, "{axis} {text}");
    }
}

#[test]
fn the_same_said_twice_is_found_once() {
    let world = World::new();
    for _ in 0..3 {
        world.learn("Repair the car", "The engine is cold");
    }
    assert_eq!(world.found("repair car engine"), ["Repair the car"]);
}

#[test]
fn what_can_be_relied_upon_comes_first() {
    let world = World::new();
    for (goal, status) in
        [("Repair the car slowly", Status::Abandoned), ("Repair the car quickly", Status::Confirmed)]
    {
        world.memory.start_ghap(&ann(), None, &start(goal)).unwrap();
        world.memory.resolve_ghap(&ann(), &Resolution::new(status, "It came out so")).unwrap();
    }
    assert_eq!(world.found("repair car"), ["Repair the car quickly", "Repair the car slowly"]);
    assert_eq!(world.found(" "), ["Repair the car quickly", "Repair the car slowly"]);
}

/// Sixteen hundred experiences, with these goals.
fn full(goal: impl Fn(usize) -> String) -> World {
    let world = World::new();
    let mut lines = String::new();
    for number in 0..1600 {
        lines += &serde_json::json!({
            "id": format!("ghap_20261116_160431_{number:06x}"), "session_id": "s", "created_at": "2026-11-01T00:00:00Z",
            "domain": "testing", "strategy": "ask-user", "goal": goal(number), "hypothesis": "h",
            "action": "a", "prediction": "p",
            "outcome": {"status": "confirmed", "result": "r", "captured_at": "2026-11-01T00:00:00Z"},
        })
        .to_string();
        lines.push('\n');
    }
    let imported = world.memory.import(&mut lines.as_bytes(), None).unwrap();
    assert_eq!((imported.taken, imported.refused.len()), (1600, 0));
    assert!(world.home.path().join("memory/words_full.cards").exists());
    world
}

#[test]
fn words_that_stand_everywhere_still_find_something() {
    let world = full(|number| format!("common {number}"));
    let keyword =
        |text: &str| goals(&world.memory, &ExperienceQuery { mode: SearchMode::Keyword, ..everywhere(text) });
    assert_eq!(keyword("common").len(), 10);
    assert_eq!(keyword("common 77"), ["common 77"]);
    // Behind the file of index rows, and after it has gone stale.
    world.learn("Repair the car", "The engine is cold");
    assert_eq!(keyword("repair"), ["Repair the car"]);
    world.memory.forget("ghap_20261116_160431_00004d").unwrap();
    assert_eq!(keyword("77"), Vec::<String>::new());
    assert_eq!(keyword("common 78"), ["common 78"]);
    std::fs::remove_file(world.home.path().join("memory/words_full.cards")).unwrap();
    assert_eq!(goals(&world.again(), &everywhere("repair car"))[0], "Repair the car");
    std::fs::write(world.home.path().join("memory/words_full.cards"), b"tentercd garbage").unwrap();
    assert_eq!(goals(&world.again(), &everywhere("repair car"))[0], "Repair the car");
}

/// No process checks each byte of the file when something is asked.
#[test]
fn a_file_in_which_bytes_were_changed_is_made_again_by_repair_and_reindex() {
    let world = full(|number| format!("Repair the door of car {number}"));
    goals(&world.memory, &everywhere("repair car"));
    let cards = world.home.path().join("memory/words_full.cards");
    let whole = std::fs::read(&cards).unwrap();
    let ways: [fn(&World); 2] = [
        |world| assert!(world.again().repair().is_ok()),
        |world| assert_eq!(world.again().reindex(&mut |_, _| {}).ok(), Some(0)),
    ];
    for way in ways {
        let mut damaged = whole.clone();
        damaged.iter_mut().skip(whole.len() / 2).step_by(7).for_each(|byte| *byte = !*byte);
        std::fs::write(&cards, &damaged).unwrap();
        way(&world);
        assert!(std::fs::read(&cards).unwrap() == whole);
    }
}

/// The file knows which words are common, so that no one counts them; without it they are counted.
#[test]
fn common_words_count_the_same_whether_they_were_counted_before_or_not() {
    // `tests` is common only together with `test`, `caches` in its own right too, and `größe` is not checked.
    let world = full(|number| {
        let test = if number % 2 == 0 { "test" } else { "tests" };
        let cache = if number < 1200 { "Caches" } else { "cache" };
        format!("{test} the {cache} of größe {}, part {number}", number % 7)
    });
    let cards = world.home.path().join("memory/words_full.cards");
    for text in
        ["caches of part 77", "the tests", "test caches größe", "CACHE 3 part 1300 tests", "cachés part 5"]
    {
        for mode in [SearchMode::Keyword, SearchMode::Hybrid] {
            let query = ExperienceQuery { mode, ..everywhere(text) };
            // A score falls with every millisecond; what it is made of does not.
            let found = || {
                let hits = world.again().search_experiences(&query).unwrap();
                let made_of = |hit: &ExperienceHit| (hit.entry.id.clone(), hit.fit.relevance, hit.fit.bm25);
                hits.iter().map(made_of).collect::<Vec<_>>()
            };
            let known = found();
            std::fs::remove_file(&cards).unwrap();
            assert_eq!(found(), known, "{text}");
            assert!(!known.is_empty(), "{text}");
            assert!(cards.exists(), "a search without a file writes one");
        }
    }
}

#[test]
fn recall_shows_only_outstanding_results() {
    let world =
        full(|number| format!("Repair the {} of car {number}", if number == 7 { "gearbox" } else { "door" }));
    let expected = vec!["Repair the gearbox of car 7".to_owned()];
    for (text, expected) in [("repair the gearbox of car 7", expected), ("what is the weather like", vec![])]
    {
        let unasked = ExperienceQuery { unasked: true, ..everywhere(text) };
        assert_eq!(goals(&world.memory, &unasked), expected, "{text}");
        assert!(goals(&world.memory, &everywhere(text)).len() > expected.len(), "{text}");
    }
}

#[test]
fn the_latest_work_is_that_of_the_project_and_of_none() {
    let world = World::new();
    let other = Project::named("other");
    for (project, goal) in [
        (Some(&shop()), "first of the shop"),
        (None, "of none"),
        (Some(&other), "of another"),
        (Some(&shop()), "second of the shop"),
    ] {
        world.learn_in(project, goal, "h");
    }
    let listed = |scope, limit| -> Vec<String> {
        let entries = world.memory.list_entries(&EntryFilter { limit, ..EntryFilter::new(scope) }).unwrap();
        entries.into_iter().map(|entry| entry.goal).collect()
    };
    let ours = ["second of the shop", "of none", "first of the shop"];
    for limit in 1..4 {
        assert_eq!(listed(Scope::Project(shop()), limit), ours[..limit]);
    }
    assert_eq!(listed(Scope::Everywhere, 2), ["second of the shop", "of another"]);
    let best = ExperienceQuery { limit: 2, ..ExperienceQuery::new("", Scope::Project(shop())) };
    assert_eq!(goals(&world.memory, &best), ours[..2]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_question_breaks_the_search(text in "(\\PC|[\"'*^:(){}<>-]| AND | OR | NOT | NEAR\\(|\n|\0){0,30}") {
        thread_local! {
            static WORLD: World = {
                let world = World::new();
                world.learn("Repair the car and or not near", "The engine is cold");
                world
            };
        }
        WORLD.with(|world| {
            for mode in [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid] {
                let query = ExperienceQuery { mode, ..everywhere(&text) };
                prop_assert!(world.memory.search_experiences(&query).is_ok());
            }
            Ok(())
        })?;
    }
}
