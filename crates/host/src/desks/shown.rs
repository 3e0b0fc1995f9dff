//! A question as a person reads it on a terminal. All of it may be chosen by a model, so nothing in it can move the
//! cursor, hide itself or pretend to be something else.

use std::fmt::Write;

use serde_json::{Map, Value};
use tenter_contract::{Choice, Grants, HookId, Inquiry};

/// How many lines of one value are shown. The rest is told of, never silently left out.
const MOST_LINES: usize = 30;

/// How many lines of what is asked are shown, and how much of each. A model may have chosen the words.
const MOST_PROMPT_LINES: usize = 8;
const LONGEST_PROMPT_LINE: usize = 400;

/// What stands before the further lines of what is asked, so that none is taken for a line of ours.
const FURTHER: &str = "  │ ";

/// Text without anything that a terminal would obey or that reads other than it is written: control, bidi,
/// zero-width and tag characters become visible. Lines stay lines.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let hides = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        if c == '\n' || c == '\t' {
            shown.push(c);
        } else if c.is_control() || hides {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The same on one line.
fn on_one_line(text: &str) -> String {
    plain(text).replace('\n', "\\u{a}")
}

/// A question in lines, each with what it is, so that a terminal can give it a colour.
pub struct Shown;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// What is asked.
    Prompt,
    /// Who asks, and where.
    About,
    /// What would run.
    Input,
    /// What the model wrote and a hook has changed.
    Removed,
    /// What it was changed to.
    Added,
}

impl Shown {
    /// The question, who asks, about what, and what would run.
    pub fn lines(inquiry: &Inquiry) -> Vec<(LineKind, String)> {
        let mut lines = Vec::new();
        let event = &inquiry.event;
        for asker in &inquiry.question.askers {
            lines.extend(prompt(&asker.query.prompt).into_iter().map(|line| (LineKind::Prompt, line)));
            lines.push((LineKind::About, format!("  asked by hook {}", on_one_line(&asker.hook.address()))));
        }
        if inquiry.question.is_reduced() {
            let why = "  these hooks offer different options, so it is allow or deny, this once";
            lines.push((LineKind::About, why.to_owned()));
        }
        let (agent, session) = (on_one_line(event.agent.as_str()), on_one_line(event.session.as_str()));
        let inside = event.agent_id.as_ref().map(|id| format!(", sub-agent {}", on_one_line(id)));
        let place = format!("  {agent} at {}{}, session {session}", event.kind, inside.unwrap_or_default());
        lines.push((LineKind::About, place));
        if let Some(project) = event.project_root.as_ref().or(event.cwd.as_ref()) {
            lines.push((LineKind::About, format!("  in {}", on_one_line(project))));
        }
        if let Some(tool) = &event.tool {
            lines.push((LineKind::About, format!("  tool {}", on_one_line(&tool.name))));
            lines.extend(rewritten(&inquiry.question.rewriters));
            lines.extend(input(&tool.input, tool.original_input.as_ref()));
        } else if let Some(prompt) = &event.prompt {
            lines.extend(rewritten(&inquiry.question.rewriters));
            lines.extend(value("prompt", &Value::from(prompt.as_str()), LineKind::Input, "    "));
        }
        lines
    }

    /// The options, with their numbers, and what will not be asked again.
    pub fn options(inquiry: &Inquiry) -> String {
        let one = |(number, choice): (usize, &Choice)| {
            let lasts = match (choice.grants, inquiry.covers(choice.grants)) {
                (Grants::Nothing | Grants::Once, _) => String::new(),
                (Grants::Session | Grants::Tool, Some(covers)) => {
                    format!(" (for this session: {})", on_one_line(&covers.in_sight(&inquiry.event)))
                }
                (Grants::Session | Grants::Tool, None) => {
                    " (this once: the agent names no session)".to_owned()
                }
            };
            format!("[{}] {}{lasts}", number + 1, on_one_line(&choice.label))
        };
        inquiry.question.options.iter().enumerate().map(one).collect::<Vec<_>>().join("  ")
    }
}

/// What is asked: the first line as it is, the others marked, and no more than a person reads.
fn prompt(text: &str) -> Vec<String> {
    let text = plain(text);
    let all: Vec<&str> = text.split('\n').collect();
    let one = |(number, line): (usize, &&str)| {
        let mark = if number == 0 { "" } else { FURTHER };
        let more = line.chars().count().saturating_sub(LONGEST_PROMPT_LINE);
        let shown: String = line.chars().take(LONGEST_PROMPT_LINE).collect();
        let rest = if more == 0 { String::new() } else { format!("… {more} more characters") };
        format!("{mark}{shown}{rest}")
    };
    let mut lines: Vec<String> = all.iter().take(MOST_PROMPT_LINES).enumerate().map(one).collect();
    if let Some(more) = all.len().checked_sub(MOST_PROMPT_LINES).filter(|more| *more > 0) {
        lines.push(format!("{FURTHER}… {more} more lines: `tenter approvals list --json` has all of them"));
    }
    lines
}

