//! What a program's output is, before its exit code counts: a reply, text, a deny in the middle of something else, or
//! nothing that can be read. Pure.

use tenter_contract::{Dialect, EventKind, HookReply, HookSpec, Verdict};
use tenter_protocol::stop_scan::{self, FoundStop, TooTangled};
use tenter_protocol::v1::claude_reply;
use tenter_protocol::v1::reply::{self, Read, ReplyContext};
use tenter_protocol::{dialects, strict_json};

use super::interpret::codes_are_silent;
use super::text;
use crate::supervise::{Finished, READ_LIMIT};

/// What the output alone turned out to be.
pub(crate) enum Heard {
    /// A reply.
    Reply(HookReply),
    /// A deny or a question in a reply that is otherwise refused.
    Stop(Verdict),
    /// A deny or a question among other text.
    Mixed(Verdict),
    /// Text that is no reply and does not try to be one.
    Text(String),
    /// Something that tries to be a reply and is none; never a guess.
    Garbled(String),
}

/// A reply if the first character that is not blank is `{`, else text; but a deny or a question counts on every
/// line that begins with it.
pub(crate) fn hear(
    finished: &Finished,
    hook: &HookSpec,
    event: &EventKind,
    notices: &mut Vec<String>,
) -> Heard {
    let stdout = text::decode(&finished.stdout, finished.stdout_cut, notices);
    let is_object = stdout.trim_start().starts_with('{');
    let mut problem = None;
    if is_object && finished.stdout_cut == 0 && !dialects::speaks_text_only(hook.dialect) {
        match read(&stdout, hook, event) {
            Ok(Read::Reply(reply)) => {
                let unused = claude_reply::not_passed_on(&stdout).into_iter();
                notices
                    .extend(unused.map(|key| format!("`{key}` has no effect: tenter does not pass it on")));
                return Heard::Reply(reply);
            }
            Ok(Read::NoReply { .. }) if codes_are_silent(hook) => return Heard::Text(stdout),
            Ok(Read::NoReply { detail }) | Err(detail) => problem = Some(detail),
        }
    }
    let used = is_used(hook, event);
    match find_stop(finished, &stdout, event) {
        Ok(Some(found)) if found.own_line && (is_object || (found.leads && found.ends)) => {
            // Amazon Q takes such output for text, and when a session starts there is nothing to stop.
            if !(dialects::speaks_text_only(hook.dialect) && *event == EventKind::SessionStart) {
                notices.push(why_counted(problem.as_deref()));
                return Heard::Stop(found.verdict);
            }
        }
        Ok(Some(found)) if !found.own_line && found.ends && !used => {
            return Heard::Garbled(
                "a reply must begin its line; the output ends in one that does not".to_owned(),
            );
        }
        Ok(Some(found)) if found.own_line && !used => {
            notices.push(why_counted(Some("a reply must be the whole output")));
            return Heard::Mixed(found.verdict);
        }
        Ok(Some(found)) if found.ends && found.own_line => {
            return Heard::Garbled(
                "a reply must be the whole output; the last line looks like one".to_owned(),
            );
        }
        Ok(_) => {}
        Err(TooTangled) => return Heard::Garbled("the output is too tangled to be read".to_owned()),
    }
    if finished.stdout_cut > finished.stdout_rest.len() as u64 && !used {
        return Heard::Garbled(format!("the output is longer than {} MiB", READ_LIMIT / 1024 / 1024));
    }
    if dialects::speaks_text_only(hook.dialect) {
        return Heard::Text(stdout);
    }
    if begins_async(&stdout) {
        notices.push(
            "`async` in the output has no effect: write `background: true` in the hook file".to_owned(),
        );
        return Heard::Reply(HookReply::default());
    }
    if is_object {
        let too_long = || format!("the answer is longer than {} bytes", hook.max_output);
        return Heard::Garbled(problem.unwrap_or_else(too_long));
    }
    if dialects::speaks_replies_only(hook.dialect) && !stdout.trim().is_empty() {
        return Heard::Garbled("the output must be a JSON object, or nothing".to_owned());
    }
    if !codes_are_silent(hook) && encoded_twice(&stdout, event) {
        return Heard::Garbled(
            "the reply is a JSON text with JSON in it: print the object itself".to_owned(),
        );
    }
    if ends_in_a_reply(&text::clean(&stdout)) {
        return Heard::Garbled("a reply must be the whole output; the last line looks like one".to_owned());
    }
    Heard::Text(stdout)
}

