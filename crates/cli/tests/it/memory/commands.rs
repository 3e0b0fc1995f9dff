//! The output of the memory commands, as snapshots.

use crate::placeholders::steady;
use crate::world::World;

/// Commands typed one after another, and what came of each. Ids are replaced by the order in which they came.
struct Dialogue {
    world: World,
    ids: Vec<String>,
    text: String,
}

impl Dialogue {
    fn new() -> Self {
        Self { world: World::new(), ids: Vec::new(), text: String::new() }
    }

    /// Types a command; `{0}` is the first id that was printed, and so on.
    fn says(mut self, arguments: &[&str]) -> Self {
        let filled: Vec<String> = arguments.iter().map(|argument| self.filled(argument)).collect();
        let filled: Vec<&str> = filled.iter().map(String::as_str).collect();
        let ran = self.world.tenter(&filled).run();
        let stderr = if ran.stderr.is_empty() { String::new() } else { format!("(stderr)\n{}", ran.stderr) };
        let code = ran.code.unwrap();
        let shown = format!("$ tenter {}\n{}{stderr}(exit code {code})\n", arguments.join(" "), ran.stdout);
        let shown = self.numbered(&steady(&shown, &self.world));
        self.text.push_str(&shown);
        self
    }

    fn filled(&self, argument: &str) -> String {
        let ids = self.ids.iter().enumerate();
        ids.fold(argument.to_owned(), |text, (number, id)| text.replace(&format!("{{{number}}}"), id))
    }

    fn numbered(&mut self, text: &str) -> String {
        let pattern = regex_lite::Regex::new(r"\b(?:mem|ghap|journal)_\d{8}_\d{6}_[0-9a-f]{6}\b").unwrap();
        let mut text = text.to_owned();
        for found in pattern.find_iter(&text.clone()) {
            let id = found.as_str().to_owned();
            if !self.ids.contains(&id) {
                self.ids.push(id);
            }
        }
        for (number, id) in self.ids.iter().enumerate() {
            text = text.replace(id, &format!("{{{number}}}"));
        }
        let times = regex_lite::Regex::new(r"\b\d{4}-\d{2}-\d{2} \d{2}:\d{2}\b").unwrap();
        let sizes = regex_lite::Regex::new(r"\b\d+ (kB|MB|bytes)\b").unwrap();
        let text = times.replace_all(&text, "0000-00-00 00:00").into_owned();
        sizes.replace_all(&text, "0 kB").into_owned()
    }
}

#[test]
fn memory_is_stored_found_corrected_and_forgotten() {
    let dialogue = Dialogue::new()
        .says(&["memory", "list"])
        .says(&["memory", "search", "tabs"])
        .says(&["memory", "add", "Ann", "wants", "tabs", "--category", "preference", "--tag", "style"])
        .says(&["memory", "add", "The token is <private>hunter2</private> of course", "--global"])
        .says(&["memory", "list"])
        .says(&["memory", "search", "who wants tabs"])
        .says(&["memory", "add", "Ann wants spaces now", "--category", "preference", "--instead-of", "{0}"])
        .says(&["memory", "search", "tabs"])
        .says(&["memory", "show", "{2}"])
        .says(&["memory", "forget", "{2}"])
        .says(&["memory", "forget", "{2}", "--yes"])
        .says(&["memory", "show", "{2}"])
        .says(&["memory", "forget", "nothing", "--yes"])
        .says(&["memory", "list", "--journal"])
        .says(&["memory", "stats"]);
    insta::assert_snapshot!(dialogue.text);
}

#[test]
fn prediction_is_revised_and_resolved() {
    let start = [
        "ghap",
        "start",
        "--domain",
        "debugging",
        "--strategy",
        "read-the-error",
        "--goal",
        "Fix the flaky test",
        "--hypothesis",
        "The timeout is too short",
        "--action",
        "Raise it",
        "--prediction",
        "The test passes",
    ];
    let dialogue = Dialogue::new()
        .says(&["ghap", "show"])
        .says(&["ghap", "resolve", "confirmed", "--result", "It passes"])
        .says(&start)
        .says(&start)
        .says(&["ghap", "update", "--hypothesis", "The tests share a user", "--note", "Only in parallel"])
        .says(&["ghap", "update"])
        .says(&["ghap", "show"])
        .says(&["ghap", "resolve", "falsified", "--result", "It still fails in parallel"])
        .says(&[
            "ghap",
            "resolve",
            "falsified",
            "--result",
            "It still fails in parallel",
            "--surprise",
            "Time does not matter",
            "--cause",
            "test-isolation",
            "--because",
            "One user for all",
            "--worked",
            "A user for each",
            "--takeaway",
            "Isolate before you wait",
        ])
        .says(&["ghap", "list"])
        .says(&["ghap", "show", "{0}"])
        .says(&["memory", "search", "flaky"])
        .says(&["ghap", "abandon", "No time"])
        .says(&["ghap", "adopt"])
        .says(&["ghap", "list", "--outcome", "won"]);
    insta::assert_snapshot!(dialogue.text);
}

#[test]
fn tools_are_listed_and_called() {
    let dialogue = Dialogue::new()
        .says(&["mcp", "tools"])
        .says(&["mcp", "call", "list_memories"])
        .says(&["mcp", "call", "list_memories", "{\"limit\": 0}"])
        .says(&["mcp", "call", "list_memory"])
        .says(&["mcp", "call", "ping", "[]"]);
    insta::assert_snapshot!(dialogue.text);
}
