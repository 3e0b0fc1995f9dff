//! Shows the agent's work on the terminal: its words, a line per call, and a status line.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tenter_agent::{AgentEvent, Observer};
use tenter_contract::ports::ProgressObserver;
use tenter_contract::{Event, HookId, Level};
use tenter_coordinator::{Shown, UserDisplay};
use tenter_host::approvers::terminal_width;
use tenter_models::client::{ToolUse, Usage};

use crate::calls;
use crate::calls::{TonedLine, block, one_line};
use crate::markdown::Markdown;
use crate::stream::{overruled_text, sum};
use tenter_console::error::without_numbers;
use tenter_console::listing::{below, visible};
use tenter_console::printer;
use tenter_console::printer::Tone;
use tenter_console::progress::HookProgress;

const TICK: Duration = Duration::from_millis(120);
/// Interval without a status line.
const SLOW_TICK: Duration = Duration::from_secs(1);
/// Silence before a line reports it where there is no status line. Doubles each time.
const SILENCE: Duration = Duration::from_secs(30);
/// Waits shorter than this are not shown.
const UNNOTICED: Duration = Duration::from_millis(300);
const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    Whole,
    /// Everything except the model's words, on standard error. The words go to standard output when they are complete.
    Progress,
    /// Messages of hooks, denials and waits, on standard error.
    Messages,
}

pub(crate) struct Screen {
    voice: Voice,
    colour: bool,
    lively: bool,
    inner: Mutex<Inner>,
}

struct Inner {
    words: Markdown,
    open: bool,
    spoken: bool,
    held: usize,
    status: Option<Status>,
    hooks: Option<Hooks>,
    drawn: bool,
    frame: usize,
    last_call: String,
    spent: Usage,
}

struct Status {
    what: String,
    since: Instant,
    reports: u32,
}

struct Hooks {
    progress: HookProgress,
    since: Instant,
}

impl Screen {
    pub(crate) fn new(voice: Voice) -> Self {
        let (lively, colour) = match voice {
            Voice::Whole => (printer::is_lively(&io::stdout()), printer::is_coloured(&io::stdout())),
            Voice::Progress | Voice::Messages => {
                (printer::is_lively(&io::stderr()), printer::is_coloured(&io::stderr()))
            }
        };
        let inner = Inner {
            words: Markdown::new(colour),
            open: false,
            spoken: false,
            held: 0,
            status: None,
            hooks: None,
            drawn: false,
            frame: 0,
            last_call: String::new(),
            spent: Usage::default(),
        };
        Self { voice, colour, lively: lively && voice != Voice::Messages, inner: Mutex::new(inner) }
    }

