//! Turns a program's output and exit code into a hook output. Pure, because all guards depend on it.
//!
//! | stdout \ exit code | 0 | 2 | 126, 127 | other |
//! |---|---|---|---|---|
//! | a reply that denies or asks | reply | verdict only | verdict only | verdict only |
//! | another reply | reply | deny (stderr) | missing | crashed |
//! | a deny or a question in output that is no clean reply | verdict only | verdict only, or deny (stderr) | verdict only | verdict only |
//! | text | context, or unused | deny (stderr) | missing | crashed |
//! | garbled | garbled | deny (stderr) | missing | garbled |
//!
//! A printed deny or question also counts if the program then hung or died of a signal.
//!
//! This is tenter's own dialect. `tenter_protocol::dialects` has the rules of others: which output is a reply, whether
//! exit code 2 denies, whether text is context.
//!
//! A hook with `inject_output` runs a tool that does not know tenter, such as a linter, whose exit codes are no
//! verdicts. A reply counts at every code there, and text is injected by that option.

use tenter_contract::{
    Effect, EventKind, HookFailure, HookOutput, HookReply, HookSpec, InjectOutput, Injection, Origin, Verdict,
};
use tenter_protocol::dialects;

use super::output::{ParsedOutput, parse_output, stop_in_partial_output, text_is_used};
use super::text;
use crate::supervise::{Ended, FinishedProcess, Head};

/// The meaning of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Interpreted {
    pub(crate) output: HookOutput,
    pub(crate) notices: Vec<String>,
}

/// Interprets a finished program.
pub(crate) fn interpret(finished: &FinishedProcess, hook: &HookSpec, event: &EventKind) -> Interpreted {
    let mut notices = Vec::new();
    let failure = match finished.ended {
        Ended::Exited(code) => {
            let parsed = parse_output(finished, hook, event, &mut notices);
            let output = Interpreter { finished, hook, event, notices: &mut notices }.judge(parsed, code);
            return Interpreted { output: with_defaults(output, hook), notices };
        }
        Ended::LeftAsync => {
            notices.push("the hook continues by itself (`async`): its further output is not read".to_owned());
            HookOutput::Reply(HookReply::default())
        }
        Ended::TimedOut => failure(HookFailure::TimedOut { after: hook.timeout }),
        Ended::Signalled(signal) => crashed(None, Some(signal)),
        Ended::Unknown => crashed(None, None),
    };
    let stop = stop_in_partial_output(finished, text_is_used(hook, event), event, &mut notices);
    Interpreted { output: with_defaults(stop.map_or(failure, verdict_only), hook), notices }
}

/// Interprets the text of a server like the output of a program that succeeded.
pub(crate) fn interpret_text(output: Head, hook: &HookSpec, event: &EventKind) -> Interpreted {
    interpret(&succeeded(output), hook, event)
}

/// The deny or the question in the body of an error: a guard may deny with status 403.
pub(crate) fn find_stop_in_text(body: &[u8], event: &EventKind) -> Option<Interpreted> {
    let mut output = Head::with_limit(body.len());
    output.take(body);
    let mut notices = Vec::new();
    let verdict = stop_in_partial_output(&succeeded(output), false, event, &mut notices)?;
    Some(Interpreted { output: verdict_only(verdict), notices })
}

/// A text that is context at every event and never a reply, unless the hook's `inject_output` leaves it out.
pub(crate) fn interpret_context(text: String, hook: &HookSpec, event: &EventKind) -> Interpreted {
    let mut notices = Vec::new();
    let finished = FinishedProcess::exited(0);
    let mut interpreter = Interpreter { finished: &finished, hook, event, notices: &mut notices };
    let output = if codes_are_silent(hook) {
        interpreter.inject_by_option(text, 0)
    } else {
        interpreter.inject(&text)
    };
    Interpreted { output: with_defaults(output, hook), notices }
}

fn succeeded(output: Head) -> FinishedProcess {
    FinishedProcess {
        stdout: output.kept,
        stdout_cut: output.cut,
        stdout_rest: output.rest,
        ..FinishedProcess::exited(0)
    }
}

fn verdict_only(verdict: Verdict) -> HookOutput {
    HookOutput::Reply(HookReply { verdict, effects: Vec::new() })
}

/// Whether the exit codes of a hook are no verdicts, because it sets `inject_output`.
pub(crate) fn codes_are_silent(hook: &HookSpec) -> bool {
    hook.inject_output != InjectOutput::Unstated
}

struct Interpreter<'a> {
    finished: &'a FinishedProcess,
    hook: &'a HookSpec,
    event: &'a EventKind,
    notices: &'a mut Vec<String>,
}

