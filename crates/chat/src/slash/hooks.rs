//! `/hooks`, `/hooks disable NAME`, `/hooks enable NAME`.

use std::sync::Arc;

use tenter_contract::{EventKind, HookChange, HookSpec, Layer, Reach};
use tenter_host::Layers;
use tenter_host::context::context_paths;
use tenter_kernel::matching::{Condition, conditions};

use crate::conversation::Conversation;
use tenter_console::change_log;
use tenter_console::error::CliError;
use tenter_console::hooks::switches::{find, in_session, is_off_in, still_off};
use tenter_console::hooks::{active_hooks, off};
use tenter_console::injections::may_inject;
use tenter_console::listing::visible;
use tenter_console::printer::Tone;

/// Name of the hook that config makes of `context: { files: … }`. Its files are listed instead.
const FILES: &str = "context-files";

/// The hooks that apply to tenter's own agent: active ones, and those switched off in this session.
pub(crate) fn session_hooks(
    chat: &Conversation<'_>,
    layers: &Layers,
) -> (Vec<Arc<HookSpec>>, Vec<Arc<HookSpec>>) {
    let event = chat.agent.session().event(EventKind::SessionStart);
    let speaks_to_us = |hook: &Arc<HookSpec>| {
        let mut conditions = conditions(hook).into_iter();
        hook.section.as_deref().is_none_or(|agent| agent == event.agent.as_str())
            && conditions.all(|it| !matches!(it, Condition::Agents(_)) || it.holds(&event))
    };
    let session = chat.agent.session().id();
    active_hooks(layers).into_iter().filter(speaks_to_us).partition(|hook| !is_off_in(&hook.id, session))
}

/// `git-status (per prompt)`.
pub(crate) fn describe(hook: &HookSpec) -> String {
    visible(&format!("{} ({})", hook.id.name, event_label(&hook.event)))
}

/// The same with the layer, if that is not `user` or the name is ambiguous.
fn listed(hook: &HookSpec, is_ambiguous: bool) -> String {
    let layer = hook.id.layer;
    let layer =
        if layer == Layer::User && !is_ambiguous { String::new() } else { format!(", {}", layer.as_str()) };
    format!("- {}{layer}", describe(hook))
}

/// The event in plain words.
pub(crate) fn event_label(event: &EventKind) -> String {
    match event {
        EventKind::SessionStart => "conversation start".to_owned(),
        EventKind::PromptSubmit => "per prompt".to_owned(),
        other => other.to_string(),
    }
}

/// Whether the user wrote it as a hook.
pub(crate) fn is_hook(hook: &HookSpec) -> bool {
    context_paths(hook).is_none() || hook.id.name != FILES
}

pub(crate) fn list(chat: &Conversation<'_>) -> Result<(), CliError> {
    let layers = chat.chat_context.hooks.layers();
    let (mut on, mut disabled) = session_hooks(chat, &layers);
    on.retain(|hook| is_hook(hook));
    disabled.retain(|hook| is_hook(hook));
    let printer = chat.printer;
    let all: Vec<_> = on.iter().chain(&disabled).map(|hook| hook.id.clone()).collect();
    let is_ambiguous =
        |hook: &HookSpec| all.iter().any(|other| other.name == hook.id.name && other.layer != hook.id.layer);
    let (speaking, others): (Vec<_>, Vec<_>) = on.into_iter().partition(|hook| may_inject(hook));
    if speaking.is_empty() {
        printer.line("No active context hooks; `tenter hooks new` writes one.");
    }
    for (title, hooks) in [("Active context hooks:", &speaking), ("Other active hooks:", &others)] {
        if hooks.is_empty() {
            continue;
        }
        printer.line(title);
        for hook in hooks {
            printer.line(listed(hook, is_ambiguous(hook)));
        }
    }
    if !disabled.is_empty() {
        printer.line("Disabled in this session:");
        for hook in &disabled {
            printer.line(listed(hook, is_ambiguous(hook)));
        }
    }
    for (address, why) in off(&layers) {
        printer.line(printer.tone(Tone::Quiet, format!("off: {} ({})", visible(&address), visible(&why))));
    }
    for problem in &layers.set.problems {
        printer.line(printer.tone(Tone::Bad, visible(problem.text.trim_end())));
    }
    Ok(())
}

pub(crate) fn switch(chat: &Conversation<'_>, name: &str, off: bool) -> Result<(), CliError> {
    let layers = chat.chat_context.hooks.layers();
    let hook = find(&layers, name)?;
    if off && hook.layer == Layer::Managed {
        return Err(CliError::hook_is_managed(hook.name));
    }
    let session = chat.agent.session().id().clone();
    let (name, reach) = (visible(&hook.name), Reach::Session(session.clone()));
    if off == is_off_in(&hook, &session) {
        let elsewhere = still_off(&layers, &hook, &reach).map(|why| format!(": {}", visible(why)));
        chat.printer.line(match (off, elsewhere) {
            (true, _) => format!("{name} is disabled already"),
            (false, None) => format!("{name} is not disabled in this session"),
            (false, Some(why)) => format!("{name} is not disabled in this session, but it is off{why}"),
        });
        return Ok(());
    }
    in_session(&hook, &session, off)?;
    chat.printer.line(format!("{} hook: {name}", if off { "Disabled" } else { "Enabled" }));
    if let Some(why) = still_off(&layers, &hook, &reach).filter(|_| !off) {
        chat.printer.line(format!("but it is still off: {}", visible(why)));
    }
    change_log::record(if off {
        HookChange::Disabled { hook, reach }
    } else {
        HookChange::Enabled { hook, reach }
    })
}
