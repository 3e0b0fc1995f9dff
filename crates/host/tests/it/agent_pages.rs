//! The pages of the agents: one each, with tables from the code.

use std::fmt::Write;

use serde_json::{Map, json};
use tenter_contract::event_names::EVENTS;
use tenter_contract::ports::{AgentAdapter, Proof, Scope, SettingsPlace};
use tenter_contract::{
    AskUser, Capabilities, ContextChannel, Event, EventKind, RewriteInput, RewriteOutput, StopLoop, Support,
    Timestamp, ToolCall, ToolKind,
};

use crate::generated;
use crate::tree;

fn can(agent: &dyn AgentAdapter, kind: &EventKind) -> Capabilities {
    agent.capabilities(&Event::new(kind.clone(), agent.name(), None, Timestamp::default()))
}

fn yes(carry: Support) -> &'static str {
    if carry.possible() { "●" } else { "–" }
}

/// One test for both parts of a page: tests that write the same file must not run at once.
#[test]
fn every_agent_has_a_page_with_capabilities() {
    for agent in tenter_adapters::all() {
        let page = format!("docs/agents/{}.md", agent.name());
        generated::check(&page, "capabilities", &capabilities(*agent));
        generated::check(&page, "installed", &installed(*agent));
    }
}

fn capabilities(agent: &dyn AgentAdapter) -> String {
    let mut table = String::from(
        "| event | deny | ask | allow | rewrite | context | message |\n|---|---|---|---|---|---|---|\n",
    );
    for row in EVENTS {
        let can = can(agent, &row.kind);
        let ask = match can.ask {
            AskUser::Anything => "●",
            AskUser::Plainly => "● allow or deny",
            AskUser::Never => "–",
        };
        let rewrite = match (can.rewrite_input, can.rewrite_output) {
            (RewriteInput::Freely, _) => "● input",
            (RewriteInput::OnlyWithAllow, _) => "● input, with an allow",
            (RewriteInput::MergedOver, _) => "● input, no key removed",
            (RewriteInput::SamePatch(_), _) => "● patch of the same files",
            (RewriteInput::Only(_), _) => "● some keys of the input",
            (RewriteInput::Never, RewriteOutput::Freely) => "● result",
            (RewriteInput::Never, RewriteOutput::SameShape) => "● result, in its own shape",
            (RewriteInput::Never, RewriteOutput::Never) if can.rewrite_prompt.possible() => "● prompt",
            (RewriteInput::Never, RewriteOutput::Never) => "–",
        };
        let context = match can.context {
            ContextChannel::Always => "●",
            ContextChannel::UnlessDenied => "●, with a deny in its reason",
            ContextChannel::WholeAnswer => "● alone",
            ContextChannel::None if can.later.possible() => "later",
            ContextChannel::None => "–",
        };
        let deny = match can.stop_loop {
            StopLoop::EndsAfter(rounds) => format!("● {rounds} times in a row"),
            StopLoop::NeverEnds { .. } => {
                format!("● {} times in a row, counted by tenter", StopLoop::ROUNDS)
            }
            StopLoop::Theirs | StopLoop::Spent if can.withhold.possible() => {
                "● replaces the result".to_owned()
            }
            StopLoop::Theirs | StopLoop::Spent => yes(can.block).to_owned(),
        };
        let cells = [&deny, ask, yes(can.allow), rewrite, context, yes(can.message)];
        if cells.iter().any(|cell| *cell != "–") {
            writeln!(table, "| `{}` | {} |", row.canonical, cells.join(" | ")).unwrap();
        }
    }
    table
}

fn installed(agent: &dyn AgentAdapter) -> String {
    let Some(installer) = agent.installer() else { return String::new() };
    let mut text = String::from("| `tenter init` | |\n|---|---|\n");
    for scope in Scope::ALL {
        let place = match installer.place(scope) {
            None => continue,
            Some(SettingsPlace::Project { file }) => format!("`{file}` in the project"),
            Some(SettingsPlace::Home { variable, folder, file }) => {
                let home = if folder.is_empty() { "~".to_owned() } else { format!("~/{folder}") };
                let other = format!(", or `${variable}/{file}`");
                format!("`{home}/{file}`{}", if variable.is_empty() { "" } else { &other })
            }
        };
        writeln!(text, "| `tenter init {} --scope {scope}` | {place} |", agent.name()).unwrap();
    }
    let events: Vec<String> = installer.events().iter().map(|event| format!("`{event}`")).collect();
    writeln!(text, "\nIt runs tenter at {}: {}.", count(events.len()), events.join(", ")).unwrap();
    for other in installer.reads_too() {
        writeln!(text, "\nIt also reads the settings of [{0}]({0}.md).", other.agent).unwrap();
    }
    text
}

fn count(events: usize) -> String {
    if events == 1 { "one event".to_owned() } else { format!("{events} events") }
}

#[test]
fn agent_table_matches_code() {
    let mut table = String::from(
        "| agent | | deny | ask | rewrite input | context at a prompt | context after a tool | withhold a result | continue at a stop |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for agent in tenter_adapters::all() {
        let title = agent.installer().map_or_else(|| agent.name().to_string(), |it| it.title().to_owned());
        let proof = match agent.proof() {
            Proof::Measured => "proven",
            Proof::Documented => "not proven",
        };
        let [pre, prompt, post, stop] = [
            EventKind::ToolPre,
            EventKind::PromptSubmit,
            EventKind::ToolPost,
            EventKind::OrchestratorComplete,
        ]
        .map(|kind| can(*agent, &kind));
        let ask = match pre.ask {
            AskUser::Never if pre.block.possible() => "approver",
            AskUser::Never => "–",
            AskUser::Anything | AskUser::Plainly => "●",
        };
        let rewrite = match pre.rewrite_input {
            RewriteInput::Never if pre.block.possible() => "denied",
            RewriteInput::Never => "–",
            RewriteInput::Only(_) => "some keys",
            _ => "●",
        };
        let context = |can: &Capabilities| match can.context {
            ContextChannel::None if can.later.possible() => "later",
            ContextChannel::None => "–",
            _ => "●",
        };
        writeln!(
            table,
            "| [{title}]({}.md) | {proof} | {} | {ask} | {rewrite} | {} | {} | {} | {} |",
            agent.name(),
            yes(pre.block),
            context(&prompt),
            context(&post),
            withholds(*agent, &post),
            yes(stop.block),
        )
        .unwrap();
    }
    generated::check("docs/agents/README.md", "agents", &table);
}

/// If capabilities depend on the tool, those of a shell command are used.
fn withholds(agent: &dyn AgentAdapter, post: &Capabilities) -> &'static str {
    let bash = ToolCall::new("Bash", ToolKind::Shell, Map::new());
    let event = Event::new(EventKind::ToolPost, agent.name(), None, Timestamp::default());
    let result = json!({"stdout": "a", "stderr": "", "interrupted": false, "isImage": false});
    let raw = json!({"tool_response": result});
    let of_bash = agent.capabilities(&Event { tool: Some(bash), raw, ..event });
    match (post.withhold.possible(), of_bash.withhold.possible()) {
        (true, _) => "●",
        (false, true) => "of some tools",
        (false, false) => "–",
    }
}

/// A page of a removed agent would be wrong.
#[test]
fn every_page_has_an_agent() {
    let known: Vec<String> = tenter_adapters::names().map(|name| format!("{name}.md")).collect();
    for entry in std::fs::read_dir(tree::root().join("docs/agents")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || known.contains(&name), "docs/agents/{name}");
    }
}