    /// Runs work with an animated status line.
    pub(crate) fn while_working<T>(&self, work: impl FnOnce() -> T) -> T {
        let over = AtomicBool::new(false);
        let done = thread::scope(|scope| {
            let ticker = scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    if self.lively {
                        self.tick();
                    } else {
                        self.report_silence();
                    }
                    thread::park_timeout(if self.lively { TICK } else { SLOW_TICK });
                }
            });
            // Also if the work panics, or no one would ever end the ticker.
            let _ends = Ends { over: &over, ticker: ticker.thread() };
            work()
        });
        self.rest();
        done
    }

    pub(crate) fn width(&self) -> Option<usize> {
        match self.voice {
            Voice::Whole => terminal_width(io::stdout()),
            Voice::Progress | Voice::Messages => terminal_width(io::stderr()),
        }
    }

    /// Clears the status line and ends the current line, so that others can write.
    pub(crate) fn rest(&self) {
        let mut inner = self.inner();
        (inner.status, inner.hooks) = (None, None);
        self.close(&mut inner);
    }

    /// Leaves the last line to a question.
    pub(crate) fn while_asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.rest();
        self.inner().held += 1;
        let answer = ask();
        self.inner().held -= 1;
        answer
    }

    /// Takes the tokens used since the last call.
    pub(crate) fn take_spent(&self) -> Usage {
        std::mem::take(&mut self.inner().spent)
    }

    pub(crate) fn line(&self, tone: Option<Tone>, text: &str) {
        let mut inner = self.inner();
        self.close(&mut inner);
        self.write(&format!("{}\n", self.toned(tone, text)));
    }

    /// Redraws the last line; false if the terminal cannot do that.
    pub(crate) fn last_line(&self, text: &str) -> bool {
        let mut inner = self.inner();
        if self.lively {
            inner.drawn = true;
            self.write(&format!("\r{text}\u{1b}[K"));
        }
        self.lively
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tick(&self) {
        let mut inner = self.inner();
        if inner.open || inner.held > 0 {
            return;
        }
        let hooks = inner.hooks.as_ref().filter(|hooks| hooks.since.elapsed() >= UNNOTICED);
        let status = inner.status.as_ref().filter(|status| status.since.elapsed() >= UNNOTICED);
        let text = match (hooks, status) {
            (Some(Hooks { progress, .. }), _) => progress.to_string(),
            (None, Some(Status { what, since, .. })) => {
                let seconds = since.elapsed().as_secs();
                let time = if seconds == 0 { String::new() } else { format!(" {seconds} s") };
                format!("{what}{time} (Ctrl-C stops)")
            }
            (None, None) => return,
        };
        inner.frame = (inner.frame + 1) % FRAMES.len();
        inner.drawn = true;
        let line = self.toned(Some(Tone::Quiet), &format!("{} {text}", FRAMES[inner.frame]));
        self.write(&format!("\r{line}\u{1b}[K"));
    }

    /// Prints a line about a long silence, without a status line.
    fn report_silence(&self) {
        let mut inner = self.inner();
        let Some(Status { what, since, reports }) = &mut inner.status else { return };
        let silent = since.elapsed();
        if should_report(silent, *reports) {
            *reports += 1;
            let text = format!("still {what} after {} s (Ctrl-C stops)", silent.as_secs());
            self.lines(&mut inner, vec![(Some(Tone::Quiet), text)], "");
        }
    }

    fn close(&self, inner: &mut Inner) {
        let rest = inner.words.end();
        if inner.open || !rest.is_empty() {
            let clean = if inner.drawn { "\r\u{1b}[K" } else { "" };
            self.write(&format!("{clean}{rest}\n"));
        } else if inner.drawn {
            self.write("\r\u{1b}[K");
        }
        (inner.open, inner.drawn, inner.spoken) = (false, false, false);
    }

    fn lines(&self, inner: &mut Inner, lines: Vec<TonedLine>, margin: &str) {
        self.close(inner);
        let mut lines: Vec<String> =
            lines.into_iter().map(|(tone, line)| format!("{margin}{}", self.toned(tone, &line))).collect();
        lines.push(String::new());
        self.write(&lines.join("\n"));
    }

    fn call(&self, inner: &mut Inner, call: &ToolUse) {
        let (name, about) = calls::call(call);
        let line = format!(
            "{} {} {about}",
            self.toned(Some(Tone::Caution), "▸"),
            self.toned(Some(Tone::Heading), &name)
        );
        self.lines(inner, vec![(None, line.trim_end().to_owned())], "");
        inner.last_call.clone_from(&call.id);
    }

    fn say(&self, inner: &mut Inner, text: &str) {
        if inner.drawn {
            self.write("\r\u{1b}[K");
            inner.drawn = false;
        }
        // Models begin with empty lines, which say nothing.
        let text = if inner.spoken { text } else { text.trim_start_matches(['\n', ' ']) };
        if text.is_empty() {
            return;
        }
        inner.spoken = true;
        inner.status = None;
        let shown = inner.words.add(text);
        inner.open = !text.ends_with('\n');
        self.write(&shown);
    }

    fn status(inner: &mut Inner, what: String) {
        inner.status = Some(Status { what, since: Instant::now(), reports: 0 });
    }

    fn toned(&self, tone: Option<Tone>, text: &str) -> String {
        match tone.filter(|_| self.colour) {
            Some(tone) => tone.paint(text),
            None => text.to_owned(),
        }
    }

    fn write(&self, text: &str) {
        match self.voice {
            // A terminal that is gone is found out by anyone who reads from it.
            Voice::Whole => drop(printer::write_bytes(text.as_bytes())),
            Voice::Progress | Voice::Messages => printer::write_to_terminal(text),
        }
    }
}

/// Whether an event is shown with `Voice::Messages`.
fn concerns_whoever_waits(what: &AgentEvent<'_>) -> bool {
    matches!(
        what,
        AgentEvent::Asking
            | AgentEvent::Waiting { .. }
            | AgentEvent::Answered { .. }
            | AgentEvent::Denied { .. }
            | AgentEvent::Withheld { .. }
            | AgentEvent::Notice { .. }
            | AgentEvent::StopAllowed { .. }
    )
}

/// Whether to report a silence of that length, after this many reports.
fn should_report(silent: Duration, reports: u32) -> bool {
    silent >= SILENCE.saturating_mul(2_u32.saturating_pow(reports))
}

/// Ends the ticker on drop, even if the work panics.
struct Ends<'a> {
    over: &'a AtomicBool,
    ticker: &'a thread::Thread,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.ticker.unpark();
    }
}

