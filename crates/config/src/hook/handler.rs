//! What a hook does: exactly one of the handlers.

use tenter_contract::{Ask, Choice, Command, Dialect, EventKind, Grant, Handler, Level, Policy, Template};

use super::on_failure::POLICIES;
use super::servers::Servers;
use super::{builtin, http, mcp, python};
use crate::fields::{Field, Fields};
use crate::problem::{Expected, Finding, Findings, ProblemKind};
use crate::tree::{Node, Value, shortened};
use crate::values;

/// The keys that say what a hook does.
pub(crate) const HANDLERS: [&str; 11] =
    ["command", "script", "http", "mcp", "python", "builtin", "inject", "message", "ask", "deny", "run"];

/// Reads the handler. `None` means that a problem was reported, here or by the check of the keys.
pub(super) fn read(
    fields: &Fields<'_>,
    node: &Node,
    (event, dialect): (&EventKind, Dialect),
    servers: &Servers,
    findings: &mut Findings,
) -> Option<Handler> {
    let stated: Vec<&'static str> = HANDLERS.into_iter().filter(|key| fields.get(key).is_some()).collect();
    let [key] = stated[..] else {
        if stated.len() > 1 {
            findings.add(node.place, ProblemKind::SeveralHandlers { handlers: stated });
        } else if !misspelled(findings) {
            findings.add(node.place, ProblemKind::NoHandler);
        }
        return None;
    };
    let field = fields.get(key)?;
    match key {
        "command" => findings.keep(command(&field, dialect)).map(Handler::Command),
        "script" => findings.keep(values::filled_text(&field)).map(|path| Handler::Script(path.to_owned())),
        "inject" => findings.keep(injected(&field, dialect)).map(Handler::Inject),
        "message" => message(&field, findings),
        "ask" => ask(&field, findings).map(Handler::Ask),
        "deny" => findings.keep(values::template(&field)).map(Handler::Deny),
        "http" => http::read(&field, event, findings).map(Handler::Http),
        "mcp" => mcp::read(&field, servers, findings).map(Handler::Mcp),
        "python" => python::read(&field, findings).map(Handler::Python),
        "builtin" => builtin::read(&field, findings).map(Handler::Builtin),
        _run => findings.keep(run(&field, servers, dialect)),
    }
}

/// Whether the missing handler is already reported as a misspelled key; once is enough.
fn misspelled(findings: &Findings) -> bool {
    let is_handler = |key: &str| HANDLERS.contains(&key);
    findings.kinds().any(
        |kind| matches!(kind, ProblemKind::UnknownKey { suggestion: Some(known), .. } if is_handler(known)),
    )
}

/// A text is a line for the shell; a list is a program with its arguments.
pub(super) fn command(field: &Field<'_>, dialect: Dialect) -> Result<Command, Finding> {
    match &field.node.value {
        Value::Text(_) => shell(field, values::filled_text(field)?, dialect).map(Command::Shell),
        Value::List(items) if items.is_empty() => {
            Err(field.problem(ProblemKind::EmptyValue { key: field.path.clone() }))
        }
        Value::List(_) => argv(field, dialect).map(Command::Argv),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Table(_) => {
            Err(field.wrong_type(Expected::TextOrList))
        }
    }
}

/// The program must be named; any argument may be empty.
fn argv(field: &Field<'_>, dialect: Dialect) -> Result<Vec<Template>, Finding> {
    let items = values::items(field, Expected::TextOrList)?;
    let word = |(at, item): (usize, &Field<'_>)| match (at, dialect.has_placeholders()) {
        (0, true) => values::template(item),
        (_, true) => values::any_template(item),
        (0, false) => values::filled_text(item).map(Template::literal),
        (_, false) => values::text(item).map(Template::literal),
    };
    items.iter().enumerate().map(word).collect()
}

/// A line that was written for another program is taken as it is.
fn shell(field: &Field<'_>, line: &str, dialect: Dialect) -> Result<Template, Finding> {
    if dialect.has_placeholders() { values::shell_template(field, line) } else { Ok(Template::literal(line)) }
}

fn injected(field: &Field<'_>, dialect: Dialect) -> Result<Template, Finding> {
    if dialect.has_placeholders() {
        values::template(field)
    } else {
        values::filled_text(field).map(Template::literal)
    }
}

