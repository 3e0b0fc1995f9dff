//! What a program's output and exit code mean. Pure, because everything that guards hangs on it.
//!
//! | stdout \ exit code | 0 | 2 | 126, 127 | other |
//! |---|---|---|---|---|
//! | a reply that denies or asks | it | its verdict alone | its verdict alone | its verdict alone |
//! | another reply | it | deny (stderr) | missing | crashed |
//! | a deny or a question in output that is no clean reply | it alone | it alone, or deny (stderr) | it alone | it alone |
//! | text | context, or unused | deny (stderr) | missing | crashed |
//! | garbled | garbled | deny (stderr) | missing | garbled |
//!
//! A deny or a question that was printed counts as well if the program then hung or died of a signal.
//!
//! That is ours. Programs of other dialects keep to the rules of `tenter_protocol::dialects`: which output is a
//! reply, whether exit code 2 denies, whether text is context.
//!
//! A hook that states `inject_output` runs a tool that knows nothing of us, a linter for example, whose exit
//! codes are no verdicts. There a reply counts at every code, and text is injected as stated.

use std::time::Duration;

use tenter_contract::{
    Effect, EventKind, HookFailure, HookReply, HookSpec, InjectOutput, Injection, Origin, Said, Verdict,
};
use tenter_protocol::dialects;

use super::output::{Heard, hear, is_used, stop_before_the_end};
use super::text;
use crate::supervise::{Ended, Finished, Head, Swept};

/// What a run of a program means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Interpreted {
    /// What the hook said.
    pub(crate) said: Said,
    /// What was noticed on the way.
    pub(crate) notices: Vec<String>,
}

/// Reads what a program said about an event.
pub(crate) fn interpret(finished: &Finished, hook: &HookSpec, event: &EventKind) -> Interpreted {
    let mut notices = Vec::new();
    let said = match finished.ended {
        Ended::TimedOut => failure(HookFailure::TimedOut { after: hook.timeout }),
        Ended::Signalled(signal) => crashed(None, Some(signal)),
        Ended::Unknown => crashed(None, None),
        Ended::GoesOn => {
            notices.push(
                "the hook goes on by itself (`async`): what it says from now on is not read".to_owned(),
            );
            let found = stop_before_the_end(finished, is_used(hook, event), event, &mut notices);
            found.map_or_else(|| Said::Reply(HookReply::default()), stop)
        }
        Ended::Exited(code) => {
            let heard = hear(finished, hook, event, &mut notices);
            let mut listener = Listener { finished, hook, event, notices: &mut notices };
            listener.judge(heard, code)
        }
    };
    let said = match said {
        Said::Failure(_) if !matches!(finished.ended, Ended::Exited(_)) => {
            stop_before_the_end(finished, is_used(hook, event), event, &mut notices).map_or(said, stop)
        }
        said => said,
    };
    Interpreted { said: with_defaults(said, hook), notices }
}

/// Reads what someone said who is no process, a server for example: as the output of a program that succeeded.
pub(crate) fn answer(output: Head, hook: &HookSpec, event: &EventKind) -> Interpreted {
    interpret(&succeeded(output), hook, event)
}

/// The deny or the question in the body of an error: a guard that says no with status 403 has said no.
pub(crate) fn stop_in_error(body: &[u8], event: &EventKind) -> Option<Interpreted> {
    let mut output = Head::of_at_most(body.len());
    output.take(body);
    let mut notices = Vec::new();
    let verdict = stop_before_the_end(&succeeded(output), false, event, &mut notices)?;
    Some(Interpreted { said: stop(verdict), notices })
}

/// A text that is context at every event and no reply, whatever it looks like, unless the hook's
/// `inject_output` leaves it out.
pub(crate) fn context(text: String, hook: &HookSpec, event: &EventKind) -> Interpreted {
    let mut notices = Vec::new();
    let finished = succeeded(Head::default());
    let mut listener = Listener { finished: &finished, hook, event, notices: &mut notices };
    let said = match hook.inject_output {
        InjectOutput::Unstated => listener.injected(&text),
        InjectOutput::Never | InjectOutput::Success | InjectOutput::Failure | InjectOutput::Always => {
            listener.injected_as_stated(text, 0)
        }
    };
    Interpreted { said: with_defaults(said, hook), notices }
}

fn succeeded(stdout: Head) -> Finished {
    Finished {
        ended: Ended::Exited(0),
        stdout: stdout.kept,
        stdout_cut: stdout.cut,
        stdout_rest: stdout.rest,
        stderr_tail: Vec::new(),
        stderr_cut: 0,
        swept: Swept::default(),
        took: Duration::ZERO,
    }
}

fn stop(verdict: Verdict) -> Said {
    Said::Reply(HookReply { verdict, effects: Vec::new() })
}

/// Whether exit codes carry no verdict.
pub(super) fn codes_are_silent(hook: &HookSpec) -> bool {
    match hook.inject_output {
        InjectOutput::Unstated => false,
        InjectOutput::Never | InjectOutput::Success | InjectOutput::Failure | InjectOutput::Always => true,
    }
}

struct Listener<'a> {
    finished: &'a Finished,
    hook: &'a HookSpec,
    event: &'a EventKind,
    notices: &'a mut Vec<String>,
}

