//! Every way in which a hook file can be wrong.

use std::fmt;

use strum::{IntoStaticStr, VariantNames};
use tenter_contract::{EventKind, Layer, TemplateError};

use super::Severity;
use crate::hook::{MatcherError, Senseless, Suspicion};
use crate::source::Format;
use crate::values::DurationError;

/// What is wrong. `Display` gives the message; a test makes sure that each one is shown in a sample.
#[derive(Clone, Debug, PartialEq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum ProblemKind {
    /// The text is no YAML, TOML or JSON, or uses a part of it that we refuse. The file is off.
    Syntax {
        /// The format it should be.
        format: Format,
        /// What the parser says.
        detail: String,
        /// What to do about it, where that is known.
        advice: Option<&'static str>,
    },
    /// Nothing, or nothing but comments. The file is off: it may have been emptied by a mistake.
    EmptyFile,
    /// A version that this program does not know. The file is off.
    WrongVersion {
        /// What stands there.
        found: String,
    },
    /// A key that means nothing at the top level.
    UnknownTopLevelKey {
        /// The key.
        key: String,
        /// The nearest known key.
        suggestion: Option<&'static str>,
    },
    /// `approvals` in a layer that may not say who answers questions.
    DeskRefused {
        /// The layer.
        layer: Layer,
    },
    /// A folder for questions, and a desk that has none.
    FolderWithoutDesk,
    /// An option called `Deny` that is to grant something.
    DenyThatGrants,
    /// An event that does not exist. Its hooks are off.
    UnknownEvent {
        /// What stands there.
        spelling: String,
        /// The nearest spelling of an event.
        suggestion: Option<String>,
        /// How many hooks are off because of it.
        hooks: usize,
    },
    /// `hooks` is no table of events. All hooks are off.
    HooksWithoutEvents {
        /// What stands there instead.
        found: String,
    },
    /// The hooks of an event are no list. They are off.
    HooksNotListed {
        /// The event as it was written.
        event: String,
        /// What stands there instead.
        found: String,
    },
    /// A key stands twice in one table.
    DuplicateKey {
        /// The key.
        key: String,
        /// The line of the first.
        first_line: u32,
    },
    /// A hook that is no table.
    HookNotTable {
        /// What stands there instead.
        found: String,
    },
    /// A value of the wrong type.
    WrongType {
        /// The key, with the keys above it: `when.path`.
        key: String,
        /// What should stand there.
        expected: Expected,
        /// What stands there.
        found: String,
    },
    /// A key that means nothing in a hook.
    UnknownKey {
        /// The key, with the keys above it.
        key: String,
        /// The nearest known key.
        suggestion: Option<&'static str>,
        /// The keys that its table can have.
        known: &'static [&'static str],
    },
    /// A setting that a built-in does not have.
    UnknownOption {
        /// The key.
        key: String,
        /// The built-in.
        builtin: &'static str,
        /// The nearest setting it has.
        suggestion: Option<&'static str>,
        /// The settings it has.
        known: Vec<&'static str>,
    },
    /// A number that is too small or too large.
    OutOfRange {
        /// The key, with the keys above it.
        key: String,
        /// What stands there.
        found: i64,
        /// The smallest that may.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A key that must be there.
    MissingKey {
        /// The key, with the keys above it.
        key: &'static str,
    },
    /// A hook that does nothing.
    NoHandler,
    /// A hook that would do several things.
    SeveralHandlers {
        /// The handlers, in the order of the documentation.
        handlers: Vec<&'static str>,
    },
    /// A name that cannot be shown or addressed.
    BadName {
        /// The name.
        name: String,
    },
    /// Two hooks of one name in a file; the second is off.
    DuplicateName {
        /// The line of the first.
        first_line: u32,
    },
    /// A hook that waits for one that is not there.
    WaitsForNobody {
        /// The name in `after`.
        name: String,
        /// The nearest name of a hook of the event.
        suggestion: Option<String>,
    },
    /// A hook that waits for one that runs later.
    WaitsForLater {
        /// The name in `after`.
        name: String,
        /// The priority of the hook that waits.
        own: i32,
        /// The priority of the other.
        other: i32,
    },
    /// A hook that waits for itself, by way of others or not.
    WaitsForItself {
        /// Its name.
        name: String,
    },
    /// A value outside a closed set.
    BadValue {
        /// The key, with the keys above it.
        key: String,
        /// What stands there.
        found: String,
        /// What may stand there.
        allowed: Vec<&'static str>,
        /// The nearest of them.
        suggestion: Option<&'static str>,
    },
    /// A text that must not be empty.
    EmptyValue {
        /// The key, with the keys above it.
        key: String,
    },
    /// A duration that is none.
    BadDuration {
        /// The key, with the keys above it.
        key: String,
        /// Why.
        reason: DurationError,
    },
    /// A number of bytes that is none, or out of bounds.
    BadSize {
        /// The key.
        key: String,
        /// What stands there.
        found: String,
        /// The least that it can be.
        least: &'static str,
    },
    /// An environment variable that no system would take.
    BadVariable {
        /// Its name.
        name: String,
    },
    /// A regular expression that is none.
    BadPattern {
        /// The key, with the keys above it.
        key: String,
        /// What the engine says.
        detail: String,
    },
    /// A regular expression where only a path or a glob can stand.
    PathNotRegex {
        /// The key, with the keys above it.
        key: String,
    },
    /// A matcher that is none.
    BadMatcher {
        /// Why.
        reason: MatcherError,
    },
    /// A placeholder that is unknown, or that stands where it cannot be quoted.
    BadTemplate {
        /// The key, with the keys above it.
        key: String,
        /// Why.
        error: TemplateError,
    },
    /// `run` without a prefix that says what is run.
    BadRun {
        /// What stands there.
        found: String,
    },
    /// Something that is no address of a web server.
    BadUrl {
        /// The key, with the keys above it.
        key: String,
        /// What stands there.
        found: String,
    },
    /// A header that cannot be sent.
    BadHeader {
        /// Its name.
        name: String,
    },
    /// An MCP server that the file does not define.
    UnknownServer {
        /// Its name.
        name: String,
        /// The nearest one.
        suggestion: Option<String>,
    },
    /// Something that is no function of a Python module.
    BadFunction {
        /// What stands there.
        found: String,
    },
    /// Something that does not come with tenter.
    UnknownBuiltin {
        /// Its name.
        name: String,
        /// The nearest one.
        suggestion: Option<&'static str>,
    },
    /// A handler whose reply has no meaning at the event.
    Powerless {
        /// The handler.
        handler: &'static str,
        /// The event.
        event: String,
        /// The events where it has one.
        works_at: Vec<&'static str>,
    },
    /// Something that makes no sense of a hook that nobody waits for.
    NotInBackground {
        /// The key that stands beside `background`.
        key: String,
        /// Why.
        why: Senseless,
    },
    /// A hook that waits for one that nobody can wait for.
    WaitsForBackground {
        /// The name in `after`.
        name: String,
    },
    /// `may_allow` in a layer that can only tighten.
    MayAllowRefused {
        /// The layer.
        layer: Layer,
    },
    /// An example under `matches` that does not match.
    ExampleMissed {
        /// The example.
        example: String,
    },
    /// An example under `ignores` that matches.
    ExampleHit {
        /// The example.
        example: String,
    },
    /// Examples of a hook that asks about neither commands nor paths nor prompts.
    ExamplesUncheckable,
    /// A matcher that is valid and will hardly ever match.
    SuspiciousMatcher {
        /// The piece of the matcher.
        piece: String,
        /// Why.
        suspicion: Suspicion,
    },
    /// A condition that is written as a regular expression and read as a glob.
    SuspiciousCondition {
        /// The key, with the keys above it.
        key: String,
        /// The pattern.
        pattern: String,
    },
    /// A name that no agent has and that is nearly one's.
    SuspiciousAgent {
        /// The name.
        found: String,
        /// The agent's own name.
        known: &'static str,
    },
    /// Text in the agent's own name.
    AssistantRole,
    /// A hook at something that is only recorded.
    NeverAsked {
        /// The event.
        event: EventKind,
    },
    /// A key of another system's hook file that means nothing here; the hook runs without it.
    NotKept {
        /// The key.
        key: String,
        /// Why not, and what follows from that.
        why: String,
    },
    /// A file for the context that lies where its hook file may name none.
    OutsideProject {
        /// The path, as it is written.
        path: String,
        /// The layer of the hook file.
        layer: Layer,
    },
    /// A hook of another system's file that cannot be run here.
    HookNotKept {
        /// Why not.
        what: String,
        /// What to do about it.
        instead: String,
    },
}