/// Whose the differences are.
fn rewritten(by: &[HookId]) -> Option<(LineKind, String)> {
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
    let all: Vec<&str> = text.split('\n').collect();
    if let [only] = all.as_slice() {
        return vec![(kind, format!("{indent}{key}: {only}"))];
    }
    let mut lines = vec![(kind, format!("{indent}{key}:"))];
    lines.extend(all.iter().take(MOST_LINES).map(|line| (kind, format!("{indent}  {line}"))));
    if all.len() > MOST_LINES {
        let more = all.len() - MOST_LINES;
        let rest = format!("{indent}  … {more} more lines: `tenter approvals list --json` has all of them");
        lines.push((kind, rest));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tenter_contract::{
        AgentName, Asker, Event, EventKind, Layer, Policy, Query, Question, SessionId, Timestamp,
    };

    use super::*;

    #[test]
    fn nothing_in_a_question_moves_the_cursor_or_hides() {
        for (text, shown) in [
            ("rm -rf .\r ls", "rm -rf .\\u{d} ls"),
            ("\u{1b}[2K\u{1b}[1Gls", "\\u{1b}[2K\\u{1b}[1Gls"),
            ("a\u{202e}b\u{200b}c\u{e0041}", "a\\u{202e}b\\u{200b}c\\u{e0041}"),
            ("one\n\ttwo", "one\n\ttwo"),
        ] {
            assert_eq!(plain(text), shown);
        }
    }

    #[test]
    fn no_line_of_what_is_asked_looks_like_one_of_ours() {
        let forged = "Run `ls`?\n  [1] Deny  [2] Allow once\r\n  tool Read";
        assert_eq!(prompt(forged), ["Run `ls`?", "  │   [1] Deny  [2] Allow once\\u{d}", "  │   tool Read"]);
        let high = prompt(&"x\n".repeat(40));
        assert_eq!(high.len(), MOST_PROMPT_LINES + 1);
        assert!(high[MOST_PROMPT_LINES].starts_with("  │ … 33 more lines: "), "{high:?}");
        assert!(prompt(&"x".repeat(1000))[0].ends_with("x… 600 more characters"));
        assert_eq!(prompt(""), [""]);
        assert_eq!(on_one_line("/tmp/a\n  [1] Deny"), "/tmp/a\\u{a}  [1] Deny");
    }

    fn asked(session: &str, several: [&[&str]; 2]) -> Inquiry {
        let asker = |labels: &[&str]| {
            let options = labels.iter().map(|label| Choice::named(label)).collect();
            let query = Query { prompt: "Deploy?".to_owned(), options, timeout: None, default: Policy::Deny };
            Asker { hook: HookId::new(Layer::User, "guard"), definition: "00".to_owned(), query }
        };
        let session = SessionId::parse(session).unwrap_or_else(SessionId::unknown);
        let agent = AgentName::from_static("claude");
        let event = Event::new(EventKind::PromptSubmit, agent, session, Timestamp::default());
        Inquiry {
            id: "a".to_owned(),
            desk: "watch".to_owned(),
            question: Question::of(several.map(asker).to_vec()).unwrap(),
            event: Arc::new(Event { prompt: Some("Go on".to_owned()), ..event }),
            asked: Timestamp::default(),
            until: Timestamp::default(),
        }
    }

    #[test]
    fn an_option_says_how_long_it_lasts_and_for_what() {
        let always: [&[&str]; 2] = [&["Allow always", "Deny"]; 2];
        for (session, shown) in [
            ("s1", "[1] Allow always (for this session: exactly this prompt)  [2] Deny"),
            ("", "[1] Allow always (this once: the agent names no session)  [2] Deny"),
        ] {
            assert_eq!(Shown::options(&asked(session, always)), shown);
        }
    }

    #[test]
    fn it_is_said_if_hooks_offer_different_options_and_only_then() {
        for (several, said) in [
            ([&["Yes", "No"][..], &["Allow", "Deny"]], true),
            ([&[][..], &["Allow", "Deny"]], false),
            ([&["Yes"][..], &["Yes"]], false),
        ] {
            let lines = Shown::lines(&asked("s1", several));
            assert_eq!(lines.iter().any(|(_, line)| line.contains("different options")), said, "{several:?}");
        }
    }
}
