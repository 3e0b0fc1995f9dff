//! One hook: from the table a user wrote to a [`HookSpec`] that can be relied on.

mod handler;
mod http;
mod mcp;
mod servers;
mod python;
mod builtin;
mod matcher;
mod suspicion;
mod conditions;
mod cache;
mod settings;
mod on_failure;
mod background;
mod powers;
mod examples;

use tenter_contract::{EventKind, Handler, HookId, HookSource, HookSpec};

use crate::context;
use crate::fields::Fields;
use crate::problem::{Finding, Findings, ProblemKind};
use crate::source::SourceText;
use crate::tree::Node;
use crate::values;

pub use background::InvalidCombination;
pub(crate) use handler::HANDLERS;
pub use matcher::MatcherError;
pub(crate) use servers::Servers;
pub(crate) use settings::may_allow;
pub use suspicion::Suspicion;

/// Every key a hook may have, for the reference page.
pub fn hook_keys() -> Vec<&'static str> {
    KEYS.split(' ').collect()
}

/// Every key of `when`.
pub fn condition_keys() -> Vec<&'static str> {
    conditions::WHEN_KEYS.split(' ').collect()
}

pub(crate) struct ReadHook {
    /// Its name, if it has a proper one.
    pub(crate) name: Option<String>,
    pub(crate) entry: Entry,
    pub(crate) findings: Vec<Finding>,
}

pub(crate) enum Entry {
    Ready(Box<HookSpec>),
    Disabled(HookId),
    Bad,
}

const KEYS: &str = "name description command script http mcp python builtin inject message ask deny run matcher when \
    agents priority timeout max_output inject_output once every after cache parallel background detach \
    on_failure rejudge may_allow role strategy ephemeral repeat suppress_output env inherit_env cwd \
    trust_files dialect enabled examples";

/// Reads one hook and reports all that is wrong with it, not only the first thing.
pub(crate) fn read_hook(
    node: &Node,
    event: &EventKind,
    servers: &Servers,
    source: &SourceText<'_>,
) -> ReadHook {
    let mut findings = Findings::default();
    let (name, entry) = read(node, event, servers, source, &mut findings);
    let entry = if findings.have_errors() { Entry::Bad } else { entry };
    ReadHook { name, entry, findings: findings.into_sorted() }
}

fn read(
    node: &Node,
    event: &EventKind,
    servers: &Servers,
    source: &SourceText<'_>,
    findings: &mut Findings,
) -> (Option<String>, Entry) {
    let Some(fields) = Fields::from_hook(node) else {
        findings.add(node.place, ProblemKind::HookNotTable { found: node.describe() });
        return (None, Entry::Bad);
    };
    findings.add_repeated(node.repeated_keys());
    let name = read_name(&fields, node, findings);
    let enabled = fields.read("enabled", findings, values::switch);
    if let (Some(false), Some(name), false) = (enabled, &name, findings.have_errors()) {
        let id = HookId::new(source.layer, name.clone());
        return (Some(name.clone()), Entry::Disabled(id));
    }

    fields.check(KEYS, findings);
    let dialect = settings::dialect(&fields, findings);
    let handler = handler::read(&fields, node, (event, dialect), servers, findings);
    // Without a name or a handler the hook is bad; reading goes on so that all its problems are reported at once.
    let complete = name.is_some() && handler.is_some();
    let id = HookId::new(source.layer, name.clone().unwrap_or_default());
    let mut hook = HookSpec::new(id, event.clone(), handler.unwrap_or(Handler::InProcess));
    hook.dialect = dialect;
    hook.source =
        HookSource { file: source.name.to_owned(), folder: source.folder.to_owned(), line: node.place.line };
    if hook.event.is_only_recorded() {
        findings.add(node.place, ProblemKind::NeverAsked { event: event.clone() });
    }
    powers::check(&hook, &fields, findings);
    context::check(&hook, &fields, findings);
    conditions::read(&fields, &mut hook, findings);
    settings::read(&fields, &mut hook, findings);
    background::check(&hook, &fields, findings);
    if !findings.have_errors() {
        examples::read(&fields, &mut hook, findings);
    }
    let entry = if complete { Entry::Ready(Box::new(hook)) } else { Entry::Bad };
    (name, entry)
}

fn read_name(fields: &Fields<'_>, node: &Node, findings: &mut Findings) -> Option<String> {
    if fields.get("name").is_none() {
        findings.add(node.place, ProblemKind::MissingKey { key: "name" });
    }
    fields.read("name", findings, |field| {
        let name = values::text(field)?;
        if HookId::is_proper_name(name) {
            Ok(name.to_owned())
        } else {
            Err(field.problem(ProblemKind::BadName { name: name.to_owned() }))
        }
    })
}
