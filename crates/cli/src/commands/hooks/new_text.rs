//! The text of a new hook, and where it fits into a hook file without touching anything else.

use tenter_config::{Format, Loaded, SourceText, load};
use tenter_contract::{HookSource, HookSpec, Layer};

use crate::arguments::NewKind;

/// A hook that is about to be written.
pub(super) struct NewHook<'a> {
    pub(super) name: &'a str,
    pub(super) event: &'a str,
    pub(super) kind: NewKind,
    /// Whether the event is about a tool, so that a matcher makes sense.
    pub(super) about_a_tool: bool,
}

impl NewHook<'_> {
    /// Its entry in YAML, without indentation.
    fn entry(&self) -> Vec<String> {
        let mut lines = vec![format!("- name: {}", self.name)];
        let mut add = |line: &str| lines.push(format!("  {line}"));
        if self.about_a_tool {
            add("# Which tools: names with * and ?, several with |, or a kind such as shell, write, edit.");
            add("matcher: Bash");
        }
        let comment = match self.kind {
            NewKind::Command => {
                "# A line of shell. The event is on its stdin as JSON; exit code 2 denies, and stderr says why."
            }
            NewKind::Script | NewKind::Python => {
                "# A program beside this file. The event is on its stdin as JSON, its reply on its stdout."
            }
            NewKind::Http => "# Gets the event as JSON by POST and replies as a program would.",
            NewKind::Inject => "# Put into the agent's context.",
            NewKind::Deny => "# What the agent is told instead of going on.",
            NewKind::Ask => "# What you are asked before it goes on; no answer means no.",
        };
        add(comment);
        add(&match self.kind {
            NewKind::Command => "command: \"cat > /dev/null; exit 0\"".to_owned(),
            NewKind::Script | NewKind::Python => format!("script: {}", self.script().unwrap_or_default()),
            NewKind::Http => "http: { url: \"http://127.0.0.1:8080/hook\" }".to_owned(),
            NewKind::Inject => "inject: \"Remember the house rules.\"".to_owned(),
            NewKind::Deny => "deny: \"Not here.\"".to_owned(),
            NewKind::Ask => "ask: { prompt: \"Go on?\", timeout: 60s, default: deny }".to_owned(),
        });
        if matches!(self.kind, NewKind::Command | NewKind::Script | NewKind::Python | NewKind::Http) {
            add("timeout: 10s");
            add("# What a failure means: allow goes on and tells you; a guard says deny.");
            add("on_failure: allow");
        }
        lines
    }

    /// The file of a hook that is a program of its own.
    pub(super) fn script(&self) -> Option<String> {
        match self.kind {
            NewKind::Script => Some(format!("{}.sh", self.name)),
            NewKind::Python => Some(format!("{}.py", self.name)),
            NewKind::Command | NewKind::Http | NewKind::Inject | NewKind::Deny | NewKind::Ask => None,
        }
    }

    /// What stands in that file: it reads the event and says nothing against it.
    pub(super) fn program(&self) -> &'static str {
        match self.kind {
            NewKind::Python => {
                "#!/usr/bin/env python3\n\"\"\"The event is on stdin as JSON, the reply goes to stdout; {} says nothing.\"\"\"\n\nimport json\nimport sys\n\nevent = json.load(sys.stdin)\n\n# json.dump({\"deny\": \"Not here.\"}, sys.stdout)\njson.dump({}, sys.stdout)\n"
            }
            _ => {
                "#!/bin/sh\n# The event is on stdin as JSON, the reply goes to stdout; {} says nothing.\nset -eu\nevent=$(cat)\n\n# echo '{\"deny\": \"Not here.\"}'\necho '{}'\n"
            }
        }
    }

    /// A hook file with nothing else in it.
    pub(super) fn alone(&self) -> String {
        format!("version: 1\nhooks:\n{}", self.under_event())
    }

    /// What is added to a file that has no hook at this event.
    fn under_event(&self) -> String {
        format!("  {}:\n{}", self.event, self.indented(4))
    }

    fn indented(&self, by: usize) -> String {
        let pad = " ".repeat(by);
        self.entry().iter().flat_map(|line| [pad.as_str(), line, "\n"]).collect()
    }

    /// What to paste, for a file into which nothing can be written exactly.
    pub(super) fn to_paste(&self) -> String {
        self.under_event()
    }

    /// The file's text with the hook in it: as the last of its event, or under an event of its own. Every way is
    /// tried and checked by reading the result; `None` if none leaves all else as it was.
    pub(super) fn added_to(&self, text: &str, layer: Layer) -> Option<String> {
        let old = loaded(text, layer);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let ways =
            [self.at_the_end_of_its_event(&lines), self.at_the_end_of_hooks(&lines), self.at_the_end(text)];
        ways.into_iter().flatten().find(|new| self.adds_only_this(&old, &loaded(new, layer)))
    }

    fn at_the_end_of_its_event(&self, lines: &[&str]) -> Option<String> {
        let hooks = lines.iter().position(|line| line.trim_end() == "hooks:")?;
        let key = |line: &&str| {
            let bare = line.trim().trim_end_matches(':').trim_matches(['"', '\'']);
            line.starts_with(' ') && bare == self.event && line.trim_end().ends_with(':')
        };
        let at = hooks + 1 + lines.get(hooks + 1..)?.iter().position(key)?;
        let own = depth(lines.get(at)?);
        // In YAML the items of a list may stand as deep as their key.
        let item = lines.get(at + 1..)?.iter().find(|line| !is_blank(line))?;
        let items = if item.trim_start().starts_with("- ") { depth(item) } else { own + 2 };
        let within =
            |line: &str| depth(line) > own || (depth(line) == own && line.trim_start().starts_with("- "));
        let end = end_of(lines, at, within);
        Some(insert(lines, end, &self.indented(items)))
    }

    fn at_the_end_of_hooks(&self, lines: &[&str]) -> Option<String> {
        let hooks = lines.iter().position(|line| line.trim_end() == "hooks:")?;
        let end = end_of(lines, hooks, |line| depth(line) > 0);
        Some(insert(lines, end, &self.under_event()))
    }

    fn at_the_end(&self, text: &str) -> Option<String> {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Some(format!("{text}{gap}hooks:\n{}", self.under_event()))
    }

    fn adds_only_this(&self, old: &Loaded, new: &Loaded) -> bool {
        let plain = |hook: &HookSpec| HookSpec { source: HookSource::default(), ..hook.clone() };
        let others: Vec<HookSpec> =
            new.hooks.iter().filter(|hook| hook.id.name != self.name).map(plain).collect();
        others == old.hooks.iter().map(plain).collect::<Vec<_>>()
            && new.hooks.len() == old.hooks.len() + 1
            && new.problems.len() == old.problems.len()
            && (&new.disabled, &new.overrides) == (&old.disabled, &old.overrides)
    }
}

