//! What the agent's stream says, told to a person, and whether all of it happened.

use serde_json::Value;

use crate::listing::{indented, visible};
use crate::printer::{Printer, Tone};

/// What the person says to every question.
pub(crate) const ANSWER: &str = "Deny";

/// With this the script ends, if everything it was reported was as it expects.
const LAST_WORDS: &str = "Production was not touched.";

#[derive(Default)]
pub(crate) struct Story {
    session: String,
    seen: Vec<Scene>,
    /// What the model says comes in pieces, and is reported when something else comes.
    words: String,
    last_words: String,
    exit_code: Option<u64>,
}

/// What a demo must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scene {
    /// `git-status` at the beginning.
    Begun,
    /// The linter's finding, in the same turn.
    Found,
    /// The mended file, about which the linter says nothing.
    Mended,
    /// A person said no.
    Denied,
    /// Another command than the one the model wanted.
    Rewritten,
}

const ALL: [Scene; 5] = [Scene::Begun, Scene::Found, Scene::Mended, Scene::Denied, Scene::Rewritten];

impl Story {
    pub(crate) fn print(&mut self, line: &Value, printer: &Printer) {
        let text = |key: &str| line[key].as_str().unwrap_or_default();
        let show = |tone, label: &str, words: &str| {
            printer.line(indented(&format!("{} {}", printer.tone(tone, label), visible(words)), "   "));
        };
        if text("type") == "text" {
            self.words.push_str(text("text"));
            return;
        }
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            printer.gap();
            printer.line(visible(&words));
        }
        match text("type") {
            "session" => text("session").clone_into(&mut self.session),
            "context" => {
                let scene = if text("event") == "session:start" { Scene::Begun } else { Scene::Found };
                self.seen.push(scene);
                let when = if scene == Scene::Begun { "before the first prompt" } else { "in this turn" };
                let label = format!("+ {}: the model reads, {when}:", text("hook"));
                printer.line(indented(&printer.tone(Tone::Good, label), "   "));
                for words in text("text").trim_end().lines() {
                    printer.line(indented(&visible(words), "       "));
                }
            }
            "tool_call" => {
                let (name, about) = (text("name"), about(&line["input"]));
                show(Tone::Quiet, "▸", &format!("{name} {about}"));
                match name {
                    "Edit" => self.seen.push(Scene::Mended),
                    "Bash" if about.contains("--force-with-lease") => self.seen.push(Scene::Rewritten),
                    _ => {}
                }
            }
            // The approver's, which has all of it; the agent's own line names it only.
            "question" if line["question"].is_object() => {
                let question = line["question"]["prompt"].as_str().unwrap_or_default();
                show(Tone::Caution, "? a person is asked:", question);
                show(Tone::Caution, "! and says:", ANSWER);
            }
            "denied" => {
                if text("by") == "user" {
                    self.seen.push(Scene::Denied);
                }
                show(Tone::Bad, "✗ not run; the model reads:", text("reason"));
            }
            "message" => show(Tone::Quiet, "i the user reads:", text("text")),
            "done" => {
                text("text").clone_into(&mut self.last_words);
                self.exit_code = line["exit_code"].as_u64();
            }
            "error" => show(Tone::Bad, "✗", text("message")),
            _ => {}
        }
    }

    /// The session, if everything happened that should, in this order; else what is missing.
    pub(crate) fn check(self) -> Result<String, String> {
        if self.exit_code != Some(0) || !self.last_words.ends_with(LAST_WORDS) {
            return Err(format!("the agent ended with {:?}, saying: {}", self.exit_code, self.last_words));
        }
        if self.seen == ALL {
            return Ok(self.session);
        }
        Err(format!("this was to happen: {ALL:?}, and this did: {:?}", self.seen))
    }
}

fn about(input: &Value) -> String {
    let first = ["command", "file_path"].iter().find_map(|key| input[*key].as_str());
    first.unwrap_or_default().to_owned()
}
