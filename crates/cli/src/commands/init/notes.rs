//! Notes and warnings about the entries of one agent: files that are read twice, agents that share a file, agents that
//! are not proven.

use std::path::PathBuf;

use tenter_adapters::by_name;
use tenter_contract::handler::Command;
use tenter_contract::ports::{Proof, Reading, Scope};
use tenter_contract::{Dialect, Handler, Template};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use crate::hooks;
use crate::install::settings::Settings;
use crate::install::shared_settings::{self, SharedFile};

/// Another agent's file that this one reads and that calls tenter in the same scope. An entry of its own would run hooks
/// twice.
pub(crate) fn reader_of_other(settings: &Settings) -> Option<SharedFile> {
    let text = settings.file.text.as_deref().unwrap_or_default();
    if settings.installer.is_installed(text).unwrap_or(false) {
        return None;
    }
    let same = |file: &SharedFile| file.scope == settings.scope && file.reading != Reading::Sometimes;
    shared_settings::others(settings.installer).into_iter().find(same)
}

/// The other files with which the entries in this text share the events.
pub(crate) fn shared(settings: &Settings, text: &str) -> Vec<String> {
    let note = |(scope, path): (Scope, PathBuf)| {
        let (there, these) = ("the entries there", "these");
        let [first, second] = if scope < settings.scope { [there, these] } else { [these, there] };
        format!(
            "{} calls tenter from {} too: {first} answer, and {second} stay silent, so that hooks run once",
            settings.installer.title(),
            path.display()
        )
    };
    let elsewhere = settings.elsewhere().into_iter();
    elsewhere.filter(|(scope, path)| settings.shares(*scope, path, text)).map(note).collect()
}

/// Facts that need no action.
pub(crate) fn notes(settings: &Settings) -> Vec<String> {
    let title = settings.installer.title();
    let unproven = (settings.agent.proof() == Proof::Documented).then(|| {
        format!("not proven: tenter supports {title} from its documentation only; try the hooks before you rely on them")
    });
    let shared = settings.installer.entries_name().and_then(|name| by_name(name.as_str())?.installer());
    let shared = shared
        .map(|other| format!("{} reads the same folder, and is called by the same entries", other.title()));
    let others = others(settings, Reading::Sometimes).map(|file| {
        format!(
            "{title} may run the hooks of {} too; tenter answers only the calls from this file, so that hooks run once",
            file.path.display()
        )
    });
    let of_home = settings.of_home().map(|home| {
        format!(
            "{home} is your home folder, so this applies only to {title} started in it; `tenter init {}` applies to every project",
            settings.agent.name()
        )
    });
    unproven.into_iter().chain(shared).chain(others).chain(of_home).collect()
}

/// Imported hooks that are still in the agent's own settings, so that they run twice.
pub(crate) fn imported(settings: &Settings) -> Option<String> {
    let text = settings.file.text.as_deref()?;
    let agent = settings.agent.name();
    let layers = Layers::read(&Places::of_process(), here().as_deref());
    let is_there = |line: &str| serde_json::to_string(line).is_ok_and(|line| text.contains(&line));
    let doubled = hooks::active_hooks(&layers).into_iter().filter(|hook| {
        let runs = hook.agents.is_empty() || hook.agents.iter().any(|one| one.matches(agent.as_str()));
        runs && hook.dialect != Dialect::Tenter && foreign_line(&hook.handler).is_some_and(is_there)
    });
    let names: Vec<String> = doubled.map(|hook| format!("`{}`", hook.id.name)).collect();
    let title = settings.installer.title();
    (!names.is_empty()).then(|| {
        format!(
            "{title} runs {} from {} itself, and tenter runs the imported copy: they run twice; remove them from that file, or give the copy `agents: [\"!{agent}\"]`",
            names.join(", "),
            settings.path()
        )
    })
}

fn foreign_line(handler: &Handler) -> Option<&str> {
    match handler {
        Handler::Command(Command::Shell(line)) => Some(line.as_str()),
        Handler::Command(Command::Argv(words)) => words.last().map(Template::as_str),
        _ => None,
    }
}

/// Agents in which hooks run twice from now on.
pub(crate) fn twice_in_others(settings: &Settings) -> Vec<String> {
    let in_this = others(settings, Reading::InDisguise).map(|file| (settings.installer.title(), file.path));
    let of_others = shared_settings::disguised_readers(settings.agent);
    let warning = |(title, path): (&str, PathBuf)| {
        format!(
            "{title} runs the hooks of {} as well, and its calls look the same: hooks run twice there; remove one of the two",
            path.display()
        )
    };
    in_this.chain(of_others).map(warning).collect()
}

/// The other files whose entries run in addition to those in this text.
pub(crate) fn doubles(settings: &Settings, text: &str) -> Vec<String> {
    let warning = |(scope, path): (Scope, PathBuf)| {
        format!(
            "{} calls tenter from {} too: every event starts it twice, and hooks at events that are not tool calls run twice; remove one of them, for example with `{}`",
            settings.installer.title(),
            path.display(),
            settings.undo(scope)
        )
    };
    let doubled = |(scope, path): &(Scope, PathBuf)| {
        settings.runs_in_addition(path, text) && !settings.shares(*scope, path, text)
    };
    settings.elsewhere().into_iter().filter(doubled).map(warning).collect()
}

fn others(settings: &Settings, reading: Reading) -> impl Iterator<Item = SharedFile> {
    shared_settings::others(settings.installer).into_iter().filter(move |file| file.reading == reading)
}
