//! `context.files`: files for the agent when a session begins, and again after compaction.
//!
//! ```text
//! paths and globs ─▶ expand: plain files, each once ─▶ text: whole, or its head ─▶ one injection per file
//! ```
//!
//! A relative path must be inside the project with all links followed: a project could contain a `README.md` that links
//! to the user's keys. An absolute path of the user is read anywhere. A file that another layer has injected at the same
//! event is not injected again.

mod expand;
mod text;

use std::path::Path;

use tenter_contract::ports::ClaimOutcome;
use tenter_contract::{Cause, Dialect, Effect, HookOutput, Layer, Level, Message, SessionClaim};

use self::expand::{expand, is_absolute};
use super::builtin_run::{BuiltinResult, BuiltinRun};

pub use self::expand::{ContextFile, LeftOut, Why};
pub use self::text::Text;

/// The files of some paths and globs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedContext {
    /// Files by path, each once, with the text for the agent.
    pub files: Vec<(ContextFile, Text)>,
    /// Files that are left out, and why.
    pub left_out: Vec<LeftOut>,
}

/// Finds and reads the files. Relative paths begin at the root.
pub fn load(wanted: &[&str], layer: Layer, root: Option<&Path>, home: Option<&Path>) -> LoadedContext {
    let (files, left_out) = expand(wanted, layer, root, home);
    let mut loaded = LoadedContext { files: Vec::new(), left_out };
    for file in files {
        match text::read(&file, layer) {
            Ok(text) => loaded.files.push((file, text)),
            Err(why) => loaded.left_out.push(LeftOut { name: file.shown, why }),
        }
    }
    loaded
}

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let wanted = call.options.texts("files").unwrap_or_default();
    let root = call.event.project_root.as_deref().or(call.event.cwd.as_deref());
    let layer = call.hook.id.layer;
    let LoadedContext { files, left_out } =
        load(&wanted, layer, root.map(AsRef::as_ref), call.home.as_deref());
    let mut effects = Vec::new();
    for (file, text) in files {
        if let Some(by) = injected_by(call, &file) {
            call.add_notice(format!("`{}` is already injected by {by}", file.shown));
            continue;
        }
        call.transcript.notices.extend(text.notice);
        effects.append(&mut call.inject(text.content).effects);
    }
    let mut reply = tenter_contract::HookReply { effects, ..Default::default() };
    reply.effects.extend(left_out_message(call, &left_out));
    Ok(reply)
}

/// The hook of another layer that has injected the file at this event.
fn injected_by(call: &BuiltinRun<'_>, file: &ContextFile) -> Option<String> {
    let injects = |effect: &Effect, by: Layer| matches!(effect, Effect::Inject(text) if text.content.starts_with(&text::heading(file, by)));
    let earlier = call.event.previous.iter().find(|run| match &run.output {
        HookOutput::Reply(reply) => reply.effects.iter().any(|effect| injects(effect, run.hook.layer)),
        HookOutput::Failure(_) | HookOutput::Skipped { .. } | HookOutput::Started => false,
    });
    earlier.map(|run| run.hook.address())
}

/// Records the left-out files each time, and notifies the user once per session.
fn left_out_message(call: &mut BuiltinRun<'_>, left_out: &[LeftOut]) -> Option<Effect> {
    let mut new = Vec::new();
    for LeftOut { name, why } in left_out {
        let text = format!("`{name}` {why}");
        if matters(call, name, why) && first_time(call, &text) {
            new.push(text.clone());
        }
        call.add_notice(text);
    }
    let source = &call.hook.source;
    let place =
        if source.file.is_empty() { String::new() } else { format!(" ({}:{})", source.file, source.line) };
    let text = format!("files for the context are left out: {}{place}", new.join("; "));
    (!new.is_empty()).then_some(Effect::Notify(Message { text, level: Level::Warning }))
}

/// A relative path in a hook file for all projects need not exist in each of them, and Amazon Q's files need not exist at
/// all.
fn matters(call: &BuiltinRun<'_>, name: &str, why: &Why) -> bool {
    let of_project = matches!(call.hook.id.layer, Layer::Project | Layer::Local);
    let expected = (of_project || is_absolute(name)) && call.hook.dialect != Dialect::AmazonQ;
    *why != Why::Missing || expected
}

/// Whether this is the first notice in the session; without a stored session it is repeated.
fn first_time(call: &BuiltinRun<'_>, text: &str) -> bool {
    let session = call.event.session.as_ref();
    let what = SessionClaim::Notified(Cause::Builtin(format!("{}: {text}", call.hook.id.address())));
    session.is_none() || !matches!(call.sessions.claim(session, &what), Ok(ClaimOutcome::Taken))
}

#[cfg(test)]
mod tests;
