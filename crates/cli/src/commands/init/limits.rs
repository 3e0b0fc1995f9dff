//! Lists what hooks can do in general and one agent does not support.

use tenter_contract::event_names::{EVENTS, EventName};
use tenter_contract::ports::{AgentAdapter, AgentInstaller};

use crate::capabilities::{MissingCapability, missing_capabilities, shows};
use crate::listing::counted;

/// One line for each limit: what the agent cannot do, at which events, and what happens instead.
pub(crate) fn cannot(agent: &dyn AgentAdapter, installer: &dyn AgentInstaller) -> Vec<String> {
    let (sent, missing) = events(installer);
    let names = |rows: &[&EventName]| rows.iter().map(|row| row.canonical).collect::<Vec<_>>().join(", ");
    let lacking = MissingCapability::ALL.into_iter().flat_map(|lack| {
        let mut by_words: Vec<((&str, &str), Vec<&EventName>)> = Vec::new();
        for row in sent.iter().copied().filter(|row| missing_capabilities(agent, row, None).contains(&lack)) {
            let words = lack.words(shows(agent, row, None));
            match by_words.iter_mut().find(|(known, _)| *known == words) {
                Some((_, rows)) => rows.push(row),
                None => by_words.push((words, vec![row])),
            }
        }
        by_words.into_iter().map(|((what, instead), rows)| format!("{what} at {}: {instead}", names(&rows)))
    });
    let unsent = (!missing.is_empty()).then(|| format!("send {}: hooks there never run", names(&missing)));
    lacking.chain(unsent).collect()
}

/// The limits in a few words; `None` if the agent supports everything.
pub(crate) fn in_short(agent: &dyn AgentAdapter, installer: &dyn AgentInstaller) -> Option<String> {
    let (sent, missing) = events(installer);
    let mut words: Vec<&str> = Vec::new();
    for lack in MissingCapability::ALL {
        let word = lack.words(true).0;
        let lacking = sent.iter().any(|row| missing_capabilities(agent, row, None).contains(&lack));
        if lacking && !words.contains(&word) {
            words.push(word);
        }
    }
    let cannot = (!words.is_empty()).then(|| format!("cannot {} at some events", words.join(", ")));
    let unsent =
        (!missing.is_empty()).then(|| format!("{} not sent", counted(missing.len() as u64, "event")));
    let all: Vec<String> = cannot.into_iter().chain(unsent).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The events that the agent sends, and those that it does not send. tenter's own events are left out.
fn events(installer: &dyn AgentInstaller) -> (Vec<&'static EventName>, Vec<&'static EventName>) {
    let is_own =
        |row: &&EventName| row.canonical.starts_with("approval:") || row.canonical.starts_with("hook:");
    EVENTS.iter().filter(|row| !is_own(row)).partition(|row| installer.sends(&row.kind))
}
