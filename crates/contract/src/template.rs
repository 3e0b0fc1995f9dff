//! Text with placeholders (`{tool.path}`), and the only four ways to fill it in.
//!
//! Model-chosen text reaches a shell through [`Template::shell`] alone, quoted as one word. The set of
//! placeholders is closed; braces that name nothing of ours (`awk '{print}'`, `{a,b}`) stay as they are.

use crate::event::Event;
use crate::similar;
use crate::spelling::spelled;

spelled! {
    /// Something of an event that a hook file can name, in the order of the documentation.
    pub enum Placeholder {
        Event = "event",
        SessionId = "session_id",
        Agent = "agent",
        AgentId = "agent_id",
        Cwd = "cwd",
        ProjectRoot = "project_root",
        Prompt = "prompt",
        Source = "source",
        Reason = "reason",
        Message = "message",
        ToolName = "tool.name",
        ToolNativeName = "tool.native_name",
        ToolKind = "tool.kind",
        /// One path; a hook runs once for each.
        ToolPath = "tool.path",
        /// All paths.
        ToolPaths = "tool.paths",
        ToolCommand = "tool.command",
        ToolCallId = "tool.call_id",
        ToolExitCode = "tool.exit_code",
    }
}

impl Placeholder {
    /// Its value as words; `None` if the event has none. Only `{tool.paths}` can have several.
    fn words(self, event: &Event, path: Option<&str>) -> Option<Vec<String>> {
        let tool = event.tool.as_ref();
        let one = |text: Option<&str>| text.map(|text| vec![text.to_owned()]);
        match self {
            Self::Event => one(Some(event.kind.as_str())),
            Self::SessionId => one(event.session.as_ref().map(crate::SessionId::as_str)),
            Self::Agent => one(Some(event.agent.as_str())),
            Self::AgentId => one(event.agent_id.as_deref()),
            Self::Cwd => one(event.cwd.as_deref()),
            Self::ProjectRoot => one(event.project_root.as_deref()),
            Self::Prompt => one(event.prompt.as_deref()),
            Self::Source => one(event.source.as_deref()),
            Self::Reason => one(event.reason.as_deref()),
            Self::Message => one(event.message.as_deref()),
            Self::ToolName => one(tool.map(|tool| tool.name.as_str())),
            Self::ToolNativeName => one(tool.map(|tool| tool.native_name.as_str())),
            Self::ToolKind => one(tool.map(|tool| tool.kind.as_str())),
            Self::ToolPath => one(path.or_else(|| tool.and_then(|tool| tool.path()))).map(not_an_option),
            Self::ToolPaths => {
                tool.map(|tool| tool.paths.clone()).filter(|paths| !paths.is_empty()).map(not_an_option)
            }
            Self::ToolCommand => one(tool.and_then(|tool| tool.command.as_deref())),
            Self::ToolCallId => one(tool.and_then(|tool| tool.call_id.as_deref())),
            Self::ToolExitCode => tool.and_then(|tool| tool.exit_code).map(|code| vec![code.to_string()]),
        }
    }
}

/// A path that begins with `-` would be read as an option by the program that gets it.
fn not_an_option(paths: Vec<String>) -> Vec<String> {
    paths.into_iter().map(|path| if path.starts_with('-') { format!("./{path}") } else { path }).collect()
}

