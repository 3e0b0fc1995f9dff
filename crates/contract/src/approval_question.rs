//! A question to a person: the prompt of one hook, the shared question of all hooks that ask, and the answer.

use std::time::Duration;

use crate::reply::seconds;
use crate::{HookId, HookSpec, Policy};

/// The question of one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct ApprovalPrompt {
    /// What is asked.
    pub prompt: String,
    /// The choices; empty means `Allow` and `Deny`.
    pub options: Vec<Choice>,
    /// How long to wait; unstated means [`DEFAULT_PATIENCE`].
    pub timeout: Option<Duration>,
    /// The decision if no answer comes.
    pub default: Policy,
}

impl ApprovalPrompt {
    /// Allow or deny, and deny if no answer comes in time. Set its fields for anything else.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), options: Vec::new(), timeout: None, default: Policy::Deny }
    }

    /// The same with these choices. Plain words such as `Allow`, `Yes` and `Allow always` grant what they say
    /// ([`Choice::named`]); every other label denies, unless it is a [`Choice::granting`] among the `options`.
    #[must_use]
    pub fn offering<'a>(self, labels: impl IntoIterator<Item = &'a str>) -> Self {
        Self { options: labels.into_iter().map(Choice::named).collect(), ..self }
    }

    /// The choices it offers.
    fn choices(&self) -> Vec<Choice> {
        if self.options.is_empty() { Choice::plain() } else { self.options.clone() }
    }
}

/// How long a question waits by default.
pub const DEFAULT_PATIENCE: Duration = Duration::from_mins(5);
/// The prompt of a question that has none.
pub const DEFAULT_PROMPT: &str = "Allow this operation?";

/// One of the answers a person can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// What is shown.
    pub label: String,
    /// What it permits.
    pub grants: Grant,
}

/// What a choice permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub enum Grant {
    /// Nothing: it denies.
    Nothing,
    /// This one time.
    Once,
    /// This time, and whenever the same hook asks the same about the same until the session ends;
    /// [`GrantScope`](crate::GrantScope) says what the same is.
    Session,
    /// This time, and whenever the same hook asks the same about the same tool until the session ends, whatever the
    /// input.
    Tool,
}

impl Grant {
    /// Those that a hook can give a choice of its own, with their spelling.
    pub const SPELLED: [(&'static str, Self); 3] =
        [("once", Self::Once), ("session", Self::Session), ("tool", Self::Tool)];

    /// Reads the spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::SPELLED.into_iter().find(|(spelling, _)| *spelling == text).map(|(_, grants)| grants)
    }
}

impl Choice {
    /// The choices of a question without options.
    fn plain() -> Vec<Self> {
        vec![Self::named("Allow"), Self::named("Deny")]
    }

    /// A choice that is nothing but a label. `Allow`, `Allow once`, `Yes`, `OK` and `Approve` grant this once and
    /// `Allow always` for the session, in any case; any other label denies.
    pub fn named(label: &str) -> Self {
        let grants = match label.trim().to_ascii_lowercase().as_str() {
            "allow" | "allow once" | "yes" | "ok" | "okay" | "approve" | "approve once" => Grant::Once,
            "allow always" | "always allow" => Grant::Session,
            _ => Grant::Nothing,
        };
        Self { label: label.to_owned(), grants }
    }

    /// Whether a person reads the label as a no. A label that grants nothing and does not read so is marked where it
    /// is shown.
    pub fn reads_as_deny(&self) -> bool {
        const WORDS: [&str; 12] = [
            "deny", "no", "cancel", "reject", "decline", "refuse", "block", "stop", "abort", "don't",
            "never", "disallow",
        ];
        let label = self.label.trim().to_ascii_lowercase();
        let first = label.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
        WORDS.contains(&first)
    }

    /// A choice with a stated grant; `None` if its label is `Deny`.
    pub fn granting(label: &str, grants: Grant) -> Option<Self> {
        let denies = label.trim().eq_ignore_ascii_case("deny");
        (!denies).then(|| Self { label: label.to_owned(), grants })
    }

    /// Whether the user typed this label, in any case.
    pub fn is_called(&self, typed: &str) -> bool {
        self.label.trim().to_lowercase() == typed.trim().to_lowercase()
    }

    /// The answer that choosing it is.
    pub fn answer(&self) -> ApprovalAnswer {
        let option = self.label.clone();
        match self.grants {
            Grant::Nothing => ApprovalAnswer::Denied { option },
            Grant::Once | Grant::Session | Grant::Tool => {
                ApprovalAnswer::Granted { option, grants: self.grants }
            }
        }
    }
}

/// A hook that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct HookQuestion {
    /// Which.
    pub hook: HookId,
    /// A digest of the hook: another hook of the same name asks another question.
    pub definition: String,
    /// Its question.
    pub query: ApprovalPrompt,
}

impl HookQuestion {
    /// The question of a hook. Its definition ignores the position in the hook file.
    pub fn new(hook: &HookSpec, query: ApprovalPrompt) -> Self {
        Self { hook: hook.id.clone(), definition: hook.definition_with_conditions(), query }
    }
}

