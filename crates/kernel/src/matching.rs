//! Matches events with the conditions of hooks.

use tenter_contract::{
    CanonicalPath, Event, EventKind, HookSpec, Layer, Matcher, PathBase, Pattern, Selector, ToolCall,
    ToolKind, When,
};

/// Whether an event concerns a hook: all of its conditions hold.
pub fn concerns(hook: &HookSpec, event: &Event) -> bool {
    match hook.outer_root(event) {
        None => all(hook, |condition| condition.holds(event)),
        Some(root) => concerns_outer(hook, event, root),
    }
}

/// A hook of a project around the event's sees paths from its own root.
#[cold]
fn concerns_outer(hook: &HookSpec, event: &Event, root: &str) -> bool {
    let seen = Event { project_root: Some(root.to_owned()), ..event.clone() };
    all(hook, |condition| condition.holds(&seen))
}

/// Whether it may concern a hook, without the facts about the place.
pub fn may_concern(hook: &HookSpec, event: &Event) -> bool {
    all(hook, |condition| match condition {
        Condition::Path(_)
        | Condition::Cwd(_)
        | Condition::Branch(_)
        | Condition::Variable(..)
        | Condition::FileExists(_) => true,
        Condition::Event(_)
        | Condition::Agents(_)
        | Condition::Matcher(_)
        | Condition::Command(_)
        | Condition::Prompt(_)
        | Condition::Agent(_)
        | Condition::ExitCode(_)
        | Condition::Layer(..) => condition.holds(event),
    })
}

/// Whether the hook's `when.path` covers all paths of the call, under every name. A hook that covers less may deny
/// the call, but cannot allow it.
pub(crate) fn is_within(hook: &HookSpec, event: &Event) -> bool {
    let patterns = &hook.when.path;
    patterns.is_empty()
        || CanonicalPath::from_event(event).iter().all(|path| path.is_within(patterns, root(event)))
}

/// All conditions of a hook, in the order in which they are checked.
pub fn conditions(hook: &HookSpec) -> Vec<Condition<'_>> {
    let mut found = Vec::new();
    all(hook, |condition| {
        found.push(condition);
        true
    });
    found
}

/// Passes the conditions of a hook to `holds` until one returns false. This is the only list of conditions, for the
/// answer and for the reasons.
fn all<'h>(hook: &'h HookSpec, mut holds: impl FnMut(Condition<'h>) -> bool) -> bool {
    let When { path, command, prompt, cwd, agent, exit_code, branch, env, file_exists, layer } = &hook.when;
    holds(Condition::Event(&hook.event))
        && (hook.agents.is_empty() || holds(Condition::Agents(&hook.agents)))
        && (hook.matcher.selectors.is_empty() || holds(Condition::Matcher(&hook.matcher)))
        && (path.is_empty() || holds(Condition::Path(path)))
        && (command.is_empty() || holds(Condition::Command(command)))
        && (prompt.is_empty() || holds(Condition::Prompt(prompt)))
        && (cwd.is_empty() || holds(Condition::Cwd(cwd)))
        && (agent.is_empty() || holds(Condition::Agent(agent)))
        && (exit_code.is_empty() || holds(Condition::ExitCode(exit_code)))
        && (branch.is_empty() || holds(Condition::Branch(branch)))
        && env.iter().all(|(name, patterns)| holds(Condition::Variable(name, patterns)))
        && (file_exists.is_empty() || holds(Condition::FileExists(file_exists)))
        && (layer.is_empty() || holds(Condition::Layer(layer, hook.id.layer)))
}

