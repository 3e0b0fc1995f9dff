//! Runs a hook once per path, and merges the reports into one.

use std::borrow::Cow;

use tenter_contract::approval_question::ApprovalPrompt;
use tenter_contract::{
    Effect, Event, HookOutput, HookReply, HookReport, HookSpec, OnFailure, Policy, ToolCall, Transcript,
    Verdict,
};

use crate::supervise;

/// The size of stdout in a transcript.
const TRANSCRIPT_STDOUT: usize = 16 * 1024;
/// The size of the end of stderr in a transcript.
const TRANSCRIPT_STDERR: usize = supervise::STDERR_TAIL;

/// Runs a hook until one run settles the result: for each distinct path of the event if the hook takes one path, else
/// once.
pub(crate) fn run_each(
    hook: &HookSpec,
    event: &Event,
    mut once: impl FnMut(Option<&str>) -> HookReport,
) -> HookReport {
    let paths = if hook.handler.takes_one_path() { event.hook_paths() } else { Vec::new() };
    let mut paths = paths.into_iter();
    let mut report = once(paths.next().as_deref());
    let mut settled = is_settled(&report.output);
    while !settled && let Some(path) = paths.next() {
        let next = once(Some(&path));
        settled = is_settled(&next.output);
        report = fold(report, next, hook.on_failure);
    }
    shorten(&mut report.transcript);
    report
}

/// The event with this path as the only one of its tool call.
pub(crate) fn event_with_path<'e>(event: &'e Event, path: Option<&str>) -> Cow<'e, Event> {
    match (path, &event.tool) {
        (Some(path), Some(tool)) => {
            let tool = ToolCall { paths: vec![path.to_owned()], ..tool.clone() };
            Cow::Owned(Event { tool: Some(tool), ..event.clone() })
        }
        _ => Cow::Borrowed(event),
    }
}

/// Keeps the head of stdout and the tail of stderr of all runs together.
pub(crate) fn shorten(transcript: &mut Transcript) {
    let Transcript { stdout, stderr, cut, .. } = transcript;
    let kept = stdout.floor_char_boundary(TRANSCRIPT_STDOUT);
    *cut += (stdout.len() - kept) as u64;
    stdout.truncate(kept);
    stderr.drain(..stderr.ceil_char_boundary(stderr.len().saturating_sub(TRANSCRIPT_STDERR)));
}

/// Whether further paths cannot change the result.
fn is_settled(output: &HookOutput) -> bool {
    match output {
        HookOutput::Reply(reply) => matches!(reply.verdict, Verdict::Deny { .. }),
        HookOutput::Failure(_) | HookOutput::Skipped { .. } | HookOutput::Started => true,
    }
}

/// Adds the report of the next path. `earlier` is not settled.
///
/// A failure replaces earlier replies, with one exception: if the failure allows, an earlier question is kept, because
/// a crash on the second path must not remove the question about the first.
fn fold(earlier: HookReport, next: HookReport, on_failure: OnFailure) -> HookReport {
    let mut transcript = join(earlier.transcript, next.transcript);
    let output = match (earlier.output, next.output) {
        (HookOutput::Reply(first), HookOutput::Reply(second)) => HookOutput::Reply(merge(first, second)),
        (HookOutput::Reply(asked), HookOutput::Failure(failure))
            if matches!(asked.verdict, Verdict::Ask(_))
                && on_failure.policy_for(failure.class()) == Policy::Allow =>
        {
            transcript.notices.push(format!("{failure}; the question about an earlier path still counts"));
            HookOutput::Reply(asked)
        }
        (HookOutput::Reply(lost), HookOutput::Failure(failure)) => {
            if lost != HookReply::default() {
                transcript.notices.push("the replies about earlier paths do not count".to_owned());
            }
            HookOutput::Failure(failure)
        }
        (HookOutput::Reply(reply), HookOutput::Skipped { .. } | HookOutput::Started) => {
            HookOutput::Reply(reply)
        }
        (settled @ (HookOutput::Failure(_) | HookOutput::Skipped { .. } | HookOutput::Started), _) => settled,
    };
    shorten(&mut transcript);
    HookReport { output, transcript }
}

fn merge(first: HookReply, second: HookReply) -> HookReply {
    let mut effects = first.effects;
    for effect in second.effects {
        if effect != Effect::SuppressOutput || !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    HookReply { verdict: stronger(first.verdict, second.verdict), effects }
}

/// Deny beats ask; an allow counts only if every path has one.
fn stronger(first: Verdict, second: Verdict) -> Verdict {
    match (first, second) {
        (deny @ Verdict::Deny { .. }, _) | (_, deny @ Verdict::Deny { .. }) => deny,
        (Verdict::Ask(first), Verdict::Ask(second)) => Verdict::Ask(merge_questions(first, &second)),
        (ask @ Verdict::Ask(_), _) | (_, ask @ Verdict::Ask(_)) => ask,
        (Verdict::Allow { reason }, Verdict::Allow { reason: other }) => {
            Verdict::Allow { reason: reason.or(other) }
        }
        (Verdict::Abstain, Verdict::Abstain | Verdict::Allow { .. })
        | (Verdict::Allow { .. }, Verdict::Abstain) => Verdict::Abstain,
    }
}

/// One question with both prompts, the shorter timeout and the stricter default.
fn merge_questions(first: ApprovalPrompt, second: &ApprovalPrompt) -> ApprovalPrompt {
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
    ApprovalPrompt { prompt, options, timeout, default }
}

fn join(first: Transcript, second: Transcript) -> Transcript {
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
        notices,
        ..Transcript::default()
    }
}

#[cfg(test)]
mod tests;
