//! `context.files`: files that the agent is given when a session begins, and again after compaction.
//!
//! ```text
//! paths and globs ─▶ expand: plain files, each once ─▶ text: whole, or its head ─▶ one injection per file
//! ```
//!
//! What is meant from the project root must lie inside it with all links followed, whoever names it: a project
//! that brings a `README.md` which leads to somebody's keys gets nothing. What a user names as a whole path is
//! read wherever it leads. A file that another layer gives at the same event is not given again.

mod expand;
mod text;

use std::path::Path;

use tenter_contract::ports::ClaimOutcome;
use tenter_contract::{Dialect, Effect, Layer, Level, Message, Said, SessionId};

use self::expand::{Expanded, expand, is_whole};
use super::call::{Answer, Call};

pub use self::expand::{ContextFile, LeftOut, Why};
pub use self::text::Text;

/// What some paths and globs come to: the texts that are given, and what is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Files by path, each once, with the text as the agent gets it.
    pub files: Vec<(ContextFile, Text)>,
    /// What is not given, and why.
    pub left_out: Vec<LeftOut>,
}

/// Finds the files and reads them. Paths that do not say where they begin are meant from the root.
pub fn look(wanted: &[&str], layer: Layer, root: Option<&Path>, home: Option<&Path>) -> Given {
    let Expanded { files, left_out } = expand(wanted, layer, root, home);
    let mut given = Given { files: Vec::new(), left_out };
    for file in files {
        match text::of(&file, layer) {
            Ok(text) => given.files.push((file, text)),
            Err(why) => given.left_out.push(LeftOut { name: file.shown, why }),
        }
    }
    given
}

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let wanted = call.options.texts("files").unwrap_or_default();
    let root = call.event.project_root.as_deref().or(call.event.cwd.as_deref());
    let layer = call.hook.id.layer;
    let Given { files, left_out } = look(&wanted, layer, root.map(AsRef::as_ref), call.home.as_deref());
    let mut effects = Vec::new();
    for (file, text) in files {
        if let Some(by) = given_by(call, &file) {
            call.note(format!("`{}` is given by {by} already", file.shown));
            continue;
        }
        call.transcript.notices.extend(text.notice);
        effects.append(&mut call.inject(text.content).effects);
    }
    let mut reply = tenter_contract::HookReply { effects, ..Default::default() };
    reply.effects.extend(told(call, &left_out));
    Ok(reply)
}

/// The hook of another layer that has given the file at this event.
fn given_by(call: &Call<'_>, file: &ContextFile) -> Option<String> {
    let gave = |effect: &Effect, by: Layer| matches!(effect, Effect::Inject(text) if text.content.starts_with(&text::heading(file, by)));
    let earlier = call.event.previous.iter().find(|run| match &run.said {
        Said::Reply(reply) => reply.effects.iter().any(|effect| gave(effect, run.hook.layer)),
        Said::Failure(_) | Said::Skipped { .. } | Said::Started => false,
    });
    earlier.map(|run| run.hook.address())
}

/// What is not given stands in the record each time, and the user is told once per session.
fn told(call: &mut Call<'_>, left_out: &[LeftOut]) -> Option<Effect> {
    let mut news = Vec::new();
    for LeftOut { name, why } in left_out {
        let text = format!("`{name}` {why}");
        if matters(call, name, why) && first_time(call, &text) {
            news.push(text.clone());
        }
        call.note(text);
    }
    let source = &call.hook.source;
    let place =
        if source.file.is_empty() { String::new() } else { format!(" ({}:{})", source.file, source.line) };
    let text = format!("files for the context are left out: {}{place}", news.join("; "));
    (!news.is_empty()).then_some(Effect::Tell(Message { text, level: Level::Warning }))
}

/// A path from the root in a file for all projects need not be there in each of them, and in Amazon Q's files
/// none is missed.
fn matters(call: &Call<'_>, name: &str, why: &Why) -> bool {
    let of_project = matches!(call.hook.id.layer, Layer::Project | Layer::Local);
    let expected = (of_project || is_whole(name)) && call.hook.dialect != Dialect::AmazonQ;
    *why != Why::Missing || expected
}

/// Whether this was not said before in the session; if nobody can say, it is said again.
fn first_time(call: &Call<'_>, text: &str) -> bool {
    let session = &call.event.session;
    let what = format!("told about {}: {text}", call.hook.id.address());
    *session == SessionId::unknown()
        || !matches!(call.sessions.claim(session, &what), Ok(ClaimOutcome::Taken))
}

#[cfg(test)]
mod tests;
