//! `/context`: shows the model's context besides the conversation.

use std::path::{Path, PathBuf};

use tenter_contract::{HookSpec, Layer};
use tenter_host::context::{context_paths, load_context};

use crate::conversation::Conversation;
use crate::live_hooks::giver;
use crate::slash::hooks::{describe, is_hook, session_hooks};
use tenter_console::error::CliError;
use tenter_console::injections::{Injected, may_inject};
use tenter_console::listing::{counted, visible};
use tenter_console::printer::Tone;

/// Number of lines shown of a hook's text.
const MOST_LINES: usize = 40;

pub(crate) fn show(chat: &Conversation<'_>) -> Result<(), CliError> {
    let layers = chat.chat_context.hooks.layers();
    let (on, _) = session_hooks(chat, &layers);
    let printer = chat.printer;
    let root = chat.chat_context.root();
    let mut givers: Vec<&HookSpec> =
        on.iter().map(AsRef::as_ref).filter(|hook| context_paths(hook).is_some()).collect();
    let here = chat.chat_context.hooks.added_files_hook();
    givers.extend(&here);
    let patterns = |of: &[Layer]| -> Vec<String> {
        let hooks = givers.iter().filter(|hook| of.contains(&hook.id.layer));
        hooks.flat_map(|hook| context_paths(hook).unwrap_or_default()).map(visible).collect()
    };
    let below = |lines: &[String]| {
        for line in lines {
            printer.line(format!("    {line}"));
        }
    };
    let section = |title: &str, lines: &[String]| {
        printer.line(format!("{title}:"));
        below(lines);
        printer.gap();
    };
    printer.line("===============================");
    printer.line("Current context:");
    printer.gap();
    section("global", &or_none(patterns(&[Layer::Managed, Layer::User])));
    let places = chat.chat_context.hooks.places();
    let profile = tenter_host::profile::active(&places).map_or("none".to_owned(), |name| visible(&name));
    section("profile", &[vec![profile], patterns(&[Layer::Profile])].concat());
    for (title, of) in [("project", &[Layer::Project, Layer::Local][..]), ("session", &[Layer::Embedded])] {
        let files = patterns(of);
        if !files.is_empty() {
            section(title, &files);
        }
    }
    let (mut files, mut left_out): (Vec<PathBuf>, Vec<String>) = (Vec::new(), Vec::new());
    for hook in &givers {
        let given = load_context(hook, Some(&root));
        left_out.extend(given.left_out.iter().map(|left| format!("`{}` {}", left.name, left.why)));
        for (file, _) in given.files {
            if !files.contains(&file.path) {
                files.push(file.path);
            }
        }
    }
    printer.line(format!("Expanded files ({}):", files.len()));
    below(&files.iter().map(|file| visible(&file.to_string_lossy())).collect::<Vec<_>>());
    for left in left_out {
        printer.line(printer.tone(Tone::Caution, format!("    left out: {}", visible(&left))));
    }
    printer.gap();
    let instructions = &chat.chat_context.instructions;
    if !instructions.files.is_empty() || !instructions.left_out.is_empty() {
        printer.line(format!("Instructions ({}):", instructions.files.len()));
        for file in &instructions.files {
            let size = counted(file.text.len() as u64, "byte");
            let cut = if file.is_cut { ", the beginning" } else { "" };
            let path = visible(&file.path.to_string_lossy());
            printer.line(format!("    {path} ({}, {size}{cut})", file.owner.as_str()));
        }
        for (path, why) in &instructions.left_out {
            let text = format!("    left out: {}: {why}", visible(&path.to_string_lossy()));
            printer.line(printer.tone(Tone::Caution, text));
        }
        printer.gap();
    }
    let hooks: Vec<String> =
        on.iter().filter(|hook| may_inject(hook) && is_hook(hook)).map(|hook| describe(hook)).collect();
    printer.line(format!("Context hooks ({}):", hooks.len()));
    below(&hooks);
    Ok(())
}

fn or_none(lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() { vec!["(no files)".to_owned()] } else { lines }
}

/// Prints the injections of the session and their cost.
pub(crate) fn show_hooks(chat: &Conversation<'_>) -> Result<(), CliError> {
    let limits = chat.chat_context.hooks.layers().set.limits;
    Injected::read(chat.agent.session().id().clone(), limits, false)?.print(chat.printer);
    Ok(())
}

