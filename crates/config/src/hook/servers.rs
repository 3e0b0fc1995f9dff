//! `mcp_servers`: the MCP servers that hooks of this file may ask.

use std::collections::BTreeMap;

use tenter_contract::{McpServer, McpTransport};

use super::http;
use super::settings::variables;
use crate::fields::{Field, Fields};
use crate::problem::{Expected, Findings, ProblemKind};
use crate::values;

/// Those that are written properly, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Servers(BTreeMap<String, McpServer>);

const KEYS: &str = "command args env url headers";

impl Servers {
    /// Reads the section; what is wrong with one server leaves the others.
    pub(crate) fn read(field: &Field<'_>, findings: &mut Findings) -> Self {
        let Some(fields) = findings.keep(Fields::from_field(field, "mcp_servers")) else {
            return Self::default();
        };
        let read = |(name, field): (&str, Field<'_>)| {
            let transport = transport(&field, findings)?;
            Some((name.to_owned(), McpServer { name: name.to_owned(), transport }))
        };
        Self(fields.all().filter_map(read).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&McpServer> {
        self.0.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// A program or a URL. `command` with `args` is how agents write it, a list how hooks do.
fn transport(field: &Field<'_>, findings: &mut Findings) -> Option<McpTransport> {
    let fields = findings.keep(Fields::from_field(field, "mcp_servers"))?;
    fields.check(KEYS, findings);
    match (fields.get("command"), fields.get("url")) {
        (Some(command), None) => {
            let mut words = findings.keep(words(&command))?;
            let arguments = fields.read("args", findings, values::texts).unwrap_or_default();
            words.extend(arguments.into_iter().map(str::to_owned));
            let env = fields.get("env").map(|field| variables(&field, findings)).unwrap_or_default();
            Some(McpTransport::Stdio { command: words, env })
        }
        (None, Some(url)) => {
            let url = findings.keep(http::url(&url))?.as_str().to_owned();
            let headers = fields.get("headers");
            let headers = headers.map(|field| http::headers(&field, "mcp_servers.headers", findings));
            Some(McpTransport::Http { url, headers: headers.unwrap_or_default() })
        }
        (Some(_), Some(_)) => {
            let handlers = vec!["command", "url"];
            findings.add(field.key_place, ProblemKind::SeveralHandlers { handlers });
            None
        }
        (None, None) => {
            findings.add(field.key_place, ProblemKind::MissingKey { key: "mcp_servers.command" });
            None
        }
    }
}

fn words(field: &Field<'_>) -> Result<Vec<String>, crate::problem::Finding> {
    if let crate::tree::Value::Text(_) = field.node.value {
        return Ok(vec![values::filled_text(field)?.to_owned()]);
    }
    let words: Vec<String> = values::items(field, Expected::TextOrList)?
        .iter()
        .map(values::text)
        .map(|word| word.map(str::to_owned))
        .collect::<Result<_, _>>()?;
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(field.problem(ProblemKind::EmptyValue { key: field.path.clone() }));
    }
    Ok(words)
}
