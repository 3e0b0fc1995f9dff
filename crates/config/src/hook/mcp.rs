//! `mcp`: something an MCP server of this file offers.

use tenter_contract::{Arguments, Mcp, McpServer, McpWanted};

use super::handler::require;
use super::servers::Servers;
use crate::fields::{Field, Fields};
use crate::problem::{Finding, Findings, ProblemKind};
use crate::values;

const KEYS: &str = "server tool resource prompt arguments";

/// Reads the table: a server, and one of a tool, a resource or a prompt.
pub(super) fn read(field: &Field<'_>, servers: &Servers, findings: &mut Findings) -> Option<Mcp> {
    let fields = findings.keep(Fields::from_field(field, "mcp"))?;
    fields.check(KEYS, findings);
    require(&fields, field, ("server", "mcp.server"), findings);
    let server = fields.read("server", findings, |field| named(field, values::filled_text(field)?, servers));
    let wanted: Vec<&'static str> =
        ["tool", "resource", "prompt"].into_iter().filter(|key| fields.get(key).is_some()).collect();
    let [key] = wanted[..] else {
        let kind = match wanted[..] {
            [] => ProblemKind::MissingKey { key: "mcp.tool" },
            _ => ProblemKind::SeveralHandlers { handlers: wanted },
        };
        findings.add(field.node.place, kind);
        return None;
    };
    let arguments = fields.read("arguments", findings, arguments).unwrap_or_default();
    let wanted = match key {
        "resource" => McpWanted::Resource { uri: fields.read(key, findings, values::template)? },
        "prompt" => {
            McpWanted::Prompt { name: fields.read(key, findings, values::filled_text)?.to_owned(), arguments }
        }
        _tool => {
            McpWanted::Tool { name: fields.read(key, findings, values::filled_text)?.to_owned(), arguments }
        }
    };
    Some(Mcp { server: server?, wanted })
}

/// The short form: `#server/tool {"key": "value"}`.
pub(super) fn short(field: &Field<'_>, text: &str, servers: &Servers) -> Result<Mcp, Finding> {
    let bad = || field.problem(ProblemKind::BadRun { found: crate::tree::shortened(text) });
    let (address, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (server, tool) = address.split_once('/').filter(|(_, tool)| !tool.is_empty()).ok_or_else(bad)?;
    let server = named(field, server, servers)?;
    let arguments = match rest.trim() {
        "" => serde_json::Map::new(),
        json => serde_json::from_str(json).map_err(|_| bad())?,
    };
    let arguments = checked(field, arguments)?;
    Ok(Mcp { server, wanted: McpWanted::Tool { name: tool.to_owned(), arguments } })
}

fn named(field: &Field<'_>, name: &str, servers: &Servers) -> Result<McpServer, Finding> {
    servers.get(name).cloned().ok_or_else(|| {
        let suggestion = crate::suggest::nearest(name, servers.names()).map(str::to_owned);
        field.problem(ProblemKind::UnknownServer { name: name.to_owned(), suggestion })
    })
}

fn arguments(field: &Field<'_>) -> Result<Arguments, Finding> {
    checked(field, values::json_object(field)?)
}

fn checked(
    field: &Field<'_>,
    arguments: serde_json::Map<String, serde_json::Value>,
) -> Result<Arguments, Finding> {
    Arguments::parse(arguments)
        .map_err(|error| field.problem(ProblemKind::BadTemplate { key: field.path.clone(), error }))
}
