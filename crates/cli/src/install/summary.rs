//! The result for each agent in one line, at the end of `init` and `uninstall`.

use crate::listing::{on_one_line, visible};
use crate::printer::{Printer, Tone};

#[derive(Debug)]
pub(crate) enum Summary {
    Installed,
    WouldInstall,
    Uninstalled,
    WouldUninstall,
    Unchanged,
    /// The agent reads this file of another agent, which calls tenter.
    CalledBy(String),
    /// The agent calls tenter once its user agrees.
    Awaited,
    /// The settings have tenter's entries, and the agent does not use them: why.
    NotCalled(String),
    /// The settings were not changed: why.
    NotWritten(String),
}

impl Summary {
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

    /// 0 is good, 2 is bad.
    pub(crate) fn weight(&self) -> u8 {
        match self {
            Self::Awaited => 1,
            Self::NotCalled(_) | Self::NotWritten(_) => 2,
            _ => 0,
        }
    }

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

/// Prints one line for each agent, problems last.
pub(crate) fn show(mut summaries: Vec<(String, Summary)>, printer: &Printer) {
    summaries.sort_by_key(|(_, summary)| summary.weight());
    let width = summaries.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    printer.gap();
    printer.line(printer.tone(Tone::Heading, "All agents"));
    for (title, summary) in summaries {
        let (word, rest) = summary.words();
        let tone = [Tone::Good, Tone::Caution, Tone::Bad][usize::from(summary.weight())];
        let word = printer.tone(tone, word);
        printer.line(format!("  {title:width$}  {word}{}", visible(&rest)));
    }
}
