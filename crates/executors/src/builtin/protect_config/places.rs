//! What is protected: tenter's own files and programs, the agents' hook settings, and what the hook adds.

use std::path::{Path, PathBuf};

use tenter_contract::{Builtin, Pattern};

use super::paths::{self, Links, Parts};
use crate::builtin::call::Call;
use crate::command::home;

/// A file of an agent that decides which hooks run, wherever it lies: the last components of its path. `*`
/// stands for anything within a component, `**` at the end for anything below.
struct Row {
    tail: &'static str,
    whose: &'static str,
}

const fn row(tail: &'static str, whose: &'static str) -> Row {
    Row { tail, whose }
}

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
const DESK: &str = "the desk where questions to the user are answered";

const ROWS: [Row; 70] = [
    row(".config/tenter/**", OURS),
    row("/etc/tenter/**", OURS),
    row(".tenter/hooks.*", OURS),
    row(".tenter/hooks.d/**", OURS),
    row(".local/state/tenter/**", STATE),
    row(".claude/settings.json", CLAUDE),
    row(".claude/settings.local.json", CLAUDE),
    row(".claude/managed-settings.json", CLAUDE),
    row(".claude/plugins/**", CLAUDE),
    row("/etc/claude-code/**", CLAUDE),
    row("/library/application support/claudecode/**", CLAUDE),
    row(".codex/hooks.json", CODEX),
    row(".codex/config.toml", CODEX),
    row("/etc/codex/**", CODEX),
    row(".gemini/settings.json", GEMINI),
    row(".gemini/trusted_hooks.json", GEMINI),
    row(".gemini/trustedfolders.json", GEMINI),
    row("/etc/gemini-cli/**", GEMINI),
    row("/library/application support/geminicli/**", GEMINI),
    row(".qwen/settings.json", "Qwen Code's hook settings"),
    row(".cursor/hooks.json", CURSOR),
    row("/etc/cursor/hooks.json", CURSOR),
    row("/library/application support/cursor/hooks.json", CURSOR),
    row(".copilot/settings.json", COPILOT),
    row(".copilot/config.json", COPILOT),
    row(".copilot/hooks/**", COPILOT),
    row(".github/hooks/**", COPILOT),
    row(".github/copilot/settings.json", COPILOT),
    row(".github/copilot/settings.local.json", COPILOT),
    row("opencode.json", OPENCODE),
    row("opencode.jsonc", OPENCODE),
    row(".opencode/plugin/**", OPENCODE),
    row(".opencode/plugins/**", OPENCODE),
    row(".config/opencode/plugin/**", OPENCODE),
    row(".config/opencode/plugins/**", OPENCODE),
    row("kilo.json", KILO),
    row("kilo.jsonc", KILO),
    row(".kilo/plugin/**", KILO),
    row(".config/kilo/plugin/**", KILO),
    row(".kiro/hooks/**", KIRO),
    row(".kiro/agents/**", KIRO),
    row(".amazonq/cli-agents/**", AMAZON_Q),
    row(".aws/amazonq/cli-agents/**", AMAZON_Q),
    row("documents/cline/hooks/**", CLINE),
    row(".cline/hooks/**", CLINE),
    row(".clinerules/hooks/**", CLINE),
    row(".factory/hooks.json", FACTORY),
    row(".factory/settings.json", FACTORY),
    row(".factory/hooks/**", FACTORY),
    row(".augment/settings.json", AUGMENT),
    row(".augment/settings.local.json", AUGMENT),
    row("/etc/augment/**", AUGMENT),
    row(".agents/plugins/**", "Goose's plugins"),
    row("/etc/windsurf/hooks.json", WINDSURF),
    row(".codeium/windsurf/hooks.json", WINDSURF),
    row(".windsurf/hooks.json", WINDSURF),
    row(".amp/plugins/**", AMP),
    row(".amp/settings.json", AMP),
    row(".config/amp/plugins/**", AMP),
    row(".config/amp/settings.json", AMP),
    row(".kimi/config.toml", "Kimi CLI's hook settings"),
    row("crush.json", CRUSH),
    row(".crush.json", CRUSH),
    row(".config/crush/crush.json", CRUSH),
    row(".devin/hooks.v1.json", DEVIN),
    row(".devin/config.json", DEVIN),
    row(".config/devin/config.json", DEVIN),
    row(".gemini/config/hooks.json", ANTIGRAVITY),
    row(".agents/hooks.json", ANTIGRAVITY),
    row(".agent/hooks.json", ANTIGRAVITY),
];

/// Variables that move the folder of an agent, or ours, and what is protected in it.
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

/// Our two programs.
const PROGRAMS: [&str; 2] = ["tenter", "tenter-hook"];

