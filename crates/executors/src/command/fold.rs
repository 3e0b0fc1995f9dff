//! Several runs of one hook, one per path, are one report.

use tenter_contract::question::Query;
use tenter_contract::{Effect, Event, HookReply, HookReport, OnFailure, Policy, Said, Transcript, Verdict};

use crate::supervise;

/// This much of a hook's stdout is kept in its transcript.
const TRANSCRIPT_STDOUT: usize = 16 * 1024;
/// This much of the end of its stderr.
const TRANSCRIPT_STDERR: usize = supervise::STDERR_TAIL;

/// The different paths of an event, for a hook that takes one and so runs for each; else none, and it runs once.
pub(crate) fn paths(event: &Event, takes_one: bool) -> Vec<String> {
    if takes_one { event.hook_paths() } else { Vec::new() }
}

/// Runs a hook once per path, or once if there are none, until one of them settles it.
pub(crate) fn over(
    paths: Vec<String>,
    on_failure: OnFailure,
    mut once: impl FnMut(Option<&str>) -> HookReport,
) -> HookReport {
    let mut paths = paths.into_iter();
    let mut report = once(paths.next().as_deref());
    let mut settled = is_settled(&report.said);
    while !settled && let Some(path) = paths.next() {
        let next = once(Some(&path));
        settled = is_settled(&next.said);
        report = fold(report, next, on_failure);
    }
    shorten(&mut report.transcript);
    report
}

/// The head of stdout and the tail of stderr, however many runs there were.
pub(crate) fn shorten(transcript: &mut Transcript) {
    let Transcript { stdout, stderr, cut, .. } = transcript;
    let kept = stdout.floor_char_boundary(TRANSCRIPT_STDOUT);
    // What is not kept was written all the same.
    *cut += (stdout.len() - kept) as u64;
    stdout.truncate(kept);
    stderr.drain(..stderr.ceil_char_boundary(stderr.len().saturating_sub(TRANSCRIPT_STDERR)));
}

/// Whether no further path needs to be looked at.
fn is_settled(said: &Said) -> bool {
    match said {
        Said::Reply(reply) => matches!(reply.verdict, Verdict::Deny { .. }),
        Said::Failure(_) | Said::Skipped { .. } | Said::Started => true,
    }
}

/// Adds the report of the next path to what there is. `earlier` is not settled.
///
/// A failure takes the place of earlier replies, with one exception: where the failure means "go on", an
/// earlier question is kept, because a hook that crashes on the second path must not lift what it asked
/// about the first.
fn fold(earlier: HookReport, next: HookReport, on_failure: OnFailure) -> HookReport {
    let mut transcript = joined(earlier.transcript, next.transcript);
    let said = match (earlier.said, next.said) {
        (Said::Reply(first), Said::Reply(second)) => Said::Reply(both(first, second)),
        (Said::Reply(asked), Said::Failure(failure))
            if matches!(asked.verdict, Verdict::Ask(_))
                && on_failure.of(failure.class()) == Policy::Allow =>
        {
            transcript.notices.push(format!("{failure}; the question about an earlier path still counts"));
            Said::Reply(asked)
        }
        (Said::Reply(lost), Said::Failure(failure)) => {
            if lost != HookReply::default() {
                transcript.notices.push("what was said about earlier paths does not count".to_owned());
            }
            Said::Failure(failure)
        }
        (Said::Reply(reply), Said::Skipped { .. } | Said::Started) => Said::Reply(reply),
        (settled @ (Said::Failure(_) | Said::Skipped { .. } | Said::Started), _) => settled,
    };
    shorten(&mut transcript);
    HookReport { said, transcript }
}

fn both(first: HookReply, second: HookReply) -> HookReply {
    let mut effects = first.effects;
    for effect in second.effects {
        if effect != Effect::SuppressOutput || !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    HookReply { verdict: stronger(first.verdict, second.verdict), effects }
}

/// Deny beats ask; an allow counts only if it was said about every path.
fn stronger(first: Verdict, second: Verdict) -> Verdict {
    match (first, second) {
        (deny @ Verdict::Deny { .. }, _) | (_, deny @ Verdict::Deny { .. }) => deny,
        (Verdict::Ask(first), Verdict::Ask(second)) => Verdict::Ask(one_question(first, &second)),
        (ask @ Verdict::Ask(_), _) | (_, ask @ Verdict::Ask(_)) => ask,
        (Verdict::Allow { reason }, Verdict::Allow { reason: other }) => {
            Verdict::Allow { reason: reason.or(other) }
        }
        (Verdict::Abstain, Verdict::Abstain | Verdict::Allow { .. })
        | (Verdict::Allow { .. }, Verdict::Abstain) => Verdict::Abstain,
    }
}

/// A person is asked once, with all the words and the caution of both.
fn one_question(first: Query, second: &Query) -> Query {
    let prompt = if first.prompt.lines().any(|line| line == second.prompt) {
        first.prompt
    } else {
        format!("{}\n{}", first.prompt, second.prompt)
    };
    let options = if first.options == second.options { first.options } else { Vec::new() };
    let timeout = match (first.timeout, second.timeout) {
        (Some(first), Some(second)) => Some(first.min(second)),
        (first, second) => first.or(second),
    };
    let default = if first.default == second.default { first.default } else { Policy::Deny };
    Query { prompt, options, timeout, default }
}

fn joined(first: Transcript, second: Transcript) -> Transcript {
    let lines = |first: Option<String>, second: Option<String>| match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}\n{second}")),
        (first, second) => first.or(second),
    };
    let sent = match (first.sent, second.sent) {
        (first, second) if first.is_empty() || first == second => second,
        (first, second) => [first, second].join(&b'\n'),
    };
    let mut notices = first.notices;
    for notice in second.notices {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    Transcript {
        took: first.took + second.took,
        command: lines(first.command, second.command),
        sent,
        exit_code: second.exit_code,
        stdout: first.stdout + &second.stdout,
        stderr: first.stderr + &second.stderr,
        cut: first.cut + second.cut,
        definition: None,
        began: None,
        cached: false,
        notices,
    }
}

#[cfg(test)]
mod tests;