/// Prints the full texts added with the last prompt, and those that were already in the context.
pub(crate) fn show_previous(chat: &Conversation<'_>) -> Result<(), CliError> {
    let texts = chat.chat_context.contributions.texts();
    let repeated = chat.chat_context.contributions.repeated(chat.agent.session().id())?;
    let printer = chat.printer;
    if texts.is_empty() && repeated.is_empty() {
        printer.line("No hook has added anything to your last prompt.");
        return Ok(());
    }
    if texts.is_empty() {
        printer.line("No hook has added anything new to your last prompt.");
    } else {
        printer.line(format!("Added by hooks with your last prompt ({}):", texts.len()));
    }
    for (who, text) in texts {
        let bytes = counted(text.len() as u64, "byte");
        printer.line(printer.tone(Tone::Heading, format!("- {}, {bytes}:", visible(&who))));
        let all: Vec<&str> = text.trim_end().lines().collect();
        for line in all.iter().take(MOST_LINES) {
            printer.line(format!("    {}", visible(line)));
        }
        if let Some(more) = all.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
            printer.line(printer.tone(Tone::Quiet, format!("    … {}", counted(more as u64, "more line"))));
        }
    }
    for who in repeated {
        printer.line(format!("- {}: the same as before, which the model has already", visible(&who)));
    }
    Ok(())
}

pub(crate) fn show_always(chat: &mut Conversation<'_>) {
    chat.always_shows_context = !chat.always_shows_context;
    chat.printer.line(if chat.always_shows_context {
        "What hooks add is shown after each prompt; type it again to stop that."
    } else {
        "What hooks add is no longer shown after each prompt."
    });
}

pub(crate) fn show_if_wanted(chat: &Conversation<'_>) -> Result<(), CliError> {
    if chat.always_shows_context { show_previous(chat) } else { Ok(()) }
}

pub(crate) fn add(chat: &Conversation<'_>, paths: &[&str]) {
    for path in paths {
        add_one(chat, path);
    }
}

pub(crate) fn remove(chat: &Conversation<'_>, paths: &[&str]) {
    for path in paths {
        remove_one(chat, path);
    }
}

fn add_one(chat: &Conversation<'_>, path: &str) {
    let (hooks, printer) = (&chat.chat_context.hooks, chat.printer);
    let whole = whole(chat, path);
    let shown = visible(path);
    let found =
        giver(std::slice::from_ref(&whole)).map(|hook| load_context(&hook, Some(&chat.chat_context.root())));
    let found = found.unwrap_or_default();
    if found.files.is_empty() {
        let why = found.left_out.first().map_or("matches no file".to_owned(), |left| left.why.to_string());
        let text = format!("{shown} {}; nothing was added", visible(&why));
        printer.line(printer.tone(Tone::Bad, text));
        return;
    }
    if !hooks.add_file(&whole) {
        printer.line(format!("{shown} is in the context already"));
        return;
    }
    match found.files.len() {
        1 => printer.line(format!("Added {shown}; the model reads it with your next prompt.")),
        count => {
            printer
                .line(format!("Added {shown}, {count} files; the model reads them with your next prompt."));
        }
    }
    for left in &found.left_out {
        let text = format!("left out: {} {}", visible(&left.name), visible(&left.why.to_string()));
        printer.line(printer.tone(Tone::Caution, text));
    }
}

fn remove_one(chat: &Conversation<'_>, path: &str) {
    let (hooks, printer) = (&chat.chat_context.hooks, chat.printer);
    let shown = visible(path);
    if hooks.remove_file(&whole(chat, path)) || hooks.remove_file(path) {
        printer.line(format!("Removed {shown}; what the model has read of it stays until /clear."));
        return;
    }
    let layers = hooks.layers();
    let of_file =
        layers.set.hooks.iter().find(|hook| context_paths(hook).is_some_and(|files| files.contains(&path)));
    let files = hooks.files();
    let text = match of_file {
        Some(hook) => {
            format!(
                "{shown} is named in {}:{}; take it out there",
                visible(&hook.source.file),
                hook.source.line
            )
        }
        None if files.is_empty() => format!("{shown} was not added here; /context show lists what is given"),
        None => format!("{shown} was not added here; these were: {}", visible(&files.join(", "))),
    };
    printer.line(printer.tone(Tone::Bad, text));
}

/// Makes a path absolute.
fn whole(chat: &Conversation<'_>, path: &str) -> String {
    if path.starts_with('~') {
        return path.to_owned();
    }
    let path: PathBuf = chat.folder().join(Path::new(path)).components().collect();
    path.to_string_lossy().into_owned()
}
