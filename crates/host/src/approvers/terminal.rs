//! Asks on the terminal of a program that a user runs. Under an agent the terminal belongs to the agent.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::ttyname;
use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};

use super::question_lines::{option_line, question_lines};
use super::wrap::{terminal_width, wrap_line};

/// The interval of checks for an answer elsewhere.
const TICK: Duration = Duration::from_millis(100);

/// Asks on the terminal that the process was started from.
#[derive(Debug)]
pub struct TerminalApprover {
    terminal: std::path::PathBuf,
}

impl TerminalApprover {
    /// The terminal of this process, if a user sees it: standard error is one, and no hook started the process.
    pub fn of_process() -> Option<Self> {
        let inside_a_hook = std::env::var_os("TENTER_RUN").is_some();
        if inside_a_hook || !io::stderr().is_terminal() {
            return None;
        }
        let terminal = ttyname(io::stderr(), Vec::new()).ok()?;
        let approver = Self { terminal: terminal.into_string().ok()?.into() };
        approver.open().is_ok().then_some(approver)
    }

    fn open(&self) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(&self.terminal)
    }

    fn ask_on_terminal(
        &self,
        request: &ApprovalRequest,
        waiting: &dyn Waiting,
    ) -> io::Result<ApprovalAnswer> {
        let mut terminal = self.open()?;
        let mut lines: Vec<String> = question_lines(request).into_iter().map(|(_, line)| line).collect();
        lines.push(format!("  {}", option_line(request)));
        let width = terminal_width(&terminal);
        let lines: Vec<String> = lines.iter().flat_map(|line| wrap_line(line, width)).collect();
        write!(terminal, "{}\n> ", lines.join("\n"))?;
        terminal.flush()?;
        let mut typed = BufReader::new(terminal.try_clone()?);
        loop {
            if let Some(answer) = waiting.elsewhere() {
                writeln!(terminal, "\n  {}", answer.in_words())?;
                return Ok(answer);
            }
            let left = waiting.until().saturating_duration_since(Instant::now());
            if left.is_zero() {
                writeln!(terminal, "\n  the time is up")?;
                return Ok(waiting.timed_out());
            }
            if !has_input(&terminal, left.min(TICK))? {
                continue;
            }
            let mut line = String::new();
            if typed.read_line(&mut line)? == 0 {
                return Ok(ApprovalAnswer::ApproverGone { why: "the terminal was closed".to_owned() });
            }
            if let Some(choice) = request.question.choice(&line) {
                return Ok(choice.answer());
            }
            write!(terminal, "  type the number or the words of an option\n> ")?;
        }
    }
}

fn has_input(terminal: &File, patience: Duration) -> io::Result<bool> {
    let mut ends = [PollFd::new(terminal, PollFlags::IN)];
    let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) };
    match poll(&mut ends, Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Approver for TerminalApprover {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        _: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        self.ask_on_terminal(request, waiting).unwrap_or_else(|error| ApprovalAnswer::NoApprover {
            why: format!("the terminal cannot be used: {error}"),
        })
    }
}