/// Whether the first line says that the hook goes on by itself. In Claude Code nobody waits for it then; what it prints
/// afterwards is no reply.
pub(super) fn begins_async(stdout: &str) -> bool {
    let first = stdout.trim_start().lines().next().unwrap_or_default();
    first.starts_with('{')
        && first.contains("\"async\"")
        && strict_json::object(first).is_ok_and(|object| object.get("async") == Some(&true.into()))
}

/// Whether a deny or a question stands in a JSON text, alone or first in a list: a reply that was encoded twice.
fn encoded_twice(stdout: &str, event: &EventKind) -> bool {
    let mut text = stdout.trim_start().trim_start_matches(['[', ' ']).to_owned();
    for _ in 0..MOST_ENCODINGS {
        if !text.starts_with('"') {
            return false;
        }
        let Some(Ok(inner)) = serde_json::Deserializer::from_str(&text).into_iter::<String>().next() else {
            return false;
        };
        // A quoted command may quote a deny itself.
        if stop_scan::scan(&inner, event).map_or(true, |found| found.is_some_and(|it| it.own_line || it.ends))
        {
            return true;
        }
        text = inner;
    }
    false
}

/// How often a reply may be encoded once more and is still looked for.
const MOST_ENCODINGS: usize = 3;

/// The deny or the question of a program that did not come to its end. `used` says that the output is read as text.
pub(crate) fn stop_before_the_end(
    finished: &Finished,
    used: bool,
    event: &EventKind,
    notices: &mut Vec<String>,
) -> Option<Verdict> {
    let stdout = text::decode(&finished.stdout, finished.stdout_cut, &mut Vec::new());
    let found = find_stop(finished, &stdout, event).ok()??;
    let leads = found.leads && (found.ends || stdout.trim_start().starts_with('{'));
    (found.own_line && (leads || !used)).then(|| {
        notices.push(why_counted(Some("the hook did not end well")));
        found.verdict
    })
}

fn why_counted(problem: Option<&str>) -> String {
    let problem = problem.unwrap_or("the output is not one reply");
    format!("{problem}; its verdict counts and nothing else of it")
}

fn read(stdout: &str, hook: &HookSpec, event: &EventKind) -> Result<Read, String> {
    let context = ReplyContext {
        event,
        role: hook.role,
        strategy: hook.strategy,
        ephemeral: hook.defaults.ephemeral,
        repeat: hook.defaults.repeat,
    };
    dialects::read(hook.dialect, stdout, &context)
}

/// Whether the output is read as text: then an example in it is no verdict. The scripts of the learning memory remind
/// in plain text at every event; that makes no deny of theirs an example.
pub(super) fn is_used(hook: &HookSpec, event: &EventKind) -> bool {
    let dialect = if hook.dialect == Dialect::Ghap { Dialect::Tenter } else { hook.dialect };
    codes_are_silent(hook) || dialects::text_is_context(dialect, event)
}

/// Looks through all of the output, also behind what is used of it.
fn find_stop(finished: &Finished, stdout: &str, event: &EventKind) -> Result<Option<FoundStop>, TooTangled> {
    let whole;
    let text = if finished.stdout_rest.is_empty() {
        stdout
    } else {
        whole = text::decode(&[&finished.stdout[..], &finished.stdout_rest].concat(), 0, &mut Vec::new());
        &whole
    };
    if !text.contains('{') {
        return Ok(None);
    }
    if text.contains(['\u{1b}', '\u{9b}', '\0']) {
        return stop_scan::scan(&text::clean(text), event);
    }
    stop_scan::scan(text, event)
}

/// Whether a text ends in an object that speaks a verdict: on its last line, or over several lines from one
/// that begins with `{`. Then a log line got in front of a reply, and the reply must not be lost.
pub(crate) fn ends_in_a_reply(text: &str) -> bool {
    let text = text.trim_end();
    let last_line = text.lines().next_back().unwrap_or_default();
    let last_object = text.rfind("\n{").map_or(text, |at| &text[at..]);
    reply::speaks_verdict(last_line) || reply::speaks_verdict(last_object)
}