/// What a hook file in YAML says.
pub(super) fn loaded(text: &str, layer: Layer) -> Loaded {
    load(&SourceText { name: "hooks.yaml", folder: "", layer, format: Format::Yaml, text })
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The line after the last one that belongs to the block which begins at a line.
fn end_of(lines: &[&str], at: usize, within: impl Fn(&str) -> bool) -> usize {
    let rest = lines.iter().enumerate().skip(at + 1);
    let block = rest.take_while(|(_, line)| is_blank(line) || within(line));
    block.filter(|(_, line)| !is_blank(line)).last().map_or(at + 1, |(number, _)| number + 1)
}

fn insert(lines: &[&str], at: usize, text: &str) -> String {
    let (before, after) = lines.split_at(at.min(lines.len()));
    let before = before.concat();
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{gap}{text}{}", after.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new() -> NewHook<'static> {
        NewHook { name: "fresh", event: "tool:pre", kind: NewKind::Deny, about_a_tool: true }
    }

    #[test]
    fn a_new_hook_leaves_every_byte_of_the_file_where_it_was() {
        for text in [
            "version: 1\n",
            "version: 1\nhooks:\n",
            "# mine\nversion: 1\nhooks:\n  tool:pre:\n    # a guard\n    - name: a\n      deny: \"no\" # really\n\n  tool:post:\n  - { name: b, command: \"true\" }\n",
            "version: 1\nhooks:\n  tool:pre:\n  - { name: a, deny: \"no\" }\nproject_variables: [X]",
            "version: 1\nhooks:\n  session:start:\n    - { name: a, inject: \"x\" }\n# the end\n",
        ] {
            let added = new().added_to(text, Layer::User).unwrap_or_else(|| panic!("{text}"));
            assert!(loaded(&added, Layer::User).hooks.iter().any(|hook| hook.id.name == "fresh"), "{added}");
            let mut rest = added.as_str();
            for line in text.split_inclusive('\n') {
                let at = rest.find(line).unwrap_or_else(|| panic!("{line} is gone:\n{added}"));
                rest = &rest[at + line.len()..];
            }
        }
    }

    #[test]
    fn where_it_cannot_be_done_exactly_it_is_not_done() {
        for text in [
            "version: 1\nhooks: { tool:pre: [ { name: a, deny: \"no\" } ] }\n",
            "version: 1\nhooks:\n  tool:pre: [ { name: a, deny: \"no\" } ]\n",
        ] {
            assert_eq!(new().added_to(text, Layer::User), None, "{text}");
        }
    }

    #[test]
    fn every_kind_is_a_valid_hook() {
        for kind in [
            NewKind::Command,
            NewKind::Script,
            NewKind::Python,
            NewKind::Http,
            NewKind::Inject,
            NewKind::Deny,
            NewKind::Ask,
        ] {
            let text = NewHook { kind, ..new() }.alone();
            let loaded = loaded(&text, Layer::User);
            assert_eq!((loaded.hooks.len(), loaded.problems), (1, vec![]), "{text}");
        }
    }
}
