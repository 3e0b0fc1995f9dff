//! Words of other programs, and tenter's commands for them.

use clap::{Command, Subcommand};

use crate::arguments::hooks::HooksCommand;

/// Command, word, and what to type instead.
const COMMANDS: &[(&str, &[&str], &str)] = &[
    ("tenter", &["status", "check", "health", "info"], "tenter doctor"),
    ("tenter", &["update", "upgrade"], "tenter init"),
    ("tenter", &["version"], "tenter --version"),
    ("tenter", &["help"], "tenter --help"),
    ("tenter", &["install", "setup", "add", "start"], "tenter init"),
    ("tenter", &["remove", "delete"], "tenter uninstall"),
    ("tenter", &["list", "ls", "config", "show", "hook-list"], "tenter hooks list"),
    ("tenter", &["validate", "lint"], "tenter hooks check"),
    ("tenter", &["stats", "statistics"], "tenter hooks stats"),
    ("tenter", &["accept"], "tenter hooks accept"),
    ("tenter", &["log", "logs", "history", "records"], "tenter audit show"),
    ("tenter", &["verify"], "tenter audit verify"),
    ("tenter", &["enable"], "tenter hooks enable HOOK"),
    ("tenter", &["disable", "off", "stop"], "tenter hooks disable HOOK"),
    ("tenter", &["test"], "tenter hooks test HOOK"),
    ("tenter", &["new", "create"], "tenter hooks new NAME"),
    ("tenter", &["approve", "allow", "deny", "answer"], "tenter approvals list"),
    ("tenter", &["search", "recall"], "tenter memory search TEXT"),
    ("tenter", &["remember", "store"], "tenter memory add TEXT"),
    ("tenter", &["run", "agent"], "tenter chat"),
    ("tenter hooks", &["add", "create"], "tenter hooks new NAME"),
    ("tenter hooks", &["ls", "all"], "tenter hooks list"),
    ("tenter hooks", &["validate", "lint", "verify"], "tenter hooks check"),
    ("tenter hooks", &["statistics", "status"], "tenter hooks stats"),
    ("tenter hooks", &["approve", "confirm"], "tenter hooks accept"),
    ("tenter hooks", &["off", "remove", "rm", "delete"], "tenter hooks disable HOOK"),
    ("tenter hooks", &["on"], "tenter hooks enable HOOK"),
    ("tenter hooks", &["run"], "tenter hooks test HOOK"),
    ("tenter memory", &["delete", "remove", "rm"], "tenter memory forget ID"),
];

fn instead(path: &str, word: &str) -> Option<&'static str> {
    let (.., instead) = COMMANDS.iter().find(|(of, words, _)| *of == path && words.contains(&word))?;
    Some(instead)
}

pub(crate) fn command(path: &str, word: &str) -> Option<String> {
    let instead = instead(path, word)?;
    let why = match (path, word) {
        ("tenter", "update" | "upgrade") => "install the new version as you installed this one, then type",
        _ => "type",
    };
    Some(format!("{why} `{instead}`"))
}

/// The command of `tenter hooks` for a word typed after `tenter hook`, which expects an agent.
pub(crate) fn hooks_command(word: &str) -> Option<String> {
    let hooks = HooksCommand::augment_subcommands(Command::new("hooks"));
    match hooks.find_subcommand(word) {
        Some(found) => Some(format!("tenter hooks {}", found.get_name())),
        None => instead("tenter hooks", word).map(str::to_owned),
    }
}

pub(crate) fn option<'c>(path: &str, wrong: &str, options: impl Iterator<Item = &'c str>) -> Option<String> {
    let name = wrong.trim_start_matches('-');
    let mut options = options;
    match name {
        "user" | "project" | "local" | "global" if options.any(|option| option == "scope") => {
            let scope = if name == "global" { "user" } else { name };
            Some(format!("type `{path} --scope {scope}`"))
        }
        "yes" | "force" | "no-input" => Some(format!("omit it: `{path}` asks nothing")),
        "all" => Some(format!("omit it, or run `{path} --help`")),
        "verbose" | "quiet" | "debug" => Some(format!("omit it; run `{path} --help` to see the options")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::COMMANDS;
    use crate::arguments::Arguments;

    #[test]
    fn every_word_names_existing_command() {
        for (path, words, instead) in COMMANDS {
            let mut command = Arguments::command();
            for word in
                instead.split(' ').skip(1).filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
            {
                command = command.find_subcommand(word).cloned().unwrap_or_else(|| panic!("{instead}"));
            }
            let mut of = Arguments::command();
            for word in path.split(' ').skip(1) {
                of = of.find_subcommand(word).cloned().unwrap_or_else(|| panic!("{path}"));
            }
            for word in *words {
                assert!(of.find_subcommand(word).is_none(), "{path} {word} exists");
            }
        }
    }
}