/// A text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cache", serde(from = "Vec<Piece>", into = "Vec<Piece>"))]
pub struct Template {
    source: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
enum Piece {
    Text(String),
    Value(Placeholder),
}

#[cfg(feature = "cache")]
impl From<Vec<Piece>> for Template {
    fn from(pieces: Vec<Piece>) -> Self {
        let mut source = String::new();
        for piece in &pieces {
            match piece {
                Piece::Text(text) => source.push_str(text),
                Piece::Value(placeholder) => source.extend(["{", placeholder.as_str(), "}"]),
            }
        }
        Self { source, pieces }
    }
}

#[cfg(feature = "cache")]
impl From<Template> for Vec<Piece> {
    fn from(template: Template) -> Self {
        template.pieces
    }
}

/// Why a text is not a valid template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum TemplateError {
    /// `{tool.pth}`: it looks like one of ours and is none.
    Unknown { name: String, suggestion: Option<&'static str> },
    /// In a shell command: inside quotes, backticks, a comment or a here-document, where our own quoting
    /// would not hold.
    Unquotable { name: &'static str, inside: &'static str },
}

/// The event has no value for this placeholder, so the hook is not concerned by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoValue(pub Placeholder);

impl Template {
    /// Reads a text.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = source;
        while let Some(open) = rest.find('{') {
            let (before, from) = rest.split_at(open);
            text.push_str(before);
            let Some((name, after)) = from[1..].split_once('}') else {
                rest = from;
                break;
            };
            if let Some(placeholder) = Placeholder::parse(name) {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Value(placeholder));
                rest = after;
            } else if looks_like_ours(name) {
                let suggestion = similar::nearest(name, Placeholder::ALL.map(Placeholder::as_str));
                return Err(TemplateError::Unknown { name: name.to_owned(), suggestion });
            } else {
                text.push('{');
                rest = &from[1..];
            }
        }
        text.push_str(rest);
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Ok(Self { source: source.to_owned(), pieces })
    }

    /// A text in which braces are braces: a command that was written for another program.
    pub fn literal(source: &str) -> Self {
        Self { source: source.to_owned(), pieces: vec![Piece::Text(source.to_owned())] }
    }

    /// Reads a shell command, and refuses placeholders where quoting them would not protect.
    pub fn parse_shell(source: &str) -> Result<Self, TemplateError> {
        let template = Self::parse(source)?;
        let mut place = ShellPlace::default();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => place.read(text),
                Piece::Value(placeholder) => {
                    if let Some(inside) = place.unsafe_inside() {
                        return Err(TemplateError::Unquotable { name: placeholder.as_str(), inside });
                    }
                    place.at_word_start = false;
                }
            }
        }
        Ok(template)
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether a placeholder occurs.
    pub fn mentions(&self, placeholder: Placeholder) -> bool {
        self.pieces.contains(&Piece::Value(placeholder))
    }

    /// For people and for context: plain values, and nothing where the event has none.
    pub fn plain(&self, event: &Event) -> String {
        self.fill(|placeholder| Ok(placeholder.words(event, None).unwrap_or_default().join(" ")))
            .unwrap_or_default()
    }

    /// One argument of a program that is started without a shell.
    pub fn argument(&self, event: &Event, path: Option<&str>) -> Result<String, NoValue> {
        self.fill(|placeholder| Ok(placeholder.words(event, path).ok_or(NoValue(placeholder))?.join(" ")))
    }

    /// A command line for `sh -c`: every value quoted as one word.
    pub fn shell(&self, event: &Event, path: Option<&str>) -> Result<String, NoValue> {
        self.fill(|placeholder| {
            let words = placeholder.words(event, path).ok_or(NoValue(placeholder))?;
            Ok(words.iter().map(|word| shell_quote(word)).collect::<Vec<_>>().join(" "))
        })
    }

    /// An address: every value percent-encoded, so that it stays within its place.
    pub fn url(&self, event: &Event) -> Result<String, NoValue> {
        self.fill(|placeholder| {
            let words = placeholder.words(event, None).ok_or(NoValue(placeholder))?;
            Ok(percent_encode(&words.join(" ")))
        })
    }

    fn fill(&self, mut value: impl FnMut(Placeholder) -> Result<String, NoValue>) -> Result<String, NoValue> {
        let mut filled = String::with_capacity(self.source.len());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Value(placeholder) => filled.push_str(&value(*placeholder)?),
            }
        }
        Ok(filled)
    }
}

