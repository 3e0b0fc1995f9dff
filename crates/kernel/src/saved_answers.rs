//! Finds saved answers: grants of the session and rules of the user.
//!
//! | rule | why |
//! |---|---|
//! | a deny beats every allow | the same order as everywhere |
//! | only hooks without an answer ask | the person answers each question once |
//! | an allow covers a call only if it covers all of its paths | one that names a second file is another call |
//! | an allow with wildcards covers no command that joins several | `git push *` must not allow `git push; rm -rf .` |

use tenter_contract::{
    ApprovalQuestion, CanonicalPath, Event, HookQuestion, Policy, Rule, SavedAnswers, Timestamp, ToolKind,
};

use crate::matching::SEARCHED;

/// The saved answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedAnswer {
    /// The question of the hooks without an answer.
    Open(ApprovalQuestion),
    /// Saved answers with these ids grant it.
    Granted(Vec<String>),
    /// The rule with this id denies it.
    Denied(String),
}

/// Finds the saved answer to a question about this event.
pub fn saved_answer(
    question: ApprovalQuestion,
    event: &Event,
    standing: &SavedAnswers,
    now: Timestamp,
) -> SavedAnswer {
    let rules = || standing.rules.iter().filter(|rule| applies(rule, event, now));
    let denies =
        |asked: &HookQuestion| rules().find(|rule| rule.policy == Policy::Deny && covers(rule, asked, event));
    if let Some(rule) = question.askers.iter().find_map(denies) {
        return SavedAnswer::Denied(rule.id.clone());
    }
    let allows = |asked: &HookQuestion| {
        let grant = standing.grants.iter().find(|grant| grant.answers(asked, event));
        let rule = || rules().find(|rule| rule.policy == Policy::Allow && covers(rule, asked, event));
        grant.map(|grant| grant.id.clone()).or_else(|| rule().map(|rule| rule.id.clone()))
    };
    let mut by = Vec::new();
    let mut open = Vec::new();
    let rewriters = question.rewriters;
    for asked in question.askers {
        match allows(&asked) {
            Some(id) if by.contains(&id) => {}
            Some(id) => by.push(id),
            None => open.push(asked),
        }
    }
    match ApprovalQuestion::new(open) {
        Some(open) => SavedAnswer::Open(open.rewritten_by(rewriters)),
        None => SavedAnswer::Granted(by),
    }
}

fn applies(rule: &Rule, event: &Event, now: Timestamp) -> bool {
    rule.expires.is_none_or(|expires| now < expires)
        && rule.project.as_ref().is_none_or(|project| Some(project) == event.project_root.as_ref())
}

fn covers(rule: &Rule, asked: &HookQuestion, event: &Event) -> bool {
    let address = asked.hook.address();
    if rule.hook != asked.hook.name && rule.hook != address {
        return false;
    }
    let root = event.project_root.as_deref();
    let Some(tool) = &event.tool else { return rule.pattern.matches(&asked.query.prompt) };
    if tool.kind == ToolKind::Shell {
        let Some(command) = &tool.command else { return false };
        let whole = rule.pattern.literal() == Some(command);
        // A command that is too long to search is not allowed, and is denied.
        let is_too_long = rule.pattern.is_regex() && command.len() > SEARCHED;
        return match rule.policy {
            Policy::Allow => whole || !is_too_long && !joins(command) && rule.pattern.matches(command),
            Policy::Deny => is_too_long || rule.pattern.matches(command),
        };
    }
    let paths = CanonicalPath::from_event(event);
    let pattern = &rule.pattern;
    match rule.policy {
        _ if tool.paths.is_empty() => pattern.matches(&asked.query.prompt),
        Policy::Allow => paths.iter().all(|path| path.is_within(std::slice::from_ref(pattern), root)),
        Policy::Deny => paths.iter().any(|path| path.matches(pattern, root)),
    }
}

