//! What became of each agent, in one line: the end of `init` and `uninstall` for many, where one problem would are in
//! the middle of hundreds of lines.

use crate::listing::{on_one_line, visible};
use crate::printer::{Printer, Tone};

/// What became of one.
#[derive(Debug)]
pub(crate) enum Summary {
    /// It calls us from its next session on.
    Installed,
    /// The same, but for the dry run.
    WouldInstall,
    /// It does not call us any more.
    Uninstalled,
    /// The same, but for the dry run.
    WouldUninstall,
    /// It is as it was before.
    Unchanged,
    /// It reads this file of another agent, which calls us.
    CalledBy(String),
    /// It calls us once its user agrees.
    Awaited,
    /// Its settings have our entries, and it does not use them: why.
    NotCalled(String),
    /// Its settings are as they were: why.
    NotWritten(String),
}

impl Summary {
    /// For programs.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::WouldInstall => "would_install",
            Self::Uninstalled => "uninstalled",
            Self::WouldUninstall => "would_uninstall",
            Self::Unchanged => "unchanged",
            Self::CalledBy(_) => "called_by_another",
            Self::Awaited => "awaits_consent",
            Self::NotCalled(_) => "not_called",
            Self::NotWritten(_) => "not_written",
        }
    }

    /// How bad it is.
    pub(crate) fn weight(&self) -> u8 {
        match self {
            Self::Awaited => 1,
            Self::NotCalled(_) | Self::NotWritten(_) => 2,
            _ => 0,
        }
    }

    fn tone(&self) -> Tone {
        match self.weight() {
            0 => Tone::Good,
            1 => Tone::Caution,
            _ => Tone::Bad,
        }
    }

    /// For people: a word, and what there is to say about it.
    fn words(&self) -> (&'static str, String) {
        let why = |why: &String| format!(": {}", on_one_line(why));
        match self {
            Self::Installed => ("installed", String::new()),
            Self::WouldInstall => ("would be installed", String::new()),
            Self::Uninstalled => ("uninstalled", String::new()),
            Self::WouldUninstall => ("would be uninstalled", String::new()),
            Self::Unchanged => ("unchanged", String::new()),
            Self::CalledBy(file) => ("unchanged", format!(": it reads {file}, which calls tenter")),
            Self::Awaited => {
                ("not called yet", ": something is still to be done by you, see above".to_owned())
            }
            Self::NotCalled(reason) => ("not called", why(reason)),
            Self::NotWritten(reason) => ("not written", why(reason)),
        }
    }
}

/// One line for each, problems last.
pub(crate) fn show(mut summaries: Vec<(String, Summary)>, printer: &Printer) {
    // Those that are equally well stay in the order in which they were told.
    summaries.sort_by_key(|(_, summary)| summary.weight());
    let width = summaries.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    printer.gap();
    printer.line(printer.tone(Tone::Heading, "All agents"));
    for (title, summary) in summaries {
        let (word, rest) = summary.words();
        let word = printer.tone(summary.tone(), word);
        printer.line(format!("  {title:width$}  {word}{}", visible(&rest)));
    }
}
