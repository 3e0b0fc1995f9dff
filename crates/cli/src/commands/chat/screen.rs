//! What a person sees of the agent while it works: words as they come, a line per call, and a last line that moves
//! while there is something to wait for.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use tenter_agent::{Heard, Listener};
use tenter_contract::ports::Onlooker;
use tenter_contract::{Event, HookId, Level};
use tenter_coordinator::{Shown, UserDisplay};
use tenter_models::talk::{Call, Usage};

use super::calls::{self, Told, block, one_line};
use super::markdown::Markdown;
use super::stream::{let_go, sum};
use crate::listing::{below, visible};
use crate::printer::{self, Tone};

const TICK: Duration = Duration::from_millis(120);
/// How long somebody waits without wondering what for.
const UNNOTICED: Duration = Duration::from_millis(300);
const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// How much is shown, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// Everything, on standard output.
    Whole,
    /// All but the model's words, on standard error: those go to standard output when they are whole.
    Progress,
    /// What hooks tell the user and what was denied, on standard error.
    Messages,
}

/// A screen that several threads write to.
pub(super) struct Screen {
    voice: Voice,
    colour: bool,
    /// Whether the last line can be written anew.
    lively: bool,
    inner: Mutex<Inner>,
}

struct Inner {
    words: Markdown,
    /// Something stands on the last line that is no status.
    open: bool,
    /// The reply has begun.
    spoken: bool,
    /// So many questions are on show, which the last line is for.
    held: usize,
    status: Option<Status>,
    hooks: Option<Hooks>,
    /// A status stands on the last line.
    drawn: bool,
    frame: usize,
    last_call: String,
    spent: Usage,
}

struct Status {
    what: String,
    since: Instant,
}

/// How far the hooks of an event have come.
struct Hooks {
    finished: usize,
    of: usize,
    since: Instant,
}

impl Screen {
    pub(super) fn new(voice: Voice) -> Self {
        let terminal = match voice {
            Voice::Whole => io::stdout().is_terminal(),
            Voice::Progress | Voice::Messages => io::stderr().is_terminal(),
        };
        // One that cannot move its cursor shows no last line that changes.
        let terminal = terminal && std::env::var_os("TERM").is_none_or(|name| name != "dumb");
        let colour = terminal && std::env::var_os("NO_COLOR").is_none();
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
        Self { voice, colour, lively: terminal && voice != Voice::Messages, inner: Mutex::new(inner) }
    }

