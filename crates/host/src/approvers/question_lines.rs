//! The lines of a question on a terminal. A model may have chosen all of its text, so control characters are escaped:
//! no text can move the cursor, hide or imitate a line of tenter.

use serde_json::{Map, Value};
use tenter_contract::terminal::visible;
use tenter_contract::{ApprovalRequest, Choice, Event, EventKind, Grant, HookId, Layer, ToolKind};

/// How many lines of one value are shown. A line counts the rest.
const MOST_LINES: usize = 30;

/// How many lines of a prompt are shown, and how much of each.
const MOST_PROMPT_LINES: usize = 8;
const LONGEST_PROMPT_LINE: usize = 400;

/// The mark before the further lines of a prompt, which distinguishes them from lines of tenter.
const FURTHER: &str = "  │ ";

/// Text as a terminal may show it.
pub fn plain(text: &str) -> String {
    visible(text).into_owned()
}

fn on_one_line(text: &str) -> String {
    plain(text).replace('\n', "\\u{a}")
}

/// The kind of a line, by which terminals choose its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A prompt.
    Prompt,
    /// Who asks, and where.
    About,
    /// A value of the call.
    Input,
    /// A value that a hook has changed or removed.
    Removed,
    /// The value after the change.
    Added,
}

/// The question, who asks it, and the call, for a user who may be anywhere.
pub fn question_lines(request: &ApprovalRequest) -> Vec<(LineKind, String)> {
    let event = &request.event;
    let mut lines = prompt_lines(request);
    let (agent, session) = (on_one_line(event.agent.as_str()), on_one_line(event.session_text()));
    let at = if is_our_own(event) { String::new() } else { format!(" at {}", event.kind) };
    let inside = event.agent_id.as_ref().map(|id| format!(", sub-agent {}", on_one_line(id)));
    let place = format!("  {agent}{at}{}, session {session}", inside.unwrap_or_default());
    lines.push((LineKind::About, place));
    if let Some(project) = event.project_root.as_ref().or(event.cwd.as_ref()) {
        lines.push((LineKind::About, format!("  in {}", on_one_line(project))));
    }
    lines.extend(call_lines(request));
    lines
}

/// The same for a user in front of the agent, without agent and folder.
pub fn question_lines_in_session(request: &ApprovalRequest) -> Vec<(LineKind, String)> {
    [prompt_lines(request), call_lines(request)].concat()
}

/// The prompts, and the hooks that ask.
fn prompt_lines(request: &ApprovalRequest) -> Vec<(LineKind, String)> {
    let mut lines = Vec::new();
    let event = &request.event;
    for asker in &request.question.askers {
        lines.extend(marked_prompt(&asker.query.prompt).into_iter().map(|line| (LineKind::Prompt, line)));
        lines.push((LineKind::About, format!("  {}", asked_by(&asker.hook, event))));
    }
    if request.question.is_reduced() {
        let why = "  these hooks offer different options, so it is allow or deny, this once";
        lines.push((LineKind::About, why.to_owned()));
    }
    if event.parent.is_some() {
        lines.push((LineKind::About, "  a sub-agent wants it, which works for the agent".to_owned()));
    }
    lines
}

/// The tool call or the prompt that would run.
fn call_lines(request: &ApprovalRequest) -> Vec<(LineKind, String)> {
    let mut lines = Vec::new();
    let event = &request.event;
    if let Some(tool) = &event.tool {
        lines.push((LineKind::About, format!("  tool {}", on_one_line(&tool.name))));
        lines.extend(rewritten_by(&request.question.rewriters));
        lines.extend(input(&tool.input, tool.original_input.as_ref()));
    } else if let Some(prompt) = &event.prompt {
        lines.extend(rewritten_by(&request.question.rewriters));
        lines.extend(value("prompt", &Value::from(prompt.as_str()), LineKind::Input, "    "));
    }
    lines
}

/// The options with their numbers and the scope of each grant.
pub fn option_line(request: &ApprovalRequest) -> String {
    let one = |(number, choice): (usize, &Choice)| {
        let lasts = match (choice.grants, request.scope(choice.grants)) {
            (Grant::Nothing, _) if choice.reads_as_deny() => String::new(),
            (Grant::Nothing, _) => " (denies)".to_owned(),
            (Grant::Once, _) => String::new(),
            (Grant::Session | Grant::Tool, Some(scope)) => {
                format!(" (for this session: {})", on_one_line(&scope.summary(&request.event)))
            }
            (Grant::Session | Grant::Tool, None) => " (this once: the agent names no session)".to_owned(),
        };
        format!("[{}] {}{lasts}", number + 1, on_one_line(&choice.label))
    };
    request.question.options.iter().enumerate().map(one).collect::<Vec<_>>().join("  ")
}
/// Whether tenter's own agent asks, and no hook.
fn is_our_own(event: &Event) -> bool {
    matches!(&event.kind, EventKind::Other(name) if name == "tenter:permission")
}

