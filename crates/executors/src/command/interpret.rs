//! What a program's output and exit code mean. Pure, because everything that guards hangs on it.
//!
//! | stdout \ exit code | 0 | 2 | 126, 127 | other |
//! |---|---|---|---|---|
//! | a reply that denies or asks | it | its verdict alone | its verdict alone | its verdict alone |
//! | another reply | it | deny (stderr) | missing | crashed |
//! | text | context, or unused | deny (stderr) | missing | crashed |
//! | garbled | garbled | deny (stderr) | missing | garbled |
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
use tenter_protocol::v1::reply::{self, Read, ReplyContext};

use super::text;
use crate::supervise::{Ended, Finished, Swept};

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
        Ended::Exited(code) => {
            let stdout = text::decode(&finished.stdout, finished.stdout_cut, &mut notices);
            let heard = hear(stdout, finished.stdout_cut, hook, event);
            let mut listener = Listener { finished, hook, event, notices: &mut notices };
            listener.judge(heard, code)
        }
    };
    Interpreted { said: with_defaults(said, hook), notices }
}

/// Reads what someone said who is no process, a server for example: as the output of a program that succeeded.
/// Of the text `cut` further bytes are not here.
pub(crate) fn answer(text: Vec<u8>, cut: u64, hook: &HookSpec, event: &EventKind) -> Interpreted {
    interpret(&succeeded(text, cut), hook, event)
}

/// A text that is context at every event and no reply, whatever it looks like, unless the hook's
/// `inject_output` leaves it out.
pub(crate) fn context(text: String, hook: &HookSpec, event: &EventKind) -> Interpreted {
    let mut notices = Vec::new();
    let finished = succeeded(Vec::new(), 0);
    let mut listener = Listener { finished: &finished, hook, event, notices: &mut notices };
    let said = match hook.inject_output {
        InjectOutput::Unstated => listener.injected(&text),
        InjectOutput::Never | InjectOutput::Success | InjectOutput::Failure | InjectOutput::Always => {
            listener.injected_as_stated(text, 0)
        }
    };
    Interpreted { said: with_defaults(said, hook), notices }
}

fn succeeded(stdout: Vec<u8>, stdout_cut: u64) -> Finished {
    Finished {
        ended: Ended::Exited(0),
        stdout,
        stdout_cut,
        stderr_tail: Vec::new(),
        stderr_cut: 0,
        swept: Swept::default(),
        took: Duration::ZERO,
    }
}

/// What the output alone turned out to be.
enum Heard {
    /// A reply.
    Reply(HookReply),
    /// Text that is no reply and does not try to be one.
    Text(String),
    /// Something that tries to be a reply and is none; never a guess.
    Garbled(String),
}

/// JSON if the first character that is not blank is `{`, else text.
fn hear(stdout: String, cut: u64, hook: &HookSpec, event: &EventKind) -> Heard {
    if dialects::speaks_text_only(hook.dialect) {
        return Heard::Text(stdout);
    }
    if !stdout.trim_start().starts_with('{') {
        if dialects::speaks_replies_only(hook.dialect) && !stdout.trim().is_empty() {
            return Heard::Garbled("the output must be a JSON object, or nothing".to_owned());
        }
        return if ends_in_a_reply(&text::clean(&stdout)) {
            Heard::Garbled("a reply must be the whole output; the last line looks like one".to_owned())
        } else {
            Heard::Text(stdout)
        };
    }
    if cut > 0 {
        return Heard::Garbled(format!("the answer is longer than {} bytes", hook.max_output));
    }
    let context = ReplyContext {
        event,
        role: hook.role,
        strategy: hook.strategy,
        ephemeral: hook.defaults.ephemeral,
        repeat: hook.defaults.repeat,
    };
    match dialects::read(hook.dialect, &stdout, &context) {
        Ok(Read::Reply(reply)) => Heard::Reply(reply),
        Ok(Read::NoReply { .. }) if codes_are_silent(hook) => Heard::Text(stdout),
        Ok(Read::NoReply { detail }) | Err(detail) => Heard::Garbled(detail),
    }
}

/// Whether a text ends in an object that speaks a verdict: on its last line, or over several lines from one
/// that begins with `{`. Then a log line got in front of a reply, and the reply must not be lost.
pub(crate) fn ends_in_a_reply(text: &str) -> bool {
    let text = text.trim_end();
    let last_line = text.lines().next_back().unwrap_or_default();
    let last_object = text.rfind("\n{").map_or(text, |at| &text[at..]);
    reply::speaks_verdict(last_line) || reply::speaks_verdict(last_object)
}

/// Whether exit codes carry no verdict.
fn codes_are_silent(hook: &HookSpec) -> bool {
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
            (_, code) if could_not_run(code) => failure(HookFailure::Missing { detail: self.why(code) }),
            (heard, 2) if !silent && dialects::two_denies(self.hook.dialect, self.event) => {
                self.denied_by_code(&heard)
            }
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
            Heard::Reply(_) | Heard::Text(_) => {}
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
        match self.stderr().lines().next_back() {
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