/// Whose settings a path is, whatever the environment says; none if it is no agent's.
pub fn settings_of(path: &str) -> Option<&'static str> {
    let parts = paths::parts(Path::new(path));
    ROWS.iter().find(|row| paths::fits(&tail(row.tail), &parts)).map(|row| row.whose)
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
    pub(super) fn of(call: &Call<'a>) -> Self {
        let links = Links::default();
        let both = |folder: &Path| both(folder, &links);
        let mut rows: Vec<(Parts, &str)> = ROWS.iter().map(|row| (tail(row.tail), row.whose)).collect();
        let absolute = |name: &str| call.our_variable(name).map(Path::new).filter(|path| path.is_absolute());
        for (variable, below, whose) in MOVED {
            let folder = absolute(variable).into_iter();
            rows.extend(folder.flat_map(both).map(|folder| (tail(&format!("{folder}/{below}")), whose)));
        }
        let folder = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
        for folder in folder.iter().flat_map(|folder| both(folder)) {
            rows.extend(PROGRAMS.map(|program| (tail(&format!("{folder}/{program}")), PROGRAM)));
        }
        let desk = call.options.text(Builtin::DESK).map(|folder| home::expand(folder, call.home.as_deref()));
        for folder in desk.iter().filter(|folder| folder.is_absolute()).flat_map(|folder| both(folder)) {
            rows.push((tail(&format!("{folder}/**")), DESK));
        }
        let added = call.options.texts("paths").unwrap_or_default();
        let added = added.into_iter().map(|glob| home::expand(glob, call.home.as_deref()));
        let added = added.filter_map(|glob| Pattern::parse(&glob.to_string_lossy()).ok()).collect();
        let root = call.event.project_root.as_deref().or(call.event.cwd.as_deref());
        Self { rows, added, root, base: call.base().to_owned(), home: call.home.clone(), links }
    }

    /// Whose a path is, if it is protected.
    pub(super) fn whose(&self, path: &str) -> Option<String> {
        self.whose_from(path, &self.base)
    }

    /// The same for a path that is relative to some folder.
    pub(super) fn whose_from(&self, path: &str, base: &Path) -> Option<String> {
        self.looks(path, base).iter().find_map(|path| self.whose_exactly(path))
    }

    /// Whose folder a path is, if protected files lie right in it.
    pub(super) fn whose_folder(&self, path: &str, base: &Path) -> Option<String> {
        self.looks(path, base).iter().find_map(|path| {
            let parts = paths::parts(path);
            // Many programs lie where ours do.
            let rows = self.rows.iter().filter(|(_, whose)| *whose != PROGRAM);
            rows.into_iter()
                .find(|(row, _)| paths::fits_folder(row, &parts))
                .map(|(_, whose)| (*whose).to_owned())
        })
    }

    /// Whose files lie, however deep, in a folder: those of the user, and those whose place is known.
    pub(super) fn whose_above(&self, path: &str, base: &Path) -> Option<String> {
        let home = self.home.as_deref().map(paths::parts);
        self.looks(path, base).iter().find_map(|path| {
            let parts = paths::parts(path);
            let above = |row: &Parts| match &home {
                _ if row.is_anchored() => row.begins_with(&parts),
                Some(home) => row.below(home).begins_with(&parts),
                None => false,
            };
            self.rows.iter().find(|(row, _)| above(row)).map(|(_, whose)| (*whose).to_owned())
        })
    }

    /// Expands what a shell would and what is known here.
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

    /// A path as it is written and as it lies on the disk.
    fn looks(&self, path: &str, base: &Path) -> Vec<PathBuf> {
        let written = base.join(self.expanded(path));
        let plain = paths::normalized(&written);
        let resolved = self.links.resolved(&written);
        if plain == resolved { vec![plain] } else { vec![plain, resolved] }
    }

    fn whose_exactly(&self, path: &Path) -> Option<String> {
        let parts = paths::parts(path);
        if let Some((_, whose)) = self.rows.iter().find(|(row, _)| paths::fits(row, &parts)) {
            return Some((*whose).to_owned());
        }
        let text = path.to_string_lossy();
        let added = self.added.iter().any(|glob| glob.matches_path(&text, self.root));
        added.then(|| "the paths that the user protects".to_owned())
    }
}

fn tail(text: &str) -> Parts {
    paths::parts(Path::new(text))
}

/// A folder as it is written and as it lies on the disk.
fn both(folder: &Path, links: &Links) -> Vec<String> {
    let mut all = vec![folder.to_string_lossy().into_owned()];
    let real = links.resolved(folder).to_string_lossy().into_owned();
    if !all.contains(&real) {
        all.push(real);
    }
    all
}