fn asked_by(hook: &HookId, event: &Event) -> String {
    if hook.layer != Layer::Embedded || !is_our_own(event) {
        return format!("asked by hook {}", on_one_line(&hook.address()));
    }
    let what = match event.tool.as_ref().map(|tool| tool.kind) {
        Some(ToolKind::Shell) => "a command runs",
        Some(ToolKind::Write | ToolKind::Edit) => "a file is changed",
        Some(ToolKind::Mcp) => "a tool of a server is used",
        Some(ToolKind::Read | ToolKind::Search) => "it looks outside the project",
        Some(ToolKind::Fetch | ToolKind::Task | ToolKind::Other) | None => "such a tool is used",
    };
    format!("tenter asks before {what}")
}

/// A prompt: the first line as it is, the others marked, and at most as many as a user reads.
fn marked_prompt(text: &str) -> Vec<String> {
    let text = plain(text);
    let all = lines_of(&text);
    let one = |(number, line): (usize, &&str)| {
        let mark = if number == 0 { "" } else { FURTHER };
        let more = line.chars().count().saturating_sub(LONGEST_PROMPT_LINE);
        let shown: String = line.chars().take(LONGEST_PROMPT_LINE).collect();
        let rest = if more == 0 { String::new() } else { format!("… {more} more characters") };
        format!("{mark}{shown}{rest}")
    };
    let mut lines: Vec<String> = all.iter().take(MOST_PROMPT_LINES).enumerate().map(one).collect();
    if let Some(more) = all.len().checked_sub(MOST_PROMPT_LINES).filter(|more| *more > 0) {
        lines.push(format!("{FURTHER}{}", further(more)));
    }
    lines
}

/// The lines of a text; the end of the last one begins no other.
fn lines_of(text: &str) -> Vec<&str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').collect()
}

fn further(more: usize) -> String {
    let lines = if more == 1 { "1 more line".to_owned() } else { format!("{more} more lines") };
    format!("… {lines}: `tenter approvals list --json` has all of them")
}

fn rewritten_by(by: &[HookId]) -> Option<(LineKind, String)> {
    let hooks: Vec<String> = by.iter().map(|hook| on_one_line(&hook.address())).collect();
    (!hooks.is_empty()).then(|| (LineKind::About, format!("  rewritten by hook {}", hooks.join(", then "))))
}

fn input(now: &Map<String, Value>, before: Option<&Map<String, Value>>) -> Vec<(LineKind, String)> {
    let mut lines = Vec::new();
    for (key, new) in now {
        let old = before.map(|before| before.get(key));
        match old {
            Some(old) if old != Some(new) => {
                lines.extend(old.into_iter().flat_map(|old| value(key, old, LineKind::Removed, "  - ")));
                lines.extend(value(key, new, LineKind::Added, "  + "));
            }
            Some(_) | None => lines.extend(value(key, new, LineKind::Input, "    ")),
        }
    }
    let gone = before.into_iter().flatten().filter(|(key, _)| !now.contains_key(*key));
    lines.extend(gone.flat_map(|(key, old)| value(key, old, LineKind::Removed, "  - ")));
    lines
}

