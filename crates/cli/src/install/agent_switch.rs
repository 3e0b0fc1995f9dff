//! Reads the switch that turns all hooks of an agent off, for agents that have it in a file of its own. tenter never
//! changes it.

use std::env;
use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentInstaller, Scope, Switch};
use tenter_host::install::{read_settings, settings_path};
use toml::Table;

pub(crate) struct SwitchedOff {
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) why: String,
}

impl SwitchedOff {
    /// Whether entries of this scope work in other folders.
    pub(crate) fn only_here(&self, entries: Scope) -> bool {
        self.scope != Scope::User && entries == Scope::User
    }
}

pub(crate) fn switched_off(installer: &dyn AgentInstaller) -> Option<SwitchedOff> {
    let switch = installer.switch()?;
    let here = env::current_dir().unwrap_or_default();
    let files = [(Scope::User, switch.user), (Scope::Project, switch.project)].map(|(scope, place)| {
        let path = settings_path(place, &here).unwrap_or_default();
        let text = read_settings(&path).unwrap_or_default();
        (scope, path, text)
    });
    let [user, project] = &files;
    let (key, scope) = off(&switch, &user.2, &project.2, &here)?;
    let (_, path, _) = files.into_iter().find(|(of, ..)| *of == scope)?;
    let (title, shown) = (installer.title(), path.display());
    let where_ = if scope == Scope::User { "at all" } else { "in this project" };
    let why = format!(
        "`{}.{key}` is false in {shown}: {title} runs no hook {where_}, and tenter is never called; remove that line",
        switch.table
    );
    Some(SwitchedOff { path, scope, why })
}

/// The key that is off, and the scope of its file. A file that cannot be read has no effect.
fn off(switch: &Switch, user: &str, project: &str, here: &Path) -> Option<(&'static str, Scope)> {
    let user: Table = user.parse().unwrap_or_default();
    let project: Table =
        if is_trusted(&user, here) { project.parse().unwrap_or_default() } else { Table::new() };
    let set = |file: &Table, key: &str| file.get(switch.table)?.get(key)?.as_bool();
    let (key, on, scope) = switch.keys.iter().find_map(|key| {
        let of_project = set(&project, key).map(|on| (*key, on, Scope::Project));
        of_project.or_else(|| set(&user, key).map(|on| (*key, on, Scope::User)))
    })?;
    (!on).then_some((key, scope))
}

/// Whether the user trusts the project: `[projects."<folder>"]` names the folder or a folder around it.
fn is_trusted(user: &Table, here: &Path) -> bool {
    let level = |folder: &Path| user.get("projects")?.get(folder.to_str()?)?.get("trust_level")?.as_str();
    here.ancestors().any(|folder| level(folder) == Some("trusted"))
}

#[cfg(test)]
mod tests {
    use tenter_contract::ports::AgentAdapter;

    use super::*;

    /// As `codex features list` of Codex CLI 0.166.0 reports it for the same files.
    #[test]
    fn switch_is_read_as_codex_reads_it() {
        let codex = tenter_adapters::by_name("codex").and_then(AgentAdapter::installer).unwrap();
        let switch = codex.switch().unwrap();
        let trusting = "[projects.\"/src/shop\"]\ntrust_level = \"trusted\"\n";
        let wary = "[projects.\"/src/shop\"]\ntrust_level = \"untrusted\"\n";
        let (on, no) = ("[features]\nhooks = true\n", "[features]\nhooks = false\n");
        let old = "[features]\ncodex_hooks = false\n";
        let both = "[features]\ncodex_hooks = false\nhooks = true\n";
        for (user, project, expected) in [
            ("", "", None),
            (no, "", Some(("hooks", Scope::User))),
            (on, "", None),
            (old, "", Some(("codex_hooks", Scope::User))),
            (both, "", None),
            (&format!("{trusting}{no}"), on, None),
            (&format!("{trusting}{on}"), no, Some(("hooks", Scope::Project))),
            (&format!("{trusting}{on}"), old, None),
            (trusting, old, Some(("codex_hooks", Scope::Project))),
            (wary, no, None),
            ("", no, None),
            ("not toml", "", None),
            ("features = 1\n", "", None),
        ] {
            for here in ["/src/shop", "/src/shop/deep/down"] {
                assert_eq!(off(&switch, user, project, Path::new(here)), expected, "{user}\n{project}");
            }
        }
    }
}