/// `{tool.…}` can only be meant as one of ours; other braces belong to the shell, to awk, to JSON.
fn looks_like_ours(name: &str) -> bool {
    name.strip_prefix("tool.").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Quotes a text as one word for a POSIX shell.
pub fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn percent_encode(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// The position of the reader in a shell command. It knows whether a single-quoted word inserted here would stay one
/// word.
#[derive(Default)]
struct ShellPlace {
    quote: Quote,
    after_here_document: bool,
    escaped: bool,
    at_word_start: bool,
    last: Option<char>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Quote {
    #[default]
    None,
    Single,
    Double,
    Backtick,
    Comment,
}

impl ShellPlace {
    fn read(&mut self, text: &str) {
        for c in text.chars() {
            self.step(c);
            self.last = Some(c);
        }
    }

    fn step(&mut self, c: char) {
        if std::mem::take(&mut self.escaped) {
            return;
        }
        match (self.quote, c) {
            (Quote::Single, '\'')
            | (Quote::Double, '"')
            | (Quote::Backtick, '`')
            | (Quote::Comment, '\n') => {
                self.quote = Quote::None;
            }
            (Quote::Double | Quote::Backtick | Quote::None, '\\') => self.escaped = true,
            (Quote::None, '\'') => self.quote = Quote::Single,
            (Quote::None, '"') => self.quote = Quote::Double,
            (Quote::None, '`') => self.quote = Quote::Backtick,
            (Quote::None, '#') if self.at_word_start || self.last.is_none() => self.quote = Quote::Comment,
            (Quote::None, '<') if self.last == Some('<') => self.after_here_document = true,
            (Quote::Single | Quote::Double | Quote::Backtick | Quote::Comment | Quote::None, _) => {}
        }
        self.at_word_start = c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(');
    }

    fn unsafe_inside(&self) -> Option<&'static str> {
        if self.after_here_document {
            return Some("a here-document");
        }
        if self.escaped {
            return Some("a backslash escape");
        }
        match self.quote {
            Quote::None => None,
            Quote::Single => Some("single quotes"),
            Quote::Double => Some("double quotes"),
            Quote::Backtick => Some("backticks"),
            Quote::Comment => Some("a comment"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentName, EventKind, Timestamp, ToolCall, ToolKind};
    use proptest::prelude::*;
    use serde_json::json;

    fn write_of(path: &str) -> Event {
        let mut event =
            Event::new(EventKind::ToolPre, AgentName::from_static("claude"), None, Timestamp::default());
        let input = json!({ "file_path": path, "content": "x" });
        event.tool = Some(ToolCall::new("Write", ToolKind::Write, input.as_object().cloned().unwrap()));
        event
    }

    #[test]
    fn hostile_file_name_stays_one_word() {
        let command = Template::parse_shell("ruff check {tool.path} >&2").unwrap();
        for (path, expected) in [
            ("a.py", "ruff check 'a.py' >&2"),
            ("a.py; touch x", "ruff check 'a.py; touch x' >&2"),
            ("$(touch x)", "ruff check '$(touch x)' >&2"),
            ("it's", r"ruff check 'it'\''s' >&2"),
            ("-rf", "ruff check './-rf' >&2"),
        ] {
            assert_eq!(command.shell(&write_of(path), None).unwrap(), expected);
        }
    }

    #[test]
    fn unquotable_placeholder_is_refused() {
        for (command, inside) in [
            (r#"ruff "{tool.path}""#, "double quotes"),
            ("ruff '{tool.path}'", "single quotes"),
            ("x=`cat {tool.path}`", "backticks"),
            ("true # {tool.path}", "a comment"),
            ("cat <<E\n{tool.path}\nE", "a here-document"),
            (r"cat \{tool.path}", "a backslash escape"),
        ] {
            let error = Template::parse_shell(command).unwrap_err();
            assert_eq!(error, TemplateError::Unquotable { name: "tool.path", inside }, "{command}");
        }
    }

    #[test]
    fn quotes_elsewhere_are_allowed() {
        for command in [
            r#"grep -n "it's" {tool.path}"#,
            "awk '{print $1}' {tool.path}",
            "x=$(cat {tool.path})",
            "echo a#b {tool.path}",
            r#"echo \" {tool.path}"#,
            "# note\ncat {tool.path}",
        ] {
            assert!(Template::parse_shell(command).is_ok(), "{command}");
        }
    }

    #[test]
    fn misspelled_placeholder_gets_a_suggestion() {
        assert_eq!(
            Template::parse("cat {tool.pth}"),
            Err(TemplateError::Unknown { name: "tool.pth".to_owned(), suggestion: Some("tool.path") })
        );
        assert!(Template::parse("awk '{print}' {a,b} ${HOME} {}").is_ok());
    }

    #[test]
    fn url_value_is_encoded() {
        let url = Template::parse("https://x.example/lint?file={tool.path}&full=1").unwrap();
        let filled = url.url(&write_of("a b.py&full=0#ü")).unwrap();
        assert_eq!(filled, "https://x.example/lint?file=a%20b.py%26full%3D0%23%C3%BC&full=1");
    }

    #[test]
    fn missing_value_is_reported() {
        let command = Template::parse_shell("echo {prompt}").unwrap();
        assert_eq!(command.shell(&write_of("a"), None), Err(NoValue(Placeholder::Prompt)));
        assert_eq!(command.plain(&write_of("a")), "echo ");
    }

    proptest! {
        #[test]
        fn template_parsing_never_panics(text in ".{0,40}") {
            let _ = Template::parse_shell(&text);
        }
    }
}
