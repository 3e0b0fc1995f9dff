//! Checks the home folder: whether tenter's own files are in it, and whether it is a repository.

use tenter_host::Places;
use tenter_host::trust::project::home_here;

use crate::commands::doctor::check::{Check, edit};

const ABOUT: &str = "home";

pub(crate) fn check(places: &Places) -> Vec<Check> {
    let moved = Places::moved().map(|moved| {
        let first = moved.text.lines().next().unwrap_or_default();
        let usual = "unset XDG_CONFIG_HOME XDG_STATE_HOME; eval export HOME=~$(id -un)";
        match first.strip_prefix("warning: ") {
            // Root with the home of a user.
            Some(first) if first.starts_with("root ") => {
                Check::warning(ABOUT, first, "sudo -H tenter doctor")
            }
            Some(first) => Check::warning(ABOUT, first, usual),
            None => Check::problem(ABOUT, first.trim_start_matches("error: "), usual),
        }
    });
    moved.into_iter().chain(repository(places)).collect()
}

fn repository(places: &Places) -> Option<Check> {
    let home = home_here()?;
    let shown = home.display();
    let own = places.config_folder.as_ref()?.join("hooks.yaml");
    Some(if home.join(".tenter").is_dir() {
        let finding = format!(
            "the hooks in {shown}/.tenter run only for agents that are started in {shown} itself: a home folder does not count as a project for its subfolders"
        );
        Check::warning(ABOUT, finding, edit(&own))
    } else {
        let own = own.display();
        Check::ok(
            ABOUT,
            format!(
                "{shown} is a repository, but not a project for the folders in it; your hooks are in {own}"
            ),
        )
    })
}
