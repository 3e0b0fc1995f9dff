//! Prints the texts that hooks injected into a session: hook, role, time, cost, and the remaining budget.

use std::cmp::Ordering;

use serde_json::{Value, json};
use tenter_contract::{EventKind, Handler, HookSpec, InjectionStatus, Limits, SessionId};
use tenter_store::sessions::ledger::{Ledger, LedgerLine, Total};

use crate::error::CliError;
use crate::listing::{columns, counted, visible};
use crate::places::state;
use crate::printer::{Printer, Tone};

const BAR: usize = 20;
/// A budget is nearly spent from this percentage on.
const NEARLY: u64 = 80;
const LONGEST_TURN: usize = 12;

/// The injections of a session and its budgets.
pub struct Injected {
    session: SessionId,
    ledger: Ledger,
    limits: Limits,
    /// Show the previous turn instead of the current context.
    previous: bool,
}

impl Injected {
    /// Reads the ledger of a session.
    pub fn read(session: SessionId, limits: Limits, previous: bool) -> Result<Self, CliError> {
        let ledger = ledger(&session)?;
        Ok(Self { session, ledger, limits, previous })
    }

    /// The texts of the previous turn, or all texts in the current context, including those of sub-agents.
    fn shown(&self) -> Vec<&LedgerLine> {
        if self.previous {
            let previous = self.turn_before();
            return self.ledger.lines.iter().filter(|line| Some(line.turn.as_str()) == previous).collect();
        }
        let Some(now) = self.ledger.contexts().last().map(|(context, _)| *context) else {
            return self.ledger.lines.iter().collect();
        };
        self.ledger.lines.iter().filter(|line| line.context == now).collect()
    }

    fn turn_before(&self) -> Option<&str> {
        let turns = self.ledger.turns();
        turns.len().checked_sub(2).and_then(|place| turns.get(place)).map(|(turn, _)| *turn)
    }

    fn turn(&self) -> Option<(&str, Total)> {
        let turns = self.ledger.turns();
        let place = turns.len().checked_sub(if self.previous { 2 } else { 1 })?;
        turns.get(place).copied()
    }

