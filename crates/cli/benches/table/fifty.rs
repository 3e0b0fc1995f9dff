//! Fifty hooks and two events, each of which concerns half of the hooks.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::json;
use tenter_config::{Format, Loaded, SourceText, load};
use tenter_contract::ports::{AgentAdapter, Decoded, Surroundings};
use tenter_contract::{
    Approval, ApprovalAnswer, Capabilities, Effect, Event, HookOutput, HookReply, HookReport, HookSpec,
    Injection, Layer, Level, Message, Outcome, Patch, Rewrite, Round, Verdict,
};
use tenter_kernel::{Registry, Step, begin};

use crate::Result;
use crate::world::PAYLOAD;

/// What Claude Code sends before it edits `a.txt`.
const EDIT: &str = include_str!("../../../adapters/src/claude_code/fixtures/PreToolUse.Edit.json");

/// Ten kinds of hooks and what each asks for: two are concerned by both events, three by the Bash call,
/// three by the edit, two by neither. The file has five of each.
const KINDS: [(&str, &str); 10] = [
    ("agents", "agents: [claude]"),
    ("cwd", r#"when: { cwd: "/home/user/project" }"#),
    ("words", r#"matcher: "Bash(npm test|cargo test|echo)""#),
    ("glob", r#"matcher: Bash, when: { command: "echo *" }"#),
    ("regex", r#"matcher: "Bash|Write", when: { command: "/pass(ing|ed)$/" }, rejudge: true"#),
    ("names", r#"matcher: "Write|Edit""#),
    ("path", r#"matcher: Edit, when: { path: "**/*.txt" }, rejudge: true"#),
    ("tree", r#"when: { path: ["docs/**", "/home/user/project/*.txt"] }"#),
    ("server", r#"matcher: "mcp__*__delete_*""#),
    ("web", r#"matcher: "WebFetch|WebSearch""#),
];
const COPIES: usize = 5;
const CONCERNED: usize = 25;

/// An event, and what the hooks it concerns say to it, in the order they are asked.
#[derive(Clone)]
pub(crate) struct Rehearsed {
    /// The event.
    pub(crate) event: Arc<Event>,
    /// What the agent can carry at it.
    pub(crate) capabilities: Capabilities,
    reports: Vec<HookReport>,
}

impl Rehearsed {
    /// The way of the event through the kernel, hooks answering at once.
    pub(crate) fn play(self, registry: &Registry) -> Outcome {
        let mut reports = self.reports.into_iter();
        let silence = || HookReport::new(HookOutput::Reply(HookReply::default()));
        drive(self.event, registry, &self.capabilities, |_| reports.next().unwrap_or_else(silence))
    }
}

/// The fifty hooks.
pub(crate) fn registry() -> Result<Registry> {
    let mut file = String::from("version: 1\nhooks:\n  tool:pre:\n");
    for copy in 1..=COPIES {
        for (kind, keys) in KINDS {
            writeln!(file, r#"    - {{ name: {kind}-{copy}, command: "true", {keys} }}"#)?;
        }
    }
    Ok(Registry::new(loaded(&file)?.hooks))
}

/// The Bash call and the edit, with the replies to each.
pub(crate) fn rehearsed(agent: &dyn AgentAdapter, registry: &Registry) -> Result<[Rehearsed; 2]> {
    Ok([rehearse(agent, PAYLOAD, registry)?, rehearse(agent, EDIT, registry)?])
}

/// The event of a recorded payload.
pub(crate) fn event(agent: &dyn AgentAdapter, payload: &str) -> Result<Event> {
    match agent.decode(payload.as_bytes(), &Surroundings::default())? {
        Decoded::Event(event) => Ok(*event),
        Decoded::NotForUs => Err("the recorded payload is not for us".into()),
    }
}

/// A hook file without problems.
pub(crate) fn loaded(text: &str) -> Result<Loaded> {
    let loaded = load(&SourceText {
        name: "hooks.yaml",
        folder: "/home/user/.config/tenter",
        layer: Layer::User,
        format: Format::Yaml,
        text,
    });
    match loaded.problems.first() {
        None => Ok(loaded),
        Some(problem) => Err(problem.to_string().into()),
    }
}

fn rehearse(agent: &dyn AgentAdapter, payload: &str, registry: &Registry) -> Result<Rehearsed> {
    let event = Arc::new(event(agent, payload)?);
    let capabilities = agent.capabilities(&event);
    let outcome = drive(Arc::clone(&event), registry, &capabilities, |hook| HookReport::new(output_of(hook)));
    let concerned = outcome.runs.iter().filter(|run| run.round == Round::First).count();
    if (registry.len(), concerned) != (2 * CONCERNED, CONCERNED) {
        return Err(format!("{concerned} of {} hooks are concerned", registry.len()).into());
    }
    let reports = outcome.runs.into_iter().map(|run| HookReport::new(run.output)).collect();
    Ok(Rehearsed { event, capabilities, reports })
}

/// Most hooks have nothing to say. One rewrites, so that guards before it are asked again; some add text.
fn output_of(hook: &HookSpec) -> HookOutput {
    let effect = match hook.id.name.as_str() {
        "words-3" => Some(rewrite("description", "as the house style has it")),
        "names-3" => Some(rewrite("new_string", "three")),
        "glob-1" | "tree-1" => Some(Effect::Inject(Injection::text("Tests come before code."))),
        "glob-5" | "tree-5" => Some(Effect::Inject(Injection::text("The build is red since 14:02."))),
        "cwd-2" => {
            Some(Effect::Notify(Message { text: "two hooks are slow today".to_owned(), level: Level::Info }))
        }
        _ => None,
    };
    HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects: effect.into_iter().collect() })
}

fn rewrite(key: &str, value: &str) -> Effect {
    let change = [(key.to_owned(), json!(value))].into_iter().collect();
    Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(change)))
}

fn drive(
    event: Arc<Event>,
    registry: &Registry,
    capabilities: &Capabilities,
    mut ask: impl FnMut(&HookSpec) -> HookReport,
) -> Outcome {
    let mut step = begin(event, registry, capabilities);
    loop {
        step = match step {
            Step::RunHooks { invocations, then, .. } => {
                let reports = invocations.iter().enumerate().map(|(n, asked)| (n, ask(&asked.hook)));
                then.resume(reports.collect())
            }
            Step::GatherFacts { event, then } => then.resume(event.facts.clone()),
            Step::AskHuman { question, then, .. } => {
                let answer = ApprovalAnswer::NoApprover { why: "no approver in the benchmark".to_owned() };
                then.resume(Approval { question, answer })
            }
            Step::Finish(outcome) => return *outcome,
        };
    }
}