/// One condition of a hook.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition<'h> {
    /// The event of the hook.
    Event(&'h EventKind),
    /// The agents of the hook.
    Agents(&'h [Pattern]),
    /// Its matcher.
    Matcher(&'h Matcher),
    /// `when.path`
    Path(&'h [Pattern]),
    /// `when.command`
    Command(&'h [Pattern]),
    /// `when.prompt`
    Prompt(&'h [Pattern]),
    /// `when.cwd`
    Cwd(&'h [Pattern]),
    /// `when.agent`
    Agent(&'h [Pattern]),
    /// `when.exit_code`
    ExitCode(&'h [Pattern]),
    /// `when.branch`
    Branch(&'h [Pattern]),
    /// One name of `when.env`.
    Variable(&'h str, &'h [Pattern]),
    /// `when.file_exists`
    FileExists(&'h [String]),
    /// `when.layer`, and the layer that the hook comes from.
    Layer(&'h [Pattern], Layer),
}

impl Condition<'_> {
    /// Whether it holds for an event.
    pub fn holds(self, event: &Event) -> bool {
        match self {
            Self::Event(kind) => *kind == event.kind,
            Self::Agents(agents) => speaks_to(agents, event),
            Self::Matcher(matcher) => matcher.selectors.iter().any(|selector| selects(selector, event)),
            Self::Path(patterns) => CanonicalPath::from_event(event)
                .iter()
                .any(|path| patterns.iter().any(|pattern| path.matches(pattern, root(event)))),
            Self::Command(patterns) => long_text(patterns, command(event)),
            Self::Prompt(patterns) => long_text(patterns, event.prompt.as_deref()),
            Self::Cwd(patterns) => CanonicalPath::folders_from_event(event)
                .iter()
                .any(|folder| patterns.iter().any(|pattern| folder.matches(pattern, None))),
            Self::Agent(patterns) => any_agent(patterns, event.agent.as_str()),
            Self::ExitCode(patterns) => exit_code(event).is_some_and(|code| any(patterns, &code.to_string())),
            Self::Branch(patterns) => text(patterns, event.facts.branch.as_deref()),
            Self::Variable(name, patterns) => text(patterns, variable(event, name)),
            Self::FileExists(files) => files.iter().any(|path| event.facts.files.contains(path)),
            Self::Layer(patterns, layer) => any(patterns, layer.as_str()),
        }
    }

    /// The values of an event that it is compared with.
    pub fn found(self, event: &Event) -> Vec<String> {
        let owned = |text: Option<&str>| text.into_iter().map(str::to_owned).collect();
        match self {
            Self::Event(_) => vec![event.kind.to_string()],
            Self::Agents(_) => agent_names(event).map(str::to_owned).collect(),
            Self::Matcher(matcher) => {
                let by_command =
                    matcher.selectors.iter().any(|selector| matches!(selector, Selector::Call { .. }));
                let names: Vec<&str> = event
                    .tool
                    .as_ref()
                    .map_or_else(|| event.subject().into_iter().collect(), |tool| tool.names().collect());
                let mut found: Vec<String> = names.into_iter().map(str::to_owned).collect();
                found.dedup();
                found.extend(command(event).filter(|_| by_command).map(str::to_owned));
                found
            }
            Self::Path(_) => names(event),
            Self::Command(_) => owned(command(event)),
            Self::Prompt(_) => owned(event.prompt.as_deref()),
            Self::Cwd(_) => {
                CanonicalPath::folders_from_event(event).into_iter().flat_map(|it| it.names).collect()
            }
            Self::Agent(_) => vec![event.agent.to_string()],
            Self::ExitCode(_) => exit_code(event).iter().map(ToString::to_string).collect(),
            Self::Branch(_) => owned(event.facts.branch.as_deref()),
            Self::Variable(name, _) => owned(variable(event, name)),
            Self::FileExists(files) => {
                files.iter().filter(|path| event.facts.files.contains(path)).cloned().collect()
            }
            Self::Layer(_, layer) => vec![layer.as_str().to_owned()],
        }
    }
}

/// The names of an agent: its id, its type, its program.
fn agent_names(event: &Event) -> impl Iterator<Item = &str> {
    [event.agent_id.as_deref(), event.agent_type.as_deref(), Some(event.agent.as_str())].into_iter().flatten()
}

/// The paths of the call as it writes them, and what links make of them.
fn names(event: &Event) -> Vec<String> {
    let base = PathBase::new(event);
    let mut found: Vec<String> = Vec::new();
    for path in CanonicalPath::from_event(event) {
        let by_text = CanonicalPath::by_text(&path.written, &base).names;
        let others = path.names.into_iter().filter(|name| name.starts_with('/') && !by_text.contains(name));
        for name in std::iter::once(path.written).chain(others) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

fn command(event: &Event) -> Option<&str> {
    event.tool.as_ref().and_then(|tool| tool.command.as_deref())
}

fn exit_code(event: &Event) -> Option<i64> {
    event.tool.as_ref().and_then(|tool| tool.exit_code)
}

fn root(event: &Event) -> Option<&str> {
    event.project_root.as_deref().or(event.cwd.as_deref())
}

/// Whether the hook is meant for this agent, addressed by its id, its type or its program. `!reviewer` leaves
/// one out; a list of nothing else means all the others.
fn speaks_to(agents: &[Pattern], event: &Event) -> bool {
    let named = |patterns: &[Pattern]| agent_names(event).any(|name| any_agent(patterns, name));
    let left_out = |pattern: &Pattern| pattern.as_str().strip_prefix('!').map(str::to_owned);
    let without: Vec<Pattern> = agents.iter().filter_map(left_out).map(Pattern::from_checked).collect();
    (without.len() == agents.len() || named(agents)) && !named(&without)
}

/// Agents are addressed in any case: `agents: Claude` must not be a hook that never runs.
fn any_agent(patterns: &[Pattern], name: &str) -> bool {
    let same =
        |pattern: &Pattern| pattern.literal().is_some_and(|literal| literal.eq_ignore_ascii_case(name));
    patterns.iter().any(|pattern| same(pattern) || pattern.matches(name))
}

fn selects(selector: &Selector, event: &Event) -> bool {
    match (selector, &event.tool) {
        (Selector::Name(pattern), Some(tool)) => names_tool(pattern, tool),
        (Selector::Name(pattern), None) => event.subject().is_some_and(|subject| pattern.matches(subject)),
        (Selector::Call { tool: pattern, commands }, Some(tool)) => {
            names_tool(pattern, tool)
                && tool
                    .command
                    .as_deref()
                    .is_some_and(|command| commands.iter().any(|words| runs(command, words)))
        }
        (Selector::Call { .. }, None) => false,
    }
}

/// A pattern is about a kind only if it names the kind: `[!W]rite` is about names, and `write` is a kind.
fn names_tool(pattern: &Pattern, tool: &ToolCall) -> bool {
    let is_kind =
        |name: &str| ToolKind::parse(name).is_some() && name != tool.native_name && name != tool.name;
    let means = |name: &str| !is_kind(name) || pattern.as_str().contains(name);
    // A negative pattern excludes a tool by each of its own names. A patch that also adds a file is a `Write` all
    // the same.
    if pattern.is_negated() {
        let is_patch = tool.patch_key.is_some();
        let left_out = tool.names().take(3).any(|name| means(name) && pattern.refuses(name));
        let mut names = tool.names().skip(if left_out { 3 } else { 0 });
        return (!left_out || is_patch) && names.any(|name| pattern.matches(name) && means(name));
    }
    tool.names().any(|name| pattern.matches(name) && means(name))
}

/// Whether some part of a command line begins with these words. Parts are divided at `&&`, `||`, `;`, `|`, `&` and
/// line ends, also inside quotes: a matcher that looks too closely is a guard that can be talked around, so it may
/// run the hook once too often.
fn runs(command: &str, words: &[Pattern]) -> bool {
    command.split(['&', '|', ';', '\n', '(', ')', '{', '}', '`']).any(|part| {
        let mut spoken = part.split_whitespace().skip_while(|word| is_assignment(word)).map(unquoted);
        words.iter().all(|wanted| spoken.next().is_some_and(|word| wanted.matches(word)))
    })
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\'', '\\'])
}

fn variable<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    event.facts.variables.iter().find(|(set, _)| set == name).map(|(_, value)| value.as_str())
}

fn text(patterns: &[Pattern], text: Option<&str>) -> bool {
    text.is_some_and(|text| any(patterns, text))
}

/// Commands and prompts above this size are not searched with regular expressions. The engine takes about 0.2 µs for a
/// byte, and an agent's time limit would let the call pass. No shell runs such a command.
pub(crate) const SEARCHED: usize = 1024 * 1024;

/// Like [`text`], but a regular expression counts as matching a text that is too long to be searched: padding must
/// not bypass hooks that deny or ask.
fn long_text(patterns: &[Pattern], text: Option<&str>) -> bool {
    let is_too_long = text.is_some_and(|text| text.len() > SEARCHED);
    is_too_long && patterns.iter().any(Pattern::is_regex) || self::text(patterns, text)
}

fn any(patterns: &[Pattern], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(text))
}

#[cfg(test)]
mod tests;