/// The short form: a prefix says what is run.
fn run(field: &Field<'_>, servers: &Servers, dialect: Dialect) -> Result<Handler, Finding> {
    let text = values::filled_text(field)?.trim();
    match text.chars().next() {
        Some('!') => {
            let line = text[1..].trim_start();
            if line.is_empty() {
                return Err(field.problem(ProblemKind::EmptyValue { key: field.path.clone() }));
            }
            shell(field, line, dialect).map(Command::Shell).map(Handler::Command)
        }
        // What is no name of ours is the path of a program.
        Some('/') => match builtin::short(field, text) {
            Some(known) => known.map(Handler::Builtin),
            None => shell(field, text, dialect).map(Command::Shell).map(Handler::Command),
        },
        Some('#') => mcp::short(field, text[1..].trim_start(), servers).map(Handler::Mcp),
        Some(_) | None => Err(field.problem(ProblemKind::BadRun { found: shortened(text) })),
    }
}

const MESSAGE_KEYS: &str = "text level";

fn message(field: &Field<'_>, findings: &mut Findings) -> Option<Handler> {
    let Some(fields) = table_beside_text(field, "message", findings)? else {
        let text = findings.keep(values::template(field))?;
        return Some(Handler::Message { text, level: Level::default() });
    };
    fields.check(MESSAGE_KEYS, findings);
    require(&fields, field, ("text", "message.text"), findings);
    let level = fields.read("level", findings, |field| {
        values::word(field, &Level::ALL.map(|level| (level.as_str(), level)))
    });
    let text = fields.read("text", findings, values::template)?;
    Some(Handler::Message { text, level: level.unwrap_or_default() })
}

const ASK_KEYS: &str = "prompt options timeout default";

fn ask(field: &Field<'_>, findings: &mut Findings) -> Option<Ask> {
    let Some(fields) = table_beside_text(field, "ask", findings)? else {
        let prompt = findings.keep(values::template(field))?;
        return Some(Ask { prompt, options: Vec::new(), timeout: None, default: Policy::default() });
    };
    fields.check(ASK_KEYS, findings);
    require(&fields, field, ("prompt", "ask.prompt"), findings);
    let options = fields.get("options").map(|options| choices(&options, findings)).unwrap_or_default();
    let timeout = fields.read("timeout", findings, values::duration);
    let default = fields.read("default", findings, |field| values::word(field, &POLICIES));
    let prompt = fields.read("prompt", findings, values::template)?;
    Some(Ask { prompt, options, timeout, default: default.unwrap_or_default() })
}

const OPTION_KEYS: &str = "label grant";

/// `Allow`, or `{label, grant}` for words of one's own. What such a word permits is not guessed, so a label that
/// no one knows denies.
fn choices(field: &Field<'_>, findings: &mut Findings) -> Vec<Choice> {
    let items = findings.keep(values::items(field, Expected::List)).unwrap_or_default();
    items.iter().filter_map(|item| choice(item, findings)).collect()
}

fn choice(field: &Field<'_>, findings: &mut Findings) -> Option<Choice> {
    let Some(fields) = table_beside_text(field, "ask.options", findings)? else {
        return findings.keep(values::filled_text(field)).map(Choice::named);
    };
    fields.check(OPTION_KEYS, findings);
    require(&fields, field, ("label", "ask.options.label"), findings);
    let grant = fields.read("grant", findings, |field| values::word(field, &Grant::SPELLED));
    let label = fields.read("label", findings, values::filled_text)?;
    match grant {
        None => Some(Choice::named(label)),
        Some(grants) => {
            let choice = Choice::granting(label, grants);
            if choice.is_none() {
                findings.add(field.node.place, ProblemKind::DenyThatGrants);
            }
            choice
        }
    }
}

/// For handlers that are a text, or a table with more to say. The inner `None` is a text.
#[expect(clippy::option_option, reason = "a wrong type, a text and a table are three cases")]
pub(super) fn table_beside_text<'a>(
    field: &Field<'a>,
    path: &'static str,
    findings: &mut Findings,
) -> Option<Option<Fields<'a>>> {
    match &field.node.value {
        Value::Text(_) => Some(None),
        Value::Table(_) => findings.keep(Fields::from_field(field, path)).map(Some),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::List(_) => {
            findings.keep(Err(field.wrong_type(Expected::TextOrTable)))
        }
    }
}

pub(super) fn require(
    fields: &Fields<'_>,
    field: &Field<'_>,
    (key, path): (&str, &'static str),
    findings: &mut Findings,
) {
    if fields.get(key).is_none() {
        findings.add(field.node.place, ProblemKind::MissingKey { key: path });
    }
}