fn value(key: &str, value: &Value, kind: LineKind, indent: &str) -> Vec<(LineKind, String)> {
    let text = match value {
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    };
    let key = plain(key).replace('\n', " ");
    let all = lines_of(&text);
    if let [only] = all.as_slice() {
        return vec![(kind, format!("{indent}{key}: {only}"))];
    }
    let mut lines = vec![(kind, format!("{indent}{key}:"))];
    lines.extend(all.iter().take(MOST_LINES).map(|line| (kind, format!("{indent}  {line}"))));
    if all.len() > MOST_LINES {
        lines.push((kind, format!("{indent}  {}", further(all.len() - MOST_LINES))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tenter_contract::{
        AgentName, ApprovalPrompt, ApprovalQuestion, HookQuestion, Policy, SessionId, Timestamp, ToolCall,
    };

    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        for (text, shown) in [
            ("rm -rf .\r ls", "rm -rf .\\u{d} ls"),
            ("\u{1b}[2K\u{1b}[1Gls", "\\u{1b}[2K\\u{1b}[1Gls"),
            ("a\u{202e}b\u{200b}c\u{e0041}", "a\\u{202e}b\\u{200b}c\\u{e0041}"),
            ("one\n\ttwo", "one\n\ttwo"),
            ("👩\u{200d}💻 می\u{200c}خواهم", "👩\u{200d}💻 می\u{200c}خواهم"),
            ("क\u{94d}\u{200d}ष", "क\u{94d}\u{200d}ष"),
            ("rm\u{200d} a\u{200c}", "rm\\u{200d} a\\u{200c}"),
            ("ی\u{200c}\u{200c}", "ی\u{200c}\\u{200c}"),
        ] {
            assert_eq!(plain(text), shown);
        }
    }

    #[test]
    fn prompt_cannot_imitate_tenter_lines() {
        let forged = "Run `ls`?\n  [1] Deny  [2] Allow once\r\n  tool Read";
        assert_eq!(
            marked_prompt(forged),
            ["Run `ls`?", "  │   [1] Deny  [2] Allow once\\u{d}", "  │   tool Read"]
        );
        let high = marked_prompt(&"x\n".repeat(40));
        assert_eq!(high.len(), MOST_PROMPT_LINES + 1);
        assert!(high[MOST_PROMPT_LINES].starts_with("  │ … 32 more lines: "), "{high:?}");
        assert!(marked_prompt(&"x".repeat(1000))[0].ends_with("x… 600 more characters"));
        assert_eq!(marked_prompt(""), [""]);
        assert_eq!(on_one_line("/tmp/a\n  [1] Deny"), "/tmp/a\\u{a}  [1] Deny");
    }

    fn asked(session: &str, several: [&[&str]; 2]) -> ApprovalRequest {
        let asker = |labels: &[&str]| {
            let options = labels.iter().map(|label| Choice::named(label)).collect();
            let query = ApprovalPrompt {
                prompt: "Deploy?".to_owned(),
                options,
                timeout: None,
                default: Policy::Deny,
            };
            HookQuestion { hook: HookId::new(Layer::User, "guard"), definition: "00".to_owned(), query }
        };
        let session = SessionId::parse(session);
        let agent = AgentName::from_static("claude");
        let event = Event::new(EventKind::PromptSubmit, agent, session, Timestamp::default());
        ApprovalRequest {
            id: "a".to_owned(),
            approver: "watch".to_owned(),
            question: ApprovalQuestion::new(several.map(asker).to_vec()).unwrap(),
            event: Arc::new(Event { prompt: Some("Go on".to_owned()), ..event }),
            asked: Timestamp::default(),
            until: Timestamp::default(),
        }
    }

    #[test]
    fn own_permission_question_has_plain_words() {
        let of = |kind: &str, layer: Layer, tool: ToolKind, parent: Option<&str>| {
            let mut request = asked("s1", [&["Allow", "Deny"]; 2]);
            request.question.askers.truncate(1);
            request.question.askers[0].hook = HookId::new(layer, "permission");
            let mut event = Event { prompt: None, ..(*request.event).clone() };
            event.kind = EventKind::Other(kind.to_owned());
            event.agent = AgentName::from_static("tenter");
            event.parent = parent.and_then(SessionId::parse);
            event.tool = Some(ToolCall::new("Some", tool, Map::new()));
            request.event = Arc::new(event);
            request
        };
        let ours = "tenter:permission";
        for (request, elsewhere, here) in [
            (
                of(ours, Layer::Embedded, ToolKind::Shell, None),
                "Deploy?|  tenter asks before a command runs|  tenter, session s1|  tool Some",
                "Deploy?|  tenter asks before a command runs|  tool Some",
            ),
            (
                of(ours, Layer::Embedded, ToolKind::Write, Some("s0")),
                "Deploy?|  tenter asks before a file is changed|  a sub-agent wants it, which works for the agent|  tenter, session s1|  tool Some",
                "Deploy?|  tenter asks before a file is changed|  a sub-agent wants it, which works for the agent|  tool Some",
            ),
            (
                of(ours, Layer::Embedded, ToolKind::Read, None),
                "Deploy?|  tenter asks before it looks outside the project|  tenter, session s1|  tool Some",
                "Deploy?|  tenter asks before it looks outside the project|  tool Some",
            ),
            (
                of(ours, Layer::User, ToolKind::Shell, None),
                "Deploy?|  asked by hook user/permission|  tenter, session s1|  tool Some",
                "Deploy?|  asked by hook user/permission|  tool Some",
            ),
            (
                of("team:deploy", Layer::Embedded, ToolKind::Shell, None),
                "Deploy?|  asked by hook embedded/permission|  tenter at team:deploy, session s1|  tool Some",
                "Deploy?|  asked by hook embedded/permission|  tool Some",
            ),
        ] {
            let text = |lines: Vec<(LineKind, String)>| {
                lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("|")
            };
            assert_eq!(text(question_lines(&request)), elsewhere);
            assert_eq!(text(question_lines_in_session(&request)), here);
        }
    }

    #[test]
    fn option_names_grant_scope() {
        let always: [&[&str]; 2] = [&["Allow always", "Deny"]; 2];
        for (session, shown) in [
            ("s1", "[1] Allow always (for this session: exactly this prompt)  [2] Deny"),
            ("", "[1] Allow always (this once: the agent names no session)  [2] Deny"),
        ] {
            assert_eq!(option_line(&asked(session, always)), shown);
        }
    }

    #[test]
    fn different_options_have_a_note() {
        for (several, said) in [
            ([&["Yes", "No"][..], &["Allow", "Deny"]], true),
            ([&[][..], &["Allow", "Deny"]], false),
            ([&["Yes"][..], &["Yes"]], false),
        ] {
            let lines = question_lines(&asked("s1", several));
            assert_eq!(lines.iter().any(|(_, line)| line.contains("different options")), said, "{several:?}");
        }
    }
}
