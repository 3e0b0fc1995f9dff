//! The protected files: tenter's own files and programs, the agents' hook settings, and the paths of the hook.

use std::path::{Path, PathBuf};

use tenter_contract::{Builtin, Pattern};

use super::paths::{self, Links, Parts};
use crate::builtin::builtin_run::BuiltinRun;
use crate::command::home;

const CLAUDE: &str = "Claude Code's hook settings";
const CODEX: &str = "Codex's hook settings";
const GEMINI: &str = "Gemini CLI's hook settings";
const CURSOR: &str = "Cursor's hook settings";
const COPILOT: &str = "Copilot's hook settings";
const OPENCODE: &str = "OpenCode's plugins";
const KILO: &str = "Kilo's plugins";
const KIRO: &str = "Kiro's hooks";
const AMAZON_Q: &str = "Amazon Q's hooks";
const CLINE: &str = "Cline's hooks";
const FACTORY: &str = "Factory's hook settings";
const AUGMENT: &str = "Augment's hook settings";
const WINDSURF: &str = "Windsurf's hook settings";
const AMP: &str = "Amp's plugins";
const CRUSH: &str = "Crush's hook settings";
const DEVIN: &str = "Devin's hook settings";
const ANTIGRAVITY: &str = "Antigravity's hook settings";
const OURS: &str = "tenter's configuration";
const STATE: &str = "tenter's state";
const PROGRAM: &str = "tenter's programs";
const APPROVER: &str = "the approver where questions to the user are answered";

/// Files of agents that decide which hooks run: the last components of the path, and the owner. `*` matches anything
/// within a component, `**` at the end anything below.
const ROWS: [(&str, &str); 70] = [
    (".config/tenter/**", OURS),
    ("/etc/tenter/**", OURS),
    (".tenter/hooks.*", OURS),
    (".tenter/hooks.d/**", OURS),
    (".local/state/tenter/**", STATE),
    (".claude/settings.json", CLAUDE),
    (".claude/settings.local.json", CLAUDE),
    (".claude/managed-settings.json", CLAUDE),
    (".claude/plugins/**", CLAUDE),
    ("/etc/claude-code/**", CLAUDE),
    ("/library/application support/claudecode/**", CLAUDE),
    (".codex/hooks.json", CODEX),
    (".codex/config.toml", CODEX),
    ("/etc/codex/**", CODEX),
    (".gemini/settings.json", GEMINI),
    (".gemini/trusted_hooks.json", GEMINI),
    (".gemini/trustedfolders.json", GEMINI),
    ("/etc/gemini-cli/**", GEMINI),
    ("/library/application support/geminicli/**", GEMINI),
    (".qwen/settings.json", "Qwen Code's hook settings"),
    (".cursor/hooks.json", CURSOR),
    ("/etc/cursor/hooks.json", CURSOR),
    ("/library/application support/cursor/hooks.json", CURSOR),
    (".copilot/settings.json", COPILOT),
    (".copilot/config.json", COPILOT),
    (".copilot/hooks/**", COPILOT),
    (".github/hooks/**", COPILOT),
    (".github/copilot/settings.json", COPILOT),
    (".github/copilot/settings.local.json", COPILOT),
    ("opencode.json", OPENCODE),
    ("opencode.jsonc", OPENCODE),
    (".opencode/plugin/**", OPENCODE),
    (".opencode/plugins/**", OPENCODE),
    (".config/opencode/plugin/**", OPENCODE),
    (".config/opencode/plugins/**", OPENCODE),
    ("kilo.json", KILO),
    ("kilo.jsonc", KILO),
    (".kilo/plugin/**", KILO),
    (".config/kilo/plugin/**", KILO),
    (".kiro/hooks/**", KIRO),
    (".kiro/agents/**", KIRO),
    (".amazonq/cli-agents/**", AMAZON_Q),
    (".aws/amazonq/cli-agents/**", AMAZON_Q),
    ("documents/cline/hooks/**", CLINE),
    (".cline/hooks/**", CLINE),
    (".clinerules/hooks/**", CLINE),
    (".factory/hooks.json", FACTORY),
    (".factory/settings.json", FACTORY),
    (".factory/hooks/**", FACTORY),
    (".augment/settings.json", AUGMENT),
    (".augment/settings.local.json", AUGMENT),
    ("/etc/augment/**", AUGMENT),
    (".agents/plugins/**", "Goose's plugins"),
    ("/etc/windsurf/hooks.json", WINDSURF),
    (".codeium/windsurf/hooks.json", WINDSURF),
    (".windsurf/hooks.json", WINDSURF),
    (".amp/plugins/**", AMP),
    (".amp/settings.json", AMP),
    (".config/amp/plugins/**", AMP),
    (".config/amp/settings.json", AMP),
    (".kimi/config.toml", "Kimi CLI's hook settings"),
    ("crush.json", CRUSH),
    (".crush.json", CRUSH),
    (".config/crush/crush.json", CRUSH),
    (".devin/hooks.v1.json", DEVIN),
    (".devin/config.json", DEVIN),
    (".config/devin/config.json", DEVIN),
    (".gemini/config/hooks.json", ANTIGRAVITY),
    (".agents/hooks.json", ANTIGRAVITY),
    (".agent/hooks.json", ANTIGRAVITY),
];

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

/// The agent to owner settings a path belongs, without regard to the environment.
pub fn settings_of(path: &str) -> Option<&'static str> {
    let parts = paths::parts(Path::new(path));
    ROWS.iter().find(|(row, _)| paths::fits(&tail(row), &parts)).map(|(_, owner)| *owner)
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
        let mut rows: Vec<(Parts, &str)> = ROWS.iter().map(|(row, owner)| (tail(row), *owner)).collect();
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
            rows.push((tail(&format!("{folder}/**")), APPROVER));
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
            let rows = self.rows.iter().filter(|(_, owner)| *owner != PROGRAM);
            rows.into_iter()
                .find(|(row, _)| paths::fits_folder(row, &parts))
                .map(|(_, owner)| (*owner).to_owned())
        })
    }

    /// The owner of protected files anywhere below this folder, of those owner place is known.
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
        let plain = paths::normalized(&written);
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
