//! `tenter context show`: the context at the start of a session (files by layer, expanded files, hooks), and the texts
//! that hooks injected into the latest session.

use std::path::Path;

use serde_json::{Value, json};
use tenter_contract::{HookSpec, Limits, SessionId};
use tenter_host::context::{self, ContextFile, LeftOut};
use tenter_host::trust::project::here;

use crate::arguments::{ContextCommand, ContextShowArguments, WhichRecord};
use crate::error::{CliError, CommandResult};
use crate::hooks;
pub(crate) use crate::injections::Injected;
use crate::injections::may_inject;
use crate::listing::{counted, visible};
use crate::printer::{Printer, Tone};
use crate::trail;

pub(crate) fn run(command: &ContextCommand, printer: &Printer) -> CommandResult {
    match command {
        ContextCommand::Show(arguments) => show(arguments, printer),
    }
}

fn show(arguments: &ContextShowArguments, printer: &Printer) -> CommandResult {
    let layers = hooks::layers(&arguments.config)?;
    let injected = injected(arguments, layers.set.limits)?;
    let active_hooks = hooks::active_hooks(&layers);
    // Without a project, files are relative to the current folder.
    let root = here().or_else(|| std::env::current_dir().ok());
    let start = StartContext::new(active_hooks.iter().map(AsRef::as_ref), root.as_deref());
    let off: Vec<(String, String)> = hooks::off(&layers)
        .filter(|(address, _)| {
            hooks::written(&layers).any(|hook| hook.id.address() == *address && injects_files(hook))
        })
        .collect();
    if arguments.json {
        let mut json = start.as_json(&off);
        json["session"] = injected.as_ref().map(Injected::as_json).into();
        return printer.json(&json);
    }
    let whole = !(arguments.hooks || arguments.previous);
    if whole {
        start.print(&off, printer);
    }
    if let Some(injected) = &injected {
        if whole {
            printer.gap();
        }
        injected.print(printer);
    }
    if layers.files.iter().any(|file| !file.problems().is_empty()) {
        printer.line(printer.tone(Tone::Bad, hooks::PROBLEM));
    }
    Ok(0)
}

/// The texts of the session, by default the latest of this project. A missing session is an error only if the user
/// asked for its texts.
fn injected(arguments: &ContextShowArguments, limits: Limits) -> Result<Option<Injected>, CliError> {
    let session = match &arguments.session {
        Some(id) => SessionId::parse(&trail::find(WhichRecord::Last, Some(id))?.session_id),
        None => hooks::switches::latest_session(here().as_deref())?,
    };
    match session {
        Some(session) => Injected::read(session, limits, arguments.previous).map(Some),
        None if arguments.hooks || arguments.previous => Err(CliError::no_session()),
        None => Ok(None),
    }
}

struct StartContext<'h> {
    /// The hooks with files, in the order in which they run.
    file_hooks: Vec<&'h HookSpec>,
    files: Vec<(&'h HookSpec, ContextFile)>,
    left_out: Vec<(&'h HookSpec, LeftOut)>,
    others: Vec<&'h HookSpec>,
}

impl<'h> StartContext<'h> {
    fn new(hooks: impl Iterator<Item = &'h HookSpec>, root: Option<&Path>) -> Self {
        let (file_hooks, others): (Vec<_>, Vec<_>) = hooks.partition(|hook| injects_files(hook));
        let (mut files, mut left_out): (Vec<(&HookSpec, ContextFile)>, Vec<_>) = (Vec::new(), Vec::new());
        for hook in &file_hooks {
            let delivered = context::load_context(hook, root);
            left_out.extend(delivered.left_out.into_iter().map(|left| (*hook, left)));
            for (file, _) in delivered.files {
                if !files.iter().any(|(_, known)| known.path == file.path) {
                    files.push((hook, file));
                }
            }
        }
        Self {
            file_hooks,
            files,
            left_out,
            others: others.into_iter().filter(|hook| may_inject(hook)).collect(),
        }
    }

    fn print(&self, off: &[(String, String)], printer: &Printer) {
        let title = |text: String| printer.line(printer.tone(Tone::Heading, text));
        if self.file_hooks.is_empty() && off.is_empty() {
            printer.line(
                "no files for the context: `context: { files: [README.md] }` in a hook file gives some",
            );
        }
        for hook in &self.file_hooks {
            title(format!("{}:", hook.id.layer.as_str()));
            for path in context::context_paths(hook).unwrap_or_default() {
                printer.line(format!("    {}", visible(path)));
            }
        }
        for (hook, why) in off {
            printer.line(format!("{} {hook}: {why}", printer.tone(Tone::Bad, "off")));
        }
        if !self.file_hooks.is_empty() {
            printer.gap();
            let all: u64 = self.files.iter().map(|(_, file)| tokens(file)).sum();
            title(format!("Expanded files ({}), about {}:", self.files.len(), counted(all, "token")));
            let row = |(hook, file): &(&HookSpec, ContextFile)| {
                vec![
                    format!("    {}", file.shown),
                    counted(file.bytes, "byte"),
                    format!("about {}", counted(tokens(file), "token")),
                    hook.id.address(),
                ]
            };
            let rows: Vec<Vec<String>> = self.files.iter().map(row).collect();
            printer.table(&rows);
            for (hook, LeftOut { name, why }) in &self.left_out {
                let left = printer.tone(Tone::Caution, "left out:");
                printer.line(format!("    {left} `{name}` {why} ({})", hook.id.address()));
            }
        }
        if !self.others.is_empty() {
            printer.gap();
            title(format!("Context hooks ({}):", self.others.len()));
            let row = |hook: &&HookSpec| vec![format!("    {}", hook.id.address()), hook.event.to_string()];
            let rows: Vec<Vec<String>> = self.others.iter().map(row).collect();
            printer.table(&rows);
        }
    }

    fn as_json(&self, off: &[(String, String)]) -> Value {
        let wanted = self.file_hooks.iter().map(|hook| {
            json!({
                "layer": hook.id.layer.as_str(),
                "hook": hook.id.address(),
                "where": format!("{}:{}", hook.source.file, hook.source.line),
                "files": context::context_paths(hook),
            })
        });
        let files = self.files.iter().map(|(hook, file)| {
            json!({
                "path": file.path.to_string_lossy(),
                "shown": file.shown,
                "bytes": file.bytes,
                "tokens": tokens(file),
                "hook": hook.id.address(),
            })
        });
        let left_out = self.left_out.iter().map(
            |(hook, left)| json!({"file": left.name, "why": left.why.to_string(), "hook": hook.id.address()}),
        );
        let hooks =
            self.others.iter().map(|hook| json!({"hook": hook.id.address(), "event": hook.event.as_str()}));
        json!({
            "context": wanted.collect::<Vec<_>>(),
            "expanded": files.collect::<Vec<_>>(),
            "left_out": left_out.collect::<Vec<_>>(),
            "off": off.iter().map(|(hook, why)| json!({"hook": hook, "why": why})).collect::<Vec<_>>(),
            "hooks": hooks.collect::<Vec<_>>(),
        })
    }
}

/// Tokens of the injected part of a file, estimated with four bytes each.
fn tokens(file: &ContextFile) -> u64 {
    file.bytes.min(tenter_contract::limits::INJECTION_LIMIT as u64).div_ceil(4)
}

fn injects_files(hook: &HookSpec) -> bool {
    context::context_paths(hook).is_some()
}
