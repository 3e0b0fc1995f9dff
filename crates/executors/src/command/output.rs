//! Parses a program's output, before its exit code counts: a reply, text, a deny among other output, or garbled. Pure.

use tenter_contract::{Dialect, EventKind, HookReply, HookSpec, Verdict};
use tenter_protocol::stop_scan::{self, FoundStop, TooTangled};
use tenter_protocol::v1::claude_reply;
use tenter_protocol::v1::reply::{self, Read, ReplyContext};
use tenter_protocol::{dialects, strict_json};

use super::interpret::codes_are_silent;
use super::text;
use crate::supervise::{FinishedProcess, READ_LIMIT};

/// The output, parsed.
pub(crate) enum ParsedOutput {
    Reply(HookReply),
    /// A deny or a question in a reply that is otherwise refused.
    Stop(Verdict),
    /// A deny or a question among other text.
    Mixed(Verdict),
    /// Text that does not look like a reply.
    Text(String),
    /// Something that looks like a reply and is none; never a guess.
    Garbled(String),
}

/// Parses a reply if the first character that is not blank is `{`, else text; but a deny or a question counts on
/// every line that begins with it.
pub(crate) fn parse_output(
    finished: &FinishedProcess,
    hook: &HookSpec,
    event: &EventKind,
    notices: &mut Vec<String>,
) -> ParsedOutput {
    let stdout = text::decode(&finished.stdout, finished.stdout_cut, notices);
    let is_object = stdout.trim_start().starts_with('{');
    let mut problem = None;
    if is_object && finished.stdout_cut == 0 && !dialects::speaks_text_only(hook.dialect) {
        match read(&stdout, hook, event) {
            Ok(Read::Reply(reply)) => {
                let unused = claude_reply::not_passed_on(&stdout).into_iter();
                notices
                    .extend(unused.map(|key| format!("`{key}` has no effect: tenter does not pass it on")));
                return ParsedOutput::Reply(reply);
            }
            Ok(Read::NoReply { .. }) if codes_are_silent(hook) => return ParsedOutput::Text(stdout),
            Ok(Read::NoReply { detail }) | Err(detail) => problem = Some(detail),
        }
    }
    let used = text_is_used(hook, event);
    match find_stop(finished, &stdout, event) {
        Ok(Some(found)) if found.own_line && (is_object || (found.leads && found.ends)) => {
            // Amazon Q takes such output for text, and when a session starts there is nothing to stop.
            if !(dialects::speaks_text_only(hook.dialect) && *event == EventKind::SessionStart) {
                notices.push(why_counted(problem.as_deref()));
                return ParsedOutput::Stop(found.verdict);
            }
        }
        Ok(Some(found)) if !found.own_line && found.ends && !used => {
            return garbled("a reply must begin its line; the output ends in one that does not");
        }
        Ok(Some(found)) if found.own_line && !used => {
            notices.push(why_counted(Some("a reply must be the whole output")));
            return ParsedOutput::Mixed(found.verdict);
        }
        Ok(Some(found)) if found.ends && found.own_line => {
            return garbled(LAST_LINE);
        }
        Ok(_) => {}
        Err(TooTangled) => return garbled("the output is too tangled to be read"),
    }
    if finished.stdout_cut > finished.stdout_rest.len() as u64 && !used {
        return ParsedOutput::Garbled(format!("the output is longer than {} MiB", READ_LIMIT / 1024 / 1024));
    }
    if dialects::speaks_text_only(hook.dialect) {
        return ParsedOutput::Text(stdout);
    }
    if begins_async(&stdout) {
        notices.push(
            "`async` in the output has no effect: write `background: true` in the hook file".to_owned(),
        );
        return ParsedOutput::Reply(HookReply::default());
    }
    if is_object {
        let too_long = || format!("the answer is longer than {} bytes", hook.max_output);
        return ParsedOutput::Garbled(problem.unwrap_or_else(too_long));
    }
    if dialects::speaks_replies_only(hook.dialect) && !stdout.trim().is_empty() {
        return garbled("the output must be a JSON object, or nothing");
    }
    if !codes_are_silent(hook) && encoded_twice(&stdout, event) {
        return garbled("the reply is a JSON text with JSON in it: print the object itself");
    }
    if ends_in_reply(&text::clean(&stdout)) {
        return garbled(LAST_LINE);
    }
    ParsedOutput::Text(stdout)
}

const LAST_LINE: &str = "a reply must be the whole output; the last line looks like one";

fn garbled(detail: &str) -> ParsedOutput {
    ParsedOutput::Garbled(detail.to_owned())
}

/// Whether the first line announces an asynchronous hook. Claude Code does not wait for it, and its further output is no
/// reply.
pub(super) fn begins_async(stdout: &str) -> bool {
    let first = stdout.trim_start().lines().next().unwrap_or_default();
    first.starts_with('{')
        && first.contains("\"async\"")
        && strict_json::object(first).is_ok_and(|object| object.get("async") == Some(&true.into()))
}

/// Whether a deny or a question is inside a JSON string, alone or first in a list: a reply that was encoded twice.
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

/// The most nested encodings that are searched.
const MOST_ENCODINGS: usize = 3;

/// The deny or the question of a program that did not end by itself. With `used` the output counts as text.
pub(crate) fn stop_in_partial_output(
    finished: &FinishedProcess,
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

/// Whether the output is read as text, in which an example is no verdict. The scripts of the learning memory print
/// reminders at every event; their denies still count.
pub(super) fn text_is_used(hook: &HookSpec, event: &EventKind) -> bool {
    let dialect = if hook.dialect == Dialect::Ghap { Dialect::Tenter } else { hook.dialect };
    codes_are_silent(hook) || dialects::text_is_context(dialect, event)
}

/// Searches all of the output, also beyond the part that is used.
fn find_stop(
    finished: &FinishedProcess,
    stdout: &str,
    event: &EventKind,
) -> Result<Option<FoundStop>, TooTangled> {
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

/// Whether a text ends in an object with a verdict: on its last line, or over several lines from one that begins with
/// `{`. A log line came before the reply then, and the reply must not be lost.
pub(crate) fn ends_in_reply(text: &str) -> bool {
    let text = text.trim_end();
    let last_line = text.lines().next_back().unwrap_or_default();
    let last_object = text.rfind("\n{").map_or(text, |at| &text[at..]);
    reply::speaks_verdict(last_line) || reply::speaks_verdict(last_object)
}
