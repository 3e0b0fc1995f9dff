//! What a user should know about the entries of one agent: files that are read twice, agents that share a file, agents
//! that were never run.

use tenter_adapters::by_name;
use tenter_contract::handler::Command;
use tenter_contract::ports::{Proof, Reading};
use tenter_contract::{Dialect, Handler, Template};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};

use crate::hooks;
use crate::install::settings::Settings;
use crate::install::shared_settings;
use crate::install::shared_settings::SharedFile;

/// Another agent's file that this one reads, and that calls us in the same scope: an entry of its own would be a second
/// one for every event.
pub(crate) fn called_already(settings: &Settings) -> Option<SharedFile> {
    let text = settings.file.text.as_deref().unwrap_or_default();
    if settings.installer.is_installed(text).unwrap_or(false) {
        return None;
    }
    let same = |route: &SharedFile| route.scope == settings.scope && route.reading != Reading::Sometimes;
    shared_settings::others(settings.installer).into_iter().find(same)
}

/// The other files with which the entries in this text share the events.
pub(crate) fn shared(settings: &Settings, text: &str) -> Vec<String> {
    let elsewhere = settings.elsewhere().into_iter();
    let shared = elsewhere.filter(|(scope, path)| settings.shares(*scope, path, text));
    shared
        .map(|(scope, path)| {
            let [first, second] =
                if scope < settings.scope { ["the entries there", "these"] } else { ["these", "the entries there"] };
            format!(
                "{} calls tenter from {} too: {first} answer, and {second} stay silent, so that hooks run once",
                settings.installer.title(),
                path.display()
            )
        })
        .collect()
}

/// What people should know and need not do anything about.
pub(crate) fn notes(settings: &Settings) -> Vec<String> {
    let title = settings.installer.title();
    let unproven = (settings.agent.proof() == Proof::Documented).then(|| {
        format!("not proven: tenter supports {title} from its documentation only; try the hooks before you rely on them")
    });
    let shared = settings.installer.entries_name().and_then(|name| by_name(name.as_str())?.installer());
    let shared = shared
        .map(|other| format!("{} reads the same folder, and is called by the same entries", other.title()));
    let routes = shared_settings::others(settings.installer)
        .into_iter()
        .filter(|route| route.reading == Reading::Sometimes);
    let routes = routes.map(|route| {
        format!(
            "{title} may run the hooks of {} too; what comes that way is left to this file, so that hooks run once",
            route.path.display()
        )
    });
    let of_home = settings.of_home().map(|home| {
        format!(
            "{home} is your home, so this is for {title} when it is started right there; `tenter init {}` is for every project",
            settings.agent.name()
        )
    });
    unproven.into_iter().chain(shared).chain(routes).chain(of_home).collect()
}

/// Hooks that were imported and still are in the agent's own settings: from now on both run them.
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
            "{title} runs {} from {} itself, and tenter runs the imported copy: they run twice; take them out of that file, or give the copy `agents: [\"!{agent}\"]`",
            names.join(", "),
            settings.path()
        )
    })
}

/// The line that another system gives to its shell.
fn foreign_line(handler: &Handler) -> Option<&str> {
    match handler {
        Handler::Command(Command::Shell(line)) => Some(line.as_str()),
        Handler::Command(Command::Argv(words)) => words.last().map(Template::as_str),
        _ => None,
    }
}

/// Agents in which hooks run twice from now on.
pub(crate) fn twice_in_others(settings: &Settings) -> Vec<String> {
    let in_this = shared_settings::others(settings.installer)
        .into_iter()
        .filter(|route| route.reading == Reading::InDisguise);
    let in_this = in_this.map(|route| (settings.installer.title(), route.path));
    let of_others = shared_settings::disguised_readers(settings.agent);
    in_this
        .chain(of_others)
        .map(|(title, path)| {
            format!(
                "{title} runs the hooks of {} as well, and its calls look the same: hooks run twice there; take one of the two out",
                path.display()
            )
        })
        .collect()
}

/// The other files whose entries run next to those in this text.
pub(crate) fn doubles(settings: &Settings, text: &str) -> Vec<String> {
    let elsewhere = settings
        .elsewhere()
        .into_iter()
        .filter(|(scope, path)| settings.runs_beside(path, text) && !settings.shares(*scope, path, text));
    elsewhere
        .map(|(scope, path)| {
            format!(
                "{} calls tenter from {} too: every event starts it twice, and hooks at events that are no tool call run twice; take one of them out, such as with `{}`",
                settings.installer.title(),
                path.display(),
                settings.undo(scope)
            )
        })
        .collect()
}
