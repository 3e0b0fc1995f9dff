//! Memories move to another machine by export and import.

use crate::world::World;

fn json(world: &World, arguments: &[&str]) -> serde_json::Value {
    let ran = world.tenter(arguments).run();
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn export_and_import_keep_everything() {
    let world = World::new();
    let add = |text: &str, more: &[&str]| json(&world, &[&["memory", "add", text, "--json"], more].concat());
    add("Ann wants tabs", &["--category", "preference", "--tag", "style", "--global"]);
    add("The build needs Rust 1.95", &[]);
    json(
        &world,
        &[
            "ghap",
            "start",
            "--json",
            "--domain",
            "testing",
            "--strategy",
            "ask-user",
            "--goal",
            "A green build",
            "--hypothesis",
            "The cache is stale",
            "--action",
            "Clear it",
            "--prediction",
            "It is green",
        ],
    );
    json(&world, &["ghap", "resolve", "confirmed", "--result", "It is green now", "--json"]);
    let file = world.home().join("memory.jsonl");
    let file = file.to_str().unwrap();
    assert_eq!(world.tenter(&["memory", "export", file]).run().code, Some(0));
    let again = world.tenter(&["memory", "export", file]).run();
    assert_eq!(again.code, Some(2), "a file that is there is not written over");

    let other = World::new();
    let exported = std::fs::read_to_string(file).unwrap();
    let copy = other.home().join("memory.jsonl");
    std::fs::write(&copy, &exported).unwrap();
    let copy = copy.to_str().unwrap();
    for (taken, known) in [(3, 0), (0, 3)] {
        let imported = json(&other, &["memory", "import", copy, "--json"]);
        assert_eq!(imported["taken"], taken);
        assert_eq!(imported["known"], known);
        assert_eq!(imported["refused"], serde_json::json!([]));
        assert_eq!(imported["lowered"], 0);
    }
    assert_eq!(other.tenter(&["memory", "export", "--all-projects"]).run().stdout, exported);
    // What is about every project is found in the other one too.
    let found = json(&other, &["memory", "search", "tabs", "--json"]);
    assert_eq!(found["memories"][0]["memory"]["tags"][0], "style", "{found}");
}

#[test]
fn memories_survive_a_new_git_origin() {
    let world = World::new();
    let git = world.project().join(".git");
    std::fs::create_dir_all(&git).unwrap();
    let start = "ghap start --json --domain testing --strategy ask-user --goal G --hypothesis H --action A --prediction P";
    json(&world, &["memory", "add", "The build needs Rust", "--json"]);
    json(&world, &start.split(' ').collect::<Vec<_>>());
    std::fs::write(git.join("config"), "[remote \"origin\"]\n\turl = git@example.com:ann/shop.git\n")
        .unwrap();
    let found = json(&world, &["memory", "search", "rust", "--json"]);
    assert_eq!(found["memories"].as_array().unwrap().len(), 1, "{found}");
    json(&world, &["ghap", "resolve", "confirmed", "--result", "It came true after all", "--json"]);
    let listed = json(&world, &["ghap", "list", "--json"]);
    assert_eq!(listed["entries"][0]["goal"], "G", "{listed}");
    // Elsewhere nothing is known of it, and that is said with what to type.
    let other = world.home().join("elsewhere");
    std::fs::create_dir(&other).unwrap();
    let ran =
        world.sh(&format!("cd '{}' && {} memory search rust", other.display(), env!("CARGO_BIN_EXE_tenter")));
    let reported = "; 1 in another project is about it: `--all-projects` shows it\n";
    assert!(ran.stdout.contains(reported), "{}", ran.stdout);
    let projects = json(&world, &["memory", "projects", "--json"]);
    let here = projects["projects"].as_array().unwrap().iter().filter(|project| project["here"] == true);
    assert_eq!(here.count(), projects["projects"].as_array().unwrap().len(), "{projects}");
}

#[test]
fn import_prints_the_command_to_adopt_memories() {
    let there = World::new();
    json(&there, &["memory", "add", "The build needs Rust", "--json"]);
    let lines = there.tenter(&["memory", "export"]).run().stdout;
    let here = World::new();
    let ran = here.tenter(&["memory", "import", "-"]).stdin(&lines).run();
    let reported = ran.stdout.lines().nth(1).unwrap();
    let command = reported.split('`').nth(1).unwrap().strip_prefix("tenter ").unwrap();
    assert_eq!(json(&here, &["memory", "search", "rust", "--json"])["memories"], serde_json::json!([]));
    let arguments: Vec<&str> = command.split(' ').collect();
    assert_eq!(here.tenter(&arguments).run().code, Some(0), "{command}");
    let found = json(&here, &["memory", "search", "rust", "--json"]);
    assert_eq!(found["memories"].as_array().unwrap().len(), 1, "{found}");
    // Forgotten here, it does not come back by itself.
    let id = found["memories"][0]["memory"]["id"].as_str().unwrap().to_owned();
    json(&here, &["memory", "forget", &id, "--yes", "--json"]);
    let ran = here.tenter(&["memory", "import", "-"]).stdin(&lines).run();
    assert!(ran.stdout.contains("1 forgotten here and left out; `--with-forgotten`"), "{}", ran.stdout);
    let import = ["memory", "import", "-", "--with-forgotten", "--project", "here", "--json"];
    let ran = here.tenter(&import).stdin(&lines).run();
    assert!(ran.stdout.starts_with("{\"taken\":1,"), "{}", ran.stdout);
}

#[test]
fn imported_journal_becomes_experiences() {
    let world = World::new();
    let folder = world.home().join("journal/archive");
    std::fs::create_dir_all(&folder).unwrap();
    let entry = |id: &str, outcome: &str| {
        format!(
            r#"{{"id": "{id}", "session_id": "session_20251203_140000_abc123", "created_at": "2025-12-03T14:00:00+00:00", "domain": "debugging", "strategy": "read-the-error", "goal": "Fix the auth timeout", "hypothesis": "h", "action": "a", "prediction": "p", "history": [], "iteration_count": 1, "outcome": {outcome}, "surprise": null, "root_cause": null, "lesson": {{"what_worked": "a fresh database", "takeaway": null}}, "confidence_tier": "silver", "notes": []}}"#
        )
    };
    let resolved = r#"{"status": "confirmed", "result": "it passes", "captured_at": "2025-12-03T15:00:00Z", "auto_captured": false}"#;
    let text = format!("{}\n{}\nnot json\n", entry("ghap_1", resolved), entry("ghap_2", "null"));
    std::fs::write(folder.join("2025-12-03_session.jsonl"), text).unwrap();
    std::fs::write(world.home().join("journal/current_ghap.json"), "{}").unwrap();
    let folder = world.home().join("journal");
    let ran = world.tenter(&["memory", "import", folder.to_str().unwrap()]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "imported: 1 new, 0 there already\n"));
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    let found = json(&world, &["ghap", "list", "--json"]);
    assert_eq!(found["entries"][0]["id"], "ghap_1");
    assert_eq!(found["entries"][0]["project"], world.project().canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn invalid_export_is_one_error_with_hint() {
    let world = World::new();
    json(&world, &["memory", "add", "Ann wants tabs", "--json"]);
    let place = world.state().join("tenter/memory");
    let copy = world.home().join("copy");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(place.join("memory.db"), copy.join("memory.db")).unwrap();
    let text = world.home().join("notes.md");
    std::fs::write(&text, "# Notes\n\nAnn wants tabs\n".repeat(40)).unwrap();
    let put_back = format!("cd {} && rm -f", place.display());
    for (given, said) in [
        (copy.join("memory.db"), ["it is a database", &put_back]),
        (copy.clone(), ["it is a database", "/copy/memory.db memory.db`"]),
        (place.join("memory.db"), ["it is the memory that is in use", "nothing to import"]),
        (place.clone(), ["it is the memory that is in use", "`tenter memory stats`"]),
        (text, ["nothing was taken over of its 80 lines", "`tenter memory export` wrote"]),
    ] {
        let ran = world.tenter(&["memory", "import", given.to_str().unwrap()]).run();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(said.iter().all(|said| ran.stderr.contains(said)), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    }
    let export = world.tenter(&["memory", "export"]).run().stdout;
    let mixed = world.home().join("mixed.jsonl");
    std::fs::write(&mixed, export + &"no line\n".repeat(5)).unwrap();
    let ran = world.tenter(&["memory", "import", mixed.to_str().unwrap()]).run();
    assert_eq!(ran.stderr.lines().count(), 4, "{}", ran.stderr);
    assert!(ran.stderr.ends_with("and 2 more lines left out; `--json` lists all\n"), "{}", ran.stderr);
}
