//! Text for the agent's context, from what a hook said to what the agent is given.

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
    /// Who seems to speak.
    pub role: Role,
    /// Where it goes.
    pub strategy: Strategy,
    /// Only for the next model call, not kept in the history.
    pub ephemeral: bool,
    /// What makes it the same as another text of its hook, whatever it says; without one, what it says does.
    pub key: Option<String>,
    /// What becomes of it if its context has it already.
    pub repeat: Repeat,
    /// Where it was fetched, if nobody here has written it. Then the agent is told that it is data.
    pub foreign: Option<String>,
    /// Whether its hook wrote it for us.
    pub origin: Origin,
    /// How much of it is given.
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

    /// What a program has printed, in the default role and place.
    pub fn printed(content: impl Into<String>) -> Self {
        Self { origin: Origin::Printed { missing: 0 }, ..Self::text(content) }
    }

    /// Text of this hook, which says nothing else about it.
    pub fn from_hook(hook: &HookSpec, content: String) -> Self {
        Self {
            role: hook.role,
            strategy: hook.strategy,
            ephemeral: hook.defaults.ephemeral,
            repeat: hook.defaults.repeat,
            ..Self::text(content)
        }
    }

    /// How many bytes its hook wanted to inject, with what stands around a text that was fetched.
    pub fn whole_bytes(&self) -> usize {
        let kept = self.form.shortened().map_or(self.content.len(), |it| it.bytes);
        kept.saturating_add(self.frame_bytes()).saturating_add(self.missing())
    }

    fn frame_bytes(&self) -> usize {
        let (before, after) = self.frame();
        before.len() + after.len()
    }

    /// How many further bytes its hook has printed that nobody has.
    pub fn missing(&self) -> usize {
        match self.origin {
            Origin::Reply => 0,
            Origin::Printed { missing } => missing,
        }
    }

    /// What the agent is given, where nothing is cut off any more: the text, and behind one that is cut what is said
    /// of the rest.
    pub fn given(&self, by: &Source) -> Cow<'_, str> {
        let text = self.received(by, usize::MAX);
        match self.tail() {
            tail if tail.is_empty() => text,
            tail => Cow::Owned(text.into_owned() + &tail),
        }
    }

    /// What is its hook's of the text that the agent is given, if it gets so many bytes of it. What we say ourselves
    /// (headings, and what stands behind a text that is cut) is nobody's and is counted nowhere.
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

    /// What is said behind a text that is cut: how much of it is there and where all of it is, or that there was more.
    pub fn tail(&self) -> String {
        let Form::Beginning(it) = &self.form else { return String::new() };
        let Some(path) = it.all.path() else { return CUT_MARK.to_owned() };
        let kept = self.content.len() + self.frame_bytes();
        let (all, held) = amounts(self.whole_bytes(), self.missing());
        format!("\n\n… [{kept} of {all} bytes; {held} in {path}]")
    }

    /// All that is here of its content, also beyond its limit.
    pub fn whole_content(&self) -> &str {
        match self.form.shortened() {
            Some(Shortened { all: WholeText::Here(whole), .. }) => whole,
            Some(_) | None => &self.content,
        }
    }

    /// All that is here of it, with what stands around a text that was fetched.
    pub fn whole(&self) -> String {
        let (before, after) = self.frame();
        format!("{before}{}{after}", self.whole_content())
    }

    /// What stands before and behind a text that was fetched.
    pub fn frame(&self) -> (String, &'static str) {
        match &self.foreign {
            None => (String::new(), ""),
            Some(source) => (format!("<{FRAME} source=\"{source}\" trust=\"foreign\">\n"), FRAME_END),
        }
    }
}

/// The tag around a text that was fetched: data, with its source, and nobody's instructions.
pub const FRAME: &str = "tenter-data";
const FRAME_END: &str = "\n</tenter-data>";

/// What stands behind a text that was cut, where nothing says where the rest is.
pub const CUT_MARK: &str = " ... truncated";

/// What is said of a text that was said before.
pub const UNCHANGED: &str = "unchanged since the last report";

/// How a text came to be injected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Origin {
    /// Its hook wrote it for us, and can keep to the limits.
    #[default]
    Reply,
    /// It is what a program has printed that knows nothing of limits. So it is never refused for its length.
    Printed {
        /// How many further bytes there were, beyond what is kept of one hook's output.
        missing: usize,
    },
}

/// How much of a text is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// All of it.
    #[default]
    Whole,
    /// The content is the beginning of a longer text.
    Beginning(Shortened),
    /// A line that says that nothing has changed. The content is what was said before, or the beginning of it.
    Unchanged(Option<Shortened>),
}

impl Form {
    /// What was longer than the content, if anything was.
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

/// What was longer, and by how much.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Shortened {
    /// The bytes of all that was kept of its content.
    pub bytes: usize,
    /// A number that another text hardly has: two long texts may begin alike.
    pub digest: u64,
    /// Where all of it is.
    pub all: WholeText,
}

/// Where all of a text is of which the agent gets the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum WholeText {
    /// Nowhere.
    Lost,
    /// Here, until somebody keeps it in a file.
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
    /// What becomes of a text that its context has already.
    #[derive(Default)]
    pub enum Repeat {
        /// If it is what its hook said last: at events that report on what the agent did, [`Repeat::Line`], so that an
        /// error that is still there is never hidden; elsewhere it is left out.
        #[default]
        Auto = "auto",
        /// It is given again.
        Always = "always",
        /// If it is what its hook said last, a line says that nothing has changed.
        Line = "line",
        /// It is left out, also if its hook has said something else since.
        Never = "never",
    }
}

/// Injections that become one message, for hosts that have a channel for every role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextMessage {
    /// Who seems to speak.
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
