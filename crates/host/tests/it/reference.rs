//! The reference pages: tables made from the code, and lists in prose compared with it.

use std::collections::BTreeSet;
use std::fmt::Write;

use tenter_contract::Support;
use tenter_contract::builtin_names::{BUILTINS, Does, Presence};
use tenter_contract::event_names::{self, EVENTS};
use tenter_contract::ports::{Scope, SettingsPlace};
use tenter_contract::template::Placeholder;

use crate::{generated, tree};

#[test]
fn event_table_matches_code() {
    let mark = |power: Support| if power.possible() { "●" } else { "–" };
    let mut table = String::from(
        "| event | when | block | modify | inject | ask | aliases |\n|---|---|---|---|---|---|---|\n",
    );
    for row in EVENTS {
        let aliases: Vec<String> = row.spellings().skip(1).map(|alias| format!("`{alias}`")).collect();
        let powers =
            [row.powers.block, row.powers.modify, row.powers.inject, row.powers.ask].map(mark).join(" | ");
        writeln!(table, "| `{}` | {} | {powers} | {} |", row.canonical, row.when, aliases.join(" ")).unwrap();
    }
    generated::check("docs/reference/events.md", "events", &table);
}

#[test]
fn foreign_keys_match_code() {
    let mut text = String::new();
    for (number, (dialect, keys)) in tenter_config::foreign_keys().enumerate() {
        let space = if number == 0 { "" } else { "\n" };
        writeln!(text, "{space}### {} (`{}`)\n", dialect.title(), dialect.as_str()).unwrap();
        text.push_str("| key | becomes |\n|---|---|\n");
        for row in keys {
            writeln!(text, "| `{}` | {} |", row.key, row.becomes.replace('|', "\\|")).unwrap();
        }
    }
    generated::check("docs/reference/dialects.md", "foreign keys", &text);
}

#[test]
fn builtin_table_matches_code() {
    let mut text = String::from("| built-in | effect | events |\n|---|---|---|\n");
    for row in &BUILTINS {
        let names = row.events.iter().filter_map(event_names::row).map(|row| format!("`{}`", row.canonical));
        let events = match row.does {
            _ if !row.events.is_empty() => names.collect::<Vec<_>>().join(" "),
            Does::Inject => "all with context".to_owned(),
            Does::Guard => "all that can be denied".to_owned(),
            Does::SideEffect => "all".to_owned(),
        };
        writeln!(text, "| `{}` | {} | {events} |", row.name, row.about).unwrap();
    }
    text.push_str("\n| built-in | setting | value | meaning; default |\n|---|---|---|---|\n");
    for row in &BUILTINS {
        for option in row.options {
            let required = if option.presence == Presence::Required { "; required" } else { "" };
            let value = option.takes.describe();
            writeln!(text, "| `{}` | `{}` | {value} | {}{required} |", row.name, option.key, option.about)
                .unwrap();
        }
    }
    generated::check("docs/reference/builtins.md", "builtins", &text);
}

#[test]
fn installed_paths_are_protected() {
    for agent in tenter_adapters::all().iter().filter_map(|agent| agent.installer()) {
        for place in Scope::ALL.into_iter().filter_map(|scope| agent.place(scope)) {
            let path = match place {
                SettingsPlace::Home { folder, file, .. } => format!("/home/u/{folder}/{file}"),
                SettingsPlace::Project { file } => format!("/project/{file}"),
            };
            let files = agent.files().iter().map(|file| format!("{path}/{file}"));
            let paths = if agent.files().is_empty() { vec![path.clone()] } else { files.collect() };
            for path in paths {
                let whose = tenter_executors::builtin::protect_config::settings_of(&path);
                assert!(whose.is_some(), "{}: add `{path}` to protect_config/places.rs", agent.title());
            }
        }
    }
}

#[test]
fn placeholders_match_code() {
    let list: Vec<String> =
        Placeholder::ALL.iter().map(|known| format!("`{{{}}}`", known.as_str())).collect();
    generated::check("docs/reference/hook-files.md", "placeholders", &list.join(" "));
}

#[test]
fn hook_file_page_names_every_key() {
    for (heading, keys) in [
        ("## Keys of a hook", tenter_config::hook_keys()),
        ("## Conditions", tenter_config::condition_keys()),
        ("## Limits", tenter_config::limit_keys()),
    ] {
        let page = tree::text("docs/reference/hook-files.md");
        let section = page.split(heading).nth(1).unwrap_or_else(|| panic!("no `{heading}`"));
        let section = section.split("\n## ").next().unwrap();
        let named: BTreeSet<String> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `"))
            .flat_map(|line| {
                line.split(" | ").next().unwrap().split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>()
            })
            .filter(|word| !word.trim_matches([',', ' ']).is_empty())
            .collect();
        assert_eq!(named, keys.iter().map(|key| (*key).to_owned()).collect(), "{heading}");
    }
}

#[test]
fn safe_text_table_matches_code() {
    let mut table = String::from("| text | examples | result |\n|---|---|---|\n");
    for tenter_kernel::safe_text::Rule { what, like, becomes } in tenter_kernel::safe_text::TABLE {
        let like = like.replace('|', "\\|");
        writeln!(table, "| {what} | {like} | {becomes} |").unwrap();
    }
    generated::check("docs/reference/injected-text.md", "safe text", &table);
}

/// The guide names the agents that get no memory.
#[test]
fn installing_md_names_agents_without_memory() {
    let without: Vec<String> = tenter_adapters::all()
        .iter()
        .filter(|agent| tenter_adapters::servers::find(&agent.name()).is_none())
        .map(|agent| agent.name().to_string())
        .collect();
    let sentence = format!("Agents without the memory: {}.", without.join(", "));
    assert!(tree::text("docs/guides/installing.md").contains(&sentence), "{sentence}");
}
