//! What an installed entry does when tenter is missing, in its own agent and in agents that read the same settings.
//! The test gives the line that `tenter init` writes to a shell and writes down the reaction.

use std::fmt::Write;
use std::process::Command;

use tenter_contract::ports::{AgentAdapter, AgentInstaller, IfGone, Proof, Scope, Wiring};
use tenter_contract::{Answer, EventKind};

use super::{PAGE, reaction};
use crate::generated;

const CAUSES: [(&str, IfGone); 2] =
    [("tenter is missing", IfGone::GoOn), ("tenter is missing, `--strict`", IfGone::Deny)];

#[test]
fn missing_program_table_is_observed() {
    let mut table = String::from(
        "| cause | settings of | read by | at a prompt | before a tool |\n|---|---|---|---|---|\n",
    );
    let measured = || tenter_adapters::all().iter().copied().filter(|it| it.proof() == Proof::Measured);
    for owner in measured() {
        let Some(installer) = owner.installer().filter(|installer| has_lines(*installer)) else { continue };
        for runner in measured().filter(|runner| runs(*runner, owner)) {
            let mut row = |cause: &str, answer: &dyn Fn(&EventKind) -> Answer| {
                let [prompt, tool] = [EventKind::PromptSubmit, EventKind::ToolPre]
                    .map(|kind| reaction(runner, &answer(&kind), &kind));
                let (owner, runner) = (owner.name(), runner.name());
                writeln!(table, "| {cause} | {owner} | {runner} | {prompt} | {tool} |").unwrap();
            };
            for (cause, if_gone) in CAUSES {
                row(cause, &|kind| run(&line(installer, if_gone, kind)));
            }
            // In its own agent this is a row of the table above.
            if runner.name() != owner.name() {
                let cause = "the payload cannot be decoded, and a hook has `on_failure: deny`";
                row(cause, &|_| owner.refusal("why"));
            }
        }
    }
    generated::check(PAGE, "missing program", &table);
}

/// Whether the settings have command lines. Plugins and folders of scripts have none.
fn has_lines(installer: &dyn AgentInstaller) -> bool {
    let entries = installed(installer, IfGone::GoOn);
    installer.files().is_empty() && entries.iter().all(|(_, line)| line.starts_with("[ -x "))
}

/// Whether an agent runs the entries in these settings.
fn runs(runner: &dyn AgentAdapter, owner: &dyn AgentAdapter) -> bool {
    let reads = |installer: &dyn AgentInstaller| {
        installer.reads_too().iter().any(|other| other.agent == owner.name())
    };
    runner.name() == owner.name() || runner.installer().is_some_and(reads)
}

fn line(installer: &dyn AgentInstaller, if_gone: IfGone, kind: &EventKind) -> String {
    let of_kind = |(event, _): &(String, String)| EventKind::parse(event).as_ref() == Some(kind);
    installed(installer, if_gone).into_iter().find(of_kind).unwrap().1
}

/// Event and line of each entry.
fn installed(installer: &dyn AgentInstaller, if_gone: IfGone) -> Vec<(String, String)> {
    let wiring = Wiring {
        program: "/nowhere/tenter-hook".to_owned(),
        if_gone,
        scope: Scope::User,
        installation: None,
    };
    let text = installer.install(None, &wiring).unwrap().text;
    let entries = installer.entries(&text).unwrap().into_iter();
    entries.map(|entry| (entry.event, entry.line)).collect()
}

fn run(line: &str) -> Answer {
    let output = Command::new("sh").args(["-c", line]).output().unwrap();
    let exit_code = output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap();
    Answer { stdout: output.stdout, stderr: output.stderr, exit_code }
}
