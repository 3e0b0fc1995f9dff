//! Stop 2: which hooks an event concerns.

use tenter_contract::{Event, HookSpec, Matcher, Pattern, Selector, ToolCall, When};

/// Whether an event concerns a hook: event, agent, matcher and conditions all agree.
pub fn concerns(hook: &HookSpec, event: &Event) -> bool {
    hook.event == event.kind
        && speaks_to(&hook.agents, event)
        && matches(&hook.matcher, event)
        && holds(&hook.when, event)
        && unasked_or(&hook.when.layer, |patterns| any(patterns, hook.id.layer.as_str()))
}

/// Whether the hook is meant for this agent, addressed by its id, its type or its program. `!reviewer` leaves
/// one out; a list of nothing else means all the others.
fn speaks_to(agents: &[Pattern], event: &Event) -> bool {
    if agents.is_empty() {
        return true;
    }
    let names = [event.agent_id.as_deref(), event.agent_type.as_deref(), Some(event.agent.as_str())];
    let named = |patterns: &[Pattern]| names.into_iter().flatten().any(|name| any_agent(patterns, name));
    let left_out = |pattern: &Pattern| pattern.as_str().strip_prefix('!').map(str::to_owned);
    let without: Vec<Pattern> = agents.iter().filter_map(left_out).map(Pattern::recalled).collect();
    (without.len() == agents.len() || named(agents)) && !named(&without)
}

/// Agents are addressed in any case: `agents: Claude` must not be a hook that never runs.
fn any_agent(patterns: &[Pattern], name: &str) -> bool {
    let same =
        |pattern: &Pattern| pattern.literal().is_some_and(|literal| literal.eq_ignore_ascii_case(name));
    patterns.iter().any(|pattern| same(pattern) || pattern.matches(name))
}

fn matches(matcher: &Matcher, event: &Event) -> bool {
    matcher.selectors.is_empty() || matcher.selectors.iter().any(|selector| selects(selector, event))
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

fn names_tool(pattern: &Pattern, tool: &ToolCall) -> bool {
    [tool.name.as_str(), tool.native_name.as_str(), tool.kind.as_str()]
        .into_iter()
        .any(|name| pattern.matches(name))
}

/// Whether some part of a command line begins with these words. Parts are divided at `&&`, `||`, `;`, `|`,
/// `&` and line ends, also inside quotes: a matcher that looks too closely is a guard that can be talked
/// around, so it rather asks the hook once too often.
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

fn holds(when: &When, event: &Event) -> bool {
    let tool = event.tool.as_ref();
    let When { path, command, prompt, cwd, agent, exit_code, branch, env, file_exists, layer: _ } = when;
    let root = event.project_root.as_deref().or(event.cwd.as_deref());
    unasked_or(path, |patterns| {
        tool.is_some_and(|tool| {
            tool.paths
                .iter()
                .any(|touched| patterns.iter().any(|pattern| pattern.matches_path(touched, root)))
        })
    }) && text(command, tool.and_then(|tool| tool.command.as_deref()))
        && text(prompt, event.prompt.as_deref())
        && unasked_or(cwd, |patterns| {
            event
                .cwd
                .as_deref()
                .is_some_and(|cwd| patterns.iter().any(|pattern| pattern.matches_path(cwd, None)))
        })
        && unasked_or(agent, |patterns| any_agent(patterns, event.agent.as_str()))
        && unasked_or(exit_code, |patterns| {
            tool.and_then(|tool| tool.exit_code).is_some_and(|code| any(patterns, &code.to_string()))
        })
        && text(branch, event.facts.branch.as_deref())
        && env.iter().all(|(name, patterns)| text(patterns, variable(event, name)))
        && (file_exists.is_empty() || file_exists.iter().any(|path| event.facts.files.contains(path)))
}

fn variable<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    event.facts.variables.iter().find(|(set, _)| set == name).map(|(_, value)| value.as_str())
}

fn unasked_or(patterns: &[Pattern], holds: impl FnOnce(&[Pattern]) -> bool) -> bool {
    patterns.is_empty() || holds(patterns)
}

fn text(patterns: &[Pattern], text: Option<&str>) -> bool {
    unasked_or(patterns, |patterns| text.is_some_and(|text| any(patterns, text)))
}