/// The one question to a person that all asking hooks share. It is about the event after every rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
pub struct ApprovalQuestion {
    /// The hooks that ask, in order, each with its own prompt. Never empty.
    pub askers: Vec<HookQuestion>,
    /// The choices: those of the hooks if they agree, else `Allow` and `Deny`.
    pub options: Vec<Choice>,
    /// The shortest timeout of all hooks.
    pub timeout: Duration,
    /// Deny if the default of one hook is deny.
    pub default: Policy,
    /// The hooks that have rewritten the call, in order.
    pub rewriters: Vec<HookId>,
}

impl ApprovalQuestion {
    /// The question of these hooks; `None` if the list is empty.
    pub fn new(askers: Vec<HookQuestion>) -> Option<Self> {
        let first = askers.first()?.query.choices();
        let agreed = askers.iter().all(|asked| asked.query.choices() == first);
        // The options of one hook do not answer the questions of the others.
        let options = if agreed { first } else { Choice::plain() };
        let patience = |asked: &HookQuestion| asked.query.timeout.unwrap_or(DEFAULT_PATIENCE);
        let denies = askers.iter().any(|asked| asked.query.default == Policy::Deny);
        Some(Self {
            options,
            timeout: askers.iter().map(patience).min().unwrap_or(DEFAULT_PATIENCE),
            default: if denies { Policy::Deny } else { Policy::Allow },
            askers,
            rewriters: Vec::new(),
        })
    }

    /// Names the hooks that have rewritten the call.
    #[must_use]
    pub fn rewritten_by(self, rewriters: Vec<HookId>) -> Self {
        Self { rewriters, ..self }
    }

    /// Whether the hooks offer different options, so that none of these is shown.
    pub fn is_reduced(&self) -> bool {
        let mut offered = self.askers.iter().map(|asked| asked.query.choices());
        offered.next().is_some_and(|first| offered.any(|other| other != first))
    }

    /// The text to show: one prompt, or a line per hook with its name.
    pub fn prompt(&self) -> String {
        match self.askers.as_slice() {
            [only] => only.query.prompt.clone(),
            several => {
                // Further lines are indented, so that none looks like the question of another hook.
                let line = |HookQuestion { hook, query, .. }: &HookQuestion| {
                    format!("{hook}: {}", query.prompt.replace('\n', "\n  "))
                };
                several.iter().map(line).collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Whether it is a plain allow-or-deny question, which an agent's own prompt can ask.
    pub fn is_plain(&self) -> bool {
        let plain = |option: &Choice| match option.grants {
            Grant::Once => {
                let once = option.label.trim().to_ascii_lowercase().ends_with(" once");
                !once && Choice::named(&option.label).grants == Grant::Once
            }
            Grant::Nothing => option.reads_as_deny(),
            Grant::Session | Grant::Tool => false,
        };
        self.default == Policy::Deny && self.options.iter().all(plain)
    }

    /// Whether its options include allow once and deny, so that an agent's own prompt can ask that much if no
    /// approver answers.
    pub fn has_plain_part(&self) -> bool {
        let mut once = self.options.iter().filter(|option| option.grants == Grant::Once);
        let plain = once.next().is_some_and(|option| Choice::named(&option.label).grants == Grant::Once);
        let denies = |option: &Choice| option.grants != Grant::Nothing || option.reads_as_deny();
        self.default == Policy::Deny && plain && once.next().is_none() && self.options.iter().all(denies)
    }

    /// The choice for a label in any case, or for a number, counted from 1.
    pub fn choice(&self, typed: &str) -> Option<&Choice> {
        let by_number = || {
            let number: usize = typed.trim().parse().ok()?;
            self.options.get(number.checked_sub(1)?)
        };
        self.options.iter().find(|choice| choice.is_called(typed)).or_else(by_number)
    }
}

/// The answer to a question, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum ApprovalAnswer {
    /// Allowed, with this option.
    Granted { option: String, grants: Grant },
    /// Denied, with this option.
    Denied { option: String },
    /// Not asked: saved answers grant it, named by their ids.
    SavedGrant { by: Vec<String> },
    /// Not asked: the rule with this id denies it.
    SavedDeny { by: String },
    /// No answer came in time.
    TimedOut { after: Duration },
    /// The process that asked has ended or gave up.
    Withdrawn { why: String },
    /// The agent asks its own user and does not report the answer.
    LeftToHost,
    /// The approver can no longer ask; another approver may take the question.
    ApproverGone { why: String },
    /// No approver can ask this question.
    NoApprover { why: String },
}

impl ApprovalAnswer {
    /// The beginning of the text if there was no approver.
    pub const NO_APPROVER: &str = "no approver: ";

    /// In words, for records and listings.
    pub fn in_words(&self) -> String {
        match self {
            Self::Granted { option, .. } => format!("granted: {option}"),
            Self::Denied { option } => format!("denied: {option}"),
            Self::SavedGrant { by } => format!("granted before: {}", by.join(", ")),
            Self::SavedDeny { by } => format!("denied by rule {by}"),
            Self::TimedOut { after } => format!("no answer within {}", seconds(*after)),
            Self::Withdrawn { why } => format!("withdrawn: {why}"),
            Self::LeftToHost => "left to the agent's own prompt".to_owned(),
            Self::ApproverGone { why } => format!("withdrawn from this approver: {why}"),
            Self::NoApprover { why } => format!("{}{why}", Self::NO_APPROVER),
        }
    }
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The question of the hooks without a saved answer.
    pub question: ApprovalQuestion,
    /// The answer.
    pub answer: ApprovalAnswer,
}