    /// Name, tokens spent, and limit.
    fn budgets(&self) -> [(&'static str, u64, u64); 3] {
        let turn = self.turn().map(|(_, total)| total).unwrap_or_default();
        let whole = self.ledger.whole();
        [
            ("turn", turn.tokens, self.limits.turn_tokens),
            ("memory", turn.memory_tokens, self.limits.memory_tokens),
            ("session", whole.tokens + whole.memory_tokens, self.limits.session_tokens),
        ]
    }

    /// Prints the injections and what is left of each budget.
    pub fn print(&self, printer: &Printer) {
        let session = visible(self.session.as_str());
        let lines = self.shown();
        if lines.is_empty() {
            printer.line(if self.ledger.lines.is_empty() {
                format!("no hook injected texts into session {session}")
            } else {
                format!("session {session} has no injected texts in its previous turn")
            });
            return;
        }
        let what = if self.previous { "Previous turn of" } else { "In the context of" };
        let text = format!("{what} session {session} ({}):", in_short(&lines));
        printer.line(printer.tone(Tone::Heading, text));
        let rows: Vec<Vec<String>> = lines.iter().map(|line| row(line)).collect();
        for (text, line) in columns(&rows).into_iter().zip(&lines) {
            printer.line(if reached(line) { text } else { printer.tone(Tone::Quiet, text) });
        }
        let earlier = self.ledger.contexts().len().saturating_sub(1);
        if earlier > 0 && !self.previous {
            let times = if earlier == 1 { "once".to_owned() } else { format!("{earlier} times") };
            printer.line(
                printer
                    .tone(Tone::Quiet, format!("    the context was reset {times}; earlier texts are gone")),
            );
        }
        if self.ledger.unreadable > 0 {
            let lines = counted(self.ledger.unreadable as u64, "line");
            let text = format!("    {lines} of the ledger cannot be read");
            printer.line(printer.tone(Tone::Caution, text));
        }
        printer.gap();
        self.print_budgets(printer);
    }

    fn print_budgets(&self, printer: &Printer) {
        let turn = self.turn().map(|(turn, _)| format!(" (turn {})", short_turn(turn))).unwrap_or_default();
        printer.line(printer.tone(Tone::Heading, visible(&format!("Budget in estimated tokens{turn}:"))));
        let budgets = self.budgets();
        let widest = budgets.iter().map(|(_, spent, _)| spent.to_string().len()).max().unwrap_or(0);
        for (name, spent, limit) in budgets {
            let tone = match share(spent, limit) {
                over if over > 100 => Tone::Bad,
                nearly if nearly >= NEARLY => Tone::Caution,
                _ => Tone::Good,
            };
            let left = if spent > limit {
                printer.tone(Tone::Bad, format!("{} over", spent - limit))
            } else {
                format!("{} left", limit - spent)
            };
            printer.line(format!(
                "    {name:<7}  {}  {spent:>widest$} of {limit}, {left}",
                printer.tone(tone, bar(spent, limit))
            ));
        }
    }

    /// The same for programs.
    pub fn as_json(&self) -> Value {
        let budgets: serde_json::Map<String, Value> = self
            .budgets()
            .into_iter()
            .map(|(name, spent, limit)| (name.to_owned(), json!({"spent": spent, "limit": limit})))
            .collect();
        json!({
            "session": self.session.as_str(),
            "turn": self.turn().map(|(turn, _)| turn_id(turn).0),
            "turn_named_by": self.turn().map(|(turn, _)| turn_id(turn).1),
            "contexts": self.ledger.contexts().len(),
            "injected": self.shown().into_iter().map(line_as_json).collect::<Vec<_>>(),
            "budget": budgets,
        })
    }
}

/// The ledger of a session.
pub fn ledger(session: &SessionId) -> Result<Ledger, CliError> {
    Ledger::read(&state()?, session).map_err(|cause| {
        CliError::bad_input(
            format!("the ledger of session {session}"),
            cause.to_string(),
            "run `tenter doctor` to check the state folder; `tenter audit show` has the injections too",
        )
    })
}

fn row(line: &LedgerLine) -> Vec<String> {
    let time = line.timestamp.split_once('T').map_or("", |(_, time)| time.trim_end_matches('Z'));
    let role = match &line.requested_role {
        Some(wanted) => format!("{} (wanted {wanted})", line.role),
        None => line.role.clone(),
    };
    let agent = line.agent_id.as_deref().map(|id| format!(" of sub-agent {id}")).unwrap_or_default();
    let key = line.key.as_deref().map(|key| format!(" [{key}]")).unwrap_or_default();
    let path = line.path.as_deref().map(|path| format!(", all of it in {path}")).unwrap_or_default();
    let once = if line.ephemeral { ", wanted for one model call" } else { "" };
    vec![
        format!("    {time}"),
        format!("turn {}", short_turn(&line.turn)),
        line.event.clone(),
        format!("{}{key}{agent}", line.hook),
        role,
        size(line),
        counted(line.tokens, "token"),
        format!("{}{once}{path}", line.status),
    ]
}

/// The received bytes, and those of the whole text.
fn size(line: &LedgerLine) -> String {
    let LedgerLine { bytes, said, .. } = line;
    match bytes.cmp(said) {
        Ordering::Less => format!("{bytes} of {}", counted(*said, "byte")),
        Ordering::Equal => counted(*bytes, "byte"),
        Ordering::Greater => format!("{} for {said}", counted(*bytes, "byte")),
    }
}

fn reached(line: &LedgerLine) -> bool {
    let status = InjectionStatus::ALL.into_iter().find(|status| status.as_str() == line.status);
    status.is_none_or(InjectionStatus::reached_model)
}

/// The number of texts in the context, their size, and the number of texts that did not arrive.
fn in_short(lines: &[&LedgerLine]) -> String {
    let (arrived, others): (Vec<&LedgerLine>, Vec<&LedgerLine>) =
        lines.iter().partition(|line| reached(line));
    // A deferred text has another line where it arrived.
    let later =
        |line: &LedgerLine| arrived.iter().any(|it| (&it.hook, &it.sha256) == (&line.hook, &line.sha256));
    let lost = others
        .iter()
        .filter(|line| !(line.status == InjectionStatus::Deferred.as_str() && later(line)))
        .count();
    let received = counted(arrived.iter().map(|line| line.bytes).sum(), "byte");
    let others = match lost {
        0 => String::new(),
        count => format!("; {count} more did not arrive"),
    };
    format!("{}, {received}{others}", counted(arrived.len() as u64, "text"))
}

fn line_as_json(line: &LedgerLine) -> Value {
    let (id, by) = turn_id(&line.turn);
    let mut json = json!(line);
    (json["turn"], json["turn_named_by"]) = (id.into(), by.into());
    json
}

/// The id of a turn, and who made it.
fn turn_id(turn: &str) -> (&str, &'static str) {
    match turn.strip_prefix("our ") {
        Some(number) => (number, "tenter"),
        None => (turn.strip_prefix("the agent's ").unwrap_or(turn), "agent"),
    }
}

fn short_turn(turn: &str) -> String {
    let (id, _) = turn_id(turn);
    // Ids that are counted or made from the time have the same beginning.
    match id.char_indices().rev().nth(LONGEST_TURN - 1) {
        Some((begin, _)) if begin > 0 => format!("…{}", &id[begin..]),
        Some(_) | None => id.to_owned(),
    }
}

fn share(spent: u64, limit: u64) -> u64 {
    if spent == 0 { 0 } else { spent.saturating_mul(100).div_ceil(limit.max(1)) }
}

/// A bar that shows at least one mark if something is spent or left.
fn bar(spent: u64, limit: u64) -> String {
    let exact = usize::try_from(spent.saturating_mul(BAR as u64) / limit.max(1)).unwrap_or(BAR);
    let full = match exact {
        0 if spent > 0 => 1,
        full if full >= BAR && spent < limit => BAR - 1,
        full => full.min(BAR),
    };
    format!("{}{}", "█".repeat(full), "░".repeat(BAR - full))
}

/// Whether a hook may inject texts at the start of a session or at a prompt.
pub fn may_inject(hook: &HookSpec) -> bool {
    let at_the_start = matches!(hook.event, EventKind::SessionStart | EventKind::PromptSubmit);
    let judges = match &hook.handler {
        Handler::Deny(_) | Handler::Ask(_) | Handler::Message { .. } => true,
        Handler::Builtin(builtin) => builtin.guards(),
        _ => false,
    };
    at_the_start && !judges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_shows_spent_share() {
        let full = |spent, limit| bar(spent, limit).chars().filter(|it| *it == '█').count();
        for (spent, limit, expected) in [
            (0, 1000, 0),
            (1, 1000, 1),
            (500, 1000, 10),
            (999, 1000, 19),
            (1000, 1000, 20),
            (5000, 1000, 20),
            (3, 0, 20),
            (0, 0, 0),
        ] {
            assert_eq!(full(spent, limit), expected, "{spent} of {limit}");
            assert_eq!(bar(spent, limit).chars().count(), BAR);
        }
        assert_eq!([share(0, 0), share(1, 1000), share(800, 1000), share(1001, 1000)], [0, 1, 80, 101]);
    }

    #[test]
    fn turn_is_named_by_id_or_number() {
        for (turn, expected) in
            [("our 3", "3"), ("the agent's p1", "p1"), ("00000000-0000-1111", "…00-0000-1111")]
        {
            assert_eq!(short_turn(turn), expected);
        }
    }
}