fn any(patterns: &[Pattern], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tenter_contract::{
        AgentName, EventKind, Handler, HookId, Layer, SessionId, Template, Timestamp, ToolKind,
    };

    fn call(name: &str, kind: ToolKind, input: &Value) -> Event {
        let mut event = Event::new(
            EventKind::ToolPre,
            AgentName::from_static("claude"),
            SessionId::unknown(),
            Timestamp::default(),
        );
        event.cwd = Some("/repo".to_owned());
        event.tool = Some(ToolCall::new(name, kind, input.as_object().cloned().unwrap()));
        event
    }

    fn bash(command: &str) -> Event {
        call("Bash", ToolKind::Shell, &json!({ "command": command }))
    }

    fn hook() -> HookSpec {
        let handler = Handler::Deny(Template::parse("no").unwrap());
        HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler)
    }

    fn pattern(source: &str) -> Pattern {
        Pattern::parse(source).unwrap()
    }

    fn check_words(words: &str, command: &str, expected: bool) {
        let commands = vec![words.split_whitespace().map(pattern).collect()];
        let mut hook = hook();
        hook.matcher.selectors = vec![Selector::Call { tool: pattern("Bash"), commands }];
        assert_eq!(concerns(&hook, &bash(command)), expected, "`{words}` on `{command}`");
    }

    #[test]
    fn a_name_is_compared_with_canonical_native_and_kind() {
        for (source, expected) in [
            ("Bash", true),
            ("shell", true),
            ("run_shell_command", true),
            ("bash", false),
            ("Write", false),
            ("B*", true),
        ] {
            let mut hook = hook();
            hook.matcher.selectors = vec![Selector::Name(pattern(source))];
            let mut event = bash("ls");
            event.tool.as_mut().unwrap().native_name = "run_shell_command".to_owned();
            assert_eq!(concerns(&hook, &event), expected, "{source}");
        }
    }

    #[test]
    fn command_words_are_found_in_every_part_of_a_line() {
        check_words("cargo test", "cargo test --all", true);
        check_words("cargo test", "cd x && cargo test", true);
        check_words("cargo test", "RUST_LOG=1 cargo test | tail", true);
        check_words("cargo test", "(cd x; cargo test)", true);
        check_words("cargo test", "cargo  test", true);
        check_words("cargo test", "echo cargo test", false);
        check_words("cargo test", "cargo testing", false);
        check_words("cargo test", "cargo", false);
        check_words("pytest*", "pytest-3 x", true);
        check_words("git push", "true; git push --force", true);
        check_words("rm", "\\rm -rf x", true);
    }

    #[test]
    fn every_condition_must_hold() {
        let mut hook = hook();
        hook.when.command = vec![pattern("/^git push/")];
        hook.when.cwd = vec![pattern("/repo/**"), pattern("/repo")];
        assert!(concerns(&hook, &bash("git push")));
        assert!(!concerns(&hook, &bash("git pull")));
        let mut elsewhere = bash("git push");
        elsewhere.cwd = Some("/other".to_owned());
        assert!(!concerns(&hook, &elsewhere));
    }

    #[test]
    fn a_condition_on_something_the_event_lacks_does_not_hold() {
        let mut hook = hook();
        hook.when.path = vec![pattern("**")];
        assert!(!concerns(&hook, &bash("ls")));
        assert!(concerns(&hook, &call("Write", ToolKind::Write, &json!({ "file_path": "/repo/a" }))));
    }

    #[test]
    fn paths_are_seen_from_the_project_root() {
        let mut hook = hook();
        hook.when.path = vec![pattern("production/**")];
        for (path, expected) in [
            ("/repo/production/a.py", true),
            ("/repo/src/../production/a.py", true),
            ("/repo/src/a.py", false),
        ] {
            let mut event = call("Write", ToolKind::Write, &json!({ "file_path": path }));
            event.project_root = Some("/repo".to_owned());
            event.cwd = Some("/repo/src".to_owned());
            assert_eq!(concerns(&hook, &event), expected, "{path}");
        }
    }

    #[test]
    fn facts_of_the_place_are_compared_and_what_is_no_fact_does_not_hold() {
        let mut event = bash("ls");
        event.facts = tenter_contract::Facts {
            branch: Some("release/2".to_owned()),
            variables: vec![("CI".to_owned(), "true".to_owned()), ("EMPTY".to_owned(), String::new())],
            files: vec!["Cargo.toml".to_owned()],
        };
        let fits = |change: &dyn Fn(&mut When)| {
            let mut hook = hook();
            change(&mut hook.when);
            concerns(&hook, &event)
        };
        let env = |name: &str, source: &str| (name.to_owned(), vec![pattern(source)]);
        assert!(fits(&|when| when.branch = vec![pattern("main"), pattern("release/*")]));
        assert!(!fits(&|when| when.branch = vec![pattern("main")]));
        assert!(fits(&|when| when.env = vec![env("CI", "true"), env("EMPTY", "*")]));
        assert!(!fits(&|when| when.env = vec![env("CI", "true"), env("OTHER", "*")]));
        assert!(!fits(&|when| when.env = vec![env("CI", "false")]));
        assert!(fits(&|when| when.file_exists = vec!["none".to_owned(), "Cargo.toml".to_owned()]));
        assert!(!fits(&|when| when.file_exists = vec!["none".to_owned()]));
        assert!(fits(&|when| when.layer = vec![pattern("user")]));
        assert!(!fits(&|when| when.layer = vec![pattern("project")]));
    }

    #[test]
    fn without_a_tool_the_matcher_sees_the_subject() {
        let mut hook = hook();
        hook.event = EventKind::SessionStart;
        hook.matcher.selectors = vec![Selector::Name(pattern("startup"))];
        let mut event = bash("x");
        event.kind = EventKind::SessionStart;
        event.tool = None;
        event.source = Some("startup".to_owned());
        assert!(concerns(&hook, &event));
        event.source = Some("resume".to_owned());
        assert!(!concerns(&hook, &event));
    }

    #[test]
    fn agents_are_addressed_by_id_type_or_program() {
        for (source, expected) in
            [("claude", true), ("Claude", true), ("reviewer", true), ("a1", true), ("codex", false)]
        {
            let mut hook = hook();
            hook.agents = vec![pattern(source)];
            let mut event = bash("ls");
            event.agent_id = Some("a1".to_owned());
            event.agent_type = Some("reviewer".to_owned());
            assert_eq!(concerns(&hook, &event), expected, "{source}");
        }
    }

    #[test]
    fn an_agent_can_be_left_out() {
        for (sources, expected) in [
            (vec!["!claude"], false),
            (vec!["!a1"], false),
            (vec!["!codex"], true),
            (vec!["claude", "!a1"], false),
            (vec!["claude", "!a2"], true),
            (vec!["codex", "!a2"], false),
        ] {
            let mut hook = hook();
            hook.agents = sources.iter().map(|source| pattern(source)).collect();
            let mut event = bash("ls");
            event.agent_id = Some("a1".to_owned());
            assert_eq!(concerns(&hook, &event), expected, "{sources:?}");
        }
    }
}
