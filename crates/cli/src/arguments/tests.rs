//! Tests of the command line, and of `docs/reference/commands.md`, which is generated from it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use crate::arguments::Arguments;

const BEGIN: &str = "<!-- generated: commands -->\n";
const END: &str = "<!-- end of commands -->\n";

#[test]
fn page_of_commands_is_generated_from_help() {
    let mut root = Arguments::command();
    root.build();
    let mut text = String::new();
    describe(&root, "", &mut text);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    let written = fs::read_to_string(&page).unwrap();
    let (before, rest) = written.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{BEGIN}{}\n{END}{after}", text.trim_end());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&page, wanted).unwrap();
    } else {
        assert_eq!(written, wanted, "docs/reference/commands.md is stale; run `just docs`");
    }
}

/// `tenter x y` is `commands/x/y.rs` or `commands/x/y/`, or a function that `commands/x/mod.rs` or `x.rs` names; nothing
/// else is in that folder but the files of a command that has a folder of its own.
#[test]
fn commands_folder_holds_commands_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = Arguments::command();
    check_layout(&all, &root.join("src/commands"));
    for name in ["memory", "ghap"] {
        let folder = root.join("../memory-commands/src").join(name);
        check_layout(all.find_subcommand(name).unwrap(), &folder);
    }
}

fn check_layout(command: &Command, folder: &Path) {
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let group = fs::read_to_string(folder.join("mod.rs"))
        .or_else(|_| fs::read_to_string(folder.with_extension("rs")))
        .unwrap_or_default();
    for subcommand in command.get_subcommands() {
        let name = subcommand.get_name();
        let variant = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let has_file = folder.join(name).is_dir() || folder.join(name).with_extension("rs").is_file();
        let in_group = [format!("Command::{variant}"), format!("Command::{variant}(")];
        assert!(
            has_file || in_group.iter().any(|dispatch| group.contains(dispatch)),
            "{} has no file for `{name}`",
            folder.display()
        );
        if subcommand.has_subcommands() && folder.join(name).is_dir() && name != "trust" {
            check_layout(subcommand, &folder.join(name));
        }
    }
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_command =
            names.contains(&name.as_str()) || ["mod", "snapshots", "export"].contains(&name.as_str());
        assert!(is_command, "{} is no command: move it out of `commands`", path.display());
    }
}

fn describe(command: &Command, parent: &str, text: &mut String) {
    let path = format!("{parent} {}", command.get_name()).trim_start().to_owned();
    let arguments: Vec<&Arg> =
        command.get_arguments().filter(|it| !it.is_hide_set() && it.get_id() != "help").collect();
    let subcommands = || command.get_subcommands().filter(|it| !it.is_hide_set());
    if !parent.is_empty()
        && (subcommands().next().is_none() || command.get_arguments().any(|it| it.get_id() == "json"))
    {
        let about = command.get_long_about().or_else(|| command.get_about());
        let about = about.map(ToString::to_string).unwrap_or_default();
        write!(text, "## `{path}`\n\n{}\n\n", about.trim()).unwrap();
        if !arguments.is_empty() {
            text.push_str("| | |\n|---|---|\n");
            for argument in arguments {
                writeln!(text, "| {} | {} |", typed(argument), meaning(argument)).unwrap();
            }
            text.push('\n');
        }
    }
    for subcommand in subcommands().filter(|it| it.get_name() != "help") {
        describe(subcommand, &path, text);
    }
}

fn typed(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let value: Vec<String> = names.iter().map(|name| name.replace('|', "\\|")).collect();
    let takes = argument.get_action().takes_values();
    match (argument.get_short(), argument.get_long()) {
        (short, Some(long)) => {
            let short = short.map(|short| format!("`-{short}`, ")).unwrap_or_default();
            let value = if takes { format!(" {}", value.join(" ")) } else { String::new() };
            format!("{short}`--{long}{value}`")
        }
        _ => format!("`{}`", value.join(" ")),
    }
}

fn meaning(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    let defaults = if defaults.is_empty() || !argument.get_action().takes_values() {
        String::new()
    } else {
        format!("; {} if left out", defaults.join(" "))
    };
    let possible: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|_| argument.get_action().takes_values() && !argument.is_hide_possible_values_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let possible = if possible.is_empty() { String::new() } else { format!(": {}", possible.join(", ")) };
    format!("{}{possible}{defaults}", help.replace('|', "\\|"))
}
