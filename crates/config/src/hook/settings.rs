//! How a hook is run, and what its replies are taken for.

use tenter_contract::{
    Dialect, EnvInheritance, ExecutionMode, HookSpec, InjectOutput, Layer, LeftoverProcesses, OnFailure,
    Once, Policy, Repeat, Role, Strategy,
};

use super::{cache, on_failure};
use crate::fields::{Field, Fields};
use crate::problem::{Expected, Finding, Findings, ProblemKind};
use crate::suggest;
use crate::tree::Value;
use crate::values;

/// Reads the settings into the hook; what is absent keeps the default of [`HookSpec::new`].
pub(super) fn read(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    hook.description = fields.read("description", findings, values::text).map(str::to_owned);
    running(fields, hook, findings);
    failing(fields, hook, findings);
    replying(fields, hook, findings);
    surroundings(fields, hook, findings);
}

fn running(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    set(&mut hook.priority, fields.read("priority", findings, values::whole_number));
    set(&mut hook.timeout, fields.read("timeout", findings, values::duration));
    set(&mut hook.max_output, fields.read("max_output", findings, values::size));
    let once = [("session", Once::Session), ("turn", Once::Turn)];
    set(&mut hook.once, fields.read("once", findings, |field| values::word(field, &once)));
    hook.every = fields.read("every", findings, values::positive_number);
    let after = fields.read("after", findings, values::texts).unwrap_or_default();
    hook.after = after.into_iter().map(str::to_owned).collect();
    if let Some(field) = fields.get("cache") {
        hook.cache = cache::read(&field, findings);
    }
    let parallel = fields.read("parallel", findings, values::switch);
    set(
        &mut hook.execution_mode,
        parallel.map(|yes| if yes { ExecutionMode::Parallel } else { ExecutionMode::Alone }),
    );
    if fields.read("background", findings, values::switch) == Some(true) {
        hook.execution_mode = ExecutionMode::Background;
        // Nothing waits that could be stopped, so nothing is a guard, whatever the layer says.
        hook.on_failure = OnFailure::always(Policy::Allow);
        hook.rejudge = false;
    }
    let detach = fields.read("detach", findings, values::switch);
    set(
        &mut hook.remains,
        detach.map(|yes| if yes { LeftoverProcesses::Detached } else { LeftoverProcesses::Ended }),
    );
}

fn failing(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    if let Some(field) = fields.get("on_failure") {
        hook.on_failure = on_failure::read(&field, hook.on_failure, findings);
    }
    // A guard that is not asked about the rewritten input has guarded something else.
    hook.rejudge |= hook.on_failure.guards();
    set(&mut hook.rejudge, fields.read("rejudge", findings, values::switch));
    let layer = hook.id.layer;
    let may_allow = fields.read("may_allow", findings, |field| may_allow(field, layer));
    set(&mut hook.may_allow, may_allow);
}

/// Only the machine's owner and the user may lift the agent's own permission check; a project can only
/// tighten.
pub(crate) fn may_allow(field: &Field<'_>, layer: Layer) -> Result<bool, Finding> {
    let wanted = values::switch(field)?;
    let permitted = match layer {
        Layer::Managed | Layer::User => true,
        Layer::Profile | Layer::Project | Layer::Local | Layer::Embedded => false,
    };
    if wanted && !permitted {
        return Err(field.problem(ProblemKind::MayAllowRefused { layer }));
    }
    Ok(wanted)
}

fn replying(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    let inject_output = [
        ("never", InjectOutput::Never),
        ("success", InjectOutput::Success),
        ("failure", InjectOutput::Failure),
        ("always", InjectOutput::Always),
    ];
    set(
        &mut hook.inject_output,
        fields.read("inject_output", findings, |field| values::word(field, &inject_output)),
    );
    let roles = Role::ALL.map(|role| (role.as_str(), role));
    set(&mut hook.role, fields.read("role", findings, |field| values::word(field, &roles)));
    if let (Role::Assistant, Some(field)) = (hook.role, fields.get("role")) {
        findings.add(field.node.place, ProblemKind::AssistantRole);
    }
    let strategies = Strategy::ALL.map(|strategy| (strategy.as_str(), strategy));
    set(&mut hook.strategy, fields.read("strategy", findings, |field| values::word(field, &strategies)));
    set(&mut hook.defaults.ephemeral, fields.read("ephemeral", findings, values::switch));
    let repeats = Repeat::ALL.map(|repeat| (repeat.as_str(), repeat));
    set(&mut hook.defaults.repeat, fields.read("repeat", findings, |field| values::word(field, &repeats)));
    set(&mut hook.defaults.suppress_output, fields.read("suppress_output", findings, values::switch));
}

fn surroundings(fields: &Fields<'_>, hook: &mut HookSpec, findings: &mut Findings) {
    hook.cwd = fields.read("cwd", findings, values::filled_text).map(str::to_owned);
    let trusted = fields.read("trust_files", findings, values::texts).unwrap_or_default();
    hook.trust_files = trusted.into_iter().map(str::to_owned).collect();
    if let Some(field) = fields.get("env") {
        hook.env = variables(&field, findings);
    }
    // Secrets in the agent's environment are none of a project's business unless it names them, and then
    // anyone who trusts the project has read the name.
    hook.inherit_env = match hook.id.layer {
        Layer::Project | Layer::Local => EnvInheritance::Minimal,
        Layer::Managed | Layer::User | Layer::Profile | Layer::Embedded => EnvInheritance::All,
    };
    set(&mut hook.inherit_env, fields.read("inherit_env", findings, inheritance));
}

pub(super) fn variables(field: &Field<'_>, findings: &mut Findings) -> Vec<(String, String)> {
    let Some(fields) = findings.keep(Fields::from_field(field, "env")) else { return Vec::new() };
    let mut variables = Vec::new();
    for (name, field) in fields.all() {
        let Some(value) = findings.keep(values::text(&field)) else { continue };
        if is_variable(name) && !value.contains('\0') {
            variables.push((name.to_owned(), value.to_owned()));
        } else {
            findings.add(field.key_place, ProblemKind::BadVariable { name: name.to_owned() });
        }
    }
    variables
}

fn inheritance(field: &Field<'_>) -> Result<EnvInheritance, Finding> {
    match &field.node.value {
        Value::List(_) => {
            let names = values::texts(field)?;
            if let Some(bad) = names.iter().find(|name| !is_variable(name)) {
                return Err(field.problem(ProblemKind::BadVariable { name: (*bad).to_owned() }));
            }
            Ok(EnvInheritance::Named(names.into_iter().map(str::to_owned).collect()))
        }
        Value::Text(text) if text == "all" => Ok(EnvInheritance::All),
        Value::Text(text) if text == "minimal" => Ok(EnvInheritance::Minimal),
        Value::Text(text) => Err(field.problem(ProblemKind::BadValue {
            key: field.path.clone(),
            found: field.node.quoted(),
            allowed: vec!["all", "minimal", "[\"NAME\"]"],
            suggestion: suggest::nearest(text, ["all", "minimal"]),
        })),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Table(_) => {
            Err(field.wrong_type(Expected::TextOrList))
        }
    }
}

pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Read before everything else, because it says how the rest is to be read.
pub(super) fn dialect(fields: &Fields<'_>, findings: &mut Findings) -> Dialect {
    let known = Dialect::ALL.map(|dialect| (dialect.as_str(), dialect));
    fields.read("dialect", findings, |field| values::word(field, &known)).unwrap_or_default()
}

fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}
