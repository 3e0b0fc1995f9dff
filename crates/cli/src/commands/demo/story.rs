//! Prints the agent's stream and checks that all parts of the demo happened.

use serde_json::Value;

use crate::listing::{indented, visible};
use crate::printer::{Printer, Tone};

/// The answer to every question.
pub(crate) const ANSWER: &str = "Deny";

/// The script ends with this if all its checks hold.
const LAST_WORDS: &str = "Production was not touched.";

#[derive(Default)]
pub(crate) struct Story {
    session: String,
    seen: Vec<Scene>,
    /// Text of the model that is not printed yet.
    words: String,
    last_words: String,
    exit_code: Option<u64>,
}

/// The parts of the demo, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scene {
    /// The context of `git-status` at the start.
    Begun,
    /// The linter's finding in the same turn.
    Found,
    /// The fixed file.
    Mended,
    /// A person denied a call.
    Denied,
    /// A rewritten command ran.
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
            // The approver's line has the full question.
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

    /// Returns the session if all parts happened in order, or an error message.
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
