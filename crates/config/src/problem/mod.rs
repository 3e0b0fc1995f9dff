//! Problems of a hook file, for the person who has to repair it.

mod kind;
mod wording;

use std::fmt;

use crate::place::Place;
use crate::source::Format;
use crate::tree::Key;

pub use kind::ProblemKind;
pub use wording::Expected;

/// Something that is wrong, and where. Its `Display` is the form that users see:
///
/// ```text
/// error: unknown key `mathcer` in hook `no-force-push`
///   --> hooks.yaml:4:7
/// hint: did you mean `matcher`?
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The file, as the user would type it.
    pub file: String,
    /// The format of that file; hints are spelled in it.
    pub format: Format,
    /// Where in the file.
    pub place: Place,
    /// The name of the hook it concerns.
    pub hook: Option<String>,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It looks like a mistake; the hook is loaded as it is written.
    Warning,
    /// What it concerns is off: the hook, the hooks of an event, the file.
    Error,
}

impl Severity {
    /// The word before the message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Problem {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// What is wrong, in one line.
    pub fn message(&self) -> String {
        let what = printable(&self.kind.message());
        if let (Some(hook), ProblemKind::HookNotKept { what, .. }) = (&self.hook, &self.kind) {
            return format!("hook `{hook}` is off: {}", printable(what));
        }
        match &self.hook {
            // A whole sentence reads better behind the place than before it.
            Some(hook) if self.kind.is_suspicion() => format!("in hook `{hook}`, {what}"),
            Some(hook) => format!("{what} in hook `{hook}`"),
            None => what,
        }
    }

    /// What to write instead.
    pub fn hint(&self) -> String {
        printable(&self.kind.hint(self.format))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.severity().as_str(), self.message())?;
        writeln!(f, "  --> {}:{}", self.file, self.place)?;
        write!(f, "hint: {}", self.hint())
    }
}

/// A text that is safe to show on one line. Messages quote files that no one has trusted yet, and a terminal
/// obeys control characters; characters without a shape could make one name look like another.
fn printable(text: &str) -> String {
    const LIMIT: usize = 400;
    let shapeless = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut shown: String = text
        .chars()
        .take(LIMIT)
        .map(|c| if shapeless(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(LIMIT).is_some() {
        shown.push('…');
    }
    shown
}

/// A problem before it is known which file and hook it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) place: Place,
    pub(crate) kind: ProblemKind,
}

impl Finding {
    pub(crate) fn at(place: Place, kind: ProblemKind) -> Self {
        Self { place, kind }
    }
}

/// The findings of one hook. Reading goes on after a mistake, so that a file is repaired in one go.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    pub(crate) fn add(&mut self, place: Place, kind: ProblemKind) {
        self.0.push(Finding::at(place, kind));
    }

    /// Adds keys that occur a second time, with the places of the first.
    pub(crate) fn add_repeated(&mut self, keys: Vec<(&Key, Place)>) {
        for (key, first) in keys {
            let kind = ProblemKind::DuplicateKey { key: key.text.clone(), first_line: first.line };
            self.add(key.place, kind);
        }
    }

    /// The value, or nothing and the finding.
    pub(crate) fn keep<T>(&mut self, read: Result<T, Finding>) -> Option<T> {
        read.map_err(|finding| self.0.push(finding)).ok()
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    pub(crate) fn have_errors(&self) -> bool {
        self.0.iter().any(|finding| finding.kind.severity() == Severity::Error)
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = &ProblemKind> {
        self.0.iter().map(|finding| &finding.kind)
    }

    pub(crate) fn all(&self) -> &[Finding] {
        &self.0
    }

    pub(crate) fn into_sorted(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|finding| finding.place);
        self.0
    }
}
