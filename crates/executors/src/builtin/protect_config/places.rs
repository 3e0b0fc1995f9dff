//! The protected files: tenter's own files and programs, the agents' hook settings, and the paths of the hook.

use std::path::{Path, PathBuf};

use tenter_contract::canonical_path::normalized;
use tenter_contract::{Builtin, Pattern};

use super::paths::{self, Links, Parts};
use crate::builtin::builtin_run::BuiltinRun;
use crate::command::home;

const CLAUDE: &str = "Claude Code's hook settings";
const CODEX: &str = "Codex's hook settings";
const COPILOT: &str = "Copilot's hook settings";
const OPENCODE: &str = "OpenCode's plugins";
const KILO: &str = "Kilo's plugins";
const AMP: &str = "Amp's plugins";
const CRUSH: &str = "Crush's hook settings";
const OURS: &str = "tenter's configuration";
const STATE: &str = "tenter's state";
const PROGRAM: &str = "tenter's programs";

/// Files of agents that decide which hooks run, by owner: the last components of each path. `*` matches anything within a
/// component, `**` at the end anything below.
const PROTECTED: [(&str, &[&str]); 22] = [
    (OURS, &[".config/tenter/**", "/etc/tenter/**", ".tenter/hooks.*", ".tenter/hooks.d/**"]),
    (STATE, &[".local/state/tenter/**"]),
    (
        CLAUDE,
        &[
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/managed-settings.json",
            ".claude/plugins/**",
            "/etc/claude-code/**",
            "/library/application support/claudecode/**",
        ],
    ),
    (CODEX, &[".codex/hooks.json", ".codex/config.toml", "/etc/codex/**"]),
    (
        "Gemini CLI's hook settings",
        &[
            ".gemini/settings.json",
            ".gemini/trusted_hooks.json",
            ".gemini/trustedfolders.json",
            "/etc/gemini-cli/**",
            "/library/application support/geminicli/**",
        ],
    ),
    ("Qwen Code's hook settings", &[".qwen/settings.json"]),
    (
        "Cursor's hook settings",
        &[".cursor/hooks.json", "/etc/cursor/hooks.json", "/library/application support/cursor/hooks.json"],
    ),
    (
        COPILOT,
        &[
            ".copilot/settings.json",
            ".copilot/config.json",
            ".copilot/hooks/**",
            ".github/hooks/**",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
        ],
    ),
    (
        OPENCODE,
        &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/plugin/**",
            ".opencode/plugins/**",
            ".config/opencode/plugin/**",
            ".config/opencode/plugins/**",
        ],
    ),
    (KILO, &["kilo.json", "kilo.jsonc", ".kilo/plugin/**", ".config/kilo/plugin/**"]),
    ("Kiro's hooks", &[".kiro/hooks/**", ".kiro/agents/**"]),
    ("Amazon Q's hooks", &[".amazonq/cli-agents/**", ".aws/amazonq/cli-agents/**"]),
    ("Cline's hooks", &["documents/cline/hooks/**", ".cline/hooks/**", ".clinerules/hooks/**"]),
    ("Factory's hook settings", &[".factory/hooks.json", ".factory/settings.json", ".factory/hooks/**"]),
    (
        "Augment's hook settings",
        &[".augment/settings.json", ".augment/settings.local.json", "/etc/augment/**"],
    ),
    ("Goose's plugins", &[".agents/plugins/**"]),
    (
        "Windsurf's hook settings",
        &["/etc/windsurf/hooks.json", ".codeium/windsurf/hooks.json", ".windsurf/hooks.json"],
    ),
    (AMP, &[".amp/plugins/**", ".amp/settings.json", ".config/amp/plugins/**", ".config/amp/settings.json"]),
    ("Kimi CLI's hook settings", &[".kimi/config.toml"]),
    (CRUSH, &["crush.json", ".crush.json", ".config/crush/crush.json"]),
    ("Devin's hook settings", &[".devin/hooks.v1.json", ".devin/config.json", ".config/devin/config.json"]),
    (
        "Antigravity's hook settings",
        &[".gemini/config/hooks.json", ".agents/hooks.json", ".agent/hooks.json"],
    ),
];

fn protected() -> impl Iterator<Item = (Parts, &'static str)> {
    PROTECTED.iter().flat_map(|(owner, paths)| paths.iter().map(|path| (tail(path), *owner)))
}

/// Variables that move the folder of an agent or of tenter, and the protected files in it.
const MOVED: [(&str, &str, &str); 13] = [
    ("XDG_CONFIG_HOME", "tenter/**", OURS),
    ("XDG_STATE_HOME", "tenter/**", STATE),
    ("CLAUDE_CONFIG_DIR", "settings.json", CLAUDE),
    ("CLAUDE_CONFIG_DIR", "settings.local.json", CLAUDE),
    ("CODEX_HOME", "hooks.json", CODEX),
    ("CODEX_HOME", "config.toml", CODEX),
    ("COPILOT_HOME", "hooks/**", COPILOT),
    ("COPILOT_HOME", "settings.json", COPILOT),
    ("XDG_CONFIG_HOME", "opencode/plugin/**", OPENCODE),
    ("XDG_CONFIG_HOME", "opencode/plugins/**", OPENCODE),
    ("XDG_CONFIG_HOME", "kilo/plugin/**", KILO),
    ("XDG_CONFIG_HOME", "amp/plugins/**", AMP),
    ("XDG_CONFIG_HOME", "crush/crush.json", CRUSH),
];

/// The two programs of tenter.
const PROGRAMS: [&str; 2] = ["tenter", "tenter-hook"];

/// The owner of a settings file, without regard to the environment.
pub fn settings_of(path: &str) -> Option<&'static str> {
    let parts = paths::parts(Path::new(path));
    protected().find(|(row, _)| paths::fits(row, &parts)).map(|(_, owner)| owner)
}

/// The protected places of one machine and one event.
pub(super) struct Places<'a> {
    rows: Vec<(Parts, &'static str)>,
    added: Vec<Pattern>,
    root: Option<&'a str>,
    /// Where relative paths begin.
    pub(super) base: PathBuf,
    home: Option<PathBuf>,
    links: Links,
}

impl<'a> Places<'a> {
    pub(super) fn new(call: &BuiltinRun<'a>) -> Self {
        let links = Links::default();
        let both = |folder: &Path| both(folder, &links);
        let mut rows: Vec<(Parts, &str)> = protected().collect();
        let absolute = |name: &str| call.our_variable(name).map(Path::new).filter(|path| path.is_absolute());
        for (variable, below, owner) in MOVED {
            let folder = absolute(variable).into_iter();
            rows.extend(folder.flat_map(both).map(|folder| (tail(&format!("{folder}/{below}")), owner)));
        }
        let folder = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
        for folder in folder.iter().flat_map(|folder| both(folder)) {
            rows.extend(PROGRAMS.map(|program| (tail(&format!("{folder}/{program}")), PROGRAM)));
        }
        let approver = call
            .options
            .text(Builtin::APPROVER_FOLDER)
            .map(|folder| home::expand(folder, call.home.as_deref()));
        for folder in approver.iter().filter(|folder| folder.is_absolute()).flat_map(|folder| both(folder)) {
            rows.push((tail(&format!("{folder}/**")), "the approver of questions to the user"));
        }
        let added = call.options.texts("paths").unwrap_or_default();
        let added = added.into_iter().map(|glob| home::expand(glob, call.home.as_deref()));
        let added = added.filter_map(|glob| Pattern::parse(&glob.to_string_lossy()).ok()).collect();
        let root = call.event.project_root.as_deref().or(call.event.cwd.as_deref());
        Self { rows, added, root, base: call.base().to_owned(), home: call.home.clone(), links }
    }

    /// The owner of a protected path.
    pub(super) fn owner(&self, path: &str) -> Option<String> {
        self.owner_from(path, &self.base)
    }

    /// The same for a path that is relative to another folder.
    pub(super) fn owner_from(&self, path: &str, base: &Path) -> Option<String> {
        self.spellings(path, base).iter().find_map(|path| self.owner_of_exact(path))
    }

    /// The owner of protected files right in this folder.
    pub(super) fn owner_of_folder(&self, path: &str, base: &Path) -> Option<String> {
        self.spellings(path, base).iter().find_map(|path| {
            let parts = paths::parts(path);
            // The folder of tenter's programs holds many others.
            let mut rows = self.rows.iter().filter(|(_, owner)| *owner != PROGRAM);
            rows.find(|(row, _)| paths::fits_folder(row, &parts)).map(|(_, owner)| (*owner).to_owned())
        })
    }

    /// The owner of protected files anywhere below this folder, if their place is known.
    pub(super) fn owner_above(&self, path: &str, base: &Path) -> Option<String> {
        let home = self.home.as_deref().map(paths::parts);
        self.spellings(path, base).iter().find_map(|path| {
            let parts = paths::parts(path);
            let above = |row: &Parts| match &home {
                _ if row.is_anchored() => row.begins_with(&parts),
                Some(home) => row.below(home).begins_with(&parts),
                None => false,
            };
            self.rows.iter().find(|(row, _)| above(row)).map(|(_, owner)| (*owner).to_owned())
        })
    }

    /// Expands `~` and the variables whose values are known.
    pub(super) fn expanded(&self, word: &str) -> String {
        let mut word = word.to_owned();
        if let Some(home) = self.home.as_deref().map(Path::to_string_lossy) {
            if word == "~" || word.starts_with("~/") {
                word.replace_range(..1, &home);
            }
            word = word.replace("${HOME}", &home).replace("$HOME", &home);
        }
        word = word.replace("${PWD}", ".").replace("$PWD", ".");
        match self.root {
            Some(root) => word.replace("${CLAUDE_PROJECT_DIR}", root).replace("$CLAUDE_PROJECT_DIR", root),
            None => word,
        }
    }

    /// A path as it is written and with its links resolved.
    fn spellings(&self, path: &str, base: &Path) -> Vec<PathBuf> {
        let written = base.join(self.expanded(path));
        let plain = PathBuf::from(normalized(&written.to_string_lossy()));
        let resolved = self.links.resolved(&written);
        if plain == resolved { vec![plain] } else { vec![plain, resolved] }
    }

    fn owner_of_exact(&self, path: &Path) -> Option<String> {
        let parts = paths::parts(path);
        if let Some((_, owner)) = self.rows.iter().find(|(row, _)| paths::fits(row, &parts)) {
            return Some((*owner).to_owned());
        }
        let text = path.to_string_lossy();
        let added = self.added.iter().any(|glob| glob.matches_path(&text, self.root));
        added.then(|| "the paths that the user protects".to_owned())
    }
}

fn tail(text: &str) -> Parts {
    paths::parts(Path::new(text))
}

/// A folder as it is written and with its links resolved.
fn both(folder: &Path, links: &Links) -> Vec<String> {
    let mut all = vec![folder.to_string_lossy().into_owned()];
    let real = links.resolved(folder).to_string_lossy().into_owned();
    if !all.contains(&real) {
        all.push(real);
    }
    all
}
