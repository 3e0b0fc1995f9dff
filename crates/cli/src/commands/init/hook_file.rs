//! The hooks that `init` adds to the user's own hook file: `protect-config` and those of memory.

use serde_json::{Value, json};

use crate::arguments::InitArguments;
use crate::commands::memory_hooks;
use crate::commands::protection::{Plan, Step};
use crate::error::CliError;

/// What is added, or was.
pub(super) struct HookFile {
    /// None if it is not wanted.
    pub(super) protection: Option<Plan>,
    /// None if they are not wanted.
    pub(super) memory: Option<memory_hooks::Plan>,
    /// What keeps one of them out of the file.
    pub(super) warnings: Vec<String>,
}

impl HookFile {
    /// Plans it, and writes it unless this is only the plan. An error is a warning: agents call tenter all the same.
    pub(super) fn prepare(arguments: &InitArguments, write: bool) -> Self {
        let (protection, unprotected) = match protection(arguments, write) {
            Ok(plan) => (plan, None),
            Err(error) => (None, Some(format!("agents are not kept from tenter's own files: {error}"))),
        };
        let (memory, unremembered) = match memory(arguments, protection.as_ref(), write) {
            Ok(plan) => (plan, None),
            Err(error) => (None, Some(format!("the memory hooks are missing: {error}"))),
        };
        let by_hand = protection.as_ref().and_then(by_hand);
        let memory_by_hand = memory.as_ref().and_then(memory_hooks::Plan::by_hand);
        let warnings = [unprotected, unremembered, by_hand, memory_by_hand].into_iter().flatten().collect();
        Self { protection, memory, warnings }
    }

    /// Whether the file changes.
    pub(super) fn changes(&self) -> bool {
        !self.added().is_empty()
    }

    /// Name and purpose of each hook that is added.
    pub(super) fn added(&self) -> Vec<[&'static str; 2]> {
        let protects = self.protection.as_ref().is_some_and(|plan| matches!(plan.step, Step::Add(_)));
        let remembers =
            self.memory.as_ref().is_some_and(|plan| matches!(plan.step, memory_hooks::Step::Add(_)));
        let protection = ["protect-config", "prevents agents from changing tenter's files and hook settings"];
        let memory = ["memory hooks", "recall what earlier sessions learned; stored on this machine only"];
        protects.then_some(protection).into_iter().chain(remembers.then_some(memory)).collect()
    }

    /// The file, as people type it.
    pub(super) fn path(&self) -> String {
        let memory = self.memory.as_ref().map(memory_hooks::Plan::path);
        self.protection.as_ref().map(Plan::path).or(memory).unwrap_or_default()
    }

    /// Every line that changes.
    pub(super) fn diff(&self) -> String {
        let protection = self.protection.as_ref().map(Plan::diff).unwrap_or_default();
        protection + &self.memory.as_ref().map(memory_hooks::Plan::diff).unwrap_or_default()
    }

    /// For programs: keys of an agent's object.
    pub(super) fn as_json(&self) -> [(&'static str, Value); 2] {
        let declined = || json!({"state": "declined"});
        [
            ("protection", self.protection.as_ref().map_or_else(declined, Plan::as_json)),
            ("memory_hooks", self.memory.as_ref().map_or_else(declined, memory_hooks::Plan::as_json)),
        ]
    }
}

fn protection(arguments: &InitArguments, write: bool) -> Result<Option<Plan>, CliError> {
    if arguments.without.no_protect {
        return Ok(None);
    }
    let mut plan = Plan::to_add()?;
    if let (Some(plan), true) = (&mut plan, write) {
        plan.take()?;
    }
    Ok(plan)
}

fn memory(
    arguments: &InitArguments,
    protection: Option<&Plan>,
    write: bool,
) -> Result<Option<memory_hooks::Plan>, CliError> {
    if arguments.without.no_memory {
        return Ok(None);
    }
    // As long as nothing is written, the file is still what it was before the protection.
    let plan = memory_hooks::Plan::to_add(protection.filter(|_| !write))?;
    if let (Some(plan), true) = (&plan, write) {
        plan.take()?;
    }
    Ok(plan)
}

/// What a person has to write into the file.
fn by_hand(plan: &Plan) -> Option<String> {
    let Step::ByHand(how) = &plan.step else { return None };
    Some(format!("agents are not kept from tenter's own files yet; {how}:\n  {}", plan.to_paste()))
}
