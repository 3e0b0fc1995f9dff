//! Prints the explanation of a hook, as text or JSON.

use serde_json::{Value, json};
use tenter_contract::hook::{FailureClass, HookSpec, Policy};
use tenter_contract::reply::seconds;
use tenter_contract::{Pattern, event_names};
use tenter_kernel::matching::Condition;

use crate::commands::hooks::explain::agents::AgentView;
use crate::commands::hooks::explain::{Check, Explained};
use crate::hooks::describe::{matcher_text, runs};
use crate::listing::{columns, visible};
use crate::printer::{Printer, Tone};

const FILE_EXISTS: &str = "when.file_exists";

/// Longer values are cut.
const LONGEST: usize = 120;

pub(crate) fn condition(condition: Condition<'_>) -> (String, String) {
    let when = |key: &str, patterns: &[Pattern]| (format!("when.{key}"), alternatives(patterns));
    match condition {
        Condition::Event(kind) => ("event".to_owned(), kind.to_string()),
        Condition::Agents(agents) => ("agents".to_owned(), alternatives(agents)),
        Condition::Matcher(matcher) => ("matcher".to_owned(), matcher_text(matcher)),
        Condition::Path(patterns) => when("path", patterns),
        Condition::Command(patterns) => when("command", patterns),
        Condition::Prompt(patterns) => when("prompt", patterns),
        Condition::Cwd(patterns) => when("cwd", patterns),
        Condition::Agent(patterns) => when("agent", patterns),
        Condition::ExitCode(patterns) => when("exit_code", patterns),
        Condition::Branch(patterns) => when("branch", patterns),
        Condition::Variable(name, patterns) => when(&format!("env.{name}"), patterns),
        Condition::FileExists(files) => (FILE_EXISTS.to_owned(), files.join(", ")),
        Condition::Layer(patterns, _) => when("layer", patterns),
    }
}