impl Listener<'_> {
    /// The table at the head of this file. The order of the arms is the order of the rules: a deny or an ask
    /// that was said is never lost, a program that could not run is missing, and exit code 2 denies whatever
    /// was said beside it.
    fn judge(&mut self, heard: Heard, code: i32) -> Said {
        let silent = codes_are_silent(self.hook);
        match (heard, code) {
            (Heard::Reply(reply), 0) => Said::Reply(reply),
            (Heard::Reply(reply), _) if silent && !could_not_run(code) => Said::Reply(reply),
            (Heard::Reply(reply), _) if stops(&reply.verdict) => self.verdict_alone(reply, code),
            (Heard::Stop(verdict), _) => stop(verdict),
            (Heard::Mixed(verdict), code) if code != 2 => stop(verdict),
            (_, code) if could_not_run(code) => failure(HookFailure::Missing { detail: self.why(code) }),
            (heard, 2) if !silent && dialects::two_denies(self.hook.dialect, self.event) => {
                self.denied_by_code(&heard)
            }
            (Heard::Mixed(verdict), _) => stop(verdict),
            (Heard::Garbled(detail), _) => failure(HookFailure::Garbled { detail }),
            (Heard::Text(text), _) if silent => self.injected_as_stated(text, code),
            (Heard::Text(text), 0) => self.injected_by_event(&text),
            (Heard::Reply(_) | Heard::Text(_), _) => crashed(Some(code), None),
        }
    }

    fn verdict_alone(&mut self, reply: HookReply, code: i32) -> Said {
        if !reply.effects.is_empty() {
            let verdict = reply.verdict.as_str();
            self.notices.push(format!("the exit code is {code}: the {verdict} counts, its effects do not"));
        }
        Said::Reply(HookReply { verdict: reply.verdict, effects: Vec::new() })
    }

    fn denied_by_code(&mut self, heard: &Heard) -> Said {
        match heard {
            Heard::Reply(reply) if *reply != HookReply::default() => {
                self.notices.push("the exit code is 2, which denies: the reply does not count".to_owned());
            }
            Heard::Garbled(detail) => {
                self.notices
                    .push(format!("the exit code is 2, which denies; stdout cannot be read: {detail}"));
            }
            Heard::Reply(_) | Heard::Text(_) | Heard::Stop(_) | Heard::Mixed(_) => {}
        }
        let stderr = self.stderr();
        let reason = match stderr.as_str() {
            "" => "no reason given".to_owned(),
            stderr => text::ending(stderr, self.finished.stderr_cut, self.notices),
        };
        Said::Reply(HookReply { verdict: Verdict::Deny { reason }, effects: Vec::new() })
    }

    fn injected_by_event(&mut self, text: &str) -> Said {
        if dialects::text_is_context(self.hook.dialect, self.event) {
            return self.injected(text);
        }
        if !text.trim().is_empty() {
            let bytes = self.finished.stdout.len() as u64 + self.finished.stdout_cut;
            self.notices.push(format!("{bytes} bytes of output are not used (see `inject_output`)"));
        }
        Said::Reply(HookReply::default())
    }

    fn injected_as_stated(&mut self, mut text: String, code: i32) -> Said {
        let wanted = match self.hook.inject_output {
            InjectOutput::Unstated | InjectOutput::Never => false,
            InjectOutput::Success => code == 0,
            InjectOutput::Failure => code != 0,
            InjectOutput::Always => true,
        };
        if !wanted {
            return Said::Reply(HookReply::default());
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
        self.injected(&text)
    }

    fn injected(&mut self, text: &str) -> Said {
        let mut text = text::clean(text);
        text.truncate(text.trim_end().len());
        let missing = usize::try_from(self.finished.stdout_cut).unwrap_or(usize::MAX);
        if text.is_empty() {
            return Said::Reply(HookReply::default());
        }
        if missing > 0 {
            let most = self.hook.max_output;
            self.notices.push(format!("of the text only the first {most} bytes were kept (`max_output`)"));
        }
        let origin = Origin::Printed { missing };
        let injection = Injection { origin, ..Injection::of_hook(self.hook, text) };
        Said::Reply(HookReply { verdict: Verdict::Abstain, effects: vec![Effect::Inject(injection)] })
    }

    /// Why a shell could not run it: its own complaint, which names the program.
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

/// The codes by which a shell says that there is no such program, or that it may not be run.
fn could_not_run(code: i32) -> bool {
    matches!(code, 126 | 127)
}

/// Whether a hook denied or asked.
pub(crate) fn is_stop(said: &Said) -> bool {
    matches!(said, Said::Reply(reply) if stops(&reply.verdict))
}

fn stops(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Deny { .. } | Verdict::Ask(_) => true,
        Verdict::Abstain | Verdict::Allow { .. } => false,
    }
}

/// What the hook's file says about every reply; and no NUL byte goes into a context.
fn with_defaults(mut said: Said, hook: &HookSpec) -> Said {
    if let Said::Reply(reply) = &mut said {
        for effect in &mut reply.effects {
            if let Effect::Inject(injection) = effect {
                injection.content.retain(|c| c != '\0');
            }
        }
        if hook.defaults.suppress_output && !reply.effects.contains(&Effect::SuppressOutput) {
            reply.effects.push(Effect::SuppressOutput);
        }
    }
    said
}

fn crashed(exit_code: Option<i32>, signal: Option<i32>) -> Said {
    failure(HookFailure::Crashed { exit_code, signal })
}

fn failure(failure: HookFailure) -> Said {
    Said::Failure(failure)
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod properties;

#[cfg(test)]
mod oracle;

#[cfg(test)]
mod forms;