/// Whether a command is, or may be, more than one: joined, put into another, or with its output somewhere else.
fn joins(command: &str) -> bool {
    command.contains([';', '&', '|', '<', '>', '`', '\n', '\r', '(', ')', '{', '}']) || command.contains("$(")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenter_contract::{
        AgentName, ApprovalPrompt, EventKind, Grant, GrantScope, Handler, HookId, HookSpec, Layer, Pattern,
        SessionGrant, SessionId, Template, ToolCall,
    };

    use super::*;

    fn asked(name: &str, prompt: &str) -> HookQuestion {
        let deny = Handler::Deny(Template::parse("no").unwrap());
        let hook = HookSpec::new(HookId::new(Layer::User, name), EventKind::ToolPre, deny);
        let query = ApprovalPrompt {
            prompt: prompt.to_owned(),
            options: Vec::new(),
            timeout: None,
            default: Policy::Deny,
        };
        HookQuestion::new(&hook, query)
    }

    fn about(tool: Option<ToolCall>) -> Event {
        let agent = AgentName::from_static("claude");
        let mut event = Event::new(EventKind::ToolPre, agent, SessionId::parse("s"), Timestamp::default());
        event.project_root = Some("/p".to_owned());
        event.tool = tool;
        event
    }

    fn bash(command: &str) -> Event {
        let input = json!({ "command": command }).as_object().cloned().unwrap();
        about(Some(ToolCall::new("Bash", ToolKind::Shell, input)))
    }

    fn write(path: &str) -> Event {
        let input = json!({ "file_path": path, "content": "x" }).as_object().cloned().unwrap();
        about(Some(ToolCall::new("Write", ToolKind::Write, input)))
    }

    fn rule(policy: Policy, hook: &str, pattern: &str) -> Rule {
        Rule {
            id: format!("{hook} {pattern}"),
            policy,
            hook: hook.to_owned(),
            pattern: Pattern::parse(pattern).unwrap(),
            project: None,
            expires: None,
            at: Timestamp::default(),
        }
    }

    fn check(askers: &[HookQuestion], event: &Event, standing: &SavedAnswers) -> String {
        let question = ApprovalQuestion::new(askers.to_vec()).unwrap();
        match saved_answer(question, event, standing, Timestamp::from_unix_ms(1000)) {
            SavedAnswer::Open(question) => format!("open: {}", question.prompt()),
            SavedAnswer::Granted(by) => format!("granted: {}", by.join(", ")),
            SavedAnswer::Denied(by) => format!("denied: {by}"),
        }
    }

    fn with_rule(rule: Rule) -> SavedAnswers {
        SavedAnswers { rules: vec![rule], ..SavedAnswers::default() }
    }

    #[test]
    fn wildcard_allow_covers_one_plain_command() {
        for (pattern, command, covered) in [
            ("git push *", "git push origin main", true),
            ("git push *", "git push origin; rm -rf .", false),
            ("git push *", "git push origin && make", false),
            ("git push *", "git push $(cat x)", false),
            ("git push *", "git push `x`", false),
            ("git push *", "git push a\nrm -rf .", false),
            ("git push *", "git push > /etc/passwd", false),
            ("/^git push/", "git push | sh", false),
            ("make test; make lint", "make test; make lint", true),
            ("make test; make *", "make test; make lint", false),
        ] {
            let standing = with_rule(rule(Policy::Allow, "guard", pattern));
            let found = check(&[asked("guard", "?")], &bash(command), &standing);
            assert_eq!(found.starts_with("granted"), covered, "{pattern} {command}");
        }
    }

    #[test]
    fn deny_rule_beats_allow_rule() {
        let standing = SavedAnswers {
            rules: vec![rule(Policy::Allow, "guard", "*"), rule(Policy::Deny, "guard", "*rm *")],
            ..SavedAnswers::default()
        };
        assert_eq!(check(&[asked("guard", "?")], &bash("ls; rm x"), &standing), "denied: guard *rm *");
    }

    #[test]
    fn too_long_command_is_denied() {
        let long = bash(&"a".repeat(SEARCHED + 1));
        for (policy, expected) in [(Policy::Allow, "open: ?"), (Policy::Deny, "denied: guard /a/")] {
            let standing = with_rule(rule(policy, "guard", "/a/"));
            assert_eq!(check(&[asked("guard", "?")], &long, &standing), expected);
        }
    }

    #[test]
    fn rule_paths_are_relative_to_the_project() {
        for (pattern, path, covered) in [
            ("production/*", "/p/production/a.yaml", true),
            ("production/*", "production/a.yaml", true),
            ("production/*", "/p/production/deep/a.yaml", false),
            ("production/**", "/p/production/deep/a.yaml", true),
            ("production/*", "/elsewhere/production/a.yaml", false),
        ] {
            let standing = with_rule(rule(Policy::Allow, "guard", pattern));
            let found = check(&[asked("guard", "?")], &write(path), &standing);
            assert_eq!(found.starts_with("granted"), covered, "{pattern} {path}");
        }
    }

    #[test]
    fn rule_has_hook_project_and_expiry() {
        let base = rule(Policy::Allow, "guard", "*");
        for (rule, covered) in [
            (base.clone(), true),
            (Rule { hook: "user/guard".to_owned(), ..base.clone() }, true),
            (Rule { hook: "project/guard".to_owned(), ..base.clone() }, false),
            (Rule { hook: "other".to_owned(), ..base.clone() }, false),
            (Rule { project: Some("/p".to_owned()), ..base.clone() }, true),
            (Rule { project: Some("/q".to_owned()), ..base.clone() }, false),
            (Rule { expires: Some(Timestamp::from_unix_ms(1001)), ..base.clone() }, true),
            (Rule { expires: Some(Timestamp::from_unix_ms(1000)), ..base }, false),
        ] {
            let found = check(&[asked("guard", "?")], &bash("ls"), &with_rule(rule.clone()));
            assert_eq!(found.starts_with("granted"), covered, "{rule:?}");
        }
    }

    #[test]
    fn grant_covers_the_same_question() {
        let granted = |asked: &HookQuestion, event: &Event| {
            let covers = GrantScope::new(event, Grant::Session).unwrap();
            let grants = vec![SessionGrant::new(
                "g",
                &event.session_or_shared(),
                asked,
                event,
                covers,
                Timestamp::default(),
            )];
            SavedAnswers { grants, ..SavedAnswers::default() }
        };
        let guard = asked("guard", "?");
        let described = |command: &str, key: &str| {
            let input = json!({ "command": command, key: "list files" }).as_object().cloned().unwrap();
            about(Some(ToolCall::new("Bash", ToolKind::Shell, input)))
        };
        let files = [
            (write("/p/a"), write("/p/a"), true),
            (write("/p/a"), write("/p/b"), false),
            (write("/p/a"), bash("ls"), false),
        ];
        let commands = [
            (bash("ls"), bash("ls"), true),
            (bash("ls"), described("ls", "description"), true),
            (bash("ls"), described("ls", "run_in_background"), false),
            (bash("ls"), bash("ls -a"), false),
        ];
        for (before, now, covered) in files.into_iter().chain(commands) {
            let found = check(std::slice::from_ref(&guard), &now, &granted(&guard, &before));
            assert_eq!(found.starts_with("granted"), covered, "{:?} {:?}", before.tool, now.tool);
        }
        let other_words = check(&[asked("guard", "Really?")], &bash("ls"), &granted(&guard, &bash("ls")));
        assert_eq!(other_words, "open: Really?");
        let mut changed = guard.clone();
        changed.definition = "another".to_owned();
        assert_eq!(check(&[changed], &bash("ls"), &granted(&guard, &bash("ls"))), "open: ?");
    }

    #[test]
    fn only_hooks_without_answer_ask() {
        let standing = with_rule(rule(Policy::Allow, "guard", "*"));
        let asking = [asked("guard", "Really?"), asked("second", "Sure?")];
        assert_eq!(check(&asking, &bash("ls"), &standing), "open: Sure?");
    }
}