impl ProblemKind {
    /// Whether it is about a matcher or a condition that is valid and hardly ever holds.
    pub fn is_suspicion(&self) -> bool {
        matches!(
            self,
            Self::SuspiciousMatcher { .. } | Self::SuspiciousCondition { .. } | Self::SuspiciousAgent { .. }
        )
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match self {
            Self::SuspiciousMatcher { .. }
            | Self::SuspiciousCondition { .. }
            | Self::SuspiciousAgent { .. }
            | Self::AssistantRole
            | Self::NeverAsked { .. }
            | Self::NotKept { .. } => Severity::Warning,
            Self::Syntax { .. }
            | Self::EmptyFile
            | Self::WrongVersion { .. }
            | Self::UnknownTopLevelKey { .. }
            | Self::UnknownEvent { .. }
            | Self::HooksWithoutEvents { .. }
            | Self::HooksNotListed { .. }
            | Self::DuplicateKey { .. }
            | Self::HookNotTable { .. }
            | Self::WrongType { .. }
            | Self::UnknownKey { .. }
            | Self::MissingKey { .. }
            | Self::NoHandler
            | Self::SeveralHandlers { .. }
            | Self::BadName { .. }
            | Self::DuplicateName { .. }
            | Self::WaitsForNobody { .. }
            | Self::WaitsForLater { .. }
            | Self::WaitsForItself { .. }
            | Self::BadValue { .. }
            | Self::EmptyValue { .. }
            | Self::BadDuration { .. }
            | Self::BadSize { .. }
            | Self::BadVariable { .. }
            | Self::BadPattern { .. }
            | Self::PathNotRegex { .. }
            | Self::BadMatcher { .. }
            | Self::BadTemplate { .. }
            | Self::BadRun { .. }
            | Self::BadUrl { .. }
            | Self::BadHeader { .. }
            | Self::UnknownServer { .. }
            | Self::BadFunction { .. }
            | Self::UnknownBuiltin { .. }
            | Self::UnknownOption { .. }
            | Self::OutOfRange { .. }
            | Self::Powerless { .. }
            | Self::NotInBackground { .. }
            | Self::WaitsForBackground { .. }
            | Self::MayAllowRefused { .. }
            | Self::DeskRefused { .. }
            | Self::FolderWithoutDesk
            | Self::DenyThatGrants
            | Self::ExampleMissed { .. }
            | Self::ExampleHit { .. }
            | Self::ExamplesUncheckable
            | Self::OutsideProject { .. }
            | Self::HookNotKept { .. } => Severity::Error,
        }
    }
}

/// The type a value should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A text.
    Text,
    /// A text, or a list of texts.
    TextOrList,
    /// A text, or a table with more to say.
    TextOrTable,
    /// A list of texts.
    List,
    /// A table.
    Table,
    /// `true` or `false`.
    Bool,
    /// A whole number of 32 bits.
    WholeNumber,
    /// A whole number of 1 or more.
    PositiveNumber,
    /// A duration.
    Duration,
    /// A number of bytes.
    Size,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "a text",
            Self::TextOrList => "a text or a list of texts",
            Self::TextOrTable => "a text or a table",
            Self::List => "a list of texts",
            Self::Table => "a table",
            Self::Bool => "`true` or `false`",
            Self::WholeNumber => "a whole number",
            Self::PositiveNumber => "a whole number of 1 or more",
            Self::Duration => "a duration",
            Self::Size => "a number of bytes",
        })
    }
}
