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
    /// The word for programs.
    pub(crate) fn as_str(&self) -> &'static str {
        self.words().0
    }

    /// 0 is good, 2 is bad.
    pub(crate) fn weight(&self) -> u8 {
        match self {
            Self::Awaited => 1,
            Self::NotCalled(_) | Self::NotWritten(_) => 2,
            _ => 0,
        }
    }

    /// The word for programs, the word for people, and its detail.
    fn words(&self) -> (&'static str, &'static str, String) {
        let why = |why: &String| format!(": {}", on_one_line(why));
        match self {
            Self::Installed => ("installed", "installed", String::new()),
            Self::WouldInstall => ("would_install", "would be installed", String::new()),
            Self::Uninstalled => ("uninstalled", "uninstalled", String::new()),
            Self::WouldUninstall => ("would_uninstall", "would be uninstalled", String::new()),
            Self::Unchanged => ("unchanged", "unchanged", String::new()),
            Self::CalledBy(file) => {
                ("called_by_another", "unchanged", format!(": it reads {file}, which calls tenter"))
            }
            Self::Awaited => {
                ("awaits_consent", "not called yet", ": your consent is missing, see above".to_owned())
            }
            Self::NotCalled(reason) => ("not_called", "not called", why(reason)),
            Self::NotWritten(reason) => ("not_written", "not written", why(reason)),
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
        let (_, word, rest) = summary.words();
        let tone = [Tone::Good, Tone::Caution, Tone::Bad][usize::from(summary.weight())];
        let word = printer.tone(tone, word);
        printer.line(format!("  {title:width$}  {word}{}", visible(&rest)));
    }
}
