//! The text of a new hook with comments, and the script or module that it runs.

use serde_json::json;
use tenter_config::edit::{EntryLine, NewEntry};
use tenter_contract::EventKind;

use crate::arguments::NewKind;

pub(crate) struct NewHook<'a> {
    pub(crate) name: &'a str,
    pub(crate) event: &'a str,
    pub(crate) kind: NewKind,
    /// Whether the event is about a tool, so that a matcher makes sense.
    pub(crate) about_a_tool: bool,
}

impl NewHook<'_> {
    pub(crate) fn entry(&self) -> NewEntry {
        let comment = |text: &str| EntryLine::Comment(text.to_owned());
        let mut lines = Vec::new();
        if self.about_a_tool {
            lines.push(comment(
                "Which tools: names with * and ?, several with |, or a kind such as shell, write, edit.",
            ));
            lines.push(EntryLine::key("matcher", "Bash"));
        }
        lines.push(comment(match self.kind {
            NewKind::Command => {
                "A line of shell. The event is on its stdin as JSON; exit code 2 denies, and stderr says why."
            }
            NewKind::Python => {
                "A function in a module next to this file: it is called with the event and returns its reply."
            }
            NewKind::Script => {
                "A program next to this file. The event is on its stdin as JSON, its reply on its stdout."
            }
            NewKind::Http if self.asks_for_text() => {
                "Asked by GET; its text goes to the agent. With `method: POST` it gets the event as JSON."
            }
            NewKind::Http => "Gets the event as JSON by POST and replies as a program would.",
            NewKind::Inject => "Put into the agent's context.",
            NewKind::Deny => "Reason that the agent gets instead of going on.",
            NewKind::Ask => "What you are asked before it goes on; no answer means no.",
        }));
        if self.kind == NewKind::Python {
            let kept = format!("{{ function: {}.check, keep: 5m }}", self.module());
            lines.push(comment(&format!(
                "With `{kept}` its process waits for the next event and answers in milliseconds."
            )));
        }
        lines.push(match self.kind {
            NewKind::Command => EntryLine::key("command", "cat > /dev/null; exit 0"),
            NewKind::Script => EntryLine::key("script", self.own_file().unwrap_or_default()),
            NewKind::Python => EntryLine::key("python", format!("{}.check", self.module())),
            NewKind::Http => EntryLine::key("http", json!({"url": "http://127.0.0.1:8080/hook"})),
            NewKind::Inject => EntryLine::key("inject", "Remember the house rules."),
            NewKind::Deny => EntryLine::key("deny", "Not here."),
            NewKind::Ask => {
                EntryLine::key("ask", json!({"prompt": "Go on?", "timeout": "60s", "default": "deny"}))
            }
        });
        if matches!(self.kind, NewKind::Command | NewKind::Script | NewKind::Python | NewKind::Http) {
            lines.push(EntryLine::key("timeout", "10s"));
            lines.push(comment("What a failure means: allow goes on and notifies you; a guard uses deny."));
            lines.push(EntryLine::key("on_failure", "allow"));
        }
        NewEntry { name: self.name.to_owned(), event: self.event.to_owned(), lines }
    }

    /// Whether a server is asked by GET at this event by default.
    fn asks_for_text(&self) -> bool {
        matches!(EventKind::parse(self.event), Some(EventKind::SessionStart | EventKind::PromptSubmit))
    }

    /// A valid module name that no module of Python's library has.
    fn module(&self) -> String {
        let letters = self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let word: String = letters.collect();
        let first = if word.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        format!("{first}{word}_hook")
    }

    /// The script or module that the hook runs.
    pub(crate) fn own_file(&self) -> Option<String> {
        match self.kind {
            NewKind::Script => Some(format!("{}.sh", self.name)),
            NewKind::Python => Some(format!("{}.py", self.module())),
            NewKind::Command | NewKind::Http | NewKind::Inject | NewKind::Deny | NewKind::Ask => None,
        }
    }

    /// A script must be executable, a module need not be.
    pub(crate) fn mode(&self) -> u32 {
        if self.kind == NewKind::Python { 0o644 } else { 0o755 }
    }

    /// The content of that file: it reads the event and allows it.
    pub(crate) fn program(&self) -> &'static str {
        match self.kind {
            NewKind::Python => {
                "\"\"\"Called with each event that the hook matches; what it returns is the reply, and None says nothing.\"\"\"\n\n# from tenter import deny\n\n\ndef check(event):\n    # return deny(\"Not here.\")\n    return None\n"
            }
            _ => {
                "#!/bin/sh\n# The event is on stdin as JSON, the reply goes to stdout; {} says nothing.\nset -eu\nevent=$(cat)\n\n# echo '{\"deny\": \"Not here.\"}'\necho '{}'\n"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tenter_config::{Format, SourceText, load};
    use tenter_contract::Layer;

    use super::*;

    #[test]
    fn every_kind_is_valid_in_every_format() {
        for kind in [
            NewKind::Command,
            NewKind::Script,
            NewKind::Python,
            NewKind::Http,
            NewKind::Inject,
            NewKind::Deny,
            NewKind::Ask,
        ] {
            let hook = NewHook { name: "fresh", event: "tool:pre", kind, about_a_tool: true };
            for format in [Format::Yaml, Format::Toml, Format::Json] {
                let text = &hook.entry().alone(format);
                let loaded = load(&SourceText { name: "", folder: "", layer: Layer::User, format, text });
                assert_eq!((loaded.hooks.len(), loaded.problems), (1, vec![]), "{text}");
            }
        }
    }
}
