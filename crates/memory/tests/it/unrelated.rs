//! A prompt that nothing stored helps with gets nothing, however much is stored.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use tenter_contract::Timestamp;
use tenter_contract::ports::Clock;
use tenter_memory::{ContextRequest, Depth, Means, Memory, Occasion, Project, Scope, StaticModel};
use tenter_store::StateFolder;

const STORED: [&str; 2] =
    [include_str!("../../evaluation/distractors.tsv"), include_str!("../../evaluation/paraphrases.tsv")];
const PROMPTS: &str = include_str!("../../evaluation/unrelated.txt");

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(1_790_000_000_000)
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

#[test]
fn of_five_hundred_unrelated_prompts_at_most_one_in_twenty_gets_anything() {
    let home = tempfile::tempdir().unwrap();
    let means = Means { clock: Arc::new(Still), embedder: Arc::new(StaticModel), secrets: Vec::new() };
    let memory = Memory::open(StateFolder::new(home.path().to_owned()), means);
    let project = Project::named("github.com/ann/shop");
    let mut journal = String::new();
    for (number, line) in STORED.iter().flat_map(|set| lines(set)).enumerate() {
        let text = line.split('\t').nth(1).unwrap();
        let entry = json!({
            "id": format!("ghap_20260101_000000_{number:06x}"), "session_id": "s", "created_at": "2026-01-01T00:00:00Z",
            "domain": "debugging", "strategy": "read-the-error", "goal": text, "hypothesis": "–",
            "action": "–", "prediction": "–", "confidence_tier": "gold",
            "outcome": { "status": "confirmed", "result": "–", "captured_at": "2026-01-01T00:00:00Z" },
        });
        writeln!(journal, "{entry}").unwrap();
    }
    let imported = memory.import(&mut journal.as_bytes(), Some(&project)).unwrap();
    assert!(imported.taken > 1_600, "{imported:?}");

    let answered = |prompt: &str| {
        let new = ContextRequest::new(prompt, Depth::Rich, Scope::Project(project.clone()));
        let request = ContextRequest { occasion: Occasion::Unasked, ..new };
        !memory.assemble_context(&request).unwrap().markdown.is_empty()
    };
    let all: Vec<&str> = lines(PROMPTS).collect();
    let told: Vec<&&str> = all.iter().filter(|prompt| answered(prompt)).collect();
    assert!(all.len() >= 500 && told.len() * 20 <= all.len(), "{} of {}: {told:#?}", told.len(), all.len());

    // And it is not silent altogether: what is asked in the words it was stored with is answered.
    let stored: Vec<&str> = lines(STORED[1]).filter_map(|line| line.split('\t').nth(1)).collect();
    let found = stored.iter().filter(|text| answered(text)).count();
    assert!(found * 10 >= stored.len() * 9, "{found} of {} get anything", stored.len());
}
