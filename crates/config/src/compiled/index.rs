//! The index: what must be known of a hook to know that an event does not need it.

use serde::{Deserialize, Serialize};
use tenter_contract::{Event, EventKind, HookSpec, Once, Pattern, Selector};
use tenter_kernel::matching::may_concern;

use super::decode;

/// One hook. Its texts have one pattern per line; an empty one excludes nothing.
#[derive(Serialize, Deserialize)]
pub(super) struct IndexEntry<'b> {
    event: EventKind,
    tools: &'b str,
    /// The first words of the commands that its matcher names.
    commands: &'b str,
    /// The patterns one of which the whole command must match.
    lines: &'b str,
    agents: &'b str,
    /// Whether it counts turns, which begin and end at other events than its own.
    counts_turns: bool,
    /// Where its bytes end.
    pub(super) end: u32,
}

/// The texts of an entry, while it is written.
pub(super) struct IndexTexts {
    tools: String,
    commands: String,
    lines: String,
    agents: String,
}

impl IndexTexts {
    pub(super) fn new(hook: &HookSpec) -> Self {
        let selectors = &hook.matcher.selectors;
        let tools = selectors.iter().map(|selector| match selector {
            Selector::Name(pattern) | Selector::Call { tool: pattern, .. } => pattern.as_str(),
        });
        // The first word of each command, if the matcher names nothing but calls with commands.
        let first_words = |selector| match selector {
            &Selector::Name(_) => None,
            Selector::Call { commands, .. } => {
                commands.iter().map(|words| Some(words.first()?.as_str())).collect::<Option<Vec<_>>>()
            }
        };
        let commands = selectors.iter().map(first_words).collect::<Option<Vec<_>>>().unwrap_or_default();
        let excludes_agents = hook.agents.iter().any(|agent| agent.as_str().starts_with('!'));
        let agents = hook.agents.iter().filter(|_| !excludes_agents);
        Self {
            tools: join_lines(tools),
            commands: join_lines(commands.concat()),
            lines: join_lines(hook.when.command.iter().map(Pattern::as_str)),
            agents: join_lines(agents.map(Pattern::as_str)),
        }
    }
}

/// A pattern that does not fit on a line makes the whole list unusable.
fn join_lines<'p>(patterns: impl IntoIterator<Item = &'p str>) -> String {
    let patterns: Vec<&str> = patterns.into_iter().collect();
    if patterns.iter().any(|pattern| pattern.is_empty() || pattern.contains('\n')) {
        return String::new();
    }
    patterns.join("\n")
}

/// The hooks that an event could concern, whatever becomes of its input: a hook that is concerned by it as it is
/// may rewrite it. If none is, nothing is rewritten, and the others are not needed.
pub(super) fn select(entries: &[(&IndexEntry<'_>, &[u8])], event: &Event) -> Option<Vec<HookSpec>> {
    let turn = matches!(event.kind, EventKind::PromptSubmit | EventKind::OrchestratorComplete);
    let mut selected: Vec<HookSpec> = Vec::new();
    let mut possible: Vec<(&[u8], Option<HookSpec>)> = Vec::new();
    let mut concerned = false;
    for (entry, body) in entries {
        if !(entry.could_concern_tool(event) && entry.could_concern_agent(event)) {
            if turn && entry.counts_turns {
                selected.push(decode(body)?);
            }
        } else if concerned || !entry.could_match_command(event) {
            possible.push((body, None));
        } else {
            let hook = decode(body)?;
            // Links, branches and variables are resolved only for the hooks that are left here, so a condition
            // about them counts as met.
            concerned = (turn && entry.counts_turns) || may_concern(&hook, event);
            possible.push((body, Some(hook)));
        }
    }
    if concerned {
        let possible = possible.into_iter().map(|(body, hook)| hook.map_or_else(|| decode(body), Some));
        selected.extend(possible.collect::<Option<Vec<_>>>()?);
    }
    Some(selected)
}

/// Tool and agent of an event stay the same whatever hooks rewrite, so a hook that is left out by them is never
/// needed.
impl<'b> IndexEntry<'b> {
    pub(super) fn new(hook: &HookSpec, texts: &'b IndexTexts, end: u32) -> Self {
        let IndexTexts { tools, commands, lines, agents } = texts;
        let counts_turns = hook.once == Once::Turn;
        Self { event: hook.event.clone(), tools, commands, lines, agents, counts_turns, end }
    }

    fn could_concern_agent(&self, event: &Event) -> bool {
        let names = [event.agent_id.as_deref(), event.agent_type.as_deref(), Some(event.agent.as_str())];
        any_line(self.agents, |pattern| {
            let mut names = names.into_iter().flatten();
            names.any(|name| pattern.eq_ignore_ascii_case(name) || Pattern::might_match(pattern, name))
        })
    }

    fn could_concern_tool(&self, event: &Event) -> bool {
        let Some(tool) = &event.tool else { return self.event == event.kind };
        self.event == event.kind
            && any_line(self.tools, |pattern| tool.names().any(|name| Pattern::might_match(pattern, name)))
    }

    /// Whether the command of the call, as it is, could be one that the hook is about.
    fn could_match_command(&self, event: &Event) -> bool {
        let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref()).unwrap_or_default();
        any_line(self.lines, |pattern| Pattern::might_match(pattern, command))
            && (event.tool.is_none() || self.could_have_words(command))
    }

    /// Whether it has one of the words that the matcher names. The hook itself checks where the words are.
    fn could_have_words(&self, command: &str) -> bool {
        let separates = |c: char| c.is_whitespace() || "&|;(){}`".contains(c);
        self.commands.is_empty()
            || command
                .split(separates)
                .map(|word| word.trim_matches(['"', '\'', '\\']))
                .any(|word| self.commands.split('\n').any(|pattern| Pattern::might_match(pattern, word)))
    }
}

fn any_line(lines: &str, matches: impl FnMut(&str) -> bool) -> bool {
    lines.is_empty() || lines.split('\n').any(matches)
}