/// The text for a condition without a value to compare with.
pub(crate) fn absent(condition: Condition<'_>) -> &'static str {
    match condition {
        Condition::Variable(..) => "and it is not set",
        Condition::FileExists([_]) => "and it is not there",
        Condition::FileExists(_) => "and none of them is there",
        _ => "and the event has none",
    }
}

fn alternatives(patterns: &[Pattern]) -> String {
    patterns.iter().map(Pattern::as_str).collect::<Vec<_>>().join(", ")
}

impl Explained {
    pub(crate) fn print(&self, all_agents: bool, printer: &Printer) {
        printer.line(printer.tone(Tone::Heading, &self.address));
        if let Some(hook) = &self.hook {
            printer.line(format!("  {}:{}", hook.source.file, hook.source.line));
            printer.line(format!("  {}", visible(&runs(hook))));
        }
        printer.line(match self.would_run() {
            Some(true) => printer.tone(Tone::Good, "it would run for this event"),
            Some(false) if self.event.is_some() => printer.tone(Tone::Bad, "it would not run for this event"),
            Some(false) => printer.tone(Tone::Bad, "it does not run"),
            None => "it runs at every event for which all of this holds".to_owned(),
        });
        let rows: Vec<Vec<String>> = self.checks.iter().map(row).collect();
        for (line, check) in columns(&rows).into_iter().zip(&self.checks) {
            let bad = check.holds == Some(false);
            printer.line(if bad { printer.tone(Tone::Bad, line) } else { line });
        }
        let Some(hook) = &self.hook else { return };
        self.print_order(hook, printer);
        print_failures(hook, printer);
        self.print_agents(all_agents, printer);
    }

    /// Prints the agents that call tenter here, and the agent of the event.
    fn print_agents(&self, all: bool, printer: &Printer) {
        printer.line(printer.tone(Tone::Heading, "agent support"));
        let asked_about = self.event.as_ref().map(|event| event.agent.as_str());
        let concerns = |view: &&AgentView| all || view.installed || asked_about == Some(view.name.as_str());
        let (shown, others): (Vec<&AgentView>, Vec<&AgentView>) = self.agents.iter().partition(concerns);
        let rows: Vec<Vec<String>> = shown.iter().flat_map(|view| of_agent(view)).collect();
        printer.table(&rows);
        if others.is_empty() {
            return;
        }
        let none = !self.agents.iter().any(|view| view.installed);
        let who = if none {
            "no agent calls tenter here yet; run `tenter init`".to_owned()
        } else if others.len() == 1 {
            "1 more agent does not call tenter here".to_owned()
        } else {
            format!("{} more agents do not call tenter here", others.len())
        };
        let more = format!("  {who}; `--all-agents` shows them");
        printer.line(printer.tone(Tone::Quiet, more));
    }

    fn print_order(&self, hook: &HookSpec, printer: &Printer) {
        if !hook.after.is_empty() {
            printer.line(format!("it waits for {}", hook.after.join(", ")));
        }
        if hook.rejudge {
            printer.line("it is asked again if a later hook rewrites the input");
        }
    }

    pub(crate) fn as_json(&self) -> Value {
        let check = |check: &Check| json!({"what": check.about, "wanted": check.wanted, "found": check.found, "holds": check.holds});
        let agent = |view: &AgentView| {
            let cannot = view.missing_capabilities.iter().flatten().map(|lack| lack.words(view.shows));
            json!({
                "agent": view.name,
                "installed": view.installed,
                "proven": view.proven,
                "sends_the_event": view.missing_capabilities.is_some(),
                "cannot": cannot.map(|(what, instead)| json!({"what": what, "instead": instead})).collect::<Vec<_>>(),
            })
        };
        let hook = self.hook.as_ref();
        json!({
            "hook": self.address,
            "where": hook.map(|hook| format!("{}:{}", hook.source.file, hook.source.line)),
            "does": hook.map(runs),
            "event": self.event.as_ref().map(|event| event.kind.as_str()),
            "would_run": self.would_run(),
            "checks": self.checks.iter().map(check).collect::<Vec<_>>(),
            "after": hook.map(|hook| &hook.after),
            "rejudge": hook.map(|hook| hook.rejudge),
            "on_failure": hook.map(|hook| {
                CLASSES.map(|class| (class.as_str().to_owned(), json!(hook.on_failure.policy_for(class).as_str())))
                    .into_iter().collect::<serde_json::Map<_, _>>()
            }),
            "agents": self.agents.iter().map(agent).collect::<Vec<_>>(),
        })
    }
}

fn print_failures(hook: &HookSpec, printer: &Printer) {
    if hook.handler.is_fixed() {
        return printer.line("it cannot fail: its text is in the hook file");
    }
    printer.line(printer.tone(Tone::Heading, "if it fails"));
    let row = |class: &FailureClass| {
        vec![format!("  {}", class.as_str()), failing(hook, *class), meaning(hook, *class)]
    };
    printer.table(&CLASSES.iter().map(row).collect::<Vec<_>>());
}

fn row(check: &Check) -> Vec<String> {
    let mark = match check.holds {
        Some(true) => "  yes",
        Some(false) => "  no",
        None => "  if",
    };
    vec![mark.to_owned(), check.about.clone(), check.wanted.clone(), found(check)]
}

fn found(check: &Check) -> String {
    match &check.found {
        None => String::new(),
        Some(found) if found.is_empty() => check.absent.to_owned(),
        Some(found) if check.about == FILE_EXISTS => {
            let verb = if found.len() == 1 { "is" } else { "are" };
            format!("and {} {verb} there", shortened(&found.join(", ")))
        }
        Some(found) => format!("and it is {}", shortened(&found.join(", "))),
    }
}

/// A check on one line: `when.command wants *production*, and it is ls`.
pub(crate) fn in_words(check: &Check) -> String {
    match found(check) {
        nothing if nothing.is_empty() => check.wanted.clone(),
        found => format!("{} wants {}, {found}", check.about, check.wanted),
    }
}

fn shortened(text: &str) -> String {
    let line = text.replace('\n', "\\n");
    if line.chars().count() <= LONGEST {
        return line;
    }
    format!("{}…", line.chars().take(LONGEST).collect::<String>())
}

const CLASSES: [FailureClass; 3] = [FailureClass::Timeout, FailureClass::Error, FailureClass::Missing];

fn failing(hook: &HookSpec, class: FailureClass) -> String {
    match class {
        FailureClass::Timeout => format!("it is not done after {}", seconds(hook.timeout)),
        FailureClass::Error => "it crashes, or its output is not a reply".to_owned(),
        FailureClass::Missing => "it cannot be started".to_owned(),
    }
}

fn meaning(hook: &HookSpec, class: FailureClass) -> String {
    let blocks = event_names::row(&hook.event).is_some_and(|row| row.powers.block.possible());
    match hook.on_failure.policy_for(class) {
        Policy::Allow => "the agent continues, and you are notified",
        Policy::Deny if blocks => "denies",
        Policy::Deny => "this event cannot be denied: you are notified",
    }
    .to_owned()
}

fn of_agent(view: &AgentView) -> Vec<Vec<String>> {
    let calls = if view.installed { "calls tenter" } else { "does not call tenter" };
    let line = |text: String| vec![format!("  {}", view.title), calls.to_owned(), text];
    match &view.missing_capabilities {
        None => vec![line("does not send this event: the hook never runs there".to_owned())],
        Some(missing) if missing.is_empty() => vec![line("supports everything it may reply".to_owned())],
        Some(missing) => {
            let words = missing.iter().map(|lack| lack.words(view.shows));
            words.map(|(what, instead)| line(format!("cannot {what}: {instead}"))).collect()
        }
    }
}
