//! `http`: a web server to ask, as a URL or with more to say.

use tenter_contract::{EventKind, Http, Method, Template};

use super::handler::{require, table_beside_text};
use crate::fields::{Field, Fields};
use crate::problem::{Finding, Findings, ProblemKind};
use crate::values;

const KEYS: &str = "url method headers";

/// Without a `method`, the events at which plain text becomes context are asked for a text, and the others
/// for a judgement of the event.
pub(super) fn read(field: &Field<'_>, event: &EventKind, findings: &mut Findings) -> Option<Http> {
    let for_text = matches!(event, EventKind::SessionStart | EventKind::PromptSubmit);
    let usual = if for_text { Method::Get } else { Method::Post };
    let Some(fields) = table_beside_text(field, "http", findings)? else {
        return Some(Http { url: findings.keep(url(field))?, method: usual, headers: Vec::new() });
    };
    fields.check(KEYS, findings);
    require(&fields, field, ("url", "http.url"), findings);
    let method = fields.read("method", findings, |field| values::word(field, &Method::ALL));
    let headers = fields.get("headers").map(|field| headers(&field, "http.headers", findings));
    let url = fields.read("url", findings, url)?;
    Some(Http { url, method: method.unwrap_or(usual), headers: headers.unwrap_or_default() })
}

/// The place of the server must be fixed: an event must not choose whom it is sent to.
pub(super) fn url(field: &Field<'_>) -> Result<Template, Finding> {
    let text = values::filled_text(field)?;
    // A password in it is not repeated.
    let shown = text.rsplit_once('@').map_or(text, |(_, behind)| behind).to_owned();
    let bad = || field.problem(ProblemKind::BadUrl { key: field.path.clone(), found: shown.clone() });
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme)).ok_or_else(bad)?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || host.contains(['{', '}', '@', ' ']) || text.contains(char::is_whitespace) {
        return Err(bad());
    }
    values::template(field)
}

/// Names and values as they may be in a request.
pub(super) fn headers(
    field: &Field<'_>,
    path: &'static str,
    findings: &mut Findings,
) -> Vec<(String, String)> {
    let Some(fields) = findings.keep(Fields::from_field(field, path)) else { return Vec::new() };
    let mut headers = Vec::new();
    for (name, field) in fields.all() {
        let Some(value) = findings.keep(values::text(&field)) else { continue };
        if is_header_name(name) && value.chars().all(|c| c == '\t' || !c.is_control()) {
            headers.push((name.to_owned(), value.to_owned()));
        } else {
            findings.add(field.key_place, ProblemKind::BadHeader { name: name.to_owned() });
        }
    }
    headers
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