    /// Works, and lets the last line move meanwhile.
    pub(super) fn while_working<T>(&self, work: impl FnOnce() -> T) -> T {
        if !self.lively {
            return work();
        }
        let over = AtomicBool::new(false);
        let done = thread::scope(|scope| {
            let ticker = scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    self.tick();
                    thread::park_timeout(TICK);
                }
            });
            // Also if the work panics, or nobody would ever end the ticker.
            let _ends = Ends { over: &over, ticker: ticker.thread() };
            work()
        });
        self.rest();
        done
    }

    /// Nothing moves and nothing is half said: somebody else may write.
    pub(super) fn rest(&self) {
        let mut inner = self.inner();
        (inner.status, inner.hooks) = (None, None);
        self.close(&mut inner);
    }

    /// Leaves the last line to somebody who asks something.
    pub(super) fn while_asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.rest();
        self.inner().held += 1;
        let answer = ask();
        self.inner().held -= 1;
        answer
    }

    /// Tokens since this was last asked.
    pub(super) fn take_spent(&self) -> Usage {
        std::mem::take(&mut self.inner().spent)
    }

    /// A line of our own.
    pub(super) fn line(&self, tone: Option<Tone>, text: &str) {
        let mut inner = self.inner();
        self.close(&mut inner);
        self.write(&format!("{}\n", self.toned(tone, text)));
    }

    /// The last line, written anew; false where that cannot be done.
    pub(super) fn last_line(&self, text: &str) -> bool {
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
            (Some(Hooks { finished, of, .. }), _) => {
                let of = of.max(finished);
                format!("{finished} of {of} hook{} finished", if *of == 1 { "" } else { "s" })
            }
            (None, Some(Status { what, since })) => {
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

    /// Ends what stands on the last line, so that a new one can begin.
    fn close(&self, inner: &mut Inner) {
        let rest = inner.words.end();
        if inner.open {
            self.write(&format!("{rest}\n"));
        } else if inner.drawn {
            self.write("\r\u{1b}[K");
        }
        (inner.open, inner.drawn, inner.spoken) = (false, false, false);
    }

    fn lines(&self, inner: &mut Inner, lines: Vec<Told>, margin: &str) {
        self.close(inner);
        let mut lines: Vec<String> =
            lines.into_iter().map(|(tone, line)| format!("{margin}{}", self.toned(tone, &line))).collect();
        lines.push(String::new());
        self.write(&lines.join("\n"));
    }

    fn call(&self, inner: &mut Inner, call: &Call) {
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
        inner.status = Some(Status { what, since: Instant::now() });
    }

    fn toned(&self, tone: Option<Tone>, text: &str) -> String {
        let Some(tone) = tone.filter(|_| self.colour) else { return text.to_owned() };
        let style = match tone {
            Tone::Heading => Style::new().bold(),
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Bad => AnsiColor::Red.on_default(),
            Tone::Caution => AnsiColor::Yellow.on_default(),
            Tone::Quiet => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }

    fn write(&self, text: &str) {
        match self.voice {
            // A terminal that is gone is found out by whoever reads from it.
            Voice::Whole => drop(printer::write_bytes(text.as_bytes())),
            Voice::Progress | Voice::Messages => printer::write_error(text),
        }
    }
}

/// Ends the ticker, whatever happens.
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

impl Listener for Screen {
    fn hear(&self, what: Heard<'_>) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let heeded = match self.voice {
            Voice::Whole => true,
            Voice::Progress => !matches!(what, Heard::Text(_)),
            Voice::Messages => {
                matches!(what, Heard::Denied { .. } | Heard::Answered { .. } | Heard::LetGo { .. })
            }
        };
        if !heeded {
            return;
        }
        match what {
            Heard::Asking => Self::status(inner, "thinking".to_owned()),
            Heard::Text(text) => self.say(inner, text),
            Heard::Calling { name } => {
                self.close(inner);
                Self::status(inner, format!("writing a call of {}", one_line(name, 40)));
            }
            Heard::Waiting { why, seconds } => {
                let text = format!("{}; asking again in {seconds} s", one_line(why, 200));
                self.lines(inner, vec![(Some(Tone::Caution), text)], "");
                Self::status(inner, "waiting".to_owned());
            }
            Heard::Answered { usage } => {
                inner.spent = sum(&inner.spent, usage);
                inner.status = None;
                self.close(inner);
            }
            Heard::Runs { call } => {
                self.call(inner, call);
                Self::status(inner, format!("running {}", one_line(&call.name, 40)));
            }
            Heard::Ran { call, ran } => {
                inner.status = None;
                if inner.last_call != call.id {
                    self.call(inner, call);
                }
                self.lines(inner, calls::result(ran), "  ");
            }
            Heard::Denied { call, denied } => {
                self.call(inner, call);
                self.lines(inner, block(Some(Tone::Bad), &denied.to_string(), "✘ "), "  ");
            }
            Heard::Continues { task } => {
                let text = format!("a hook finds that there is more to do: {task}");
                self.lines(inner, block(Some(Tone::Caution), &text, "↻ "), "");
            }
            Heard::LetGo { task, times } => {
                self.lines(inner, block(Some(Tone::Caution), &let_go(task, times), "! "), "");
            }
            Heard::Compacting => Self::status(inner, "putting the conversation into fewer words".to_owned()),
            Heard::Compacted => {
                inner.status = None;
                let text = "the conversation was put into fewer words".to_owned();
                self.lines(inner, vec![(Some(Tone::Quiet), text)], "");
            }
            Heard::SubagentBegins { description } => {
                Self::status(inner, format!("sub-agent: {}", one_line(description, 60)));
            }
            Heard::SubagentEnds { .. } => inner.status = None,
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

impl Onlooker for Screen {
    fn begins(&self, _: &Event, hooks: usize) {
        self.inner().hooks = (hooks > 0).then(|| Hooks { finished: 0, of: hooks, since: Instant::now() });
    }

    fn finished(&self, _: &Event, _: &HookId) {
        if let Some(hooks) = &mut self.inner().hooks {
            hooks.finished += 1;
        }
    }

    fn ends(&self, _: &Event) {
        self.inner().hooks = None;
    }
}
