//! A prompt that nothing stored helps with gets nothing, however much is stored.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use tenter_contract::Timestamp;
use tenter_contract::ports::Clock;
use tenter_memory::{ContextRequest, Depth, Memory, MemoryConfig, Occasion, Project, Scope, StaticModel};
use tenter_store::StateFolder;

const STORED: [&str; 2] =
    [include_str!("../../evaluation/distractors.tsv"), include_str!("../../evaluation/paraphrases.tsv")];
const PROMPTS: &str = include_str!("../../evaluation/unrelated.txt");
const EVERYDAY: &str = include_str!("../../evaluation/everyday.txt");

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(1_790_000_000_000)
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

/// A memory in which these texts are the goals of experiences.
struct Filled {
    memory: Memory,
    _home: tempfile::TempDir,
}

impl Filled {
    fn with<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let means = MemoryConfig {
            clock: Arc::new(Still),
            embedder: Arc::new(StaticModel::default()),
            secrets: Vec::new(),
        };
        let memory = Memory::open(StateFolder::new(home.path().to_owned()), means);
        let mut journal = String::new();
        for (number, text) in texts.enumerate() {
            let entry = json!({
                "id": format!("ghap_20260101_000000_{number:06x}"), "session_id": "s",
                "created_at": "2026-01-01T00:00:00Z", "domain": "debugging", "strategy": "read-the-error",
                "goal": text, "hypothesis": "–", "action": "–", "prediction": "–", "confidence_tier": "gold",
                "outcome": { "status": "confirmed", "result": "–", "captured_at": "2026-01-01T00:00:00Z" },
            });
            writeln!(journal, "{entry}").unwrap();
        }
        let imported = memory.import(&mut journal.as_bytes(), Some(&project())).unwrap();
        assert_eq!(imported.refused, []);
        Self { memory, _home: home }
    }

    fn tells(&self, prompt: &str) -> bool {
        let new = ContextRequest::new(prompt, Depth::Rich, Scope::Project(project()));
        let request = ContextRequest { occasion: Occasion::Unasked, ..new };
        !self.memory.assemble_context(&request).unwrap().markdown.is_empty()
    }

    /// The prompts that get anything.
    fn recalled<'a>(&self, prompts: &[&'a str]) -> Vec<&'a str> {
        prompts.iter().copied().filter(|prompt| self.tells(prompt)).collect()
    }
}

fn project() -> Project {
    Project::named("github.com/ann/shop")
}

#[test]
fn unrelated_prompts_rarely_get_context() {
    let stored = || STORED.iter().flat_map(|set| lines(set)).filter_map(|line| line.split('\t').nth(1));
    let full = Filled::with(stored());
    for prompts in [PROMPTS, EVERYDAY] {
        let all: Vec<&str> = lines(prompts).collect();
        let recalled = full.recalled(&all);
        assert!(recalled.len() * 20 <= all.len(), "{} of {}: {recalled:#?}", recalled.len(), all.len());
    }
    assert!(lines(PROMPTS).count() >= 500);

    // And it is not silent altogether: what is asked in the words it was stored with is answered.
    let paraphrased: Vec<&str> = lines(STORED[1]).filter_map(|line| line.split('\t').nth(1)).collect();
    let found = full.recalled(&paraphrased).len();
    assert!(found * 10 >= paraphrased.len() * 9, "{found} of {} get anything", paraphrased.len());
}

#[test]
fn single_lesson_matches_paraphrases_only() {
    let lesson = "Fix the flaky login test\nThe session cache is shared between tests; clear it before each";
    let one = Filled::with([lesson].into_iter());
    assert_eq!(one.recalled(&["add a login page", "test", "fix the test", "run the tests again"]), [""; 0]);
    let everyday: Vec<&str> = lines(EVERYDAY).collect();
    let recalled = one.recalled(&everyday);
    assert!(recalled.len() * 20 <= everyday.len(), "{recalled:#?}");
    for prompt in [
        "the login test fails now and then, why?",
        "our sign-in spec is unstable, it passes alone and fails in the suite",
    ] {
        assert!(one.tells(prompt), "{prompt}");
    }
}

#[test]
fn exact_goal_is_found_among_a_thousand() {
    let things = ["login form", "invoice export", "image upload", "search index", "mail queue"];
    let things =
        things.iter().chain(&["rate limiter", "audit log", "job scheduler", "cache layer", "backup"]);
    let places = ["gateway", "worker", "importer", "frontend", "billing service"];
    let places = places.iter().chain(&["admin panel", "mobile app", "desktop client", "pipeline", "cluster"]);
    let wrongs = ["times out", "runs twice", "drops messages", "leaks connections", "returns stale data"];
    let wrongs = wrongs.iter().chain(&["loses entries", "ignores limits", "grows", "hangs", "rejects input"]);
    let all = things.flat_map(|thing| places.clone().map(move |place| (thing, place)));
    let all = all.flat_map(|(thing, place)| wrongs.clone().map(move |wrong| (thing, place, wrong)));
    let goals: Vec<String> =
        all.map(|(thing, place, wrong)| format!("The {thing} in the {place} {wrong}")).collect();
    let alike = Filled::with(goals.iter().map(String::as_str));
    assert_eq!(goals.len(), 1000);
    for goal in goals.iter().step_by(37) {
        assert!(alike.tells(goal), "{goal}");
        let longer =
            format!("We spoke of it on Monday. {goal}; please look into it, and keep the change small.");
        assert!(alike.tells(&longer), "{longer}");
    }
    let everyday: Vec<&str> = lines(EVERYDAY).collect();
    let recalled = alike.recalled(&everyday);
    assert!(recalled.len() * 20 <= everyday.len(), "{recalled:#?}");
}

#[test]
fn a_name_in_a_short_prompt_is_enough_among_few() {
    let few = Filled::with(
        ["Ann wants tabs in Makefiles", "Deploys happen on Tuesdays", "Messages are plain English"]
            .into_iter(),
    );
    assert!(few.tells("Write a Makefile"));
    assert_eq!(few.recalled(&["Write a page", "Deploy it", "write a message"]), [""; 0]);
}
