//! Text for the agent's context.

use crate::spelling::spelled;
use std::borrow::Cow;
use std::sync::Arc;

use crate::degradation::amounts;
use crate::outcome::Source;
use crate::{HookSpec, Role, Strategy};

/// Text for the agent's context.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Injection {
    /// The text.
    pub content: String,
    /// The role of the message.
    pub role: Role,
    /// Where it goes.
    pub strategy: Strategy,
    /// Only for the next model call, not kept in the history.
    pub ephemeral: bool,
    /// Identifies the text among those of its hook. Without a key, the content does.
    pub key: Option<String>,
    /// What happens if the context has it already.
    pub repeat: Repeat,
    /// The address it was fetched from. Then a frame marks it as data.
    pub foreign: Option<String>,
    /// Whether its hook wrote it as a reply.
    pub origin: Origin,
    /// How much of it is delivered.
    pub form: Form,
}

impl Injection {
    /// Text in the default role and place.
    pub fn text(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            role: Role::System,
            strategy: Strategy::Auto,
            ephemeral: false,
            key: None,
            repeat: Repeat::Auto,
            foreign: None,
            origin: Origin::Reply,
            form: Form::Whole,
        }
    }

    /// Printed output of a program, in the default role and place.
    pub fn printed(content: impl Into<String>) -> Self {
        Self { origin: Origin::Printed { missing: 0 }, ..Self::text(content) }
    }

    /// Text of a hook with the hook's defaults.
    pub fn from_hook(hook: &HookSpec, content: String) -> Self {
        Self {
            role: hook.role,
            strategy: hook.strategy,
            ephemeral: hook.defaults.ephemeral,
            repeat: hook.defaults.repeat,
            ..Self::text(content)
        }
    }

    /// The bytes that its hook wanted to inject, with the frame of a fetched text.
    pub fn whole_bytes(&self) -> usize {
        let kept = self.form.shortened().map_or(self.content.len(), |it| it.bytes);
        kept.saturating_add(self.frame_bytes()).saturating_add(self.missing())
    }

    fn frame_bytes(&self) -> usize {
        let (before, after) = self.frame();
        before.len() + after.len()
    }

    /// The bytes of the hook's output that were not kept.
    pub fn missing(&self) -> usize {
        match self.origin {
            Origin::Reply => 0,
            Origin::Printed { missing } => missing,
        }
    }

    /// The delivered text, with the note about the rest if it was cut.
    pub fn given(&self, by: &Source) -> Cow<'_, str> {
        let text = self.received(by, usize::MAX);
        match self.tail() {
            tail if tail.is_empty() => text,
            tail => Cow::Owned(text.into_owned() + &tail),
        }
    }

    /// The hook's part of the delivered text, if the agent gets this many bytes. Headings and notes of tenter are
    /// not counted.
    pub fn received(&self, by: &Source, bytes: usize) -> Cow<'_, str> {
        if let Form::Unchanged(_) = self.form {
            return Cow::Owned(if bytes == 0 { String::new() } else { format!("From {by}: {UNCHANGED}") });
        }
        let (before, after) = self.frame();
        let Some(room) = bytes.checked_sub(before.len() + after.len()) else { return Cow::Borrowed("") };
        let content = &self.content[..self.content.floor_char_boundary(room)];
        if before.is_empty() && after.is_empty() {
            return Cow::Borrowed(content);
        }
        Cow::Owned(format!("{before}{content}{after}"))
    }

    /// The note after a text that was cut: how much of it is there, and the file with all of it.
    pub fn tail(&self) -> String {
        let Form::Beginning(it) = &self.form else { return String::new() };
        let Some(path) = it.all.path() else { return CUT_MARK.to_owned() };
        let kept = self.content.len() + self.frame_bytes();
        let (all, held) = amounts(self.whole_bytes(), self.missing());
        format!("\n\n… [{kept} of {all} bytes; {held} in {path}]")
    }

    /// All of the content that was kept, also beyond the limit.
    pub fn whole_content(&self) -> &str {
        match self.form.shortened() {
            Some(Shortened { all: WholeText::Here(whole), .. }) => whole,
            Some(_) | None => &self.content,
        }
    }

    /// All of the text that was kept, with the frame of a fetched text.
    pub fn whole(&self) -> String {
        let (before, after) = self.frame();
        format!("{before}{}{after}", self.whole_content())
    }

    /// The lines before and after a fetched text.
    pub fn frame(&self) -> (String, &'static str) {
        match &self.foreign {
            None => (String::new(), ""),
            Some(source) => (format!("<{FRAME} source=\"{source}\" trust=\"foreign\">\n"), FRAME_END),
        }
    }
}

/// The tag around a fetched text, which marks it as data and names its source.
pub const FRAME: &str = "tenter-data";
const FRAME_END: &str = "\n</tenter-data>";

/// The end of a text that was cut, if no file has the rest.
pub const CUT_MARK: &str = " ... truncated";

/// The line in place of an unchanged text.
pub const UNCHANGED: &str = "unchanged since the last report";

/// The origin of an injected text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Origin {
    /// Its hook wrote it as a reply, and can keep to the limits.
    #[default]
    Reply,
    /// A program that does not know the limits printed it. It is never rejected for its length.
    Printed {
        /// The bytes beyond what is kept of one hook's output.
        missing: usize,
    },
}

/// How much of a text is delivered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// All of it.
    #[default]
    Whole,
    /// The content is the beginning of a longer text.
    Beginning(Shortened),
    /// A line that reports no change. The content is the earlier text, or its beginning.
    Unchanged(Option<Shortened>),
}

impl Form {
    /// The longer text, if the content is a part of one.
    pub fn shortened(&self) -> Option<&Shortened> {
        match self {
            Self::Beginning(it) | Self::Unchanged(Some(it)) => Some(it),
            Self::Whole | Self::Unchanged(None) => None,
        }
    }

    /// The file that has all of it.
    pub fn path(&self) -> Option<&str> {
        self.shortened()?.all.path()
    }
}

/// A text that was shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Shortened {
    /// The bytes of all that was kept of its content.
    pub bytes: usize,
    /// A hash of the whole text, because two long texts may begin alike.
    pub digest: u64,
    /// Where all of it is.
    pub all: WholeText,
}

/// Where the whole text is, if the agent gets the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum WholeText {
    /// Nowhere.
    Lost,
    /// Here, until it is written to a file.
    Here(Arc<str>),
    /// In this file.
    At(String),
}

impl WholeText {
    /// The file.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::At(path) => Some(path),
            Self::Lost | Self::Here(_) => None,
        }
    }
}

spelled! {
    /// What happens to a text that the context has already.
    #[derive(Default)]
    pub enum Repeat {
        /// If it is the hook's latest text: [`Repeat::Line`] at events that report on what the agent did, so that a
        /// remaining error is never hidden; elsewhere it is left out.
        #[default]
        Auto = "auto",
        /// It is delivered again.
        Always = "always",
        /// If it is the hook's latest text, a line reports no change.
        Line = "line",
        /// It is left out, also if the hook's latest text is another one.
        Never = "never",
    }
}

/// Injections that become one message, for hosts that have a channel for every role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextMessage {
    /// The role of the message.
    pub role: Role,
    /// Where it goes.
    pub strategy: Strategy,
    /// Only for the next model call.
    pub ephemeral: bool,
    /// The text.
    pub content: String,
    /// Whose texts it is made of, in order, and how many bytes each has.
    pub parts: Vec<(Source, usize)>,
}