impl Interpreter<'_> {
    /// The table at the head of this file. The order of the arms is the order of the rules: a deny or a question is
    /// never lost, a program that could not run is missing, and exit code 2 denies despite any other output.
    fn judge(&mut self, parsed: ParsedOutput, code: i32) -> HookOutput {
        let silent = codes_are_silent(self.hook);
        match (parsed, code) {
            (ParsedOutput::Reply(reply), 0) => HookOutput::Reply(reply),
            (ParsedOutput::Reply(reply), _) if silent && !could_not_run(code) => HookOutput::Reply(reply),
            (ParsedOutput::Reply(reply), _) if stops(&reply.verdict) => self.drop_effects(reply, code),
            (ParsedOutput::Stop(verdict), _) => verdict_only(verdict),
            (ParsedOutput::Mixed(verdict), code) if code != 2 => verdict_only(verdict),
            (_, code) if could_not_run(code) => failure(HookFailure::Missing { detail: self.why(code) }),
            (parsed, 2) if !silent && dialects::two_denies(self.hook.dialect, self.event) => {
                self.deny_by_code(&parsed)
            }
            (ParsedOutput::Mixed(verdict), _) => verdict_only(verdict),
            (ParsedOutput::Garbled(detail), _) => failure(HookFailure::Garbled { detail }),
            (ParsedOutput::Text(text), _) if silent => self.inject_by_option(text, code),
            (ParsedOutput::Text(text), 0) => self.inject_by_event(&text),
            (ParsedOutput::Reply(_) | ParsedOutput::Text(_), _) => crashed(Some(code), None),
        }
    }

    fn drop_effects(&mut self, reply: HookReply, code: i32) -> HookOutput {
        if !reply.effects.is_empty() {
            let verdict = reply.verdict.as_str();
            self.notices.push(format!("the exit code is {code}: the {verdict} counts, its effects do not"));
        }
        verdict_only(reply.verdict)
    }

    fn deny_by_code(&mut self, parsed: &ParsedOutput) -> HookOutput {
        match parsed {
            ParsedOutput::Reply(reply) if *reply != HookReply::default() => {
                self.notices.push("the exit code is 2, which denies: the reply does not count".to_owned());
            }
            ParsedOutput::Garbled(detail) => {
                self.notices
                    .push(format!("the exit code is 2, which denies; stdout cannot be read: {detail}"));
            }
            ParsedOutput::Reply(_)
            | ParsedOutput::Text(_)
            | ParsedOutput::Stop(_)
            | ParsedOutput::Mixed(_) => {}
        }
        let reason = match self.stderr().as_str() {
            "" => "no reason given".to_owned(),
            stderr => text::ending(stderr, self.finished.stderr_cut, self.notices),
        };
        verdict_only(Verdict::Deny { reason })
    }

    fn inject_by_event(&mut self, text: &str) -> HookOutput {
        if dialects::text_is_context(self.hook.dialect, self.event) {
            return self.inject(text);
        }
        if !text.trim().is_empty() {
            let bytes = self.finished.stdout.len() as u64 + self.finished.stdout_cut;
            self.notices.push(format!("{bytes} bytes of output are not used (see `inject_output`)"));
        }
        HookOutput::Reply(HookReply::default())
    }

    fn inject_by_option(&mut self, mut text: String, code: i32) -> HookOutput {
        let wanted = match self.hook.inject_output {
            InjectOutput::Unstated | InjectOutput::Never => false,
            InjectOutput::Success => code == 0,
            InjectOutput::Failure => code != 0,
            InjectOutput::Always => true,
        };
        if !wanted {
            return HookOutput::Reply(HookReply::default());
        }
        let stderr = self.stderr();
        if code != 0 && !stderr.is_empty() {
            text.truncate(text.trim_end().len());
            if self.finished.stdout_cut > 0 {
                text.push_str(" ... truncated");
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&stderr);
        }
        self.inject(&text)
    }

    fn inject(&mut self, text: &str) -> HookOutput {
        let mut text = text::clean(text);
        text.truncate(text.trim_end().len());
        let missing = usize::try_from(self.finished.stdout_cut).unwrap_or(usize::MAX);
        if text.is_empty() {
            return HookOutput::Reply(HookReply::default());
        }
        if missing > 0 {
            let most = self.hook.max_output;
            self.notices.push(format!("of the text only the first {most} bytes were kept (`max_output`)"));
        }
        let origin = Origin::Printed { missing };
        let injection = Injection { origin, ..Injection::from_hook(self.hook, text) };
        HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects: vec![Effect::Inject(injection)] })
    }

    /// The shell's message about a program that it could not run.
    fn why(&self, code: i32) -> String {
        // `env` names the program first, and gives general advice on its last line.
        let stderr = self.stderr();
        let named = stderr.lines().find(|line| line.contains("No such file or directory"));
        match named.or_else(|| stderr.lines().next_back()) {
            Some(line) => line.to_owned(),
            None if code == 126 => "exit code 126: not executable".to_owned(),
            None => "exit code 127: command not found".to_owned(),
        }
    }

    fn stderr(&self) -> String {
        text::clean(&text::lossy(&self.finished.stderr_tail)).trim().to_owned()
    }
}

/// The codes with which a shell reports a program that is missing or not executable.
fn could_not_run(code: i32) -> bool {
    matches!(code, 126 | 127)
}

/// Whether a hook denied or asked.
pub(crate) fn is_stop(output: &HookOutput) -> bool {
    matches!(output, HookOutput::Reply(reply) if stops(&reply.verdict))
}

fn stops(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Deny { .. } | Verdict::Ask(_) => true,
        Verdict::Abstain | Verdict::Allow { .. } => false,
    }
}

/// Applies the defaults of the hook file; and no NUL byte goes into a context.
fn with_defaults(mut output: HookOutput, hook: &HookSpec) -> HookOutput {
    if let HookOutput::Reply(reply) = &mut output {
        for effect in &mut reply.effects {
            if let Effect::Inject(injection) = effect {
                injection.content.retain(|c| c != '\0');
            }
        }
        if hook.defaults.suppress_output && !reply.effects.contains(&Effect::SuppressOutput) {
            reply.effects.push(Effect::SuppressOutput);
        }
    }
    output
}

fn crashed(exit_code: Option<i32>, signal: Option<i32>) -> HookOutput {
    failure(HookFailure::Crashed { exit_code, signal })
}

fn failure(failure: HookFailure) -> HookOutput {
    HookOutput::Failure(failure)
}

#[cfg(test)]
mod tests;