impl Observer for Screen {
    fn on_event(&self, event: AgentEvent<'_>) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        match (self.voice, &event) {
            (Voice::Progress, AgentEvent::Text(_)) => return,
            (Voice::Messages, AgentEvent::Text(_) | AgentEvent::Calling { .. }) => {
                return Self::status(inner, "thinking".to_owned());
            }
            (Voice::Messages, what) if !concerns_whoever_waits(what) => return,
            (Voice::Whole | Voice::Progress | Voice::Messages, _) => {}
        }
        match event {
            AgentEvent::Asking => Self::status(inner, "thinking".to_owned()),
            AgentEvent::Text(text) => self.say(inner, text),
            AgentEvent::Calling { name } => {
                self.close(inner);
                Self::status(inner, format!("writing a call of {}", one_line(name, 40)));
            }
            AgentEvent::Waiting { why, seconds, void } => {
                let why = without_numbers(one_line(why, 200));
                let shown = void && matches!(self.voice, Voice::Whole);
                let begins = if shown { "; the answer above does not count, it begins anew" } else { "" };
                let text = format!("{why}; asking again in {seconds} s{begins}");
                self.lines(inner, vec![(Some(Tone::Caution), text)], "");
                Self::status(inner, "waiting".to_owned());
            }
            AgentEvent::Answered { usage } => {
                inner.spent = sum(&inner.spent, usage);
                inner.status = None;
                self.close(inner);
            }
            AgentEvent::ToolStarted { call } => {
                self.call(inner, call);
                Self::status(inner, format!("running {}", one_line(&call.name, 40)));
            }
            AgentEvent::ToolFinished { call, output } => {
                inner.status = None;
                if inner.last_call == call.id {
                    self.lines(inner, calls::result(output), "  ");
                } else {
                    self.lines(inner, calls::result_of(call, output), "");
                    inner.last_call.clone_from(&call.id);
                }
            }
            AgentEvent::Denied { call, denied } => {
                self.call(inner, call);
                self.lines(inner, block(Some(Tone::Bad), &denied.to_string(), "✘ "), "  ");
            }
            AgentEvent::Withheld { call, denied } => {
                let what = if inner.last_call == call.id { "that".to_owned() } else { calls::describe(call) };
                let text = format!("the model does not read {what}: {denied}");
                self.lines(inner, block(Some(Tone::Bad), &text, "✘ "), "  ");
            }
            AgentEvent::Continues { task } => {
                let text = format!("a hook finds that there is more to do: {task}");
                self.lines(inner, block(Some(Tone::Caution), &text, "↻ "), "");
            }
            AgentEvent::Notice { text } => {
                self.lines(inner, block(Some(Tone::Caution), text, "! "), "");
            }
            AgentEvent::StopAllowed { task, times } => {
                self.lines(inner, block(Some(Tone::Caution), &overruled_text(task, times), "! "), "");
            }
            AgentEvent::Compacting => {
                Self::status(inner, "putting the conversation into fewer words".to_owned());
            }
            AgentEvent::Compacted => {
                inner.status = None;
                let text = "the conversation was put into fewer words".to_owned();
                self.lines(inner, vec![(Some(Tone::Quiet), text)], "");
            }
            AgentEvent::SubagentBegins { description } => {
                Self::status(inner, format!("sub-agent: {}", one_line(description, 60)));
            }
            AgentEvent::SubagentEnds { .. } => inner.status = None,
            // What comes later is not known to this screen.
            _ => {}
        }
    }
}

impl UserDisplay for Screen {
    fn show(&self, Shown { text, level, source }: &Shown) {
        let (tone, word) = match level {
            Level::Info => (None, ""),
            Level::Warning => (Some(Tone::Caution), "warning: "),
            Level::Error => (Some(Tone::Bad), "error: "),
        };
        // The level is often the text's first word already.
        let word = if text.starts_with(word) { "" } else { word };
        let text = format!("[{}] {word}{}", visible(source), below("    ", visible(text).trim_end()));
        let mut inner = self.inner();
        self.lines(&mut inner, vec![(tone, text)], "");
    }
}

impl ProgressObserver for Screen {
    fn begins(&self, _: &Event, hooks: usize) {
        let begun = || Hooks { progress: HookProgress::new(hooks), since: Instant::now() };
        self.inner().hooks = (hooks > 0).then(begun);
    }

    fn started(&self, _: &Event, hook: &HookId) {
        if let Some(hooks) = &mut self.inner().hooks {
            hooks.progress.started(hook);
        }
    }

    fn finished(&self, _: &Event, hook: &HookId) {
        if let Some(hooks) = &mut self.inner().hooks {
            hooks.progress.finished(hook);
        }
    }

    fn ends(&self, _: &Event) {
        self.inner().hooks = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_reported_less_and_less_often() {
        for (seconds, reports, is_reported) in
            [(29, 0, false), (30, 0, true), (31, 1, false), (60, 1, true), (119, 2, false)]
        {
            assert_eq!(
                should_report(Duration::from_secs(seconds), reports),
                is_reported,
                "{seconds} s, {reports}"
            );
        }
    }
}
